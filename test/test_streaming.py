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
"""Streams: a warm-started solver follows a moving goal in few iterations, without flips."""

from __future__ import annotations

from itertools import pairwise
import math

from arms import arm, PATIENT
from dq_ik import Goal, Pose, Solver
from helpers import close
import numpy as np
import pytest

STREAM = {'max_restarts': 0, 'timeout': PATIENT}
METHODS = ('pgs', 'pls')


def track(solver: Solver, goals: list, q: np.ndarray) -> tuple[np.ndarray, list]:
    """Follow goals from q; return the joint vectors (N + 1, n) and the results."""
    path, results = [np.array(q)], []
    for goal in goals:
        results.append(solver.solve(goal, path[-1]))
        path.append(results[-1].q)
    return np.array(path), results


def steps(path: np.ndarray) -> np.ndarray:
    """Return the largest joint change of each step."""
    return np.abs(np.diff(path, axis=0)).max(axis=1)


@pytest.mark.parametrize('method', METHODS)
@pytest.mark.parametrize('name', ['panda', 'arm6'])
def test_smooth_paths_cost_one_to_three_iterations(name, method):
    """Five seconds at 500 Hz around a middle configuration, with up to a radian per second."""
    chain = arm(name)
    middle = 0.5 * (chain.lower + chain.upper) + (0.0 if name == 'panda' else 0.6)
    phase = np.arange(chain.n)
    goals = [chain.fk(middle + 0.4 * np.sin(2.0 * t + phase)) for t in np.arange(0.0, 5.0, 0.002)]
    path, results = track(Solver(chain, method=method, **STREAM), goals,
                          middle + 0.4 * np.sin(phase))
    assert all(result.success for result in results)
    iterations = [result.iterations for result in results[1:]]
    assert max(iterations) <= 3
    assert np.mean(iterations) <= 2.2
    assert steps(path).max() < 0.02


@pytest.mark.parametrize('method', METHODS)
def test_a_fixed_goal_moves_nothing_and_costs_nothing(method):
    chain = arm('panda')
    goal = chain.fk(chain.random(np.random.default_rng(1)))
    solver = Solver(chain, method=method, **STREAM)
    first = Solver(chain, method=method, timeout=PATIENT).solve(goal)
    path, results = track(solver, [goal] * 10, first.q)
    assert all(result.iterations == 0 for result in results)
    assert np.all(path == first.q)


@pytest.mark.parametrize('method', METHODS)
def test_joint_steps_stay_in_proportion_through_a_wrist_singularity(method):
    """The wrist of arm6 passes through 0, where its first and last axes are one line."""
    chain = arm('arm6')
    start = np.array((0.2, 0.3, -1.0, 0.0, 0.5, 0.0))
    goals = [chain.fk((*start[:4], 0.5 - 0.001 * k, 0.0)) for k in range(1000)]
    path, results = track(Solver(chain, method=method, **STREAM), goals, start)
    assert all(result.success for result in results)
    assert steps(path).max() < 0.005


@pytest.mark.parametrize('method', METHODS)
@pytest.mark.parametrize('offset', [1e-3, 1e-2])
def test_joint_steps_stay_bounded_near_a_singularity(method, offset):
    """A path that narrowly misses the singularity asks for fast joints, not for flips."""
    chain = arm('arm6')
    start = np.array((0.2, 0.3, -1.0, 0.0, 0.5, 0.0))
    way = [chain.fk((*start[:4], 0.5 - 0.0005 * k, 0.0)) for k in range(2000)]
    goals = [x @ Pose.from_xyz_rpy((0, 0, 0), (offset, 0, 0)) for x in way]
    path, _ = track(Solver(chain, method=method, max_joint_step=0.05, **STREAM), goals, start)
    assert steps(path).max() <= 0.05 + 1e-12
    close(chain.fk(path[-1]).position, goals[-1].position, 1e-3)


@pytest.mark.parametrize('method', METHODS)
def test_a_joint_slides_along_its_limit_and_leaves_it_at_once(method):
    """Joint 1 of the planar arm is driven 0.3 rad beyond its limit and back again."""
    chain = arm('planar_3r')
    upper = chain.upper[0]
    angles = upper - 0.1 + 0.4 * np.sin(np.linspace(0.0, math.pi, 801))
    goals = [chain.fk((angle, 0.6, 0.4)) for angle in angles]
    path, results = track(Solver(chain, method=method, **STREAM), goals, (angles[0], 0.6, 0.4))
    q1 = path[1:, 0]
    goal_steps = np.abs(np.diff(angles, prepend=angles[0])).max()
    assert np.all(path <= chain.upper)
    assert steps(path).max() < 20.0 * goal_steps
    held = np.flatnonzero(q1 >= upper - 1e-9)
    assert len(held) > 100
    assert np.all(np.diff(held) == 1)  # one stay, not a flutter
    beyond = np.flatnonzero(angles > upper)
    # The best reach may leave the limit before the goal is back, but never later.
    assert held[-1] <= beyond[-1] + 1
    close(path[-1], (angles[-1], 0.6, 0.4), 1e-4)
    assert results[-1].success


@pytest.mark.parametrize('method', METHODS)
def test_a_wide_joint_at_its_limit_does_not_jump_by_a_turn(method):
    """Joint 6 of arm6 may turn by 400 degrees: a stream stops there, and comes back."""
    chain = arm('arm6')
    q = np.array((0.2, 0.3, -1.0, 0.4, 0.8, 0.0))
    angles = 6.5 + np.sin(np.linspace(0.0, math.pi, 601))
    goals = [chain.fk((*q[:5], angle)) for angle in angles]
    path, results = track(Solver(chain, method=method, **STREAM), goals, (*q[:5], 6.5))
    assert steps(path).max() < 0.1
    assert any(result.limited_joints == ('joint_6',) for result in results)
    close(path[-1], (*q[:5], 6.5), 1e-3)


@pytest.mark.parametrize('method', METHODS)
def test_a_goal_that_circles_behind_a_limit_does_not_flip_the_arm(method):
    """The clamping flip: an answer must not jump to the other side of the joint's range."""
    chain = arm('planar_2r')
    angles = np.linspace(2.5, 3.7, 1200)  # across the gap of 20 degrees behind joint 1
    goals = [Goal(Pose.from_xyz_rpy((1.2 * math.cos(a), 1.2 * math.sin(a), 0), (0, 0, 0)),
                  rotation_weight=0.0) for a in angles]
    start = Solver(chain, timeout=PATIENT).solve(goals[0], (1.8, 1.0)).q
    path, _ = track(Solver(chain, method=method, **STREAM), goals, start)
    there = steps(path)
    back = steps(track(Solver(chain, method=method, **STREAM), goals[::-1], path[-1])[0])
    assert there.max() < 0.05
    assert back.max() < 0.05


@pytest.mark.parametrize('method', METHODS)
@pytest.mark.parametrize('seed', range(4))
def test_no_flips_on_paths_that_run_into_limits(method, seed):
    """Straight lines between random poses of the Panda at 500 Hz: no joint step over 0.1 rad."""
    chain = arm('panda')
    rng = np.random.default_rng(seed)
    start = 0.5 * (chain.lower + chain.upper) + rng.uniform(-0.5, 0.5, chain.n)
    ends = [chain.fk(start), *(chain.fk(chain.random(rng)) for _ in range(2))]
    goals = [a.interpolate(b, s) for a, b in pairwise(ends) for s in np.linspace(0, 1, 500)]
    path, results = track(
        Solver(chain, method=method, max_joint_step=0.1, **STREAM), goals, start)
    assert steps(path).max() <= 0.1 + 1e-12
    assert all(chain.within_limits(result.q) for result in results)


def test_a_light_pull_to_the_centre_keeps_the_path_smooth():
    chain = arm('panda')
    middle = 0.5 * (chain.lower + chain.upper)
    phase = np.arange(7)
    goals = [chain.fk(middle + 0.3 * np.sin(2.0 * t + phase)) for t in np.arange(0, 2, 0.002)]
    solver = Solver(chain, center_joints_weight=0.02, posture_iterations=1, **STREAM)
    path, results = track(solver, goals, middle + 0.3 * np.sin(phase))
    assert all(result.success for result in results)
    assert steps(path).max() < 0.03
