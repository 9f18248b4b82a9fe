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
"""Write a robot as a file for programs in C and C++."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from dq_ik.cli.common import add_json, add_robot, read_chain
from dq_ik.cli.words import say_json, whole_number
from dq_ik.errors import DqIkError, OptionError
from dq_ik.robot.chain import Chain
from dq_ik.solver import STARTS

MOST_STARTS = 1_000_000


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``dq_ik export``."""
    add_robot(parser)
    parser.add_argument('output', type=Path, help='file to be written, for instance arm.dqik')
    parser.add_argument('--starts', type=whole_number, default=STARTS, metavar='N',
                        help='configurations to be stored, from which searches may start '
                             '(default: %(default)s)')
    add_json(parser)


def run(args: Namespace) -> int:
    """Write the file and say what is in it."""
    if not 1 <= args.starts <= MOST_STARTS:
        raise OptionError(f'--starts is {args.starts}; it must be from 1 to {MOST_STARTS}')
    chain = read_chain(args)
    block = chain.robot(args.starts)
    try:
        args.output.write_bytes(block.tobytes())
    except OSError as error:
        raise DqIkError(f'cannot write {args.output}: {error.strerror}') from None
    if args.json:
        say_json({'file': str(args.output), 'bytes': block.nbytes, 'base': chain.base,
                  'tips': chain.tips, 'joints': chain.joint_names, 'starts': args.starts})
    else:
        print(describe(chain, args.output, block.nbytes, args.starts))
    return 0


def describe(chain: Chain, path: Path, size: int, starts: int) -> str:
    """Return in words what a file holds; the order of the variables is that of joint vectors."""
    lines = [f'wrote {path}: {size} bytes, {chain.base} -> {", ".join(chain.tips)}, '
             f'{starts} stored configurations', f'joint vectors have {chain.n} numbers:']
    lines += [f'  {i} {name}' for i, name in enumerate(chain.joint_names)]
    return '\n'.join(lines)
