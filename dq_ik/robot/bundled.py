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

import os
from pathlib import Path
import sysconfig

from dq_ik.errors import DqIkError, listing

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


def find_robot(robot: str | os.PathLike) -> Path:
    """
    Return the file of a robot: that of this path, else of ours or of ``example-robot-data``.

    :raises DqIkError: when there is neither such a file nor such a robot
    """
    path = Path(robot).expanduser()
    if path.is_file() or path.suffix in ('.urdf', '.xacro') or len(path.parts) != 1:
        return path  # whoever reads it says what is wrong with it
    return robot_file(path.name) if path.name in robot_names() else find_example(path.name)


def robot_file(name: str) -> Path:
    """
    Return the URDF file of a robot that comes with the package.

    :raises DqIkError: when there is no such robot; the message lists those there are
    """
    if name not in robot_names():
        raise DqIkError(f'There is no robot {name!r}; there are {listing(robot_names(), 100)}.')
    return share_folder() / 'urdf' / f'{name}.urdf'


def example_robots() -> dict[str, Path]:
    """Return the URDF files of the wheel ``example-robot-data`` by name, if it is installed."""
    return {path.stem: path for path in sorted(EXAMPLES.rglob('*.urdf'))}


def find_example(name: str) -> Path:
    """
    Return the URDF file of a robot of the wheel ``example-robot-data``.

    :raises DqIkError: when there is no such robot; the message lists those there are
    """
    robots = example_robots()
    if not robots:
        raise DqIkError(f"there is no file and no robot '{name}'; our robots are "
                        f'{listing(robot_names(), 100)}; more are in the package '
                        'example-robot-data (pip install example-robot-data)')
    if name not in robots:
        raise DqIkError(f"there is no file and no robot '{name}'; there are "
                        f'{listing((*robot_names(), *robots), 100)}')
    return robots[name]
