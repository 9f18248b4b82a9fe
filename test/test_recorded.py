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
The answers are those of the record: the same statuses, and the same branches.

Version 0.1.0 blamed limits also where a goal was out of reach.
"""

from __future__ import annotations

from dq_ik import Status
import numpy as np
import pytest
import recorded

SAME_BRANCH = 1e-5  # rad or m; the record is in single precision


@pytest.fixture(scope='module')
def pairs():
    """Return each case, its answer, the recorded status and joint vector, and the goals."""
    record = np.load(recorded.RECORD)
    status, numbers = record['status'], record['q']
    found, place = [], 0
    for row, (case, goals, result) in enumerate(recorded.answers()):
        q = numbers[place:place + len(result.q)]
        place += len(result.q)
        found.append((case, result, int(status[row]), q, goals))
    assert place == len(numbers)
    assert len(found) == len(status) > 10000
    return found


def test_statuses_are_the_same(pairs):
    different = [case for case, result, status, *_ in pairs if int(result.status) != status
                 and not (status == Status.BEST_REACH_LIMITS and result.beyond_reach.any())]
    assert len(different) <= 0.001 * len(pairs), different


def test_answers_within_reach_are_on_the_same_branch(pairs):
    distances = np.array([np.abs(result.q - q).max() for case, result, _, q, _ in pairs
                          if case.is_within_reach])
    assert len(distances) > 10000
    assert np.mean(distances < SAME_BRANCH) >= 0.999


def test_best_reaches_are_as_near(pairs):
    """
    Where arms are stretched out, several configurations are equally good.

    One record is a local optimum: a better one is found since candidates keep their distance.
    """
    better = 0
    for case, result, _, q, goals in pairs:
        if not case.is_within_reach:
            chain = recorded.arm(case.robot)
            q = chain.clamp(q.astype(float))
            moved = chain.fk(result.q).position - chain.fk(q).position
            if np.linalg.norm(moved) >= 1e-4:
                better += 1
                assert result.cost < chain.solve(goals, q, max_restarts=0, timeout=1.0).cost - 1e-5
    assert better <= 1
