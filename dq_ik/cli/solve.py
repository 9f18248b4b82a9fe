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
import json
from typing import Any

from dq_ik.cli.common import (
    add_pose,
    add_seed,
    joint_table,
    nearest,
    read_pose,
    read_seed,
    robot_help,
)
from dq_ik.errors import OptionError
from dq_ik.goal import Goal
from dq_ik.options import DEFAULTS, METADATA, NAMES
from dq_ik.result import IkResult
from dq_ik.robot.bundled import find_robot
from dq_ik.robot.chain import Chain
from dq_ik.robot.urdf import load_robot
from dq_ik.solver import Solver


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``dq_ik solve``."""
    parser.add_argument('robot', help=robot_help())
    parser.add_argument('--base', help='link that stands still; the root if not given')
    parser.add_argument('--tip', help='link that goes to the goal; the only leaf if not given')
    add_pose(parser)
    parser.add_argument('--position-only', action='store_true', help='leave the rotation free')
    add_seed(parser, 'at home')
    parser.add_argument('--option', nargs='+', action='extend', default=[],
                        metavar='NAME=VALUE', help='options of the solver, lists as '
                        f'locked_joints=joint1,joint2 or rest_posture=0,0.5,1: {", ".join(NAMES)}')
    parser.add_argument('--json', action='store_true', help='print JSON instead of a table')


def run(args: Namespace) -> int:
    """Solve and print; 0 if the goal is reached, 2 if the best reach is printed instead."""
    chain = load_robot(find_robot(args.robot)).chain(args.base, args.tip)
    weight = 0.0 if args.position_only else 1.0
    goal = Goal(read_pose(args), tip=chain.tips[0], rotation_weight=weight)
    solver = Solver(chain, **dict(map(read_option, args.option)))
    result = solver.solve(goal, seed=read_seed(chain, args.seed))
    print(json.dumps(as_dict(chain, result)) if args.json else as_table(chain, result))
    return 0 if result.success else 2


def read_option(text: str) -> tuple[str, Any]:
    """Read ``name=value`` with the type that the option has."""
    name, _, value = text.partition('=')
    if name not in NAMES:
        raise OptionError(f"there is no option '{name}'{nearest(name, NAMES)}; "
                          f'the options are {", ".join(NAMES)}')
    kind = type(DEFAULTS[name])
    try:
        if kind is tuple:
            item = METADATA[name]['item']
            return name, tuple(item(word.strip()) for word in value.split(',') if word.strip())
        return name, kind(value)
    except ValueError:
        what = 'list of numbers, as 0,0.5,1' if kind is tuple else kind.__name__
        raise OptionError(f'option {name} is {value!r}; it must be a {what}') from None


def as_dict(chain: Chain, result: IkResult) -> dict[str, Any]:
    """Return an answer as plain numbers and names."""
    return {
        'success': bool(result.success),
        'status': result.status.name.lower(),
        'message': result.message,
        'joints': chain.joint_positions(result.q),
        'solutions': [chain.joint_positions(q) for q in result.solutions],
        'position_error': float(max(result.position_error)),
        'rotation_error': float(max(result.rotation_error)),
        'limited_joints': list(result.limited_joints),
        'iterations': int(result.iterations),
        'restarts': int(result.restarts),
        'time': float(result.time)}


def as_table(chain: Chain, result: IkResult) -> str:
    """Return an answer as lines for people; each of several solutions under its number."""
    answers = result.solutions if len(result.solutions) > 1 else [result.q]
    lines = []
    for number, q in enumerate(answers, 1):
        lines += [f'solution {number} of {len(answers)}'] if len(answers) > 1 else []
        lines += [*joint_table(chain.joint_positions(q)), '']
    return '\n'.join([*lines, result.message,
                      f'position error {max(result.position_error):.2e} m, '
                      f'rotation error {max(result.rotation_error):.2e} rad, '
                      f'{result.iterations} iterations, {1e6 * result.time:.0f} us'])
