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
"""The doors to the kernels, in C and in Python, and all ways to say a goal: the same answers."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
import ctypes
import json
import math
import pickle
import subprocess
import sys
import time
from typing import Any
import weakref

from arms import arm, nearby, PATIENT
from dq_ik import Goal, GoalError, Pose, SeedError, Solver
from dq_ik.core.entries.pose_input import Fault, PoseKind
from dq_ik.errors import OptionError
from dq_ik.native.build import LIBRARY
from dq_ik.native.door import ctypes_entries, Door
from dq_ik.native.load import door, fault_of
from helpers import close
import numpy as np
from processes import plain_environment
import pytest
from scipy.spatial import transform
from scipy.spatial.transform import Rotation

NAMES = ('panda', 'arm5', 'prismatic', 'mimic', 'two_arms', 'hand')
native = pytest.mark.skipif(not hasattr(door(), 'path'), reason='there is no native library')


def ctypes_door() -> Door:
    """Return the door in Python over the library for C."""
    library = ctypes.CDLL(str(door().path.parent / LIBRARY))
    library.dq_ik_digest.restype = ctypes.c_char_p
    assert library.dq_ik_digest().decode() in door().path.name
    entries = ctypes_entries(lambda name: ctypes.cast(
        getattr(library, name), ctypes.c_void_p).value)
    return Door(entries, 'ctypes', engine=library)


# --- the same answers by all doors ---------------------------------------------------------------


def kinematics(door_: Any, name: str) -> dict[str, list]:
    """Return what a door says of a robot: poses, Jacobians, spread and converted numbers."""
    chain, rng = arm(name), np.random.default_rng(4)
    robot, entries = door_.Robot(chain.block), door_.entries
    n, n_tips = chain.n, len(chain.tips)
    q = chain.spread(rng.random((3, n)))
    found: dict[str, list] = {'fk': [], 'jacobian': [], 'pose': []}
    for row in q:
        for tip in range(n_tips):
            found['fk'].append(np.ravel(robot.fk(row, tip)).tolist())
            for point in (None, np.array([0.1, -0.2, 0.3])):
                for body in (True, False):
                    out = np.full((6, n), np.nan)
                    assert robot.jacobian(row, tip, point, body, out) == 0
                    found['jacobian'].append(out.ravel().tolist())
    memory = np.empty(entries['memory_size'](chain.block))
    many = np.empty((3, n_tips, 16))
    assert entries['fk'](chain.block, q, 3, int(PoseKind.MATRIX), many, memory) == 0
    found['fk_batch'] = many.ravel().tolist()
    spread = np.empty((3, n))
    assert entries['spread'](chain.block, rng.random((3, n)), 3, spread) == 0
    found['spread'] = spread.ravel().tolist()
    clamped, beyond = np.empty((3, n)), np.empty((3, n))
    assert entries['clamp'](chain.block, chain.lower, chain.upper, 3.0 * q, 3, clamped,
                            beyond) == 0
    found['clamp'] = [*clamped.ravel().tolist(), *beyond.ravel().tolist()]
    for kind, size in ((0, 8), (2, 7), (3, 7)):
        out = np.empty(8)
        assert entries['pose'](kind, rng.normal(size=size), out) == 0
        found['pose'].append(out.tolist())
    return found


def solves(door_: Any, name: str) -> list[list]:
    """Return the status and the configuration for some goals, by single calls and by rows."""
    chain, rng = arm(name), np.random.default_rng(6)
    solver = Solver(chain, timeout=PATIENT, max_restarts=30)
    request = solver._requests.template
    single = door_.Solver(solver._robot, request)
    found = []
    for k in range(4):
        q = chain.random(rng)
        seed = nearby(chain, q, rng, 0.3) if k % 2 else None
        goals = chain.fk_all(q)
        answer = np.empty(solver._answer_size)
        if len(goals) == 1:
            goal = next(iter(goals.values()))
            status = single.solve(goal.matrix.copy() if k < 2 else goal.numbers(), seed, 0.0,
                                  answer)
        else:
            assert single.solve(np.eye(4), seed, 0.0, answer) is None
            rows = solver._requests.with_goals(goals, None)
            status = door_.entries['solve'](
                solver._robot, rows, 1, None, 0, 0, seed, int(seed is not None), 0.0, answer, 1,
                np.empty(solver._memory_size))
        found.append([status, *solver._layout.numbers(answer, 'q').tolist()])
    return found


@native
@pytest.mark.parametrize('name', NAMES)
def test_the_library_by_ctypes_gives_the_bits_of_the_door_in_c(name):
    by_ctypes = ctypes_door()
    assert kinematics(by_ctypes, name) == kinematics(door(), name)
    assert solves(by_ctypes, name) == solves(door(), name)


SCRIPT = """
import json, sys
from test_door import door, kinematics, NAMES, solves
names = sys.argv[1:] or NAMES
print(json.dumps({name: [kinematics(door(), name), solves(door(), name)] for name in names}))
"""


def said(*names: str, **more: str) -> dict[str, list]:
    """Return what another process finds."""
    done = subprocess.run([sys.executable, '-c', SCRIPT, *names], capture_output=True, text=True,
                          timeout=500, env=plain_environment(**more))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_kernels_as_written_give_the_answers_of_the_door_in_c():
    names = ('panda', 'mimic', 'two_arms')
    for name, (plain_kinematics, plain_solves) in said(*names, DQ_IK_NATIVE='plain').items():
        for key, numbers in kinematics(door(), name).items():
            close(np.ravel(plain_kinematics[key]), np.ravel(numbers), 1e-12)
        for found, expected in zip(plain_solves, solves(door(), name), strict=True):
            close(found, expected, 1e-6)


def test_two_processes_find_the_same_bits():
    found = said()
    for name in NAMES:
        assert found[name] == [kinematics(door(), name), solves(door(), name)]


# --- what doors refuse ---------------------------------------------------------------------------


def doors() -> list[Any]:
    """Return the doors that there are in this process."""
    return [door(), ctypes_door()] if hasattr(door(), 'path') else [door()]


def test_truncated_blocks_and_blocks_of_others_are_refused():
    solver, other = Solver(arm('panda')), Solver(arm('arm6'))
    robot, request = solver._robot, solver._requests.template
    for each in doors():
        for bad in (robot[:-1], robot[:3], request, np.zeros(50), np.empty(0)):
            with pytest.raises(ValueError, match='no robot of this version'):
                each.Robot(bad)
            with pytest.raises(ValueError, match='no robot of this version'):
                each.Solver(bad, request)
        for bad in (request[:-1], request[:3], robot, np.zeros(50), np.empty(0),
                    other._requests.template):
            with pytest.raises(ValueError, match='no request for this robot'):
                each.Solver(robot, bad)


def test_vectors_that_are_not_as_they_should_be_are_answered_with_none():
    solver = Solver(arm('panda'))
    q, out, goal = np.zeros(7), np.empty((6, 7)), np.eye(4)
    answer = np.empty(solver._answer_size)
    bad_vectors = (np.zeros(6), np.zeros((7, 1)), np.zeros(14)[::2], np.zeros(7, np.float32),
                   [0.0] * 7, np.zeros(7, int))
    bad_goals = (np.eye(4, dtype=np.float32), np.eye(8)[:4, :4], np.zeros(7), np.zeros((2, 4)),
                 'text', None, 3)
    for each in doors():
        robot, single = each.Robot(solver._robot), each.Solver(
            solver._robot, solver._requests.template)
        for bad in bad_vectors:
            assert robot.fk(bad, 0) is None
            assert robot.jacobian(bad, 0, None, True, out) is None
            assert single.solve(goal, bad, 0.0, answer) is None
        for bad in bad_goals:
            assert single.solve(bad, q, 0.0, answer) is None


def test_faults_are_numbers_below_zero():
    solver = Solver(arm('panda'))
    answer, nothing = np.empty(solver._answer_size), np.full(7, np.nan)
    skew = np.eye(4)
    skew[0, 1] = 0.01
    cases = [(np.full((4, 4), np.nan), Fault.POSE_NOT_FINITE), (skew, Fault.POSE_NOT_RIGID),
             (np.zeros(8), Fault.POSE_NOT_ROTATION), (np.full(8, np.inf), Fault.POSE_NOT_FINITE)]
    for each in doors():
        robot, single = each.Robot(solver._robot), each.Solver(
            solver._robot, solver._requests.template)
        for goal, fault in cases:
            assert fault_of(single.solve(goal, None, 0.0, answer)) == (fault, 0)
        assert fault_of(single.solve(np.eye(4), nothing, 0.0, answer)).kind is (
            Fault.VECTOR_NOT_FINITE)
        assert fault_of(robot.fk(nothing, 0)).kind is Fault.VECTOR_NOT_FINITE
        with pytest.raises(IndexError):
            robot.fk(np.zeros(7), 1)
        assert fault_of(robot.jacobian(np.zeros(7), 1, None, True, np.empty((6, 7)))).kind is (
            Fault.OUT_OF_RANGE)


@native
def test_the_door_in_c_checks_the_arrays_that_it_writes():
    solver = Solver(arm('panda'))
    robot = door().Robot(solver._robot)
    single = door().Solver(solver._robot, solver._requests.template)
    fixed = np.empty((6, 7))
    fixed.flags.writeable = False
    answer = np.empty(solver._answer_size)
    cases: list[tuple[type, Callable[[], Any]]] = [
        (ValueError, lambda: robot.jacobian(np.zeros(7), 0, None, True, np.empty((6, 6)))),
        (TypeError, lambda: robot.jacobian(np.zeros(7), 0, None, True, fixed)),
        (TypeError, lambda: robot.jacobian(np.zeros(7), 0, np.zeros(2), True, np.empty((6, 7)))),
        (TypeError, lambda: robot.jacobian(np.zeros(7), 0, 'abc', True, np.empty((6, 7)))),
        (TypeError, lambda: robot.jacobian(np.zeros(7), 0)),
        (TypeError, lambda: robot.fk(np.zeros(7))),
        (TypeError, lambda: robot.fk(np.zeros(7), 'tip')),
        (ValueError, lambda: single.solve(np.eye(4), None, 0.0, answer[:-1].copy())),
        (TypeError, lambda: single.solve(np.eye(4), None, 0.0, fixed)),
        (TypeError, lambda: single.solve(np.eye(4), None, 'soon', answer)),
        (TypeError, lambda: single.solve(np.eye(4), None)),
        (TypeError, lambda: door().entries['fk'](solver._robot)),
        (TypeError, lambda: door().entries['memory_size']('robot')),
        (TypeError, lambda: door().entries['spread'](solver._robot, fixed, 'x', fixed))]
    for error, ask in cases:
        with pytest.raises(error):
            ask()


# --- all ways to say a goal ----------------------------------------------------------------------


class SE3:
    """What Pinocchio's SE3 shows."""

    def __init__(self, matrix: np.ndarray) -> None:
        """Keep a matrix."""
        self.homogeneous = matrix


def ways_to_say(pose: Pose) -> dict[str, Any]:
    """Return a goal in all types that are accepted."""
    T = pose.matrix.copy()
    rotation = Rotation.from_matrix(T[:3, :3])
    ways = {
        'Pose': pose, '4x4': T, 'F-ordered': np.asfortranarray(T),
        'view': np.tile(T, (2, 2))[4:, 4:],
        'list': T.tolist(), 'tuple of rows': tuple(map(tuple, T.tolist())),
        'eight numbers': pose.numbers(), 'list of eight': pose.numbers().tolist(),
        'scaled by -3': -3.0 * pose.numbers(), 'pair': (pose.position, rotation),
        'pair with a list': (pose.position.tolist(), rotation), 'SE3': SE3(T), 'Goal': Goal(pose),
        'Goal of a matrix': Goal(T), 'in a list': [pose], 'mapping': {'panda_hand_tcp': T}}
    if hasattr(transform, 'RigidTransform'):
        ways['RigidTransform'] = transform.RigidTransform.from_matrix(T)
    return ways


def test_every_type_of_goal_gives_the_same_answer():
    chain, rng = arm('panda'), np.random.default_rng(11)
    solver = Solver(chain, timeout=PATIENT, tolerance=1e-9)
    for _ in range(5):
        q = chain.random(rng)
        goal, seed = chain.fk(q), nearby(chain, q, rng, 0.1)
        expected = solver.solve(goal, seed)
        assert expected.success
        for name, way in ways_to_say(goal).items():
            for start in (seed, seed.tolist(), seed.astype('>f8')):
                result = solver.solve(way, start)
                assert result.status == expected.status, name
                close(result.q, expected.q, 1e-7)


def test_single_precision_means_the_numbers_that_it_holds():
    chain = arm('panda')
    solver, T = Solver(chain, timeout=PATIENT), chain.fk(chain.neutral + 0.1).matrix
    rounded = T.astype(np.float32)
    assert (solver.solve(rounded).q == solver.solve(rounded.astype(float)).q).all()
    assert solver.solve(T.astype(np.float32), chain.neutral.astype(np.float32)).success


def test_pinocchio_poses_are_goals():
    pinocchio = pytest.importorskip('pinocchio')
    chain = arm('panda')
    pose = chain.fk(chain.neutral + 0.1)
    goal = pinocchio.SE3(pose.matrix)
    close(chain.solve(goal, chain.neutral, timeout=PATIENT).q,
          chain.solve(pose.matrix, chain.neutral, timeout=PATIENT).q, 1e-12)


def batches(poses: list[Pose]) -> dict[str, tuple[Any, dict[str, str]]]:
    """Return goals for a batch in all forms that are accepted."""
    matrices = np.array([pose.matrix for pose in poses])
    duals = np.array([pose.numbers() for pose in poses])
    xyzw = np.array([[*pose.position, *np.roll(pose.real, -1)] for pose in poses])
    wxyz = np.array([[*pose.position, *pose.real] for pose in poses])
    forms: dict[str, tuple[Any, dict[str, str]]] = {
        '(N, 4, 4)': (matrices, {}), '(N, 8)': (duals, {}),
        '(N, 7) xyzw': (xyzw, {'order': 'xyzw'}), '(N, 7) wxyz': (wxyz, {'order': 'wxyz'}),
        'F-ordered': (np.asfortranarray(matrices), {}), 'every other': (
            np.repeat(duals, 2, axis=0)[::2], {}),
        'list of poses': (poses, {}), 'list of matrices': (list(matrices), {}),
        'nested lists': (matrices.tolist(), {}), 'tuple': (tuple(poses), {}),
        'generator': ((pose for pose in poses), {}),
        'mixed': ([poses[0], *matrices[1:]], {}), 'goals': ([Goal(pose) for pose in poses], {}),
        'pairs': ([(pose.position, Rotation.from_quat(np.roll(pose.real, -1)))
                   for pose in poses], {})}
    if hasattr(transform, 'RigidTransform'):
        forms['RigidTransform'] = (transform.RigidTransform.from_matrix(matrices), {})
    return forms


def test_every_form_of_a_batch_gives_the_answers_of_single_calls():
    chain, rng = arm('panda'), np.random.default_rng(12)
    solver = Solver(chain, timeout=PATIENT, tolerance=1e-9)
    q = [chain.random(rng) for _ in range(6)]
    seeds = np.array([nearby(chain, row, rng, 0.1) for row in q])
    poses = [chain.fk(row) for row in q]
    expected = [solver.solve(pose, seed).q for pose, seed in zip(poses, seeds)]
    for name, (goals, options) in batches(poses).items():
        batch = solver.solve_batch(goals, seeds, **options)
        assert len(batch) == 6, name
        assert batch.success.all(), name
        close(batch.q, expected, 1e-7)


def test_rows_of_a_batch_are_the_bits_of_single_calls_over_many_chunks():
    chain, rng = arm('panda'), np.random.default_rng(13)
    solver = Solver(chain, timeout=PATIENT)
    goals = chain.fk_batch(chain.spread(rng.random((257, 7))))[:, 0]  # the last chunk has one row
    seeds = chain.spread(rng.random((257, 7)))
    for given in (None, seeds, seeds[0]):
        batch = solver.solve_batch(goals, given)
        for row in (0, 1, 255, 256):
            seed = None if given is None else given if given.ndim == 1 else given[row]
            assert (solver.solve(goals[row], seed).q == batch.q[row]).all()


def test_seven_numbers_need_an_order():
    chain = arm('panda')
    with pytest.raises(GoalError, match=r'wxyz.*xyzw'):
        chain.solve_batch(np.ones((3, 7)))
    with pytest.raises(GoalError, match=r'from_xyz_wxyz.*from_xyz_xyzw'):
        chain.solve(np.ones(7))
    with pytest.raises(GoalError, match=r'wxyz.*xyzw'):
        chain.solve_batch(np.ones((3, 7)), order='zyxw')


BAD = {'not a number': math.nan, 'infinite': math.inf, 'not orthonormal': 1.3}


@pytest.mark.parametrize('kind', BAD)
def test_bad_poses_are_refused_and_their_row_named(kind):
    chain = arm('panda')
    goals = np.tile(chain.fk(chain.neutral).matrix, (300, 1, 1))
    goals[271, 0, 0] = BAD[kind]
    with pytest.raises(GoalError, match='271'):
        chain.solve_batch(goals)
    for goal in (goals[271], goals[271].tolist(), np.asfortranarray(goals[271]), Goal):
        with pytest.raises(ValueError):  # errors of goals and poses are such
            chain.solve(Goal(goals[271]) if goal is Goal else goal)


def test_quaternions_of_zero_are_refused():
    chain = arm('panda')
    for zero in (np.zeros(8), [0.0] * 8, np.full(8, 1e-13)):
        with pytest.raises(ValueError):
            chain.solve(zero)
    rows = np.tile([0.3, 0.1, 0.4, 1.0, 0.0, 0.0, 0.0], (4, 1))
    rows[2, 3] = 0.0
    with pytest.raises(GoalError, match='goal 2'):
        chain.solve_batch(rows, order='wxyz')


def test_bad_seeds_are_refused():
    chain = arm('panda')
    goal = chain.fk(chain.neutral)
    for seed in (np.full(7, np.nan), [0.0] * 6, 'abc', np.zeros((7, 1))):
        with pytest.raises(SeedError):
            chain.solve(goal, seed)
    for seeds in (np.zeros((2, 7)), np.full((3, 7), np.inf)):
        with pytest.raises(SeedError):
            chain.solve_batch([goal] * 3, seeds)


def test_poses_far_away_are_poses():
    chain = arm('panda')
    T = np.eye(4)
    T[:3, 3] = 1e200, -1e200, 1e199
    result = chain.solve(T, timeout=PATIENT)
    assert not result.success
    assert chain.within_limits(result.q)
    huge = np.concatenate([1e200 * np.array([1.0, 0.0, 0.0, 0.0]), 1e200 * np.array(
        [0.0, 0.2, 0.0, 0.2])])
    close(chain.solve(huge, chain.neutral, timeout=PATIENT).q, chain.solve(
        huge / 1e200, chain.neutral, timeout=PATIENT).q, 1e-9)


# --- the time of a call --------------------------------------------------------------------------


def test_the_timeout_of_a_call_holds_for_it_alone():
    chain = arm('panda')
    solver = Solver(chain, timeout=PATIENT, mode='distance', max_restarts=10**4)
    goal = chain.fk(chain.neutral)
    assert solver.solve(goal).restarts == 10**4
    robots = list(chain._robots)
    for goals in (goal, Goal(goal), goal.matrix.tolist()):
        start = time.perf_counter()
        result = solver.solve(goals, timeout=0.01)
        assert result.success
        assert result.time < 1.0
        assert result.restarts < 10**4
        assert time.perf_counter() - start < 5.0
    batch = solver.solve_batch([goal] * 3, timeout=0.01)
    assert (batch.time < 1.0).all()
    assert (batch.restarts < 10**4).all()
    assert list(chain._robots) == robots  # no starts are made again
    assert solver.options.timeout == PATIENT


def test_a_timeout_does_not_prepare_another_solver():
    chain = arm('arm6').model.chain()
    goal = chain.fk(chain.neutral)
    chain.solve(goal)
    solvers, robots = dict(chain._solvers), dict(chain._robots)
    for timeout in (0.01, 0.5, 3.0):
        chain.solve(goal, timeout=timeout)
        chain.solve_batch([goal], timeout=timeout)
    assert chain._solvers == solvers
    assert list(chain._robots) == list(robots)


def test_ever_new_options_do_not_fill_the_memory():
    chain = arm('planar_2r').model.chain()
    held = [weakref.ref(chain.robot(2, seed)) for seed in range(300)]
    assert sum(block() is not None for block in held) <= 100
    assert chain.robot(2, 0) is chain.robot(2, 0)


@pytest.mark.parametrize('timeout', [0.0, -1.0, math.nan, 'soon'])
def test_a_timeout_that_is_none_is_refused(timeout):
    chain = arm('panda')
    with pytest.raises(OptionError, match='timeout'):
        chain.solve(chain.fk(chain.neutral), timeout=timeout)
    with pytest.raises(OptionError, match='timeout'):
        chain.solve_batch([chain.fk(chain.neutral)], timeout=timeout)


# --- copies and threads --------------------------------------------------------------------------


def test_chains_solvers_and_results_can_be_pickled():
    chain = arm('two_arms')
    assert chain.model.whole.model is chain.model  # found now: a model that refers to itself
    solver = Solver(chain, timeout=PATIENT, mode='all', max_solutions=4, trace=5, max_restarts=8)
    goals = chain.fk_all(chain.random(np.random.default_rng(1)))
    result, batch = solver.solve(goals), solver.solve_batch([goals, goals])
    copies = pickle.loads(pickle.dumps((chain, solver, result, batch)))
    assert copies[0].joint_names == chain.joint_names
    assert copies[0].block.tobytes() == chain.block.tobytes()
    assert copies[1].options == solver.options
    assert (copies[1].solve(goals).q == result.q).all()
    for copy, original in ((copies[2], result), (copies[3][1], batch[1])):
        assert (copy.q == original.q).all()
        assert (copy.solutions == original.solutions).all()
        assert (copy.trace == original.trace).all()
        assert copy.message == original.message
    assert (copies[3].q == batch.q).all()
    with pytest.raises(ValueError, match='read-only'):
        copies[3].q[:] = 0.0


def test_threads_share_a_solver_and_find_the_same_bits():
    chain, rng = arm('panda'), np.random.default_rng(14)
    solver = Solver(chain, timeout=PATIENT)
    goals = [chain.fk(chain.random(rng)) for _ in range(40)]

    def work(number: int) -> list[list[float]]:
        kinds = (lambda g: g, lambda g: g.numbers(), lambda g: Goal(g), lambda g: [g])
        return [solver.solve(kinds[number % 4](goal)).q.tolist() for goal in goals]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, range(8)))
    for number in range(8):
        assert found[number] == work(number)
    assert found[0] == found[1]
