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
"""Poses on the command line: ``--xyz``, and ``--rpy`` or ``--quat``."""

from __future__ import annotations

from argparse import _ArgumentGroup, ArgumentParser, ArgumentTypeError, Namespace

from dq_ik.pose import Pose


def add_pose(parser: ArgumentParser | _ArgumentGroup, required: bool = True) -> None:
    """Add the arguments of one pose."""
    parser.add_argument('--xyz', nargs=3, type=float, required=required, metavar=('X', 'Y', 'Z'),
                        help='position [m]')
    turn = parser.add_mutually_exclusive_group()
    turn.add_argument('--rpy', nargs=3, type=float, metavar=('ROLL', 'PITCH', 'YAW'),
                      help='rotation as in URDF [rad]')
    turn.add_argument('--quat', nargs=4, type=float, metavar=('W', 'X', 'Y', 'Z'),
                      help='rotation as a quaternion in the order w x y z')


def read_pose(args: Namespace) -> Pose:
    """Return the pose; without a rotation it is the identity."""
    if args.quat is not None:
        return Pose.from_xyz_wxyz(args.xyz, args.quat)
    return Pose.from_xyz_rpy(args.xyz, args.rpy or (0.0, 0.0, 0.0))


def named_value(text: str) -> tuple[str, float]:
    """Read ``joint=0.5``."""
    name, _, value = text.partition('=')
    try:
        return name, float(value)
    except ValueError:
        raise ArgumentTypeError(f'{text!r} is not of the form joint=0.5') from None
