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
"""Solve one goal: a robot by name, a pose, joint positions by name."""

from dq_ik import load_robot, Pose
import numpy as np

arm = load_robot('panda').chain()  # a URDF file works too: load_robot('robot.urdf')

goal = Pose.from_xyz_rpy((0.5, 0.0, 0.4), (np.pi, 0.0, 0.0))  # ahead, tool pointing down
result = arm.solve(goal)
print(result.message)
for name, position in result.joints.items():
    print(f'  {name:<14} {position:8.4f} rad')
print(f'checked: {arm.fk(result.q).distance(goal)[0] * 1e3:.5f} mm off; '
      f'solved in {result.time * 1e6:.0f} us')

free = arm.solve((0.5, 0.0, 0.4))  # a position alone: the rotation is free
print('position only:', free.message)

drill = load_robot('panda').chain(tip='panda_hand', tool=(0.0, 0.0, 0.25))
print('with a tool of 25 cm:', drill.solve(goal).message)
