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
"""Ask a running node for joint positions of one pose (service compute_ik)."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from dq_ik.cli.common import (
    add_json,
    add_remote,
    add_seed,
    joint_table,
    named,
    read_pose,
    ros_needed,
)
from dq_ik.cli.words import ros_name, say, say_json
from dq_ik.errors import DqIkError


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``dq_ik ask``."""
    add_remote(parser)
    parser.add_argument('--group', default='', help="group; the node's own if not given")
    parser.add_argument('--link', default='', help='link to move; the tip if not given')
    add_seed(parser, 'where they are')
    parser.add_argument('--service', type=ros_name, default='/dq_ik/compute_ik',
                        help='name of the service')
    add_json(parser)


def run(args: Namespace) -> int:
    """Call and print; 0 if there is a solution, 2 if there is none, 1 if no node answers."""
    with ros_needed():
        from dq_ik.ros.client import Client
        from dq_ik.ros.conversions import fill_pose
        from dq_ik.ros.services.server import HOW_TO_GET_MOVEIT_MSGS
    try:
        from moveit_msgs.srv import GetPositionIK
    except ImportError:
        raise DqIkError(HOW_TO_GET_MOVEIT_MSGS) from None
    request = GetPositionIK.Request()
    ik = request.ik_request
    ik.group_name, ik.ik_link_name = args.group, args.link
    ik.pose_stamped.header.frame_id = args.frame
    fill_pose(ik.pose_stamped.pose, read_pose(args))
    seed = named(args.seed)
    ik.robot_state.joint_state.name = list(seed)
    ik.robot_state.joint_state.position = list(seed.values())
    with Client('dq_ik_ask') as client:
        response = client.call(GetPositionIK, args.service, request, args.timeout)
    if response is None:
        raise DqIkError(f'no node serves {args.service}; is it running, in the same '
                        'ROS_DOMAIN_ID?')
    joints = dict(zip(response.solution.joint_state.name, response.solution.joint_state.position))
    code, message = response.error_code.val, getattr(response.error_code, 'message', '')
    if args.json:
        say_json({'error_code': code, 'message': message, 'joints': joints})
    else:
        verdict = message if code == 1 else f'error code {code}: {message}'
        say([*joint_table(joints), verdict], code == 1)
    return 0 if code == 1 else 2
