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
"""Ask for more than the arm can do: the best reach, and why it is not more."""

from dq_ik import Goal, load_robot, Pose
import numpy as np

arm = load_robot('panda').chain()

far = arm.solve((2.0, 0.0, 0.4))
print('too far:', far.message)
print(f'  {far.beyond_reach[0]:.3f} m beyond; the tip is at {arm.fk(far.q).position.round(3)}')

turned = arm.solve(Pose.from_xyz_rpy((0.05, 0.0, 0.2), (np.pi, 0.0, 0.0)))
print('too near:', turned.message)
print('  joints at their limits:', turned.limited_joints)

careful = arm.solve(Goal((Pose.from_xyz_rpy((0.05, 0.0, 0.2), (np.pi, 0.0, 0.0))),
                         rotation_weight=0.1))
print(f'with less weight on the rotation: {1e3 * careful.position_error[0]:.1f} mm instead of '
      f'{1e3 * turned.position_error[0]:.1f} mm')
