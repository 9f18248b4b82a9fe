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
An attempt without restarts that is stuck goes on while there is time.

What holds it is mostly limits: a joint went to its limit on the way, and the others came to rest
around it. The joints on limits move to the middle of their ranges, and the attempt goes on from
there. So it stays nearer to its seed than a restart would. Where that meets no goal, the answer is
the best reach next to the seed, as before.
"""

import math

from dq_ik.core.algebra.vector import copy
from dq_ik.core.compile import kernel, routine
from dq_ik.core.memory.blocks import answer_of, request_of, work_of
from dq_ik.core.memory.clock import is_over
from dq_ik.core.solve.best_reach import newton
from dq_ik.core.solve.residual import evaluate
from dq_ik.core.solve.verdict import exceed, Status

JUMPED = 0.5  # joint step from the seed to the best reach of a goal that has jumped [rad or m]
RELEASES = 8
ON_LIMIT = 1e-3  # of a limit [rad or m]
BEST, NEXT = 0, 1  # places of the pool


@routine
def is_stuck(blocks):
    """
    Tell whether the best reach in ``answer.q`` may be left to look for a solution.

    Only of figures with several tips, where the goals have jumped and are not beyond the reach. An
    answer next to the seed stays, so that a stream whose goal moves a little, or is held out of
    reach, does not jump; and so does that of an arm, whose restarts cost little.
    """
    request, answer, work = request_of(blocks), answer_of(blocks), work_of(blocks)
    if request.max_restarts > 0 or work.measure[0] < math.inf or work.goals.shape[0] == 1:
        return False
    if not _is_far(answer.q, work.seed):
        return False
    copy(answer.q, work.pool[BEST])
    copy(answer.q, work.pool[NEXT])
    return _is_missed(blocks, answer.q) and not exceed(blocks)


@routine
def release(blocks):
    """Write the start from which the attempt goes on; False if there is none, or no time."""
    answer, work = answer_of(blocks), work_of(blocks)
    if is_over(work) or not _leave_limits(work, work.pool[NEXT]):
        return False
    copy(work.pool[NEXT], answer.q)
    return True


@routine
def settle(blocks, releases, max_iterations):
    """
    Account for an attempt that went on: it met the goals, or the best reach stays the answer.

    :param max_iterations: of the descent from where the attempt ended
    :returns: how many releases there were; RELEASES if no more is needed
    """
    answer, work = answer_of(blocks), work_of(blocks)
    if work.measure[0] < math.inf:
        answer.status[0] = Status.CONVERGED.value
        return RELEASES
    copy(work.best, work.pool[NEXT])
    _, iterations, _ = newton(blocks, work.pool[NEXT], max_iterations)
    answer.iterations[0] += iterations
    if not _is_missed(blocks, work.pool[NEXT]):
        copy(work.pool[NEXT], answer.q)
        return RELEASES
    copy(work.pool[BEST], answer.q)
    return releases + 1


@routine
def _is_missed(blocks, q):
    """Tell whether q misses a goal."""
    _, worst = evaluate(blocks, q)
    return worst > 1.0


@kernel
def _is_far(q, seed):
    """Tell whether a joint is far from the seed."""
    way = 0.0
    for i in range(q.shape[0]):
        way = max(way, abs(q[i] - seed[i]))
    return way > JUMPED


@kernel
def _leave_limits(work, q):
    """Move joints on a limit to the middle of their ranges, in place; tell if there was one."""
    found = False
    for i in range(q.shape[0]):
        low, high = work.lower[i], work.upper[i]
        if low < high and (q[i] <= low + ON_LIMIT or q[i] >= high - ON_LIMIT):
            q[i] = 0.5 * (low + high)
            found = True
    return found
