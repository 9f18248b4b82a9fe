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
"""Run the ROS 2 node."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from dq_ik.cli.common import add_balls, add_tool, robot_help, ros_needed
from dq_ik.cli.words import Names
from dq_ik.robot.urdf import read_source


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``dq_ik node``."""
    parser.add_argument('robot', nargs='?',
                        help=f'{robot_help()}; else the parameter or topic robot_description')
    parser.add_argument('--base', default='', help='link that stands still; the root if not given')
    parser.add_argument('--tip', nargs='+', action=Names, default=[], metavar='LINK',
                        help='links that follow goals; the only end that moves if not given')
    add_tool(parser)
    add_balls(parser)
    parser.epilog = 'Arguments after --ros-args are those of ROS: -p name:=value, -r from:=to.'


def run(args: Namespace) -> int:
    """Run until SIGINT or SIGTERM."""
    with ros_needed():
        from dq_ik.ros.follow.node import main
        from rclpy.parameter import Parameter
    given = {'base_link': args.base, 'tip_links': args.tip, 'tool_offset': args.tool,
             'balls': args.ball,
             'robot_description': read_source(args.robot) if args.robot else ''}
    overrides = [Parameter(name, value=value) for name, value in given.items() if value]
    return main(getattr(args, 'ros', []), parameter_overrides=overrides)
