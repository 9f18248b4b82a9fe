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

"""Goals of the past and of the time to come: a ring of samples, extrapolated by polynomials."""

from dq_ik.core.algebra import dual_quaternion, quaternion
from dq_ik.core.algebra.vector import copy, fill
from dq_ik.core.compile import kernel, routine
from dq_ik.core.memory.arrays import vector
from dq_ik.core.memory.layout import AIM, FIXED, NODES, SAMPLES

SPACING = 0.02  # of the samples through which a goal is extrapolated, at least [s]
OLDEST = 0.5  # of them [s]
LENGTH = 0.3  # that weighs a radian of a goal's motion against a metre [m/rad]
LEAST_STEP = 1e-9  # of a goal that is no rounding [m]
SAME_TIME = 1e-3  # goals nearer than this in time share a sample [s]
CUBIC_UNTIL = 0.6  # further ahead the third derivative is more noise than knowledge [s]


@routine
def hear(state, goals):
    """Note the goals of this moment, and how far they moved."""
    count = state.n_samples[0]
    last = (count - 1) % SAMPLES
    state.goal_step[0] = 0.0
    if count > 0:
        for k in range(goals.shape[0]):
            moved = way(goals[k], _pose(state, last, k))
            if moved > LEAST_STEP:
                state.goal_step[0] = max(state.goal_step[0], moved)
    since = max(state.time[0] - state.sample_time[last], SAME_TIME) if count > 0 else 1.0
    state.goal_speed[0] = state.goal_step[0] / since
    same = count > 0 and state.time[0] - state.sample_time[last] < SAME_TIME
    row = count - 1 if same else count
    state.n_samples[0] = max(count, row + 1)
    state.sample_time[row % SAMPLES] = state.time[0]
    for k in range(goals.shape[0]):
        pose = _pose(state, row % SAMPLES, k)
        for i in range(8):
            pose[i] = goals[k, i]


@kernel
def _pose(state, row, k):
    """See the goal of a tip in a sample."""
    return vector(state.sample, 8 * (row * state.sample.shape[1] + k), 8)


@kernel
def way(goal, pose):
    """Distance of two poses, angles included [m]."""
    a, b = dual_quaternion.load(goal), dual_quaternion.load(pose)
    p, t = dual_quaternion.translation(a), dual_quaternion.translation(b)
    w = quaternion.log(quaternion.mul(a[0], quaternion.conj(b[0])))
    square = 0.0
    for i in range(3):
        square += (p[i] - t[i]) ** 2 + (LENGTH * w[i]) ** 2
    return square ** 0.5


@routine
def choose_nodes(state):
    """
    Choose the samples through which goals are extrapolated, the newest first.

    :returns: how many there are
    """
    count, last = 0, state.n_samples[0] - 1
    newest = state.sample_time[last % SAMPLES]
    for back in range(min(last + 1, SAMPLES)):
        row = (last - back) % SAMPLES
        time = state.sample_time[row] - newest
        if count == 0 or (time <= state.node_time[count - 1] - SPACING and time >= -OLDEST):
            state.node[count], state.node_time[count] = row, time
            count += 1
            if count == NODES:
                return count
    return count


@routine
def extrapolate(state, count, ahead, goals_out):
    """
    Write the goals as they will be, by the polynomial through the nodes, in Newton's form.

    :param count: of the nodes
    :param ahead: time from now [s]
    """
    ahead += state.time[0] - state.sample_time[state.node[0]]
    if ahead > CUBIC_UNTIL:
        count = min(count, NODES - 1)
    for k in range(goals_out.shape[0]):
        if goals_out[k, AIM] != FIXED:
            continue
        x = dual_quaternion.load(_pose(state, state.node[0], k))
        t = dual_quaternion.translation(x)
        for c in range(count):
            _difference(_pose(state, state.node[c], k), x[0], t, state.slope[c])
        for order in range(1, count):
            for c in range(count - 1, order - 1, -1):
                span = state.node_time[c] - state.node_time[c - order]
                for i in range(6):
                    state.slope[c, i] = (state.slope[c, i] - state.slope[c - 1, i]) / span
        moved = _value(state, count, ahead)
        dual_quaternion.store(dual_quaternion.from_rotation_translation(
            quaternion.mul(quaternion.exp((moved[3], moved[4], moved[5])), x[0]),
            (t[0] + moved[0], t[1] + moved[1], t[2] + moved[2])), goals_out[k])


@kernel
def _difference(pose, r, t, values_out):
    """Write position and rotation vector of a pose as seen from another."""
    x = dual_quaternion.load(pose)
    p = dual_quaternion.translation(x)
    w = quaternion.log(quaternion.mul(x[0], quaternion.conj(r)))
    for i in range(3):
        values_out[i] = p[i] - t[i]
        values_out[3 + i] = w[i]


@kernel
def _value(state, count, ahead):
    """Value of the polynomial: six numbers, in the row of the newest node, which is zero."""
    total = state.slope[0]
    fill(0.0, total)
    product = 1.0
    for c in range(1, count):
        product *= ahead - state.node_time[c - 1]
        for i in range(6):
            total[i] += state.slope[c, i] * product
    return total


@routine
def recall(state, goals_out):
    """Write the newest goals."""
    newest = (state.n_samples[0] - 1) % SAMPLES
    for k in range(goals_out.shape[0]):
        copy(_pose(state, newest, k), goals_out[k])


@routine
def wait(state):
    """Note that no goals came with this frame: after a while they stand."""
    if state.time[0] - state.sample_time[(state.n_samples[0] - 1) % SAMPLES] > OLDEST:
        state.goal_speed[0] = 0.0


@kernel
def stands(state):
    """Tell whether the goals do not move."""
    return state.goal_speed[0] == 0.0
