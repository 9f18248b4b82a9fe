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

"""Robots by name, from the wheel ``example-robot-data`` where it is installed."""

from __future__ import annotations

from pathlib import Path
import sysconfig

from dq_ik.errors import listing
from dq_ik.viewer.errors import ViewerError

FOLDER = Path(sysconfig.get_path('purelib'), 'cmeel.prefix/share/example-robot-data/robots')


def example_robots() -> dict[str, Path]:
    """Return the URDF files of all example robots by name, the file's without its ending."""
    return {path.stem: path for path in sorted(FOLDER.rglob('*.urdf'))}


def find_example(name: str) -> Path:
    """
    Return the URDF file of an example robot.

    :raises ViewerError: if there is none of that name, with a list of those there are
    """
    robots = example_robots()
    if not robots:
        raise ViewerError(f"robot '{name}' may be in the package example-robot-data, which is not "
                          'installed: pip install example-robot-data')
    if name not in robots:
        raise ViewerError(f"there is no example robot '{name}'; there are {listing(robots, 100)}")
    return robots[name]
