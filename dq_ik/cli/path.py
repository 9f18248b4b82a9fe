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

"""Follow a path of poses from a file, without ROS."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
import csv
from pathlib import Path

from dq_ik.cli.common import add_json, add_robot, add_seed, read_chain, read_seed
from dq_ik.cli.words import any_number, say, say_json
from dq_ik.errors import DqIkError, GoalError, listing, why
from dq_ik.robot.chain import Chain
from dq_ik.stream.whole_path import follow_path, PathResult
import numpy as np

COLUMNS = ('x', 'y', 'z', 'qw', 'qx', 'qy', 'qz')


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``dq_ik path``."""
    add_robot(parser)
    parser.add_argument('poses', type=Path, help='CSV file with a header and the columns '
                                                 f'{",".join(COLUMNS)} [m], in any order')
    parser.add_argument('output', type=Path, help='CSV file to be written: a column per joint, '
                                                  'and whether the pose is lost')
    parser.add_argument('--rate', type=any_number, required=True, metavar='HZ',
                        help='poses per second')
    parser.add_argument('--speed', type=any_number, metavar='SPEED',
                        help="largest speed of all joints [rad/s or m/s]; the URDF's if not given")
    add_seed(parser, 'at 0; or all numbers in order. Without it, the best start is chosen')
    add_json(parser)


def run(args: Namespace) -> int:
    """Write the joints; 0 if no pose is lost, 2 if some are."""
    chain = read_chain(args)
    if not args.rate > 0.0:
        raise GoalError(f'--rate is above 0 Hz, got {args.rate}')
    result = follow_path(chain, read_poses(args.poses), 1.0 / args.rate, order='wxyz',
                         velocity=args.speed,
                         start=read_seed(chain, args.seed) if args.seed else None)
    write_joints(args.output, chain, result)
    if args.json:
        say_json({'success': bool(result.success), 'message': result.message,
                  'poses': len(result.lost), 'lost': np.flatnonzero(result.lost).tolist(),
                  'file': str(args.output), 'time': result.time})
    else:
        say([f'{result.message}; found in {result.time:.2f} s'], result.success)
    return 0 if result.success else 2


def read_poses(path: Path) -> np.ndarray:
    """Return the rows x, y, z, qw, qx, qy, qz of a file, or raise GoalError."""
    try:
        with path.open(encoding='utf-8', newline='') as file:
            rows = list(csv.reader(file, skipinitialspace=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DqIkError(f'cannot read {path}: {why(error)}') from None
    head = [name.strip() for name in rows[0]] if rows else []
    missing = [name for name in COLUMNS if name not in head]
    if missing:
        raise GoalError(f'{path} has no column {listing(missing)}; its first line names the '
                        f'columns {",".join(COLUMNS)}, got {",".join(head)!r}')
    places = [head.index(name) for name in COLUMNS]
    poses = []
    for number, row in enumerate(rows[1:], 2):
        if row:
            try:
                poses.append([float(row[place]) for place in places])
            except (IndexError, ValueError):
                raise GoalError(f'line {number} of {path} is no pose: {",".join(row)!r}') from None
    return np.array(poses).reshape(-1, len(COLUMNS))


def write_joints(path: Path, chain: Chain, result: PathResult) -> None:
    """Write one line per pose."""
    try:
        with path.open('w', encoding='utf-8', newline='') as file:
            writer = csv.writer(file, lineterminator='\n')
            writer.writerow((*chain.angles.names, 'lost'))
            writer.writerows((*map(repr, chain.angles.of(q).tolist()), int(lost))
                             for q, lost in zip(result.q, result.lost))
    except OSError as error:
        raise DqIkError(f'cannot write {path}: {error.strerror}') from None
