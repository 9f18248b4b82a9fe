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
"""Print what a robot description says, or the chain between two of its links."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from dq_ik.cli.common import add_json, add_robot, read_robot, read_tool, Version
from dq_ik.cli.fk import as_dict
from dq_ik.cli.words import is_terminal, say_json
from dq_ik.errors import DqIkError
from dq_ik.robot.bundled import find_robot, world_names
from dq_ik.robot.chain import Chain
from dq_ik.robot.describe import HEADINGS, joint_rows
from dq_ik.robot.model import RobotModel
import numpy as np


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``dq_ik info``."""
    add_robot(parser)
    parser.add_argument('--collisions', action='store_true',
                        help='print bodies, the pairs that are kept apart, and the clearance')
    parser.add_argument('--srdf', type=Path,
                        help='SRDF file whose disable_collisions are obeyed, for --collisions')
    parser.add_argument('--world', metavar='WORLD',
                        help='objects around the robot for --collisions: a YAML file, or one of '
                             f'{", ".join(world_names())}')
    parser.add_argument('--solid-visuals', action='store_true',
                        help='for --collisions, a link without <collision> is as its <visual>')
    parser.add_argument('--version', action=Version)
    add_json(parser)


def run(args: Namespace) -> int:
    """Print the table; a whole robot without --base and --tip."""
    for name in ('srdf', 'world', 'solid_visuals'):
        if getattr(args, name) and not args.collisions:
            raise DqIkError(f'--{name.replace("_", "-")} is for --collisions, which is not given')
    robot = read_robot(args)
    whole = args.base is None and args.tip is None and not args.tool
    chain = None if whole else robot.chain(args.base, args.tip, read_tool(args.tool))
    if args.collisions:
        from dq_ik.cli.collision_table import print_collisions
        print_collisions(robot, chain, find_robot(args.robot), args.srdf, args.world,
                         args.solid_visuals, args.json)
    elif args.json:
        say_json(robot_dict(robot) if chain is None else chain_dict(chain))
    elif chain is None:
        print_robot(robot)
    else:
        print_chain(chain)
    return 0


def robot_dict(robot: RobotModel) -> dict[str, Any]:
    """Return a robot as plain numbers and names; a limit that there is not is infinite."""
    joints = [{'name': joint.name, 'kind': str(joint.kind), 'parent': joint.parent,
               'child': joint.child, 'lower': joint.lower, 'upper': joint.upper,
               'velocity': joint.velocity, 'mimic': joint.mimic and joint.mimic.joint}
              for joint in robot.joints]
    return {'name': robot.name, 'root': robot.root, 'links': robot.links, 'leaves': robot.leaves,
            'joints': joints}


def chain_dict(chain: Chain) -> dict[str, Any]:
    """Return the variables of a chain, and the poses of its tips at home."""
    variables = [{'name': v.name, 'lower': v.lower, 'upper': v.upper,
                  'velocity': v.velocity} for v in chain.variables]
    home = {tip: as_dict(pose) for tip, pose in chain.fk_all(chain.neutral).items()}
    return {'base': chain.base, 'tips': chain.tips, 'variables': variables, 'home': home}


def print_robot(robot: RobotModel) -> None:
    """Print all joints, in colours on a terminal, else as plain text."""
    if not _print_rich(robot):
        print(robot.describe())
    print(f"leaves: {', '.join(robot.leaves)}")


def print_chain(chain: Chain) -> None:
    """Print the variables of a chain and the poses of its tips at home."""
    print(chain.describe())
    for tip, pose in chain.fk_all(chain.neutral).items():
        print(f'{tip} at home: xyz {_numbers(pose.position)}  rpy {_numbers(pose.rpy)}')


def _numbers(values: np.ndarray) -> str:
    return ' '.join(f'{value:.4f}' for value in values.round(4) + 0.0)


def _print_rich(robot: RobotModel) -> bool:
    """Print a coloured table on a terminal; tell whether it did."""
    if not is_terminal():
        return False
    from rich.console import Console
    from rich.table import Table
    table = Table(title=f'{robot.name}: {len(robot.links)} links, {len(robot.joints)} joints, '
                        f'root {robot.root}', header_style='bold')
    columns = [column for column in zip(HEADINGS, *joint_rows(robot.joints)) if any(column[1:])]
    for heading, *_ in columns:
        table.add_column(heading)
    for row in zip(*(column[1:] for column in columns)):
        table.add_row(*row)
    Console().print(table)
    return True
