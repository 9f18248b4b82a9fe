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
"""Prepared: all that follows from a description, options and settings, built before it is used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from dq_ik.options import IkOptions
from dq_ik.pose import Pose
from dq_ik.requests import options_of
from dq_ik.robot.chain import Chain
from dq_ik.ros.follow.outputs import command_maps, CommandMaps
from dq_ik.ros.frames import Frames, Lookup
from dq_ik.ros.groups import build_robot, GroupNames, Robot
from dq_ik.ros.services.collisions import Collisions
from dq_ik.ros.services.compute_ik import IkServer
from dq_ik.ros.settings import NodeSettings
from dq_ik.stream.tracker import Tracker


@dataclass(frozen=True)
class Prepared:
    """
    A robot ready for goals and requests, replaced as a whole: no callback sees half a change.

    :param description: the URDF text that the robot was made of.
    :param chain: the group that goal topics drive.
    :param base_frames: frames seen from the base of that group.
    :param root_frames: frames seen from the root.
    """

    description: str
    settings: NodeSettings
    options: IkOptions
    robot: Robot
    chain: Chain
    maps: CommandMaps
    server: IkServer
    base_frames: Frames
    root_frames: Frames


def prepare(description: str, settings: NodeSettings, options: IkOptions,
            named: Mapping[str, GroupNames], current: Mapping[str, float], lookup: Lookup | None,
            last: Prepared | None = None, collisions: Collisions | None = None) -> Prepared:
    """
    Build all parts, or raise a DqIkError that says what does not fit.

    :param named: groups given by parameters.
    :param current: joint positions from joint_states.
    :param lookup: asks tf2; None where there is none.
    :param last: what was prepared before; its robot is kept if nothing about the robot changed.
    :param collisions: the world around the robot; None: collisions are not checked.
    """
    robot = last.robot if last and _same_robot(last, description, settings) else (
        build_robot(description, settings, named))
    chain = robot.groups[robot.default_group]
    options = options_of(chain, options)
    scene = None if collisions is None else partial(
        collisions.scene, description=description, settings=settings)
    server = IkServer(robot, options, settings, lookup, scene)
    warm_up(chain, options, settings)
    model = robot.model
    return Prepared(description, settings, options, robot, chain,
                    command_maps(chain, model, settings, current), server,
                    Frames(model, chain.base, lookup), Frames(model, model.root, lookup))


def warm_up(chain: Chain, options: IkOptions, settings: NodeSettings) -> None:
    """Solve once within reach and once far out of it, so that the first goal finds warm caches."""
    stream = Tracker(chain, options, settings)
    far = Pose.from_xyz_wxyz((1e3, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    for move in (Pose.identity(), far):
        for tip, pose in chain.fk_all(chain.neutral).items():
            stream.follow(tip, move @ pose, 0.0)


def _same_robot(last: Prepared, description: str, settings: NodeSettings) -> bool:
    names = ('robot_description_semantic', 'base_link', 'tip_links', 'tool_offset', 'group',
             'balls')
    return last.description == description and all(
        getattr(last.settings, name) == getattr(settings, name) for name in names)
