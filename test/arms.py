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
"""The robots of this repository for tests of the solvers, and an independent judge of answers."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
from dq_ik.robot.urdf import load_robot
import naive
import numpy as np

URDF = Path(__file__).parent.parent / 'urdf'
PATIENT = 20.0  # seconds: a budget that a busy machine does not use up
TIPS = {
    'panda': 'panda_hand_tcp', 'two_arms': ('left_tool', 'right_tool'),
    'hand': ('index_tip', 'middle_tip', 'ring_tip', 'little_tip', 'thumb_tip'),
    'humanoid': ('left_hand', 'right_hand', 'left_foot', 'right_foot', 'pelvis', 'head')}


@cache
def arm(name: str) -> Chain:
    """Return the chain of a robot of this repository from its root to its tip or tips."""
    return load_robot(URDF / f'{name}.urdf').chain(tips=TIPS.get(name))


def judged(chain: Chain, q: np.ndarray, tip: str | None = None) -> Pose:
    """Return the pose of a tip at q by products of 4x4 matrices, without any kernel."""
    values = dict.fromkeys(chain.model.whole.joint_names, 0.0)
    values.update(zip(chain.joint_names, q.tolist()))
    matrices = naive.link_matrices(chain.model, values)
    T = np.linalg.inv(matrices[chain.base]) @ matrices[tip or chain.tips[0]] @ chain.tool.matrix
    return Pose.from_matrix(T)


def nearby(chain: Chain, q: np.ndarray, rng: np.random.Generator, size: float) -> np.ndarray:
    """Return a configuration at most ``size`` from q in each joint, inside the limits."""
    return np.clip(q + rng.uniform(-size, size, chain.n), chain.lower, chain.upper)
