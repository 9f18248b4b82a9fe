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
"""Two arms hold one box: the left hand has a pose, the right one keeps its grasp."""

from dq_ik import Goal, load_robot, Pose

both = load_robot('two_arms').chain(tips=('left_tool', 'right_tool'))
bent = both.configuration({'left_joint_4': -1.2, 'right_joint_4': -1.2})
hands = both.fk_all(bent)
grasp = hands['left_tool'].inverse() @ hands['right_tool']  # the right hand, seen from the left

q = bent
for lift in (0.0, 0.02, 0.04, 0.06):
    left = Pose.from_xyz_rpy((0.0, 0.0, lift), (0.0, 0.0, 0.0)) @ hands['left_tool']
    result = both.solve({'left_tool': left,
                         'right_tool': Goal(grasp, relative_to='left_tool')}, seed=q)
    q = result.q
    now = both.fk(q, 'left_tool').inverse() @ both.fk(q, 'right_tool')
    print(f'lifted by {100 * lift:.0f} cm: {result.status.name}, the grasp is '
          f'{1e3 * now.distance(grasp)[0]:.4f} mm off')
