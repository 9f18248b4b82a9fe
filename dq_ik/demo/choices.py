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
"""What the user of the demo chose, completed with what is installed."""

from __future__ import annotations

import atexit
from importlib.util import find_spec
from pathlib import Path
import re
from tempfile import NamedTemporaryFile

from dq_ik.errors import ChainError
from dq_ik.robot import bundled
from dq_ik.robot.model import JointKind, RobotModel
from dq_ik.robot.urdf import load_robot, read_source
import numpy as np

DEFAULT_ROBOT = 'panda'
RVIZ = ('rviz2', 'robot_state_publisher', 'interactive_markers')  # what the demo in RViz needs
RVIZ_DISTANCE = 2.6  # of its camera from the robot, in sizes of the robot at home

#: links that get goals, for robots of ours with several ends
TIPS = {
    'hand': ('thumb_tip', 'index_tip', 'middle_tip', 'ring_tip', 'little_tip'),
    'humanoid': ('left_hand', 'right_hand', 'left_foot', 'right_foot', 'pelvis', 'head'),
    'two_arms': ('left_tool', 'right_tool'),
}


def find_robot(robot: str, urdf: str | Path | None = None) -> tuple[Path, str]:
    """
    Return the file and the text of a robot.

    :param robot: name of a robot of ours or of ``example-robot-data``, or a file
    :param urdf: file of another robot; wins over the name
    :raises DqIkError: when there is no such robot
    """
    path = bundled.find_robot(urdf or robot)
    return path, read_source(path)


def tips_of(robot: str, tips: tuple[str, ...], urdf: str | Path | None = None,
            base: str = '') -> tuple[str, ...]:
    """
    Return the links that get goals: the given ones, else those known for the robot, else the end.

    :raises DqIkError: if they do not fit the robot, or it has several ends; with a list of links
    """
    path, text = find_robot(robot, urdf)
    model = load_robot(text)
    if not tips:
        known = TIPS.get(path.stem, ())
        tips = known if set(known) <= set(model.links) else ()
    return model.chain(base or None, tips or _obvious_tip(model, base or model.root)).tips


def _obvious_tip(model: RobotModel, base: str) -> str | None:
    """Return the first leaf of the only body at the end that moves; None if there are several."""
    tips: dict[str, str] = {}
    for leaf in model.leaves:
        try:
            path = model.joint_path(base, leaf)
        except ChainError:
            continue
        moving = [joint.name for joint in path if joint.kind is not JointKind.FIXED]
        if moving:
            tips.setdefault(moving[-1], leaf)
    return next(iter(tips.values())) if len(tips) == 1 else None


def usable_viewer(wanted: str) -> tuple[str, str]:
    """
    Return the viewer that can be used, and a sentence if it is not the wanted one.

    RViz needs a ROS installation; the web page needs viser.
    """
    notes = []
    missing = [name for name in RVIZ if wanted == 'rviz' and not has_package(name)]
    if missing:
        notes.append(f'RViz needs {" and ".join(missing)} of ROS: showing the web page.')
        wanted = 'web'
    if wanted == 'web' and find_spec('viser') is None:
        notes.append("The web page needs viser (pip install 'viser==1.1.1'): showing nothing.")
        wanted = 'none'
    return wanted, ' '.join(notes)


def has_package(name: str) -> bool:
    """Tell whether ament knows a package."""
    try:
        from ament_index_python.packages import get_package_prefix

        return bool(get_package_prefix(name))
    except (ImportError, KeyError, OSError):
        return False


def rviz_layout(description: str) -> Path:
    """
    Return a file with the layout of RViz, whose camera sees the whole robot.

    The file is removed at the end of this process.

    :param description: text of the URDF
    """
    text = (bundled.share_folder() / 'rviz' / 'demo.rviz').read_text()
    model = load_robot(description)
    home = model.whole.joint_positions(model.whole.neutral)
    places = np.array([pose.position for pose in model.link_poses(home).values()])
    center = 0.5 * (places.min(axis=0) + places.max(axis=0))
    size = float(np.linalg.norm(np.ptp(places, axis=0))) or 1.0
    for key, value in zip(('X', 'Y', 'Z', 'Distance'), (*center, RVIZ_DISTANCE * size)):
        text = re.sub(rf'(?m)^( +{key}:) .*$', rf'\g<1> {value:.3f}', text)
    with NamedTemporaryFile('w', prefix='dq_ik_', suffix='.rviz', delete=False) as file:
        file.write(text)
    atexit.register(Path(file.name).unlink, missing_ok=True)
    return Path(file.name)
