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
"""Files that are installed beside the package, and robots that are found by name."""

from __future__ import annotations

from importlib import import_module
import os
from pathlib import Path
import sysconfig

from dq_ik.errors import CollisionError, listing, nearest, UrdfError

PACKAGE = 'dq_ik'
EXAMPLES = Path(sysconfig.get_path('purelib'), 'cmeel.prefix/share/example-robot-data/robots')


def share_folder() -> Path:
    """
    Return the folder that holds ``urdf/``, ``config/``, ``launch/`` and ``rviz/``.

    It is the checkout when the package is used from there, else what ament knows, else the place
    where pip puts shared files.
    """
    checkout = Path(__file__).resolve().parents[2]
    if (checkout / 'package.xml').is_file():
        return checkout
    try:
        from ament_index_python.packages import get_package_share_directory

        return Path(get_package_share_directory(PACKAGE))
    except (ImportError, KeyError, OSError):
        return Path(sysconfig.get_path('data'), 'share', PACKAGE)


def robot_names() -> tuple[str, ...]:
    """Return the names of the robots that come with the package."""
    return tuple(sorted(path.stem for path in (share_folder() / 'urdf').glob('*.urdf')))


def example_robots() -> dict[str, Path]:
    """Return the URDF files of the wheel ``example-robot-data`` by name, if it is installed."""
    return {path.stem: path for path in sorted(EXAMPLES.rglob('*.urdf'))}


def described_robots() -> tuple[str, ...]:
    """Return the names of the URDFs of the package ``robot_descriptions``, if it is installed."""
    try:
        from robot_descriptions import DESCRIPTIONS
    except ImportError:
        return ()
    return tuple(name for name, entry in DESCRIPTIONS.items() if entry.has_urdf)


def find_robot(robot: str | os.PathLike) -> Path:
    """
    Return the file of a robot: that of this path, else of a robot of that name.

    A name is one of ours, of ``example-robot-data`` or of ``robot_descriptions``, in this order.

    :raises UrdfError: when there is neither such a file nor such a robot
    """
    path = Path(robot).expanduser()
    if path.is_file() or path.suffix in ('.urdf', '.xacro') or len(path.parts) != 1:
        return path  # whoever reads it says what is wrong with it
    name = path.name.lower().replace('-', '_').replace(' ', '_')
    if name in robot_names():
        return robot_file(name)
    examples, described = example_robots(), described_robots()
    if path.name in examples or name in examples:
        return examples.get(path.name) or examples[name]
    if name in described:
        return _described(name)
    known = (*robot_names(), *examples, *described)
    more = '' if examples else '; more are in the package example-robot-data'
    raise UrdfError(f"there is no file and no robot '{path}'{nearest(name, known)}; there are "
                    f'{listing(known, 20)}{more}')


def robot_file(name: str) -> Path:
    """Return the URDF file of a robot that comes with the package."""
    return share_folder() / 'urdf' / f'{name}.urdf'


def world_names() -> tuple[str, ...]:
    """Return the names of the worlds that come with the package."""
    return tuple(sorted(path.stem for path in (share_folder() / 'worlds').glob('*.yaml')))


def find_world(world: str | os.PathLike) -> Path:
    """
    Return the file of the objects around a robot: that of this path, else one of ours.

    :raises CollisionError: when there is neither such a file nor such a world
    """
    path = Path(world).expanduser()
    if path.is_file():
        return path.resolve()
    if str(world) in world_names():
        return share_folder() / 'worlds' / f'{world}.yaml'
    raise CollisionError(f"there is no file and no world '{world}'"
                         f'{nearest(str(world), world_names())}; there are '
                         f'{listing(world_names())}')


def _described(name: str) -> Path:
    """Return the file of ``robot_descriptions``, which downloads it when it is asked first."""
    try:
        module = import_module(f'robot_descriptions.{name}')
    except Exception as error:  # whatever the download raises
        raise UrdfError(f"robot_descriptions cannot give '{name}': {error}") from error
    if not hasattr(module, 'URDF_PATH'):
        raise UrdfError(f"'{name}' of robot_descriptions is a xacro file with arguments; expand "
                        'it to URDF and give that file')
    return Path(module.URDF_PATH)
