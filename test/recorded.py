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
A recorded set of problems and answers: ``python test/recorded.py`` writes the answers of today.

The record in ``data/recorded_answers.npz`` is that of version 0.1.0, whose kernels numba compiled
at run time. No problem has a time limit that counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from arms import arm
from dq_ik import Chain, Goal, IkResult, Pose, Solver
import numpy as np

RECORD = Path(__file__).parent / 'data' / 'recorded_answers.npz'
PATIENT = 60.0
REFERENCES = ('pgs_paper', 'pls_paper', 'transpose_buss', 'dls', 'svd', 'qr', 'gauss_newton',
              'ccd')


class Case(NamedTuple):
    """So many random problems of one kind."""

    robot: str
    method: str
    kind: str
    options: dict[str, Any]
    count: int

    @property
    def is_within_reach(self) -> bool:
        """Whether the goals are; others have several best reaches."""
        return not self.kind.startswith('far')


def cases() -> Iterator[Case]:
    """Yield the recorded cases, in the order of the record."""
    for robot in ('panda', 'arm6', 'arm5'):
        for method in ('pgs', 'pls'):
            for kind, options, count in (
                    ('none', {}, 700), ('seed', {}, 500), ('near', {'max_restarts': 0}, 250),
                    ('far', {}, 30), ('farstream', {'max_restarts': 0}, 30), ('point', {}, 60),
                    ('seed', {'mode': 'distance', 'max_restarts': 20}, 30),
                    ('seed', {'mode': 'manipulability', 'max_restarts': 20}, 20),
                    ('seed', {'rest_posture_weight': 0.5}, 30),
                    ('near', {'max_joint_step': 0.3}, 30)):
                yield Case(robot, method, kind, options, count)
        for method in REFERENCES:
            yield Case(robot, method, 'near', {'max_restarts': 2}, 10)
    for robot in ('prismatic', 'mimic', 'planar_3r', 'planar_2r'):
        for method in ('pgs', 'pls'):
            yield Case(robot, method, 'none', {}, 60)
            yield Case(robot, method, 'seed', {}, 40)
    for robot, count in (('two_arms', 60), ('hand', 40), ('humanoid', 15)):
        for method in ('pgs', 'pls'):
            yield Case(robot, method, 'near', {'max_restarts': 0}, count)
            yield Case(robot, method, 'seed', {'max_restarts': 10}, count // 2)


def problems(chain: Chain, case: Case, seed: int) -> Iterator[tuple[Any, np.ndarray | None]]:
    """Yield goals and seeds."""
    rng = np.random.default_rng(seed)
    for _ in range(case.count):
        q = chain.random(rng)
        poses = list(chain.fk_all(q).values())
        start = chain.random(rng) if case.kind == 'seed' else None
        if case.kind in ('near', 'point', 'farstream'):
            start = np.clip(q + rng.uniform(-0.2, 0.2, chain.n), chain.lower, chain.upper)
        if not case.is_within_reach:
            poses = [Pose.from_xyz_rpy(p.position * 1.5 + (0.3, 0.2, 0.4), p.rpy) for p in poses]
        goals = [Goal(p, rotation_weight=0.0) for p in poses] if case.kind == 'point' else poses
        yield (goals if len(goals) > 1 else goals[0]), start


def answers() -> Iterator[tuple[Case, Any, IkResult]]:
    """Solve all problems: case, goals and answer of each."""
    for number, case in enumerate(cases()):
        chain = arm(case.robot)
        solver = Solver(chain, method=case.method, timeout=PATIENT, **case.options)
        for goals, start in problems(chain, case, number):
            yield case, goals, solver.solve(goals, start)


if __name__ == '__main__':
    results = [result for _, _, result in answers()]
    np.savez_compressed(RECORD, status=np.array([int(r.status) for r in results], np.int8),
                        q=np.concatenate([r.q for r in results]).astype(np.float32))
    print(f'{len(results)} answers written to {RECORD}')
