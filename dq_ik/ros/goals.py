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
"""Goal messages: the kinds of goals, their topics, and what their messages mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
import re
from typing import Any

from dq_ik.errors import ChainError, GoalError, listing
from dq_ik.goal import Goal
from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
from dq_ik.ros.conversions import fill_point, fill_pose, point_from_msg, pose_from_msg
from dq_ik.ros.pose_bytes import read_stamped_pose, stamped_pose
from geometry_msgs.msg import PointStamped, PoseStamped
from rclpy.clock import Clock
from rclpy.node import Node
from rclpy.time import Time


@dataclass(frozen=True, eq=False)
class GoalKind:
    """A kind of goal: the last part of its topic, and the type of its messages."""

    topic: str
    message: type


POSE = GoalKind('goal_pose', PoseStamped)
LOOK_AT = GoalKind('look_at', PointStamped)  # a point that the tip looks at
RELATIVE = GoalKind('relative_goal', PoseStamped)  # a pose in the frame of another tip
CURRENT = '/current'  # what the topic of the goals that are followed has after that of the goals


def goal_kinds(tips: Sequence[str]) -> tuple[GoalKind, ...]:
    """Return the kinds of goals of a chain; one tip alone is relative to none."""
    return (POSE, LOOK_AT) if len(tips) == 1 else (POSE, LOOK_AT, RELATIVE)


def goal_topics(node: str, tips: Sequence[str], kind: GoalKind = POSE) -> dict[str, str]:
    """Return the goal topic of each tip: ``goal_pose``, or ``<tip>/goal_pose`` of several."""
    if len(tips) == 1:
        return {tips[0]: f'{node}/{kind.topic}'}
    return {tip: f'{node}/{topic_name(tip)}/{kind.topic}' for tip in tips}


def check_goal_topics(node: Node, remote: str, tips: Sequence[str]) -> None:
    """Raise a ChainError unless ROS takes all goal topics, and no two tips share one."""
    owners: dict[str, str] = {}
    for tip, topic in ((tip, topic) for kind in goal_kinds(tips)
                       for tip, topic in goal_topics(remote, tips, kind).items()):
        try:
            name = node.resolve_topic_name(topic + CURRENT).removesuffix(CURRENT)
        except RuntimeError as error:  # RCLError, which rclpy does not export
            why = str(error).split(', at ')[0]
            raise ChainError(f"tip '{tip[:40]}' of {len(tip)} characters can have no goal topic: "
                             f'{why}') from None
        if (other := owners.setdefault(name, tip)) != tip:
            raise ChainError(f"tips '{other}' and '{tip}' would have the same goal topic, {name}")


def topic_name(link: str) -> str:
    """Return a link name as a part of a topic name: letters, digits, _, and no digit in front."""
    name = re.sub(r'\W', '_', link, flags=re.ASCII)
    return f'_{name}' if name[:1].isdigit() else name


def read_goal(kind: GoalKind, msg: Any, tip: str, chain: Chain, frame: Callable[[str], Pose],
              axis: Sequence[float] = (0.0, 0.0, 1.0)) -> Goal | Pose:
    """
    Return the goal of a message, in the base frame or in that of another tip.

    :param msg: the message; that of a pose may be serialised.
    :param frame: finds a frame in the base frame; not asked for the base itself.
    :param axis: of the tip, for goals that look at a point.
    :raises DqIkError: if the message means nothing.
    """
    if isinstance(msg, bytes):
        name, pose = read_stamped_pose(msg)
        return pose if name == chain.base else frame(name) @ pose
    name = msg.header.frame_id
    if kind is RELATIVE:
        others = [other for other in chain.tips if other != tip]
        if name not in others:
            raise GoalError(f"the header.frame_id of a relative goal of '{tip}' is another tip: "
                            f'{listing(others)}; got {name!r}')
        return Goal(pose_from_msg(msg.pose), tip=tip, relative_to=name)
    if kind is LOOK_AT:
        point = point_from_msg(msg.point)
        seen = point if name == chain.base else (frame(name) @ point).tolist()
        return Goal(tip=tip, look_at=seen, axis=axis)
    pose = pose_from_msg(msg.pose)
    return pose if name == chain.base else frame(name) @ pose


def check_age(msg: Any, clock: Clock, most: float) -> None:
    """
    Raise a GoalError for a goal that is too old; a stamp of zero means now.

    :param msg: the message; that of a pose may be serialised.
    :param most: greatest age [s]; 0: any.
    """
    if most <= 0:
        return
    stamp = (stamped_pose(msg) if isinstance(msg, bytes) else msg).header.stamp
    if stamp.sec or stamp.nanosec:
        age = (clock.now().nanoseconds - Time.from_msg(stamp).nanoseconds) * 1e-9
        if age > most:
            raise GoalError(f'the goal is {age:.3f} s old; max_goal_age is {most} s')


def write_goal(goal: Goal | Pose, base: str) -> tuple[GoalKind, Any]:
    """Return the kind and the message of a goal, without a stamp; the inverse of read_goal."""
    pose, frame = (goal, None) if isinstance(goal, Pose) else (goal.pose, goal.relative_to)
    if isinstance(goal, Goal) and goal.look_at is not None:
        kind, msg = LOOK_AT, PointStamped()
        fill_point(msg.point, goal.look_at)
    else:
        kind, msg = RELATIVE if frame else POSE, PoseStamped()
        fill_pose(msg.pose, pose)
    msg.header.frame_id = frame or base
    return kind, msg
