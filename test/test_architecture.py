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
CORE = sorted((PACKAGE / 'core').glob('*.py'))
SOURCES = sorted(
    path for folder in ('dq_ik', 'benchmark', 'examples', 'launch', 'test', 'tools')
    for path in (ROOT / folder).rglob('*.py'))

CORE_MAY_IMPORT = {
    '__future__', 'collections', 'ctypes', 'enum', 'functools', 'hashlib', 'llvmlite', 'math',
    'numba', 'numpy', 'operator', 'os', 'time', 'typing', 'dq_ik'}
# The last two ask which one it is.
ASK_FOR_THE_DOOR = {'chain', 'joint_table', 'requests', 'solver', 'native', 'cli', 'ros'}

#: part of the package -> parts it may import at the top of its modules
DIRECTIONS = {
    'errors': set(),
    'core': {'core'},
    'native': {'core', 'native'},
    'pose': {'core', 'errors', 'plain'},
    'model': {'pose', 'errors', 'chain', 'describe', 'core'},
    'joint_table': {'core', 'model', 'pose', 'errors', 'native'},
    'goal': {'core', 'pose', 'plain', 'errors'},
    'options': {'core', 'errors'},
    'share': {'errors'},
    'viewer': {'viewer', 'chain', 'model', 'pose', 'errors', 'solver', 'urdf', 'goal'},
    'sim': {'sim', 'model', 'errors', 'pose', 'chain', 'urdf'},
}
LONGEST_FILE = 300
LONGEST_FUNCTION = 60

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


def part(path: Path) -> str:
    """Return the part of the package that a file belongs to."""
    return path.relative_to(PACKAGE).with_suffix('').parts[0]


def is_ros(module: str) -> bool:
    root = module.split('.')[0]
    return root in ('rclpy', 'tf2_ros', 'interactive_markers') or root.endswith(
        ('_msgs', '_srvs', '_interfaces'))


@pytest.mark.parametrize('path', CORE, **name_of)
def test_the_core_knows_numbers_only(path):
    modules = imported(parse(path), everywhere=True)
    assert {module.split('.')[0] for module in modules} <= CORE_MAY_IMPORT
    assert all(module.startswith('dq_ik.core') for module in modules
               if module.startswith('dq_ik'))


@each_module
def test_only_the_ros_layer_imports_ros(path):
    if part(path) == 'ros':
        return
    lazily = part(path) == 'cli'
    modules = imported(parse(path), everywhere=not lazily)
    assert not {module for module in modules if is_ros(module)}
    assert not {module for module in imported(parse(path), everywhere=False)
                if module.startswith('dq_ik.ros')}


@each_module
def test_imports_go_downwards(path):
    allowed = DIRECTIONS.get(part(path))
    if allowed is None:
        return
    parts = {module.split('.')[1] for module in imported(parse(path), everywhere=False)
             if module.startswith('dq_ik.')}
    assert parts <= allowed


@each_module
def test_few_ask_for_the_door_of_the_library(path):
    asks = any(module.startswith('dq_ik.native')
               for module in imported(parse(path), everywhere=True))
    assert part(path) in ASK_FOR_THE_DOOR or not asks


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
            assert length <= LONGEST_FUNCTION, f'{node.name} has {length} lines'


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


def test_the_architecture_page_names_every_part():
    text = (ROOT / 'docs' / 'architecture.md').read_text()
    parts = {part(path) for path in MODULES} - {'__init__', '__main__'}
    missing = {name for name in parts if not re.search(rf'dq_ik/{name}(/|\.py)', text)}
    assert not missing
