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
"""Packing by the kernels one by one, into memory full of rubbish: what tests look into."""

from __future__ import annotations

from typing import Any

from dq_ik.core.memory.layout import PACKING, ROBOT
from dq_ik.core.memory.table import Table
from dq_ik.core.memory.views import read
from dq_ik.core.packing import joints as column
from dq_ik.core.packing import normals, pack, spread
from dq_ik.core.packing.joint_check import PackError
from dq_ik.native.load import door
from dq_ik.robot.chain import Chain
from dq_ik.robot.joint_table import joint_table, tip_table
from helpers import call, Seen
import numpy as np


def rubbish(table: Table, **sizes: int) -> np.ndarray:
    """Return a block of which nothing but the head makes sense."""
    block = table.new(**sizes)
    block[table.head:] = np.nan
    return block


def count(joints: np.ndarray, tips: np.ndarray, how: str) -> tuple[int, np.ndarray]:
    """Return the code and the sizes, or the bad row, that the packing finds."""
    sizes = np.empty(pack.N_SIZES, int)
    memory = rubbish(PACKING, n_joints=len(joints))
    return call(pack.count, how, joints, tips, Seen(PACKING, memory), sizes), sizes


def pack_table(joints: np.ndarray, tips: np.ndarray, how: str, *, move: bool = False) -> Any:
    """
    Return a view of the robot of a table: all but its stored configurations.

    :param move: put frames on common normals
    """
    code, sizes = count(joints, tips, how)
    assert code == PackError.NONE
    n, n_elements, n_screws, n_path, n_slots = sizes.tolist()
    block = rubbish(ROBOT, n=n, n_tips=len(tips), n_elements=n_elements, n_screws=n_screws,
                    n_path=n_path, n_slots=n_slots, n_stored=1)
    robot = Seen(ROBOT, block)
    memory = rubbish(PACKING, n_joints=len(joints))
    call(pack.fill, how, joints, tips, Seen(PACKING, memory), robot)
    tree = read(*robot)
    call(spread.neutral, how, tree.lower, tree.upper, tree.neutral)
    call(spread.reach, how, robot, tree.lower, tree.upper, tree.reach, tree.centre)
    call(spread.turning, how, robot, tree.lower, tree.upper, tree.period)
    tree.plain[...] = call(normals.is_plain_chain, how, robot)
    if move:
        call(normals.move_to_common_normals, how, robot)
    return tree


def tables(chain: Chain) -> tuple[np.ndarray, np.ndarray]:
    """Return the tables of joints and tips of a chain."""
    joints, rows = joint_table(chain.model, chain.base)
    return joints, tip_table(chain.model, rows, chain.base, chain.tips, chain.tool)


def pack_chain(chain: Chain, how: str, *, move: bool = False) -> Any:
    """Return a view of the robot of a chain."""
    return pack_table(*tables(chain), how, move=move)


def poses(tree: Any, q: np.ndarray) -> np.ndarray:
    """Return dual quaternions of all tips (N, n_tips, 8) of a packed robot at rows of q."""
    entries, block = door().entries, tree._block
    found = np.empty((len(q), tree.n_tips, 8))
    memory = np.empty(entries['memory_size'](block))
    assert entries['fk'](block, q, len(q), 0, found, memory) == 0
    return found


def long_robot(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a chain whose first joint all others mimic."""
    joints = np.zeros((n, column.JOINT.width))
    joints[:, column.KIND] = 1
    joints[:, column.PARENT] = np.arange(n) - 1
    joints[:, column.ORIGIN] = joints[:, column.AXIS] = joints[:, column.MULTIPLIER] = 1.0
    joints[:, column.LOWER:column.UPPER + 1] = -1.0, 1.0
    joints[:, column.MIMIC] = 0
    joints[0, column.MIMIC] = -1
    return joints, np.array([[n - 1.0, 1, 0, 0, 0, 0, 0, 0]])
