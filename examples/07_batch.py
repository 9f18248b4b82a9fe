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
"""Solve many goals at once, on all cores."""

from time import perf_counter

from dq_ik import load_robot
import numpy as np

arm = load_robot('panda').chain()
q = arm.spread(np.random.default_rng(0).random((20_000, arm.n)))
goals = arm.fk_batch(q)[:, 0]  # (20000, 8) dual quaternions; (N, 4, 4) and (N, 3) work too

begun = perf_counter()
batch = arm.solve_batch(goals, progress=True)
seconds = perf_counter() - begun
print(f'{np.count_nonzero(batch.success)} of {len(batch)} random goals reached')
print(f'{len(batch) / seconds:,.0f} goals per second')
print(f'largest position error {1e3 * batch.position_error.max():.4f} mm')
print('the first answer:', batch[0].joints)
