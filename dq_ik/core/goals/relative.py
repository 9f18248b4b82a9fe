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

"""
A pose in the frame of another tip: two hands that hold one box.

The target moves with the other tip: ``x_goal = x_other x_given``. Seen from the other tip the
target stands still, so the error falls at the velocity of the tip minus that of the point of the
other tip's link that is at the same place. Joints that move both tips alike cancel.
"""

from dq_ik.core.algebra import dual_quaternion, frame
from dq_ik.core.compile import kernel
from dq_ik.core.kinematics.tree import tip_frame
from dq_ik.core.memory.arrays import vector
from dq_ik.core.memory.layout import GIVEN, OTHER


@kernel
def other_of(goal):
    """Return the number of the other tip."""
    return int(goal[OTHER])


@kernel
def retarget(tree, goal, world):
    """Write the target: the given pose in the frame of the other tip."""
    r, t = tip_frame(tree, other_of(goal), world)
    given = dual_quaternion.load(vector(goal, GIVEN, 8))
    x = frame.mul((r, t), (given[0], dual_quaternion.translation(given)))
    dual_quaternion.store(dual_quaternion.from_rotation_translation(x[0], x[1]), goal)
