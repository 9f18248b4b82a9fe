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
"""Send one goal to a running node, wait for the arm, and say how it went."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from dq_ik.cli.common import add_json, add_remote, read_pose, ros_needed
from dq_ik.cli.words import ros_name, say, say_json
from dq_ik.errors import DqIkError


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``dq_ik goal``."""
    add_remote(parser)
    parser.add_argument('--tip', default='', help='which tip, if the node drives several')
    parser.add_argument('--node', type=ros_name, default='/dq_ik', help='name of the node')
    add_json(parser)


def run(args: Namespace) -> int:
    """Publish and print the last status; 0 if reached, 2 if not, 1 if the node is silent."""
    with ros_needed():
        from diagnostic_msgs.msg import DiagnosticStatus
        from dq_ik.ros.client import Client
        from dq_ik.ros.conversions import fill_pose
        from dq_ik.ros.goals import topic_name
        from geometry_msgs.msg import PoseStamped
    msg = PoseStamped()
    msg.header.frame_id = args.frame
    fill_pose(msg.pose, read_pose(args))
    tip = f'/{topic_name(args.tip)}' if args.tip else ''
    topic = f'{args.node}{tip}/goal_pose'
    with Client('dq_ik_goal') as client:
        answer: Any = client.publish_and_wait(
            PoseStamped, topic, msg, DiagnosticStatus, f'{args.node}/status', args.timeout,
            has_arrived)
    if answer is None:
        raise DqIkError(f'no node follows {topic}; is it running, in the same ROS_DOMAIN_ID?')
    reached = answer.level == DiagnosticStatus.OK
    values = values_of(answer)
    if args.json:
        say_json({'reached': reached, 'message': answer.message, **values})
    else:
        say([*(f'  {key}: {value}' for key, value in values.items()), answer.message], reached)
    return 0 if reached else 2


def values_of(status: Any) -> dict[str, str]:
    """Return the values of a status by their keys."""
    return {pair.key: pair.value for pair in status.values}


def has_arrived(status: Any) -> bool:
    """Tell whether the arm is where it will stay: at its goal, at the best reach, or held."""
    return values_of(status).get('phase') != 'on the way'
