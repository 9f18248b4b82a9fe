# Copyright 2026 The dq_ik Authors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
"""The directions of imports, the borders and the budgets that docs/architecture.md promises."""

from __future__ import annotations

import ast
import os
from pathlib import Path
import re
import subprocess
import sys

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / 'dq_ik'
MODULES = sorted(PACKAGE.rglob('*.py'))
CORE = sorted([*(PACKAGE / 'core').rglob('*.py'), *(PACKAGE / 'papers/kernels').glob('*.py')])
SOURCES = sorted(
    path for folder in ('dq_ik', 'benchmark', 'examples', 'launch', 'test', 'tools')
    for path in (ROOT / folder).rglob('*.py') if path.stat().st_size)

CORE_MAY_IMPORT = {
    '__future__', 'collections', 'ctypes', 'enum', 'functools', 'hashlib', 'llvmlite', 'math',
    'numba', 'numpy', 'operator', 'os', 'sys', 'time', 'typing', 'dq_ik'}
EVERYWHERE = {*sys.stdlib_module_names, 'numpy', 'scipy'}
PAGE = (ROOT / 'docs' / 'architecture.md').read_text()
#: room -> rooms and packages that the page lets it import, in the order of the page
ROOMS = {name.rstrip('/').removesuffix('.py'): set(may.split(', ')) - {'nothing'}
         for name, may in re.findall(r'^dq_ik/(\S+) .*<- (.*)$', PAGE, re.MULTILINE)}
LONGEST_FILE = 300
LONGEST_FUNCTION, LONGEST_OTHER_FUNCTION = 40, 60  # of the package, of tests and tools

name_of = {'ids': lambda path: str(path.relative_to(ROOT))}
each_module = pytest.mark.parametrize('path', MODULES, **name_of)
each_source = pytest.mark.parametrize('path', SOURCES, **name_of)


def imported(tree: ast.AST, everywhere: bool) -> set[str]:
    """Return the modules that a file imports: at its top, or anywhere in it."""
    nodes = ast.walk(tree) if everywhere else _top_level(tree)
    names = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, 'relative imports hide directions'
            names |= {f'{node.module}.{alias.name}' for alias in node.names}
    return names


def _top_level(tree: ast.AST):
    """Yield the statements that run on import, but not those for the type checker."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            continue
        if isinstance(node, ast.If) and 'TYPE_CHECKING' in ast.dump(node.test):
            continue
        yield node
        yield from _top_level(node)


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def room_of(place: str) -> str | None:
    """Return the innermost room that a file or folder of the package is in."""
    inside = [room for room in ROOMS if f'{place}/'.startswith(f'{room}/')]
    return max(inside, key=len, default=None)


def is_ros(module: str) -> bool:
    root = module.split('.')[0]
    return root in ('rclpy', 'tf2_ros', 'interactive_markers') or root.endswith(
        ('_msgs', '_srvs', '_interfaces'))


def imported_rooms(path: Path) -> set[str]:
    """Return the rooms and packages that a file imports, also inside functions."""
    found = set()
    for module in imported(_for_running(parse(path)), everywhere=True):
        if module.startswith('dq_ik.'):
            found.add(room_of('/'.join(module.split('.')[1:])) or 'dq_ik')
        elif is_ros(module):
            found.add('rclpy')
        else:
            found |= {module.split('.')[0]} - EVERYWHERE
    return found - {'dq_ik'}


def _for_running(tree: ast.Module) -> ast.Module:
    """Return a module without what only the type checker imports."""
    tree.body = [node for node in tree.body
                 if not (isinstance(node, ast.If) and 'TYPE_CHECKING' in ast.dump(node.test))]
    return tree


@pytest.mark.parametrize('room', ROOMS)
def test_the_page_says_what_each_room_imports(room):
    files = [path for path in MODULES if path.stat().st_size
             and room_of(str(path.relative_to(PACKAGE).with_suffix(''))) == room]
    assert files
    assert set().union(*map(imported_rooms, files)) - {room} == ROOMS[room]


def test_rooms_import_only_rooms_above_them():
    above: set[str] = set()
    for room, may in ROOMS.items():
        assert not (may & ROOMS.keys()) - above, room
        above.add(room)


@each_module
def test_every_module_is_in_a_room(path):
    place = str(path.relative_to(PACKAGE).with_suffix(''))
    assert room_of(place) or place in ('__init__', '__main__', 'core/__init__')


@pytest.mark.parametrize('path', CORE, **name_of)
def test_the_core_knows_numbers_only(path):
    modules = imported(parse(path), everywhere=True)
    assert {module.split('.')[0] for module in modules} <= CORE_MAY_IMPORT
    assert all(module.startswith(('dq_ik.core', 'dq_ik.papers.kernels')) for module in modules
               if module.startswith('dq_ik'))


@each_module
def test_commands_load_ros_only_when_they_need_it(path):
    if PACKAGE / 'cli' in path.parents:
        assert not [module for module in imported(parse(path), everywhere=False)
                    if is_ros(module) or module.startswith('dq_ik.ros')]


def test_only_builds_load_numba():
    code = 'import dq_ik, sys; dq_ik.native.load.door(); print(bool(sys.modules.get("numba")))'
    environment = {key: value for key, value in os.environ.items() if key != 'DQ_IK_KERNELS'}
    result = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                            check=True, cwd=ROOT, env=environment)
    assert result.stdout.strip() == 'False'


def test_the_library_loads_neither_ros_nor_a_viewer():
    code = ('import dq_ik, sys; print(sorted({name.split(".")[0] for name in sys.modules} '
            '& {"rclpy", "viser", "mujoco", "trimesh", "pinocchio"}))')
    result = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                            check=True, cwd=ROOT)
    assert result.stdout.strip() == '[]'


@each_source
def test_files_and_functions_are_short(path):
    assert ROOT / 'test' in path.parents or len(path.read_text().splitlines()) <= LONGEST_FILE
    for node in ast.walk(parse(path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            first = (body or node.body)[0]
            length = node.end_lineno - first.lineno + 1
            most = LONGEST_FUNCTION if PACKAGE in path.parents else LONGEST_OTHER_FUNCTION
            assert length <= most, f'{node.name} has {length} lines'


@each_source
def test_every_file_begins_with_the_licence(path):
    text = re.sub(r'^#!.*\n', '', path.read_text())
    assert text.startswith('# Copyright 2026 The dq_ik Authors\n#\n# Licensed under')


@pytest.mark.parametrize('path', CORE, **name_of)
def test_kernels_are_documented_and_have_no_defaults(path):
    for node in ast.walk(parse(path)):
        if not isinstance(node, ast.FunctionDef):
            continue
        decorators = {ast.unparse(item).split('(')[0] for item in node.decorator_list}
        if decorators & {'kernel', 'entry', 'routine'}:
            assert ast.get_docstring(node), f'{node.name} has no docstring'
            assert not node.args.defaults, f'{node.name} has default arguments'
