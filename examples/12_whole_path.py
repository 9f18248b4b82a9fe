#!/usr/bin/env python3
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
"""Follow a whole path that is known beforehand: weave along a line, without a jump."""

from dq_ik import load_robot, Pose
from dq_ik.stream.whole_path import follow_path
import numpy as np

RATE = 50.0  # poses per second

arm = load_robot('panda').chain()

# A seam of 0.8 m from right to left, in 12 s, tool down; the tool weaves and leans over.
share = np.linspace(0.0, 1.0, 600)
poses = [Pose.from_xyz_rpy((0.5 + 0.03 * np.sin(40.0 * s), 0.8 * s - 0.4, 0.3),
                           (np.pi + 0.8 * np.sin(9.0 * s), 0.0, 3.0 * s)) for s in share]

# The best start is chosen. No joint is faster than its limit of the URDF.
result = follow_path(arm, poses, dt=1.0 / RATE)
print(result.message)
print(f'found in {result.time:.2f} s')
print('start at', np.round(result.q[0], 3).tolist())

# The same at 60 % of the speed limits.
slow = follow_path(arm, poses, dt=1.0 / RATE, velocity=0.6 * arm.velocity)
print('slowly:', slow.message)

# A posture to start from may be given. Not every one leads to the end of a path.
given = follow_path(arm, poses, dt=1.0 / RATE, start=arm.solve(poses[0]).q)
print('from a given start:', given.message)
if given.lost.any():
    print('  lost:', np.flatnonzero(given.lost)[:5].tolist(), '...')

# Joint positions, one row per pose, as controllers and spreadsheets take them.
print(','.join(arm.joint_names))
for q in result.q[::150]:
    print(','.join(f'{value:.4f}' for value in q))
