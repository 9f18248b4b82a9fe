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
"""Solve one goal of a robot, without ROS."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from dq_ik.cli.common import (
    add_json,
    add_pose,
    add_robot,
    add_seed,
    joint_table,
    read_chain,
    read_pose,
    read_seed,
)
from dq_ik.cli.words import one_of, say, say_json
from dq_ik.errors import ChainError, listing, nearest, OptionError
from dq_ik.goal import Goal
from dq_ik.options import DEFAULTS, IkOptions, item_type, METHODS, MODES, NAMES
from dq_ik.requests import options_of
from dq_ik.result import IkResult
from dq_ik.robot.chain import Chain
from dq_ik.solver import Solver

NUMBERS = {float: 'number', int: 'whole number'}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``dq_ik solve``."""
    add_robot(parser)
    add_pose(parser)
    parser.add_argument('--position-only', action='store_true', help='leave the rotation free')
    add_seed(parser, 'at home; or all numbers in order')
    parser.add_argument('--method', type=one_of('method', METHODS), metavar='METHOD',
                        help=f'the same as --option method=: {", ".join(METHODS)}')
    parser.add_argument('--mode', type=one_of('mode', MODES), metavar='MODE',
                        help=f'the same as --option mode=: {", ".join(MODES)}; all prints all')
    parser.add_argument('--option', nargs='+', action='extend', default=[],
                        metavar='NAME=VALUE', help='options of the solver, lists as '
                        f'locked_joints=joint1,joint2 or rest_posture=0,0.5,1: {", ".join(NAMES)}')
    add_json(parser)


def run(args: Namespace) -> int:
    """Solve and print; 0 if the goal is reached, 2 if the best reach is printed instead."""
    chain = read_chain(args)
    if len(chain.tips) > 1:
        raise ChainError(f'one pose is for one tip, and --tip names {listing(chain.tips)}')
    goal = Goal(position=args.xyz) if args.position_only else read_pose(args)
    chosen = {name: getattr(args, name) for name in ('method', 'mode') if getattr(args, name)}
    chosen |= dict(map(read_option, args.option))
    solver = Solver(chain, options_of(chain, IkOptions.of(None, **chosen)))
    result = solver.solve(goal, seed=read_seed(chain, args.seed))
    if args.json:
        say_json(as_dict(chain, result))
    else:
        say(as_table(chain, result), result.success)
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
            item = item_type(IkOptions.__dataclass_fields__[name])
            words = value.strip(' []()').replace(';', ',').split(',')
            return name, tuple(item(word.strip()) for word in words if word.strip())
        return name, kind(value)
    except ValueError:
        what = 'list of numbers, as 0,0.5,1' if kind is tuple else NUMBERS.get(kind, kind.__name__)
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


def as_table(chain: Chain, result: IkResult) -> list[str]:
    """Return an answer as lines for people; each of several solutions under its number."""
    answers = result.solutions if len(result.solutions) > 1 else [result.q]
    lines = []
    for number, q in enumerate(answers, 1):
        lines += [f'solution {number} of {len(answers)}'] if len(answers) > 1 else []
        lines += [*joint_table(chain.joint_positions(q)), '']
    return [*lines, f'position error {max(result.position_error):.2e} m, '
                    f'rotation error {max(result.rotation_error):.2e} rad, '
                    f'{result.iterations} iterations, {1e6 * result.time:.0f} us', result.message]
