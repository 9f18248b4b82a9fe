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
import sys

from dq_ik.cli.common import add_robot, Version
from dq_ik.robot.bundled import find_robot
from dq_ik.robot.chain import Chain
from dq_ik.robot.describe import HEADINGS, joint_rows
from dq_ik.robot.model import RobotModel
from dq_ik.robot.urdf import load_robot
import numpy as np


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``dq_ik info``."""
    add_robot(parser)
    parser.add_argument('--version', action=Version)


def run(args: Namespace) -> int:
    """Print the table; a whole robot without --base and --tip."""
    robot = load_robot(find_robot(args.robot), soft_limits=args.soft_limits)
    if args.base is None and args.tip is None:
        print_robot(robot)
    else:
        print_chain(robot.chain(args.base, args.tip))
    return 0


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
    if not sys.stdout.isatty():
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
