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
The core of the MoveIt plugin, without MoveIt: plain tables of joints, the system's compiler.

Its answers are those of Python to the last bit where both can be asked the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
import math
from pathlib import Path
import shutil
import subprocess
import tempfile

from arms import arm, judged, PATIENT
from dq_ik.core.entries.pose_input import PoseKind
from dq_ik.core.memory.layout import ANSWER, GOAL, REQUEST
from dq_ik.native.load import door
from dq_ik.options import DEFAULTS, IkOptions, METADATA
from dq_ik.requests import Requests
from dq_ik.robot.chain import Chain
from dq_ik.robot.urdf import load_robot
from dq_ik.solver import STARTS
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ['group_solver', 'link_poses', 'options', 'packed_robot', 'usual_request']
STRICT = ['-std=c++17', '-Wall', '-Wextra', '-Wconversion', '-pedantic', '-Werror']
SANITIZERS = ['address,undefined', 'thread']

pytestmark = [
    pytest.mark.skipif(not hasattr(door(), 'path'), reason='there is no native library'),
    pytest.mark.skipif(shutil.which('g++') is None, reason='needs a C++ compiler')]


@cache
def program(sanitizer: str) -> Path:
    """Compile the program of the tests, which must raise no warning."""
    path = Path(tempfile.mkdtemp(prefix='dq_ik_plugin_')) / 'core'
    built = door().path.parent
    flags = [f'-fsanitize={sanitizer}', '-g', '-O1'] if sanitizer else ['-O2']
    done = subprocess.run(
        ['g++', *STRICT, *flags, '-I', ROOT / 'plugin', '-I', built,
         ROOT / 'test' / 'cpp' / 'plugin_core.cpp',
         *(ROOT / 'plugin' / f'{name}.cpp' for name in SOURCES), '-L', built, '-ldq_ik',
         f'-Wl,-rpath,{built}', '-pthread', '-o', path],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return path


@dataclass
class Case:
    """A query; ``refused`` solutions are refused before one is taken."""

    goals: np.ndarray
    seed: np.ndarray
    outside: Iterable[float] = ()
    changes: Iterable[float] = ()
    locked: Iterable[int] = ()
    timeout: float = PATIENT
    best_reach: bool = False
    refused: int = 0

    def words(self) -> Iterable[str]:
        for numbers in (self.goals, self.seed, self.outside, self.changes, self.locked):
            yield from listed(numbers)
        yield from (float(self.timeout).hex(), str(int(self.best_reach)), str(self.refused))


@dataclass
class Group:
    """A chain as the plugin gets it; ``inside``: variables of the group; None: all."""

    chain: Chain
    inside: list[int] | None = None
    mimics: Mapping[int, tuple[int, float, float]] = field(default_factory=dict)

    def words(self) -> Iterable[str]:
        joints, tips = self.chain._tables
        yield from listed(joints)
        yield from listed(tips)
        rows = {joint.name: row for row, joint in enumerate(self.chain.model.joints)}
        values = []
        for variable in self.chain.variables:
            row = rows[variable.joint]
            part = self.chain.model.joints[row].variables.index(variable.name)
            values.append([row, part, variable.lower, variable.upper])
        inside = range(len(values)) if self.inside is None else self.inside
        followers = [[row, 0, -math.inf, math.inf] for row in sorted(self.mimics)]
        yield from listed([values[i] for i in inside] + followers)
        yield from listed([values[i] for i in range(len(values)) if i not in inside])


def listed(numbers: Iterable) -> Iterable[str]:
    """Return a count and numbers to the last bit."""
    flat = np.asarray(numbers, dtype=float).ravel()
    return [str(len(flat)), *(x.hex() for x in flat.tolist())]


def run(task: str, group: Group, cases: list[Case], options: Mapping[str, object] | None = None,
        sanitizer: str = '') -> list[str]:
    """Run the program; return the lines that it prints."""
    given = [f'{name} {value}' for name, value in (options or {}).items()]
    words = [*group.words(), str(len(given)), *given, str(len(cases))]
    for case in cases:
        words += case.words()
    done = subprocess.run([program(sanitizer), task], input=' '.join(words), capture_output=True,
                          text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stderr == ''
    return done.stdout.splitlines()


def solve(group: Group, cases: list[Case],
          options: Mapping[str, object] | None = None) -> list[tuple[np.ndarray, str]]:
    """Return for each case what was visited, and how it ended."""
    answers: list[tuple[np.ndarray, str]] = []
    visited: list[list[float]] = []
    for line in run('solve', group, cases, options):
        word, *rest = line.split(' ')
        if word == 'visited':
            visited.append([float.fromhex(x) for x in rest])
        else:
            answers.append((np.array(visited), line.strip()))
            visited = []
    return answers


def as_goal(poses: Iterable) -> np.ndarray:
    """Return poses as x y z, x y z w."""
    return np.concatenate([[*p.position, *np.roll(p.real, -1)] for p in poses])


def random_cases(chain: Chain, count: int, **rest: object) -> list[Case]:
    """Return goals within reach, and seeds."""
    rng = np.random.default_rng(18)
    return [Case(as_goal(chain.fk_all(chain.random(rng)).values()), chain.random(rng), **rest)
            for _ in range(count)]


def python_answers(chain: Chain, cases: list[Case], options: IkOptions) -> np.ndarray:
    """Return the answers of Python to the same goals, seeds and bounds."""
    entries, robot = door().entries, chain.robot(STARTS)
    memory = np.empty(entries['memory_size'](robot))
    places = REQUEST.slices(n=chain.n, n_tips=len(chain.tips))
    answers = []
    for case in cases:
        request = Requests(chain, options).template.copy()
        goals = request[places['goals']].reshape(-1, GOAL.width)
        for row, goal in zip(goals, case.goals.reshape(-1, 7)):
            assert entries['pose'](int(PoseKind.XYZ_XYZW), goal, row[:8]) == 0
        answer = np.empty(entries['answer_size'](request))
        assert entries['solve'](robot, request, 1, None, 0, 0, case.seed, 1, PATIENT, answer, 1,
                                memory) >= 0
        answers.append(answer[ANSWER.slices(n=chain.n, n_tips=len(chain.tips), max_solutions=0,
                                            max_trace=0)['q']])
    return np.array(answers)


def assert_reached(chain: Chain, q: np.ndarray, goals: np.ndarray) -> None:
    """Judge by products of matrices that the tips are where they should be."""
    for tip, goal in zip(chain.tips, goals.reshape(-1, 7)):
        pose = judged(chain, q, tip)
        assert np.linalg.norm(pose.position - goal[:3]) < 2e-5, tip
        assert 1.0 - abs(np.roll(goal[3:], 1) @ pose.real) < 1e-9, tip
    assert (q >= chain.lower).all()
    assert (q <= chain.upper).all()


# --- what the settings are ----------------------------------------------------------------------

def test_the_settings_are_those_of_python():
    """All but one have the name, the default and the range of IkOptions."""
    done = subprocess.run([program(''), 'options'], capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [words[0] for words in lines if words[0] not in DEFAULTS] == ['position_only_ik']
    for name, minimum, maximum, default, *choices in lines:
        if choices:
            assert default == DEFAULTS[name]
            assert choices == list(METADATA[name]['choices'][:len(choices)])
        elif name in DEFAULTS:
            rules = METADATA[name]
            assert [float(default), float(minimum), float(maximum)] == [
                DEFAULTS[name], rules['minimum'], rules['maximum']]


@pytest.mark.parametrize(('options', 'sentence'), [
    ({'mode': 'all'}, "mode is one of speed, distance, distance_max, manipulability, got 'all'"),
    ({'method': 'svd'}, "method is one of pgs, pls, got 'svd'"),
    ({'position_tolerance': 2}, 'position_tolerance is between 1e-12 and 1, got 2'),
    ({'max_solutions': 0}, 'max_solutions is between 1 and 1000, got 0'),
    ({'rotation_scale': 'nan'}, 'rotation_scale is between 0 and 100, got nan')])
def test_a_bad_setting_is_named(options, sentence):
    assert run('solve', Group(arm('panda')), [], options) == [f'refused: {sentence}']


# --- the same answers as Python -----------------------------------------------------------------

@pytest.mark.parametrize('name', ['panda', 'arm6', 'mimic', 'prismatic', 'two_arms', 'humanoid'])
def test_answers_are_those_of_python_to_the_last_bit(name):
    chain = arm(name)
    cases = random_cases(chain, 5 if name == 'humanoid' else 40)
    answers = solve(Group(chain), cases)
    expected = python_answers(chain, cases, IkOptions(timeout=PATIENT))
    for (visited, end), q, case in zip(answers, expected, cases):
        if end == 'taken':
            np.testing.assert_array_equal(visited, [q])
            assert_reached(chain, visited[0], case.goals)
    assert sum(end == 'taken' for _, end in answers) >= 0.95 * len(cases)


@pytest.mark.parametrize('options', [
    {'method': 'pls'}, {'mode': 'distance', 'max_restarts': 20},
    {'mode': 'manipulability', 'max_restarts': 20}, {'rotation_scale': 0.5, 'max_iterations': 50},
    {'center_joints_weight': 0.1, 'avoid_joint_limits_weight': 0.2},
    {'minimal_displacement_weight': 0.5, 'random_seed': 0}])
def test_settings_reach_the_library(options):
    chain = arm('panda')
    cases = random_cases(chain, 20)
    expected = python_answers(chain, cases, IkOptions(timeout=PATIENT, **options))
    for (visited, end), q in zip(solve(Group(chain), cases, options), expected):
        assert end == 'taken'
        np.testing.assert_array_equal(visited, [q])


def test_poses_of_tips_are_those_of_matrices():
    chain = arm('hand')
    cases = random_cases(chain, 10)
    for line, case in zip(run('poses', Group(chain), cases), cases):
        numbers = np.array([float.fromhex(x) for x in line.split()[1:]]).reshape(-1, 7)
        for tip, row in zip(chain.tips, numbers):
            pose = judged(chain, case.seed, tip)
            np.testing.assert_allclose(row[:3], pose.position, atol=1e-12)
            assert abs(np.roll(row[3:], 1) @ pose.real) > 1.0 - 1e-12


# --- one query ----------------------------------------------------------------------------------

def test_a_refused_solution_is_followed_by_others():
    """A redundant arm has many of them, and no two are the same."""
    chain = arm('panda')
    cases = random_cases(chain, 20, refused=20)
    for (visited, end), case in zip(solve(Group(chain), cases), cases):
        assert end == 'taken'
        assert len(visited) == 21
        ways = np.abs(visited[:, None] - visited[None]).max(axis=2)
        assert ways[~np.eye(21, dtype=bool)].min() >= 1e-2
        for q in visited:
            assert_reached(chain, q, case.goals)


def test_the_search_ends_when_all_solutions_are_refused():
    """An arm with six joints has few of them, in pairs; the time is not waited for."""
    chain = arm('arm6')
    counts = [len(visited) for visited, end in solve(
        Group(chain), random_cases(chain, 20, refused=1000)) if end == 'none']
    assert set(counts) <= {2, 4, 6, 8, 10, 12, 14, 16}
    assert len(counts) == 20


def test_consistency_limits_are_bounds_round_the_seed():
    chain, rng = arm('panda'), np.random.default_rng(2)
    cases = []
    for _ in range(50):
        seed = chain.random(rng)
        near = np.clip(seed + rng.uniform(-0.1, 0.1, chain.n), chain.lower, chain.upper)
        cases.append(Case(as_goal([chain.fk(near)]), seed, changes=[0.1] * chain.n, refused=3))
    answers = solve(Group(chain), cases)
    for (visited, _), case in zip(answers, cases):
        assert all((np.abs(q - case.seed) <= 0.1).all() for q in visited)
    assert sum(len(visited) > 0 for visited, _ in answers) >= 49


def test_no_solution_is_farther_than_the_largest_joint_step():
    chain = arm('panda')
    cases = random_cases(chain, 50, refused=5)
    answers = solve(Group(chain), cases, {'max_joint_step': 2.0})
    for (visited, _), case in zip(answers, cases):
        assert all((np.abs(q - case.seed) <= 2.0).all() for q in visited)
    assert sum(len(visited) for visited, _ in answers) > 50


def test_no_solution_within_the_consistency_limits_is_none():
    chain = arm('panda')
    seed = np.append(chain.upper[:6], chain.upper[6] + 1.0)  # the limits exclude all round it
    cases = random_cases(chain, 5, changes=[1e-4] * chain.n)
    cases.append(Case(cases[0].goals, seed, changes=[0.5] * chain.n))
    assert [end for _, end in solve(Group(chain), cases)] == ['none'] * 6


def test_locked_values_keep_their_seed():
    chain, rng = arm('panda'), np.random.default_rng(3)
    cases = []
    for _ in range(20):
        q, seed = chain.random(rng), chain.random(rng)
        seed[2] = q[2]
        cases.append(Case(as_goal([chain.fk(q)]), seed, locked=[2], refused=2))
    for (visited, _), case in zip(solve(Group(chain), cases), cases):
        assert len(visited) > 0
        assert (visited[:, 2] == case.seed[2]).all()


def cart() -> Chain:
    """Return a chain of a planar joint and two revolute ones."""
    links = ''.join(f'<link name="{name}"/>' for name in 'abcd')
    ends = '<parent link="{}"/><child link="{}"/><origin xyz="0.4 0 0.1"/><axis xyz="{}"/>'
    limit = '<limit lower="-2" upper="2" velocity="1" effort="1"/>'
    return load_robot(
        f'<robot name="cart">{links}'
        f'<joint name="cart" type="planar">{ends.format("a", "b", "0 0 1")}</joint>'
        f'<joint name="j1" type="revolute">{ends.format("b", "c", "0 0 1")}{limit}</joint>'
        f'<joint name="j2" type="revolute">{ends.format("c", "d", "0 1 0")}{limit}</joint>'
        '</robot>').chain(None, 'd')


def test_a_locked_joint_of_several_values_keeps_all_of_them():
    """The caller counts joints, and a planar joint has three values."""
    chain = cart()
    rng = np.random.default_rng(5)
    for joint, held in ((0, [0, 1, 2]), (1, [3]), (2, [4])):
        cases = []
        for _ in range(5):
            q, seed = chain.random(rng), chain.random(rng)
            seed[held] = q[held]
            cases.append(Case(as_goal([chain.fk(q)]), seed, locked=[joint]))
        for (visited, _), case in zip(solve(Group(chain), cases), cases):
            assert len(visited) > 0
            assert (visited[:, held] == case.seed[held]).all()


def test_the_heading_of_a_planar_joint_is_within_half_a_turn():
    """These are the bounds that MoveIt has for it, though it may turn on and on."""
    chain, rng = cart(), np.random.default_rng(9)
    cases = []
    for _ in range(100):
        seed = chain.random(rng)
        seed[2] = rng.choice([-math.pi, math.pi])
        near = seed + rng.uniform(-0.2, 0.2, chain.n)
        cases.append(Case(as_goal([chain.fk(near)]), seed, refused=2))
    beyond = 0
    for (visited, _), case in zip(solve(Group(chain), cases), cases):
        assert (np.abs(visited[:, 2]) <= math.pi).all()
        beyond += (np.abs(visited[:, 2] - case.seed[2]) > math.pi).any()
        for q in visited:
            assert_reached(chain, q, case.goals)
    assert beyond > 20


def test_without_time_there_is_one_attempt():
    """It begins at the seed: a near goal is reached, and nothing else is tried."""
    chain, rng = arm('panda'), np.random.default_rng(4)
    seed = 0.5 * (chain.lower + chain.upper)
    near = seed + rng.uniform(-0.05, 0.05, chain.n)
    [(visited, end)] = solve(Group(chain), [
        Case(as_goal([chain.fk(near)]), seed, timeout=0.0, refused=5)])
    assert (len(visited), end) == (1, 'none')
    assert np.abs(visited - seed).max() < 0.3


def test_a_near_goal_keeps_the_posture():
    """Beside a singular wrist a joint must turn far, and other postures are found sooner."""
    chain, rng = arm('arm6'), np.random.default_rng(7)
    wrist = next(i for i in range(chain.n) if is_singular(chain, i))
    cases = []
    for _ in range(600):
        q = chain.random(rng)
        q[wrist] = rng.uniform(-0.02, 0.02)
        goal, way = as_goal([chain.fk(q)]), rng.normal(size=3)
        goal[:3] += 0.02 * way / np.linalg.norm(way)
        cases.append(Case(goal, q))
    answers = solve(Group(chain), cases)
    one_attempt = solve(Group(chain), [Case(case.goals, case.seed, timeout=0.0) for case in cases])
    for (visited, end), (kept, kept_end), case in zip(answers, one_attempt, cases):
        if kept_end == 'taken':
            assert end == 'taken'
            way, kept_way = (np.abs(q[0] - case.seed).max() for q in (visited, kept))
            assert way <= kept_way + 1e-3


@pytest.mark.parametrize('most', [0.3, 1.0])
def test_a_near_goal_stays_in_the_posture_where_it_can(most):
    """At a limit of the elbow the arm turns far only where nothing else will do."""
    chain, rng = arm('panda'), np.random.default_rng(8)
    cases = []
    for _ in range(300):
        q = chain.random(rng)
        q[3] = chain.upper[3] - rng.uniform(0.0, 0.02)
        goal, way = as_goal([chain.fk(q)]), rng.normal(size=3)
        goal[:3] += 0.01 * way / np.linalg.norm(way)
        cases.append(Case(goal, q))
    near = solve(Group(chain), [
        Case(case.goals, case.seed, changes=[most] * chain.n) for case in cases])
    assert sum(end == 'taken' for _, end in near) > 100
    for (visited, end), (_, near_end), case in zip(solve(Group(chain), cases), near, cases):
        if near_end == 'taken':
            assert end == 'taken'
            assert np.abs(visited[0] - case.seed).max() <= most


def is_singular(chain: Chain, joint: int) -> bool:
    """Tell whether a joint at zero makes its neighbours turn about the same axis."""
    q = 0.6 * chain.random(np.random.default_rng(1))
    q[joint] = 0.0
    J = chain.jacobian(q)
    return 0 < joint < chain.n - 1 and bool(
        np.linalg.norm(np.cross(J[3:, joint - 1], J[3:, joint + 1])) < 1e-6)


def test_the_best_reach_is_visited_where_it_will_do():
    chain = arm('panda')
    far = Case(np.array([2.0, 0, 0.5, 0, 0, 0, 1]), chain.neutral)
    near = Case(far.goals, chain.neutral, best_reach=True)
    (none, end), (reach, other_end) = solve(Group(chain), [far, near])
    assert (len(none), end, len(reach), other_end) == (0, 'none', 1, 'taken')
    np.testing.assert_array_equal(reach, python_answers(chain, [far], IkOptions(timeout=PATIENT)))


def test_position_only_leaves_the_rotation_free():
    chain = arm('arm5')
    goal = np.array([*chain.fk(chain.random(np.random.default_rng(5))).position, 0, 0, 0, 1])
    [(visited, end)] = solve(Group(chain), [Case(goal, chain.neutral)], {'position_only_ik': 1})
    assert end == 'taken'
    assert np.linalg.norm(judged(chain, visited[0]).position - goal[:3]) < 2e-5


def test_joints_outside_the_group_stay_where_they_are():
    chain, rng = arm('panda'), np.random.default_rng(6)
    inside = [0, 1, 3, 4, 5, 6]
    cases = []
    for _ in range(20):
        q, seed = chain.random(rng), chain.random(rng)
        cases.append(Case(as_goal([chain.fk(q)]), seed[inside], outside=[q[2]]))
    for (visited, end), case in zip(solve(Group(chain, inside), cases), cases):
        assert end == 'taken'
        assert visited.shape == (1, 6)
        assert_reached(chain, np.insert(visited[0], 2, case.outside), case.goals)


def test_mimics_in_a_group_have_values_too():
    chain = arm('mimic')
    follower, joint = next((row, joint) for row, joint in enumerate(chain.model.joints)
                           if joint.mimic is not None)
    master = chain.joint_names.index(joint.mimic.joint)
    values = joint.mimic.multiplier, joint.mimic.offset
    cases = random_cases(chain, 10)
    for case in cases:
        case.seed = np.append(case.seed, 0.0)
    for (visited, end), case in zip(
            solve(Group(chain, mimics={follower: (master, *values)}), cases), cases):
        assert end == 'taken'
        q = visited[0]
        assert q[-1] == values[0] * q[master] + values[1]
        assert_reached(chain, q[:-1], case.goals)


# --- bad input ----------------------------------------------------------------------------------

GOOD = np.array([0.4, 0.1, 0.5, 1.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize(('change', 'sentence'), [
    ({'seed': np.zeros(6)}, 'the seed must have 7 numbers, got 6'),
    ({'seed': np.full(7, math.nan)}, 'the seed has a number that is not finite'),
    ({'seed': np.full(7, 1e10)}, 'a configuration is not finite, or a seed is beyond 1e9'),
    ({'goals': GOOD[:6]}, 'the poses must have 7 numbers, got 6'),
    ({'goals': GOOD * [1, 1, 1, 0, 0, 0, 0]}, 'a quaternion is zero'),
    ({'goals': np.append(math.inf, GOOD[1:])}, 'a pose has a number that is infinite'),
    ({'outside': [1.0]}, 'the other joints must have 0 numbers, got 1'),
    ({'changes': [0.1]}, 'the consistency limits must have 7 numbers, got 1'),
    ({'changes': [-0.1] * 7}, 'a consistency limit is -0.1'),
    ({'changes': [math.nan] * 7}, 'a consistency limit is nan'),
    ({'locked': [7]}, 'joint 7 cannot be locked: there are 7')])
def test_a_bad_query_has_one_sentence(change, sentence):
    given = {'goals': GOOD, 'seed': np.zeros(7)} | change
    [(visited, end)] = solve(Group(arm('panda')), [Case(**given)])
    assert len(visited) == 0
    assert end.startswith(f'none {sentence}')


def test_bad_tables_are_refused():
    text = (ROOT / 'urdf' / 'arm6.urdf').read_text()
    chain = load_robot(text).chain()
    joints, tips = chain._tables
    for place, value, sentence in ((0, 9.0, 'the kind of a joint'), (1, 50.0, 'the parent of'),
                                   (2, math.nan, 'the pose of a joint')):
        bad = joints.copy()
        bad[2, place] = value
        chain._tables = bad, tips
        [line] = run('solve', Group(chain), [])
        assert line.startswith(f'refused: joint number 2: {sentence}')
    chain._tables = joints, np.full_like(tips, 77.0)
    assert run('solve', Group(chain), [])[0].startswith('refused: tip 0: the joint of a tip')


def test_a_tip_that_nothing_moves_is_refused():
    chain = load_robot(ROOT / 'urdf' / 'panda.urdf').chain(tips='panda_link0')
    for group in Group(chain), Group(arm('panda'), inside=[]):
        assert run('solve', group, []) == ['refused: no joint of the group moves a tip']


# --- threads ------------------------------------------------------------------------------------

@pytest.mark.parametrize('sanitizer', ['', *SANITIZERS])
@pytest.mark.parametrize('name', ['panda', 'two_arms'])
def test_eight_threads_share_a_solver(name, sanitizer):
    cases = random_cases(arm(name), 40, refused=2)
    assert run('threads', Group(arm(name)), cases, sanitizer=sanitizer) == ['0 differ']
