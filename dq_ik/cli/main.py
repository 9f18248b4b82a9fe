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
"""
The command ``dq_ik``.

Each command is a module of this folder with ``add_arguments(parser)`` and ``run(args) -> int``.
It is imported only when it is called, so that ``dq_ik solve`` needs no ROS.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
import sys

from dq_ik.cli.common import Version
from dq_ik.cli.words import Parser, refuse, separate_numbers, WordsError
from dq_ik.errors import DqIkError, nearest

#: every command with its one-line help
COMMANDS = {
    'info': 'describe a robot: links, joints, limits, tips',
    'solve': 'solve one goal of a robot, without ROS',
    'fk': 'tell where the tips of a robot are at given joint positions, without ROS',
    'path': 'follow a path of poses from a file, without ROS',
    'bench': 'measure how fast goals of a robot are solved here, without ROS',
    'export': 'write a robot as a file for programs in C and C++',
    'node': 'run the ROS 2 node',
    'goal': 'send a goal to a running node',
    'jog': 'move the arm of a running node by the keyboard',
    'ask': 'ask a running node for one solution',
    'demo': 'start the demo: moving goal, solver, simulated arm, web page',
    'doctor': 'check what is installed, and say what to do',
}
EPILOG = """\
exit codes: 0 done, and goals reached; 1 wrong input, or something is missing; 2 a goal is not
reached, the best reach is printed; 130 ended by Ctrl-C

numbers: 0.4 0.2 0.5 or 0.4,0.2,0.5 or [0.4, 0.2, 0.5]; angles: 3.14, 180deg, pi/2"""
ROS_ARGUMENTS = '--ros-args'


def main(arguments: Sequence[str] | None = None) -> int:
    """
    Run a command and return its exit code.

    An error of the user is one line on stderr and exit code 1.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    split = given.index(ROS_ARGUMENTS) if ROS_ARGUMENTS in given else len(given)
    own, for_ros = given[:split], given[split:]
    chosen = next((word for word in own if word in COMMANDS), None)
    as_json = '--json' in own
    try:
        args = read(own, chosen)
        if for_ros:
            args.ros = for_ros
        return import_module(f'dq_ik.cli.{args.command}').run(args)
    except WordsError as error:
        sys.exit(refuse(error.program, error, as_json))
    except DqIkError as error:
        return refuse(f'dq_ik {chosen}', error, as_json)
    except KeyboardInterrupt:
        return 130


def read(words: Sequence[str], chosen: str | None) -> argparse.Namespace:
    """
    Return the arguments of the chosen command.

    :raises WordsError: if they are none
    """
    parser = Parser(
        prog='dq_ik', description='Inverse kinematics on dual quaternions, for ROS 2 and without.',
        epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--version', action=Version)
    commands = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    for name, text in COMMANDS.items():
        command = commands.add_parser(
            name, help=text, description=f'{text[0].upper()}{text[1:]}.')
        if name == chosen:
            import_module(f'dq_ik.cli.{name}').add_arguments(command)
    first = next((word for word in words if not word.startswith('-')), None)
    if first is not None and first not in COMMANDS:
        parser.error(f"there is no command '{first}'{nearest(first, COMMANDS)}; there are "
                     f'{", ".join(COMMANDS)}')
    args, rest = parser.parse_known_args(separate_numbers(words))
    commands.choices[args.command].refuse_rest(rest)
    return args


if __name__ == '__main__':
    sys.exit(main())
