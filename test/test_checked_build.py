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
"""A build that checks indices: it finds wrong ones, and the core has none."""

from __future__ import annotations

import subprocess
import sys

from dq_ik.native import files
from packages import checked, ROOT
import pytest

pytest.importorskip('numba')

# Ask for a variable that there is not; and read beyond a vector in a kernel of one line.
WRONG = """
import numpy as np
from arms import arm
from dq_ik.core.compile import kernel
from dq_ik.core.memory.layout import ROBOT, VARIABLE
from dq_ik.core.memory.arrays import vector
from dq_ik.core.memory.views import read
from dq_ik.native.load import describe, door, fault_of
from helpers import compiled

assert 'indices checked' in describe(), describe()
chain = arm('panda')
block = chain.block.copy()
memory = np.empty(door().entries['memory_size'](block))
for value, good in ((6, True), (7, False), (-8, False), (10**6, False)):
    read(ROBOT, block).index[6, VARIABLE] = value
    result = door().entries['fk'](block, chain.neutral.copy(), 1, 0, np.empty(8), memory)
    assert (result == 0) == good, (value, result)
    assert good or fault_of(result).kind.name == 'OUT_OF_RANGE'

@kernel
def third(block, size):
    return vector(block, 0, size)[3]

assert compiled(third)(np.arange(5.0), 4) == 3.0
try:
    compiled(third)(np.arange(5.0), 3)
except IndexError:
    print('found')
"""


@pytest.mark.slow
def test_wrong_indices_are_found():
    settings, _ = checked()
    done = subprocess.run([sys.executable, '-c', WRONG], capture_output=True, text=True,
                          timeout=500, env={**settings, 'DQ_IK_KERNELS': 'numba'})
    assert done.stdout.strip() == 'found', done.stderr


@pytest.mark.slow
def test_the_core_has_none():
    _, tests = checked()
    assert tests.returncode == 0, tests.stdout[-5000:]
    assert not any((ROOT / 'dq_ik' / 'native' / 'built').glob(
        f'door_{files.digest(checked=True)}_*'))  # the build was found, not made again
