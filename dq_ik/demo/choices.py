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
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
import re
from tempfile import NamedTemporaryFile

from dq_ik.errors import DqIkError
from dq_ik.robot import bundled
from dq_ik.robot.balls import read_balls, with_balls
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

START_MARGIN = 0.01  # between bodies where the demo starts [m]
START_TRIES = 4000  # postures that are looked at for one to start in
#: where joints of robots of ours start among objects: their neutral posture touches itself
STARTS: dict[str, dict[str, float]] = {
    'panda': {'panda_joint2': -0.6, 'panda_joint4': -2.2, 'panda_joint6': 1.6,
              'panda_joint7': 0.8},
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
    return model.chain(base or None, tips or None).tips


def find_scene(scene: str, description: str) -> Path | None:
    """
    Return the file of the objects around a robot; None where none are wanted.

    :param scene: file or name of a world, may be empty
    :param description: text of the URDF
    :raises DqIkError: if it cannot be read, or an object is attached to no link of the robot
    """
    if not scene:
        return None
    from dq_ik.collision.world_file import check_links, load_world

    path = bundled.find_world(scene)
    check_links(load_world(path), load_robot(description))
    return path


def start_of(urdf: Path, description: str, tips: tuple[str, ...], scene: Path | None,
             base: str = '') -> dict[str, float]:
    """
    Return where joints start that do not start neutral.

    Among objects that is a posture that is free, if the bodies are known and there is one.
    """
    if scene is None:
        return {}
    from dq_ik.collision.scene import Scene
    from dq_ik.collision.world_file import load_world

    ours = urdf == bundled.robot_file(urdf.stem)
    usual = STARTS.get(urdf.stem, {}) if ours else {}
    chain = load_robot(description).chain(base or None, tips or None)
    try:
        around = Scene.load(chain, description, folder=urdf.parent, of_visuals=True,
                            world=load_world(scene), margin=START_MARGIN)
    except DqIkError:
        return usual
    q = chain.configuration(usual, strict=False)
    tried = chain.spread(np.random.default_rng(0).random((START_TRIES, chain.n)))
    free = tried[around.free(tried)]
    if around.free(q)[0] or not len(free):
        return usual
    return chain.joint_positions(free[np.linalg.norm(free - q, axis=1).argmin()])


def checked_balls(description: str, balls: Iterable[str]) -> tuple[str, ...]:
    """
    Return balls as they were given.

    :param description: text of the URDF
    :raises DqIkError: if one does not fit the robot
    """
    balls = tuple(balls)
    with_balls(load_robot(description), read_balls(balls))
    return balls


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
