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
"""What several commands share: arguments of robots and poses, ``--version``, tables of joints."""

from __future__ import annotations

from argparse import Action, ArgumentParser, Namespace, SUPPRESS
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
import math
import sys
from typing import Any, TYPE_CHECKING

from dq_ik.cli.words import angle, any_number, length, named_value, Names, Tool, wait
from dq_ik.errors import DqIkError, listing, nearest, SeedError
from dq_ik.pose import Pose
from dq_ik.robot.balls import read_balls, with_balls
from dq_ik.robot.bundled import robot_names
from dq_ik.robot.urdf import load_robot

if TYPE_CHECKING:
    from dq_ik.robot.chain import Chain
    from dq_ik.robot.model import RobotModel
    import numpy as np

TURN = 6.2832  # more than a turn is rarely meant [rad]


def robot_help() -> str:
    """Return what may stand for a robot."""
    return (f'URDF or xacro file, or one of {", ".join(robot_names())}, or a name of '
            'example-robot-data or robot_descriptions')


def add_robot(parser: ArgumentParser) -> None:
    """Add the arguments of a robot and of a chain in it."""
    parser.add_argument('robot', help=robot_help())
    parser.add_argument('--base', help='link that stands still; the root if not given')
    parser.add_argument('--tip', nargs='+', action=Names, metavar='LINK',
                        help='link that goes to goals, or several; the only end that moves if not '
                             'given')
    add_tool(parser)
    parser.add_argument('--soft-limits', action='store_true',
                        help='take the limits of <safety_controller> where they are given')
    add_balls(parser)


def add_balls(parser: ArgumentParser) -> None:
    """Add the joints that turn as balls."""
    parser.add_argument('--ball', nargs='+', action='extend', default=[], metavar='BALL',
                        help='three crossing joints that turn as one: hip=roll,pitch,yaw with the '
                             'limits of the URDF, or hip=roll,pitch,yaw:swing=1:twist=-0.5,0.5')


def read_robot(args: Namespace) -> RobotModel:
    """Return the robot of the arguments, with its balls."""
    robot = load_robot(args.robot, soft_limits=args.soft_limits)
    return with_balls(robot, read_balls(args.ball))


def add_tool(parser: ArgumentParser) -> None:
    """Add the tool that the URDF does not have."""
    parser.add_argument('--tool', nargs='+', action=Tool, default=[], metavar='NUMBER',
                        help='tool in the frame of the tip: x y z [m], or with roll pitch yaw '
                             '[rad]; goals are for the tool')


def read_chain(args: Namespace) -> Chain:
    """Return the chain that the arguments of :func:`add_robot` say."""
    return read_robot(args).chain(args.base, args.tip, read_tool(args.tool))


def read_tool(numbers: Sequence[float]) -> Pose | None:
    """Return the pose of a tool; None where there is none."""
    if not numbers:
        return None
    return Pose.from_xyz_rpy(numbers[:3], numbers[3:] or (0.0, 0.0, 0.0))


def add_json(parser: ArgumentParser) -> None:
    """Add the choice of the output."""
    parser.add_argument('--json', action='store_true', help='print JSON, for programs')


def add_remote(parser: ArgumentParser) -> None:
    """Add the arguments of a pose that is sent to a running node."""
    add_pose(parser)
    parser.add_argument('--frame', default='', help='frame of the pose; the root if not given')
    parser.add_argument('--timeout', type=wait, default=5.0, help='seconds to wait for the node')


def add_pose(parser: ArgumentParser) -> None:
    """Add the arguments of one pose."""
    parser.add_argument('--xyz', nargs=3, type=length, required=True, metavar=('X', 'Y', 'Z'),
                        help='position [m]')
    turn = parser.add_mutually_exclusive_group()
    turn.add_argument('--rpy', nargs=3, type=angle, metavar=('ROLL', 'PITCH', 'YAW'),
                      help='rotation as in URDF: radians, 180deg or pi/2')
    turn.add_argument('--quat', nargs=4, type=any_number, metavar=('W', 'X', 'Y', 'Z'),
                      help='rotation as a quaternion in the order w x y z')


def read_pose(args: Namespace) -> Pose:
    """Return the pose; without a rotation it is the identity."""
    if args.quat is not None:
        return Pose.from_xyz_wxyz(args.xyz, args.quat)
    rpy = args.rpy or (0.0, 0.0, 0.0)
    many = [number for number in rpy if TURN < abs(number) < math.inf]
    if many:
        print(f'note: --rpy has {many[0]:g} rad; degrees are written {many[0]:g}deg',
              file=sys.stderr)
    return Pose.from_xyz_rpy(args.xyz, rpy)


def add_seed(parser: ArgumentParser, others: str) -> None:
    """Add the joint positions where the solver starts; ``others`` says how others are meant."""
    parser.add_argument('--seed', nargs='+', action='extend', type=named_value, default=[],
                        metavar='JOINT=VALUE',
                        help=f'where to start [rad or m]: some joints by name, others start '
                             f'{others}')


def read_seed(chain: Chain, pairs: Sequence[tuple[str, float]]) -> np.ndarray:
    """Return the joint vector of ``--seed``: all numbers in order, or those that have names."""
    names = chain.angles.names
    if pairs and not any(name for name, _ in pairs):
        if len(pairs) != len(names):
            raise SeedError(f'a posture has {len(names)} numbers, got {len(pairs)}; the joints '
                            f'are {listing(names)}')
        pairs = list(zip(names, (value for _, value in pairs)))
    given = named(pairs)
    for name in given:
        if name not in names:
            raise SeedError(f"there is no joint '{name}'{nearest(name, names)}; the joints are "
                            f'{listing(names)}')
    q = chain.configuration(given)
    for variable, value in zip(chain.variables, q):
        if not variable.lower <= value <= variable.upper:
            print(f'note: {variable.name} is {value:g}, outside of its limits '
                  f'{variable.lower:.4g} .. {variable.upper:.4g}', file=sys.stderr)
    return q


def named(pairs: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return values by joint name, or refuse one without a name, or a name with two values."""
    given: dict[str, float] = {}
    for name, value in pairs:
        if not name:
            raise SeedError(f'{value:g} has no name; write joint={value:g}')
        if given.setdefault(name, value) != value:
            raise SeedError(f"joint '{name}' has two values, {given[name]:g} and {value:g}")
    return given


@contextmanager
def ros_needed() -> Iterator[None]:
    """Turn a failed import of ROS into the sentence that says how to get it."""
    try:
        yield
    except ImportError as error:
        raise DqIkError(f'this command needs ROS 2, which is not usable here ({error}): source '
                        'a ROS installation (. /opt/ros/$ROS_DISTRO/setup.bash), or install its '
                        "wheels (pip install 'dq_ik[ros]')") from None


def joint_table(joints: Mapping[str, float]) -> list[str]:
    """Return one line per joint."""
    width = max(map(len, joints), default=0)
    return [f'{name:<{width}}  {value:>12.6f}' for name, value in joints.items()]


class Version(Action):
    """Print the version and how the kernels run, and end; only then the library is loaded."""

    def __init__(self, option_strings: list[str], dest: str, **options: Any) -> None:
        """Take no value."""
        super().__init__(option_strings, SUPPRESS, nargs=0,
                         help='print the version and how the kernels run here')

    def __call__(self, parser: ArgumentParser, *given: Any) -> None:
        """Print and end."""
        from dq_ik import __version__
        from dq_ik.native.load import describe
        print(f'dq_ik {__version__}: {describe()}')
        parser.exit()
