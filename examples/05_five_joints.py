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
"""An arm with five joints: it cannot take every pose. Say what matters, and it is met."""

from dq_ik import Goal, load_robot, Pose
import numpy as np

arm = load_robot('arm5').chain()
print(arm)

possible = arm.fk(arm.random(np.random.default_rng(1)))
print('a pose that it can take:', arm.solve(possible).message)

tilted = possible @ Pose.from_xyz_rpy((0, 0, 0), (0.3, 0, 0))  # sideways: no joint does that
print('tilted sideways:        ', arm.solve(tilted).message)
print('position only:          ', arm.solve(tilted.position).message)
print('position first:         ', arm.solve(Goal(tilted, rotation_weight=0.01)).message)
print('that tilt left free:    ',
      arm.solve(Goal(tilted, rotation_weight=(0, 1, 1), frame='goal')).message)
