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
"""One attempt of a figure with several tips goes on where limits hold it, and only there."""

from __future__ import annotations

from arms import arm, PATIENT
from benchmark import robots
from benchmark.experiments import hand, motion
from benchmark.experiments.tracking import Tracker
from dq_ik import Goal, Solver
import numpy as np
import pytest

METHODS = ('pgs', 'pls')


@pytest.fixture(scope='module')
def humanoid(tmp_path_factory) -> Tracker:
    """Return the figure with 71 joints."""
    return Tracker(robots.load('humanoid', tmp_path_factory.mktemp('humanoid')))


@pytest.mark.parametrize('method', METHODS)
@pytest.mark.parametrize('kind', ['positions', 'poses'])
def test_one_attempt_solves_frames_far_apart(humanoid, method, kind):
    """Frames 0.7 s apart, each from the last answer: limits are in the way of most of them."""
    q = motion.gymnastics(humanoid.robot).sample(0.7, 30)
    track = humanoid.follow(method, humanoid.goals(q), q[0], kind=kind, max_restarts=0,
                            timeout=PATIENT)
    assert track.solved.sum() >= 27


@pytest.mark.parametrize('method', METHODS)
def test_a_best_reach_next_to_the_seed_stays(tmp_path, method):
    """The fingertips of a hand are held out of reach: asked again, nothing moves."""
    tracker = Tracker(robots.load('hand', tmp_path))
    goals = hand.pulled(tracker, 3.8, np.full(6, 0.05))
    track = tracker.follow(method, goals, hand.at(tracker, 3.8), max_restarts=0, timeout=PATIENT)
    assert not track.solved.any()
    assert np.abs(np.diff(track.q[2:], axis=0)).max() < 1e-9


@pytest.mark.parametrize('method', METHODS)
def test_an_arm_without_restarts_stays_at_its_best_reach(method):
    """A goal that only another posture reaches is the business of restarts."""
    chain, rng = arm('panda'), np.random.default_rng(12)
    alone = Solver(chain, method=method, max_restarts=0, timeout=PATIENT)
    free = Solver(chain, method=method, timeout=PATIENT)
    missed = 0
    for _ in range(200):
        goal, seed = chain.fk(chain.random(rng)), chain.random(rng)
        result = alone.solve(goal, seed)
        if not result.success and free.solve(goal, seed).success:
            missed += 1
            assert alone.solve(goal, result.q).cost <= result.cost + 1e-12
    assert missed > 20


@pytest.mark.parametrize('method', METHODS)
def test_the_posture_is_relaxed_after_going_on(humanoid, method):
    q = motion.gymnastics(humanoid.robot).sample(0.7, 30)
    chain = humanoid.chain
    goals = [[Goal(x, rotation_weight=0.0) for x in frame] for frame in humanoid.goals(q)]
    found = {}
    for weight in (0.0, 1.0):
        solver = Solver(chain, method=method, max_restarts=0, timeout=PATIENT,
                        center_joints_weight=weight)
        results = [solver.solve(frame, chain.neutral) for frame in goals]
        found[weight] = [result.q for result in results if result.success]
    middle = 0.5 * (chain.lower + chain.upper)
    bounded = np.isfinite(middle)
    off = {weight: np.mean([np.abs((q - middle)[bounded]).mean() for q in answers])
           for weight, answers in found.items()}
    assert len(found[1.0]) >= 20
    assert off[1.0] < off[0.0]
