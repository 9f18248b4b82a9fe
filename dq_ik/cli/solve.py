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
"""Solve one goal for a URDF, without ROS."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import fields
import json
from typing import Any

from dq_ik.cli.common import add_pose, add_seed, joint_table, read_pose
from dq_ik.errors import OptionError
from dq_ik.goal import Goal
from dq_ik.options import IkOptions
from dq_ik.result import IkResult
from dq_ik.robot.chain import Chain
from dq_ik.robot.urdf import load_robot
from dq_ik.solver import Solver


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``dq_ik solve``."""
    parser.add_argument('robot', help='URDF or xacro file')
    parser.add_argument('--base', help='link that stands still; the root if not given')
    parser.add_argument('--tip', help='link that goes to the goal; the only leaf if not given')
    add_pose(parser)
    parser.add_argument('--position-only', action='store_true', help='leave the rotation free')
    add_seed(parser, 'at home')
    names = ', '.join(item.name for item in fields(IkOptions))
    parser.add_argument('--option', nargs='+', default=[], metavar='NAME=VALUE',
                        help=f'options of the solver: {names}')
    parser.add_argument('--json', action='store_true', help='print JSON instead of a table')


def run(args: Namespace) -> int:
    """Solve and print; 0 if the goal is reached, 2 if the best reach is printed instead."""
    chain = load_robot(args.robot).chain(args.base, args.tip)
    weight = 0.0 if args.position_only else 1.0
    goal = Goal(read_pose(args), tip=chain.tips[0], rotation_weight=weight)
    solver = Solver(chain, **dict(map(read_option, args.option)))
    result = solver.solve(goal, seed=chain.configuration(dict(args.seed)))
    print(json.dumps(as_dict(chain, result)) if args.json else as_table(chain, result))
    return 0 if result.success else 2


def read_option(text: str) -> tuple[str, Any]:
    """Read ``name=value`` with the type that the option has."""
    types: dict[str, Any] = {item.name: type(item.default) for item in fields(IkOptions)}
    name, _, value = text.partition('=')
    if name not in types:
        raise OptionError(f'there is no option {name!r}; the options are {", ".join(types)}')
    if types[name] is str:
        return name, value
    try:
        return name, json.loads(value.lower()) if types[name] is bool else types[name](value)
    except ValueError:
        kind = types[name].__name__
        raise OptionError(f'option {name} is {value!r}; it must be a {kind}') from None


def as_dict(chain: Chain, result: IkResult) -> dict[str, Any]:
    """Return an answer as plain numbers and names."""
    return {
        'success': bool(result.success),
        'status': result.status.name.lower(),
        'message': result.message,
        'joints': chain.joint_positions(result.q),
        'position_error': float(max(result.position_error)),
        'rotation_error': float(max(result.rotation_error)),
        'limited_joints': list(result.limited_joints),
        'iterations': int(result.iterations),
        'restarts': int(result.restarts),
        'time': float(result.time)}


def as_table(chain: Chain, result: IkResult) -> str:
    """Return an answer as lines for people."""
    return '\n'.join([*joint_table(chain.joint_positions(result.q)), '', result.message,
                      f'position error {max(result.position_error):.2e} m, '
                      f'rotation error {max(result.rotation_error):.2e} rad, '
                      f'{result.iterations} iterations, {1e6 * result.time:.0f} us'])
