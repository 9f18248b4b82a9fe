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

"""Use the solvers as a Python library: no ROS, no node, no messages."""

from dq_ik import Goal, load_robot, Pose
from dq_ik.robot.bundled import robot_file
import numpy as np

# A robot, and the part of it that shall move.
robot = load_robot(robot_file('panda'))
arm = robot.chain('panda_link0', 'panda_hand_tcp')

# One goal: half a metre ahead, tool pointing down.
goal = Pose.from_xyz_rpy((0.5, 0.0, 0.4), (np.pi, 0.0, 0.0))
result = arm.solve(goal)
print(result.message)
for name, position in arm.joint_positions(result.q).items():
    print(f'  {name:<14} {position:8.4f} rad')
print(f'  checked: {arm.fk(result.q).distance(goal)[0] * 1e3:.5f} mm off, '
      f'solved in {result.time * 1e6:.0f} us')

# Position only: the orientation is free.
free = arm.solve(Goal(goal, rotation_weight=0.0), seed=result.q)
print('position only:', free.message)

# Out of reach: the best that the arm can do, and why it is not more.
far = Pose.from_xyz_rpy((2.0, 0.0, 0.4), (np.pi, 0.0, 0.0))
print('too far:', arm.solve(far).message)

# Many goals at once, on all cores.
rng = np.random.default_rng(0)
goals = [arm.fk(arm.random(rng)) for _ in range(1000)]
batch = arm.solve_batch(goals)
print(f'{np.count_nonzero(batch.success)} of {len(goals)} random goals reached')
