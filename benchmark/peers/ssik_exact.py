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
"""ssik: all analytic solutions of six- and seven-joint arms; for reference."""
from __future__ import annotations

import numpy as np
import ssik

from .common import Matrices, one_tip

PACKAGE = 'ssik'


class Ssik(Matrices):
    """Asks for the one solution nearest to the seed, its idiom for tracking."""

    def __init__(self, robot, settings):
        """Let it choose a solver for the chain."""
        self._arm = ssik.Manipulator.from_urdf(str(robot.urdf), base=robot.base, ee=one_tip(robot))
        self._arm.prepare()

    def solve(self, goals, seed):
        """Return an answer or None."""
        found = self._arm.solve(goals[0], q_seed=seed, max_solutions=1)
        return (np.array(found[0].q), True) if found else (None, False)


SOLVERS = {'ssik (analytic)': Ssik}
