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
"""Follow a moving goal: each command is as near to the last as the joints' speeds allow."""

from dq_ik import load_robot, Pose
from dq_ik.stream.tracker import Tracker
import numpy as np

RATE, SECONDS = 100.0, 4.0  # Hz, s

arm = load_robot('panda').chain()
tip = arm.tips[0]
times = np.arange(0.0, SECONDS, 1.0 / RATE)
circle = [Pose.from_xyz_rpy((0.45, 0.15 * np.sin(np.pi * t), 0.45 + 0.15 * np.cos(np.pi * t)),
                            (np.pi, 0.0, 0.0)) for t in times]

tracker = Tracker(arm, q=arm.solve(circle[0]).q)
commands = []
for t, goal in zip(times, circle):
    result = tracker.follow(tip, goal, t)
    commands.append(result.q)

errors = [arm.fk(q).distance(goal)[0] for q, goal in zip(commands, circle)]
fastest = np.abs(np.diff(commands, axis=0)).max(axis=0) * RATE
print(f'{len(times)} goals on two circles: {np.sum(np.array(errors) < 1e-4)} are met')
print(f'the fastest joint uses {np.max(fastest / arm.velocity):.0%} of its speed limit')
