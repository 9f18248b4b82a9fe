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
"""Tell where the tips of a robot are at given joint positions, without ROS."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from dq_ik.cli.common import add_json, add_robot, read_chain, read_seed
from dq_ik.cli.words import named_value, say_json
from dq_ik.pose import Pose


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``dq_ik fk``."""
    add_robot(parser)
    parser.add_argument('joints', nargs='*', default=[], type=named_value, metavar='JOINT=VALUE',
                        help='positions [rad or m]: some joints by name, others are at home; or '
                             'all numbers in order')
    add_json(parser)


def run(args: Namespace) -> int:
    """Print one pose per tip, in the base frame."""
    chain = read_chain(args)
    poses = chain.fk_all(read_seed(chain, args.joints))
    if args.json:
        say_json({tip: as_dict(pose) for tip, pose in poses.items()})
        return 0
    for tip, pose in poses.items():
        print(f'{tip} in {chain.base}')
        for name, numbers in as_dict(pose).items():
            print(f'  {name:<4} ', *(f'{round(number, 6) + 0.0:.6f}' for number in numbers))
    return 0


def as_dict(pose: Pose) -> dict[str, list[float]]:
    """Return a pose as numbers: position [m], roll pitch yaw [rad], quaternion w x y z."""
    return {'xyz': (pose.position + 0.0).tolist(), 'rpy': (pose.rpy + 0.0).tolist(),
            'quat': (pose.quaternion + 0.0).tolist()}
