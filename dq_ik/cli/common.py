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

from argparse import _ArgumentGroup, Action, ArgumentParser, ArgumentTypeError, Namespace, SUPPRESS
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, TYPE_CHECKING

from dq_ik.errors import DqIkError, listing, SeedError
from dq_ik.pose import Pose
from dq_ik.robot.bundled import robot_names

if TYPE_CHECKING:
    from dq_ik.robot.chain import Chain
    import numpy as np


def robot_help() -> str:
    """Return what may stand for a robot."""
    return f'URDF or xacro file, or one of {", ".join(robot_names())}, or of example-robot-data'


def add_robot(parser: ArgumentParser) -> None:
    """Add the arguments of a robot and of a chain in it."""
    parser.add_argument('robot', help=robot_help())
    parser.add_argument('--base', help='link that stands still; the root if not given')
    parser.add_argument('--tip', nargs='+', help='link that goes to goals, or several; the only '
                                                 'leaf if not given')
    parser.add_argument('--soft-limits', action='store_true',
                        help='take the limits of <safety_controller> where they are given')


def add_remote(parser: ArgumentParser) -> None:
    """Add the arguments of a pose that is sent to a running node."""
    add_pose(parser)
    parser.add_argument('--frame', default='', help='frame of the pose; the root if not given')
    parser.add_argument('--timeout', type=float, default=5.0, help='seconds to wait for the node')


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


def add_seed(parser: ArgumentParser, others: str) -> None:
    """Add the joint positions where the solver starts; ``others`` says where other joints do."""
    parser.add_argument('--seed', nargs='+', action='extend', type=_named_value, default=[],
                        metavar='JOINT=VALUE',
                        help=f'where to start [rad or m]; other joints start {others}')


def read_seed(chain: Chain, pairs: Iterable[tuple[str, float]]) -> np.ndarray:
    """Return the joint vector of ``--seed``, or raise SeedError for a name that is none."""
    given = dict(pairs)
    for name in given:
        if name not in chain.joint_names:
            raise SeedError(f"--seed: there is no joint '{name}'{nearest(name, chain.joint_names)}"
                            f'; the joints are {listing(chain.joint_names)}')
    return chain.configuration(given)


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the question whether a similar name was meant, if there is one."""
    found = get_close_matches(name, list(known), 1)
    return f" (did you mean '{found[0]}'?)" if found else ''


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


def _named_value(text: str) -> tuple[str, float]:
    """Read ``joint=0.5``."""
    name, _, value = text.partition('=')
    try:
        return name, float(value)
    except ValueError:
        raise ArgumentTypeError(f'{text!r} is not of the form joint=0.5') from None
