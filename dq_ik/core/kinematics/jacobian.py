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
The Jacobian of all tips: columns of twists, linear first.

World Jacobian: ``(velocity of the tip's point, angular velocity) = J_world qdot``, both along the
base's axes ([Recipe] procedure 1 and eq. 13; [ProjectedLineSearch] eqs. A.11, A.15; [Rotations]
eqs. 74, 79, algorithms 5, 10 and 13). Body Jacobian: the same along the tip's own axes ([Recipe]
eqs. 9-12, procedure 2).
"""

from dq_ik.core.algebra import frame, quaternion
from dq_ik.core.algebra.vector import fill
from dq_ik.core.compile import kernel
from dq_ik.core.kinematics.tree import tip_frame
from dq_ik.core.memory.layout import PATH_START, PATH_STOP, SLOT_START, SLOT_STOP

UNWEIGHTED = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0)


@kernel
def twist_at(screw, point):
    """Velocity at a point, and angular velocity, for a unit rate of a screw."""
    angular = (screw[3], screw[4], screw[5])
    cross = quaternion.cross(angular, point)
    return (screw[0] + cross[0], screw[1] + cross[1], screw[2] + cross[2]), angular


@kernel
def columns(tree, k, point, weight, screw, column_out):
    """
    Columns of tip k at a point of the base frame, one row per slot.

    :param weight: six factors, one per component
    :param screw: ``(n_screws, 6)`` of :func:`dq_ik.core.kinematics.tree.forward_kinematics`
    :param column_out: ``(n_slots, 6)``; the rows of tip k are filled
    """
    for entry_ in range(tree.tip_index[k, PATH_START], tree.tip_index[k, PATH_STOP]):
        s = screw[tree.path[entry_, 0]]
        column = column_out[tree.path[entry_, 1]]
        linear, angular = twist_at(s, point)
        twist = (weight[0] * linear[0], weight[1] * linear[1], weight[2] * linear[2],
                 weight[3] * angular[0], weight[4] * angular[1], weight[5] * angular[2])
        if tree.path[entry_, 2] == 1:
            for r in range(6):
                column[r] = twist[r]
        else:  # another joint that follows the same variable
            for r in range(6):
                column[r] += twist[r]


@kernel
def jacobian(tree, k, world, screw, offset, body, column, jacobian_out):
    """
    Jacobian (6, n) of tip k, from the state that :func:`forward_kinematics` left.

    :param offset: point of the tip frame whose velocity is meant
    :param body: not 0: along the tip's axes; 0: along the base's axes
    :param column: ``(n_slots, 6)`` work array
    :returns: the pose of the tip
    """
    x = tip_frame(tree, k, world)
    point = frame.transform(x, (offset[0], offset[1], offset[2]))
    columns(tree, k, point, UNWEIGHTED, screw, column)
    if body != 0:
        _turn(tree, k, quaternion.conj(x[0]), column)
    _scatter(tree, k, column, jacobian_out)
    return x


@kernel
def _turn(tree, k, r, column):
    """Turn the columns of tip k, in place."""
    for slot in range(tree.tip_index[k, SLOT_START], tree.tip_index[k, SLOT_STOP]):
        c = column[slot]
        linear = quaternion.rotate(r, (c[0], c[1], c[2]))
        angular = quaternion.rotate(r, (c[3], c[4], c[5]))
        for i in range(3):
            c[i], c[3 + i] = linear[i], angular[i]


@kernel
def _scatter(tree, k, column, jacobian_out):
    """Write the columns of tip k to a matrix (6, n) that is zero elsewhere."""
    for r in range(6):
        fill(0.0, jacobian_out[r])
    for slot in range(tree.tip_index[k, SLOT_START], tree.tip_index[k, SLOT_STOP]):
        for r in range(6):
            jacobian_out[r, tree.slot[slot]] = column[slot, r]
