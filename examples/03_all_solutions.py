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
"""Find all solutions of a pose, and choose one."""

from dq_ik import load_robot
import numpy as np

arm = load_robot('arm6').chain()  # six joints: a few separate solutions
goal = arm.fk(arm.random(np.random.default_rng(4)))

result = arm.solve(goal, mode='all', max_solutions=16)
print(f'{len(result.solutions)} solutions:')
for number, q in enumerate(result.solutions, 1):
    print(f'  {number}', np.round(q, 3).tolist(), f'{arm.fk(q).distance(goal)[0] * 1e3:.4f} mm')

home = arm.neutral
nearest = arm.solve(goal, seed=home, mode='distance')
print('nearest to home:', np.round(nearest.q, 3).tolist())
strongest = arm.solve(goal, mode='manipulability')
print('most manipulable:', np.round(strongest.q, 3).tolist())
