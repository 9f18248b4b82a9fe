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
"""Worlds as YAML files: a list of objects, each with a name, a shape and a pose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import math
import os
from pathlib import Path
import reprlib
from typing import Any

from dq_ik.collision.world import (
    Box,
    Capsule,
    Cylinder,
    HalfSpace,
    mesh_file,
    Solid,
    Sphere,
    World,
)
from dq_ik.errors import CollisionError, DqIkError, listing, nearest, why
from dq_ik.pose import Pose
from dq_ik.robot.bundled import find_world
from dq_ik.robot.model import RobotModel
import yaml

#: kinds of shapes: what makes one, and the names of its sizes
SHAPES: dict[str, tuple[type, tuple[str, ...]]] = {
    'box': (Box, ('size',)), 'sphere': (Sphere, ('radius',)),
    'cylinder': (Cylinder, ('radius', 'length')), 'capsule': (Capsule, ('radius', 'length')),
    'half_space': (HalfSpace, ())}
MESH = 'mesh'
KINDS = (*SHAPES, MESH)
SHORT = reprlib.Repr()  # YAML may refer to a list many times over
SHORT.maxlevel, SHORT.maxstring, SHORT.maxother = 2, 60, 60
POSE = ('xyz', 'rpy', 'wxyz')
OBJECT = ('name', 'shapes', *KINDS, *POSE, 'link', 'touching')


def load_world(source: str | os.PathLike) -> World:
    """
    Read a world.

    :param source: path of a YAML file, or the name of a world of ours, as ``table``
    :raises CollisionError: that names the file, the object, the bad value, and what would be right
    """
    path = find_world(source)
    try:
        found = yaml.safe_load(path.read_text(encoding='utf-8'))
    except (OSError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise CollisionError(f"cannot read '{path}': {why(error)}") from None
    except yaml.YAMLError as error:
        raise CollisionError(f"'{path}' is no YAML: {' '.join(str(error).split())}") from None
    if not isinstance(found, list):
        raise CollisionError(f"'{path}' holds {_shown(found)}; wanted: a list of objects, each "
                             'with a name, a shape and a pose')
    world = World()
    for number, entry in enumerate(found, 1):
        try:
            _add(world, entry, path.parent)
        except DqIkError as error:
            raise CollisionError(f"'{path}', object {number}: {error}") from None
    return world


def check_links(world: World, model: RobotModel) -> None:
    """
    Refuse objects that do not fit a robot: attached to a link that it has not, or named as one.

    :raises CollisionError: that names the object
    """
    for thing in world.snapshot()[1]:
        if thing.link is not None and thing.link not in model.links:
            raise CollisionError(
                f"object '{thing.name}' is attached to '{thing.link}', which is no link of the "
                f'robot{nearest(thing.link, model.links)}; there are {listing(model.links)}')
        if thing.name in model.links:
            raise CollisionError(f"object '{thing.name}' has the name of a link; rename it")


def _add(world: World, entry: Any, folder: Path) -> None:
    """Add an object as it is written."""
    if not isinstance(entry, Mapping):
        raise CollisionError(f'it is {_shown(entry)}; wanted: a mapping with a name, a shape and '
                             'a pose')
    _check_keys(entry, OBJECT)
    name = entry.get('name')
    if not isinstance(name, str) or not name:
        raise CollisionError(f'its name is {_shown(name)}; wanted: a text')
    if name in world:
        raise CollisionError(f"there is an object '{name}' before it; give it another name")
    try:
        link = entry.get('link')
        if link is not None and (not isinstance(link, str) or not link):
            raise CollisionError(f'link is {_shown(link)}; wanted: the name of a link')
        world.add(name, _solids(entry, folder), _pose(entry), link=link,
                  touching=_names(entry, 'touching'))
    except DqIkError as error:
        text = str(error)
        raise CollisionError(text if f"'{name}'" in text else f"'{name}': {text}") from None


def _solids(entry: Mapping, folder: Path) -> Solid | list[tuple[Solid, Pose]]:
    """Return the shape of an object, or the list of its shapes with their poses in it."""
    if 'shapes' not in entry:
        return _solid(entry, folder)
    own, several = [kind for kind in KINDS if kind in entry], entry['shapes']
    if own:
        raise CollisionError(f'it has shapes and {listing(own)}; wanted: one of the two')
    if not isinstance(several, list) or not several:
        raise CollisionError(f'shapes is {_shown(several)}; wanted: a list of shapes')
    found = []
    for part in several:
        if not isinstance(part, Mapping):
            raise CollisionError(f'a shape is {_shown(part)}; wanted: a mapping with one of '
                                 f'{listing(KINDS)}')
        _check_keys(part, (*KINDS, *POSE))
        found.append((_solid(part, folder), _pose(part)))
    return found


def _solid(entry: Mapping, folder: Path) -> Solid:
    """Return the one shape of a mapping."""
    kinds = [kind for kind in KINDS if kind in entry]
    if len(kinds) != 1:
        raise CollisionError(f'it has {listing(kinds)} as its shape; wanted: one of '
                             f'{listing(KINDS)}, or shapes')
    kind, = kinds
    sizes = {} if entry[kind] is None else entry[kind]
    wanted = ('file', 'scale') if kind == MESH else SHAPES[kind][1]
    words = '{' + ', '.join(f'{key}: ...' for key in wanted) + '}'
    if not isinstance(sizes, Mapping):
        raise CollisionError(f'{kind} is {_shown(sizes)}; wanted: {words}')
    _check_keys(sizes, wanted, f' of a {kind}')
    missing = [key for key in wanted if key not in sizes and key != 'scale']
    if missing:
        raise CollisionError(f'the {kind} has no {listing(missing)}; wanted: {words}')
    if kind == MESH:
        if not isinstance(sizes['file'], str) or not sizes['file']:
            raise CollisionError(f"file is {_shown(sizes['file'])}; wanted: the path of a mesh")
        path = folder / Path(sizes['file']).expanduser()
        if not path.is_file():
            raise CollisionError(f"there is no mesh file '{path}'")
        return mesh_file(path, _numbers(sizes, 'scale', 3) or (1.0, 1.0, 1.0))
    values = [_numbers(sizes, key, 3) if key == 'size' else _number(sizes[key], key)
              for key in wanted]
    return SHAPES[kind][0](*values)


def _pose(entry: Mapping) -> Pose:
    """Return the pose of a mapping; what is not given is zero."""
    xyz = _numbers(entry, 'xyz', 3) or (0.0, 0.0, 0.0)
    if 'wxyz' not in entry:
        return Pose.from_xyz_rpy(xyz, _numbers(entry, 'rpy', 3) or (0.0, 0.0, 0.0))
    if 'rpy' in entry:
        raise CollisionError('it has rpy and wxyz; wanted: one of the two')
    return Pose.from_xyz_wxyz(xyz, _numbers(entry, 'wxyz', 4))


def _numbers(entry: Mapping, key: str, count: int) -> tuple[float, ...]:
    """Return the numbers of a key; none where it is not given."""
    if key not in entry:
        return ()
    value = entry[key]
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != count:
        raise CollisionError(f'{key} is {_shown(value)}; wanted: {count} numbers')
    return tuple(_number(number, key) for number in value)


def _number(value: Any, key: str) -> float:
    """Return a finite number; YAML reads ``1e-3`` as a text."""
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise CollisionError(f'{key} has {_shown(value)}; wanted: a finite number')
    return number


def _names(entry: Mapping, key: str) -> list[str]:
    """Return a list of names; none where it is not given."""
    names = entry.get(key, [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise CollisionError(f'{key} is {_shown(names)}; wanted: a list of links and objects')
    return names


def _check_keys(entry: Mapping, known: Sequence[str], of: str = '') -> None:
    """Refuse a key that means nothing."""
    for key in entry:
        if key not in known:
            raise CollisionError(f'{_shown(key)} is no key{of}{nearest(str(key), known)}; there '
                                 f'are {listing(known)}')


def _shown(value: Any) -> str:
    """Return a value as it is told, not too long."""
    return 'nothing' if value is None else SHORT.repr(value)
