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

"""Attempts in lanes: the same kinematics, the same rules, the solution next door."""


from arms import arm, judged, nearby, PATIENT, URDF
from dq_ik import Goal, load_robot, Pose, Solver
from dq_ik.core.algebra import dual_quaternion, lanes
from dq_ik.core.compile import kernel
from dq_ik.core.memory.arrays import address
from dq_ik.core.memory.blocks import prepare_work, take_row
from dq_ik.core.memory.layout import LANE, LANE_ITERATIONS, ROBOT, SEED_ITERATIONS, TAKEN, TRIAL
from dq_ik.core.memory.views import read
from dq_ik.core.multi_start import lane_attempts, lane_step
from dq_ik.core.multi_start.lane_attempts import can_help
from dq_ik.native.load import door
from helpers import call, close, Seen, variant
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

each_method = pytest.mark.parametrize('method', ['pgs', 'pls'])


@kernel
def forward_in_lanes(tree, target, rows, out):
    x = lane_step.forward(tree, tree.n, rows)
    goal = dual_quaternion.load(target)
    e_p, e_r = lane_step.error(x, (goal[0], dual_quaternion.translation(goal)))
    for i in range(3):
        lanes.put(x[1][i], out, i)
        lanes.put(e_p[i], out, 3 + i)
        lanes.put(e_r[i], out, 6 + i)


@kernel
def asked(robot, request, answers, work):
    prepare_work(address(robot, 0), address(work, 0))
    return can_help(take_row(address(robot, 0), address(request, 0), address(answers, 0), 0,
                             address(work, 0)))


def uses_lanes(solver, goal):
    """Tell whether a solver makes attempts in lanes for a goal."""
    request = solver._requests.with_goals(goal, None)
    return bool(variant(asked, 'compiled')(
        solver._robot, request, np.empty(solver._answer_size), np.empty(solver._memory_size)))


def is_plain_chain(chain):
    return read(ROBOT, chain.block).plain == 1


def turning_arm():
    """Return the arm with six joints, all of them free to turn for ever."""
    urdf = (URDF / 'arm6.urdf').read_text().replace('"revolute"', '"continuous"')
    return load_robot(urdf).chain()


@pytest.mark.parametrize('name', ['panda', 'arm6', 'prismatic'])
def test_poses_and_errors_in_lanes_are_those_of_the_chain(name):
    chain, rng = arm(name), np.random.default_rng(2)
    assert is_plain_chain(chain)
    rows = np.zeros((LANE.width * chain.n, lanes.WIDTH))
    goal = chain.fk(chain.random(rng))
    for turns in (0.0, 4.0 * np.pi):  # angles of several turns
        q = [chain.random(rng) + turns * (chain.upper - chain.lower > 6.0)
             for _ in range(lanes.WIDTH)]
        rows[TRIAL * chain.n:][:chain.n] = np.transpose(q)
        out = np.zeros((12 + chain.n, lanes.WIDTH))
        call(forward_in_lanes, 'compiled', Seen(ROBOT, chain.block), goal.numbers(), rows, out)
        for lane in range(lanes.WIDTH):
            pose = judged(chain, q[lane])
            close(out[:3, lane], pose.position, atol=1e-10)
            close(out[3:6, lane], goal.position - pose.position, atol=1e-10)
            turn = Rotation.from_matrix((goal @ pose.inverse()).matrix[:3, :3]).as_rotvec()
            sign = 1.0 if np.dot(turn, out[6:9, lane]) >= 0.0 else -1.0  # at half a turn, either
            close(sign * out[6:9, lane], turn, atol=1e-5)


def test_there_are_rows_for_every_lap():
    assert LANE.width == TAKEN + LANE_ITERATIONS + SEED_ITERATIONS + 1


def test_only_plain_chains_use_lanes():
    assert not is_plain_chain(arm('two_arms'))
    assert not is_plain_chain(arm('mimic'))
    assert not is_plain_chain(arm('hand'))


@each_method
@pytest.mark.parametrize('name', ['panda', 'arm6', 'arm5'])
def test_attempts_in_lanes_end_in_few_iterations_by_an_answer_that_holds(name, method):
    chain, rng = arm(name), np.random.default_rng(5)
    solver = Solver(chain, method=method, timeout=PATIENT)
    count = 300 if door().level else 24  # as plain Python, a goal takes 40 ms
    goals = [chain.fk(chain.random(rng)) for _ in range(count)]
    results = [solver.solve(goal, chain.neutral) for goal in goals]
    most = LANE_ITERATIONS + SEED_ITERATIONS
    won = [result.iterations <= most and result.restarts < lane_attempts.ROUNDS * lanes.WIDTH
           for result in results]
    assert np.mean(won) > 0.95
    for goal, result in zip(goals, results):
        assert result.success
        assert (chain.lower <= result.q).all()
        assert (result.q <= chain.upper).all()
        assert np.linalg.norm(judged(chain, result.q).position - goal.position) < 1e-5


@pytest.mark.parametrize('tolerance', [1e-3, 1e-5, 1e-10])
@pytest.mark.parametrize('name', ['panda', 'arm6'])
def test_the_errors_told_are_those_of_the_answer_and_within_tolerance(name, tolerance):
    chain, rng = arm(name), np.random.default_rng(8)
    solver = Solver(chain, timeout=PATIENT, position_tolerance=tolerance,
                    rotation_tolerance=tolerance)
    for _ in range(100):
        goal = chain.fk(chain.random(rng))
        result = solver.solve(goal)
        pose = judged(chain, result.q)
        distance = np.linalg.norm(pose.position - goal.position)
        turn = Rotation.from_matrix((goal @ pose.inverse()).matrix[:3, :3]).magnitude()
        assert result.success
        close(result.position_error[0], distance, atol=2e-11)
        close(result.rotation_error[0], turn, atol=2e-11 + 1e-6 * turn)
        assert max(distance, turn) <= tolerance + 1e-14


@each_method
@pytest.mark.parametrize('turned', [50.0, 1e9])
def test_success_is_true_however_far_the_seed_has_turned(turned, method):
    """At 1e9 rad a number is accurate to 1e-7, and lanes see less."""
    chain, rng = turning_arm(), np.random.default_rng(9)
    solver = Solver(chain, method=method, timeout=PATIENT, position_tolerance=1e-7,
                    rotation_tolerance=1e-7, max_restarts=lane_attempts.ROUNDS * lanes.WIDTH)
    for _ in range(20):
        goal = chain.fk(chain.random(rng))
        assert uses_lanes(solver, goal)
        result = solver.solve(goal, np.full(chain.n, turned))
        assert np.abs(result.q - turned).max() <= np.pi + 1e-3
        distance = np.linalg.norm(chain.fk(result.q).position - goal.position)
        assert not result.success or distance <= 1e-7
        assert result.success or turned > 1e8


@each_method
def test_a_seed_nearby_leads_to_the_solution_next_to_it(method):
    chain, rng = arm('panda'), np.random.default_rng(6)
    solver = Solver(chain, method=method, timeout=PATIENT)
    ways = []
    for _ in range(500):
        q = chain.random(rng)
        seed = nearby(chain, q, rng, 0.2)
        ways.append(abs(solver.solve(chain.fk(q), seed).q - seed).max())
    assert np.mean(np.array(ways) > 0.7) < 0.01


def test_a_seed_that_is_a_solution_is_the_answer():
    chain = arm('panda')
    result = Solver(chain, timeout=PATIENT).solve(chain.fk(chain.neutral), chain.neutral)
    assert (result.iterations, result.restarts) == (0, 0)
    close(result.q, chain.neutral, atol=0.0)


@each_method
def test_the_trace_is_the_way_of_the_answer(method):
    chain, rng = arm('panda'), np.random.default_rng(7)
    solver = Solver(chain, method=method, timeout=PATIENT, trace=50)
    for _ in range(20):
        result = solver.solve(chain.fk(chain.random(rng)), chain.neutral)
        assert len(result.trace) == result.iterations
        assert (chain.lower <= result.trace).all()
        assert (result.trace <= chain.upper).all()
        close(result.trace[-1], result.q, atol=0.0)


@pytest.mark.parametrize('options', [
    {'mode': 'distance'}, {'max_restarts': 0}, {'max_iterations': 3},
    {'rest_posture_weight': 0.1}])
def test_lanes_are_not_used_where_more_is_asked_than_any_answer(options):
    chain = arm('panda')
    goal = chain.fk(chain.neutral)
    assert uses_lanes(Solver(chain), goal)
    assert not uses_lanes(Solver(chain, **options), goal)


def test_points_are_sought_from_the_seed_alone():
    chain = arm('panda')
    goal = Goal(Pose.from_xyz_rpy((0.5, 0.1, 0.4), (0, 0, 0)), rotation_weight=0.0)
    alone = Solver(chain, timeout=PATIENT, max_restarts=0).solve(goal, chain.neutral)
    assert not uses_lanes(Solver(chain), goal)
    close(Solver(chain, timeout=PATIENT).solve(goal, chain.neutral).q, alone.q, atol=0.0)
