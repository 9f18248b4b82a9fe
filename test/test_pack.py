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
"""Packing by kernels, against what the model says; and answers to bad tables."""

from __future__ import annotations

from collections.abc import Iterator
import math
import re
import time
from typing import Any

from arms import arm, judged, URDF
from dq_ik import Pose
from dq_ik.core.compile import FRONT_END
from dq_ik.core.memory import layout as core
from dq_ik.core.memory.layout import PACKING, ROBOT
from dq_ik.core.memory.views import read
from dq_ik.core.packing import joints as column
from dq_ik.core.packing import normals, pack, spread, stored
from dq_ik.core.packing.joint_check import PackError
from dq_ik.native.load import door, fault_of
from dq_ik.robot.build import build_model
from dq_ik.robot.chain import Chain
from dq_ik.robot.joint_table import joint_table, tip_table
from dq_ik.robot.model import Joint, JointKind, Mimic, PARTS
from helpers import BOTH, call, close, Seen, variant
import naive
import numpy as np
from packing import count, long_robot, pack_chain, pack_table, poses, rubbish, tables
import pytest
from test_chain import random_tree

ROBOTS = sorted(path.stem for path in URDF.glob('*.urdf'))
TOOL = Pose.from_xyz_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
SEEDS = range(8)
both = pytest.mark.parametrize('how', BOTH)
about_compiled = pytest.mark.skipif(not FRONT_END, reason='about compiled code')
KERNELS = [pack.count, pack.fill, normals.move_to_common_normals, spread.neutral, spread.spread,
           spread.reach, spread.turning, stored.fill_starts]
SINGLE = (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC)


# --- what the model says -------------------------------------------------------------------------


def needed(chain: Chain) -> list[Joint]:
    """Return the joints on the way to any tip, in the order of the model."""
    on_way = {joint.name for tip in chain.tips
              for joint in chain.model.joint_path(chain.base, tip)}
    return [joint for joint in chain.model.joints if joint.name in on_way]


def master(chain: Chain, joint: Joint) -> Joint:
    """Return the joint whose variable a joint reads."""
    return chain.model.joint(joint.mimic.joint) if joint.mimic else joint


def names_of(chain: Chain, joint: Joint) -> list[str]:
    """Return the names of the variables that move a joint."""
    leader = master(chain, joint)
    parts = PARTS.get(leader.kind)
    if leader.kind is JointKind.FIXED:
        return []
    return [leader.name] if parts is None else [f'{leader.name}.{part}' for part in parts]


def expected_names(chain: Chain) -> list[str]:
    """Return the variables in the order in which they are numbered."""
    leaders = list(dict.fromkeys(name for joint in needed(chain) for name in names_of(
        chain, joint)))
    order = {joint.name: i for i, joint in enumerate(chain.model.joints)}
    return leaders if not any(joint.mimic for joint in needed(chain)) else sorted(
        leaders, key=lambda name: min(order[joint.name] for joint in needed(chain)
                                      if name in names_of(chain, joint)))


def expected_limits(chain: Chain, name: str) -> tuple[float, float]:
    """Return the limits of a variable, narrowed by the joints that follow it, one by one."""
    joints = {joint.name: joint for joint in chain.model.joints}
    if name not in joints or joints[name].kind not in SINGLE:
        return -math.inf, math.inf
    low, high = joints[name].lower, joints[name].upper
    for follower in chain.model.joints:
        if follower.mimic and follower.mimic.joint == name and follower.mimic.multiplier:
            ends = [(end - follower.mimic.offset) / follower.mimic.multiplier
                    for end in (follower.lower, follower.upper)]
            narrow = max(low, min(ends)), min(high, max(ends))
            if narrow[0] < narrow[1]:
                low, high = narrow
    return low, high


def expected_period(chain: Chain, name: str) -> float:
    """Return 2 pi where whole turns of a variable turn all its joints by whole turns, else 0."""
    low, high = expected_limits(chain, name)
    for joint in needed(chain):
        if name in names_of(chain, joint):
            turns = joint.kind in (JointKind.REVOLUTE, JointKind.CONTINUOUS) or name.endswith(
                '.theta')
            factor = joint.mimic.multiplier if joint.mimic else 1.0
            if not turns or factor != math.floor(factor):
                return 0.0
    return 2.0 * math.pi if high - low >= 2.0 * math.pi - 1e-9 else 0.0


def expected_reach(chain: Chain, tip: str, limits: dict[str, tuple[float, float]]) -> float:
    """Return the length of the way from moving joint to moving joint, slides at their longest."""
    T, last, length = np.eye(4), None, 0.0
    for joint in chain.model.joint_path(chain.base, tip):
        T = T @ joint.origin.matrix
        if joint.kind is JointKind.FIXED:
            continue
        length += 0.0 if last is None else np.linalg.norm(T[:3, 3] - last)
        last = T[:3, 3].copy()
        if joint.kind is JointKind.PRISMATIC:
            ends = np.array(limits[names_of(chain, joint)[0]])
            if joint.mimic:
                ends = joint.mimic.multiplier * ends + joint.mimic.offset
            length += float(np.abs(ends).max())
        if joint.kind in (JointKind.PLANAR, JointKind.FLOATING):
            length = math.inf
    end = (T @ chain.tool.matrix)[:3, 3]
    return length + float(np.linalg.norm(end - (0.0 if last is None else last)))


def expected_neutral(low: float, high: float) -> float:
    """Return 0 if it is allowed, else the middle, else the limit that is there."""
    if low <= 0.0 <= high:
        return 0.0
    if math.isfinite(low) and math.isfinite(high):
        return 0.5 * (low + high)
    return low if math.isfinite(low) else high


def expected_matrices(chain: Chain, q: np.ndarray) -> np.ndarray:
    """Return the poses of all tips (n_tips, 4, 4) by products of matrices."""
    return np.array([judged(chain, q, tip).matrix for tip in chain.tips])


# --- checks --------------------------------------------------------------------------------------


def check_chain(chain: Chain, how: str) -> None:
    """Compare all that is packed with what the model says."""
    tree, moved = pack_chain(chain, how), pack_chain(chain, how, move=True)
    check_variables(chain, tree)
    check_ways(tree)
    check_elements(chain, tree)
    check_spread(chain, tree, how)
    for packed in (tree, moved):
        check_poses(chain, packed)
    check_starts(chain)


def check_variables(chain: Chain, tree: Any) -> None:
    """Compare names, limits, neutral values, periods and reaches."""
    names = expected_names(chain)
    assert list(chain.joint_names) == names
    rows = {joint.name: row for row, joint in enumerate(chain.model.joints)}
    for i, name in enumerate(names):
        joint, _, part = name.partition('.') if name not in rows else (name, '', '')
        assert tree.joint[i] == rows[joint]
        parts = PARTS.get(chain.model.joint(joint).kind)
        assert tree.part[i] == (parts.index(part) if parts else 0)
    limits = {name: expected_limits(chain, name) for name in names}
    close([tree.lower, tree.upper], np.reshape(list(limits.values()), (-1, 2)).T, 1e-12)
    close(tree.neutral, [expected_neutral(*limits[name]) for name in names], 1e-12)
    close(tree.period, [expected_period(chain, name) for name in names], 0)
    close(tree.reach, [expected_reach(chain, tip, limits) for tip in chain.tips], 1e-11)


def elements_to(tree: Any, tip: int) -> list[int]:
    """Return the elements from the base to a tip."""
    found, element = [], tree.tip_index[tip, core.TIP_ELEMENT]
    while element >= 0:
        found.append(int(element))
        assert tree.index[element, core.PARENT] < element  # parents first
        element = tree.index[element, core.PARENT]
    return found[::-1]


def screws_of(tree: Any, element: int) -> Iterator[tuple[int, int]]:
    """Yield the screws of an element with their variables."""
    _, _, variable, screw = tree.index[element]
    for k in range(3 if tree.index[element, core.ELEMENT_KIND] == core.BALL else 1):
        yield screw + k, variable + k


def check_ways(tree: Any) -> None:
    """Check that paths hold the screws on the way of each tip, slots their variables, once."""
    all_screws = [screw for i in range(tree.n_elements) for screw, _ in screws_of(tree, i)]
    assert all_screws == list(range(tree.n_screws))
    path, slot = 0, 0
    for k in range(tree.n_tips):
        way = [pair for element in elements_to(tree, k) for pair in screws_of(tree, element)]
        variables = sorted({variable for _, variable in way})
        _, path_start, path_stop, slot_start, slot_stop = tree.tip_index[k]
        assert (path_start, slot_start) == (path, slot)
        assert path_stop - path_start == len(way)
        assert tree.slot[slot_start:slot_stop].tolist() == variables
        seen = set()
        for (screw, own, first), (expected, variable) in zip(tree.path[path_start:path_stop], way):
            assert screw == expected
            assert slot_start <= own < slot_stop
            assert tree.slot[own] == variable
            assert first == (variable not in seen)
            seen.add(variable)
        path, slot = path_stop, slot_stop
    assert (path, slot) == (tree.n_path, tree.n_slots)


def check_elements(chain: Chain, tree: Any) -> None:
    """Check counts, limits of balls, multipliers and offsets."""
    joints = [joint for joint in needed(chain) if joint.kind is not JointKind.FIXED]
    sizes = {JointKind.PLANAR: 3, JointKind.FLOATING: 4}
    assert tree.n_elements == sum(sizes.get(joint.kind, 1) for joint in joints)
    assert tree.n_screws == sum(len(PARTS.get(joint.kind, 'x')) for joint in joints)
    first = 0
    for joint in joints:
        rows = tree.element[first:first + sizes.get(joint.kind, 1)]
        factor = (joint.mimic.multiplier, joint.mimic.offset) if joint.mimic else (1.0, 0.0)
        close(rows[:, core.MULTIPLIER:core.OFFSET + 1], np.tile(factor, (len(rows), 1)), 0)
        ball = (joint.swing, joint.swing, *joint.twist) if joint.kind is JointKind.BALL else (
            math.inf, math.inf, -math.inf, math.inf)
        assert rows[-1, core.SWING:core.TWIST_UPPER + 1].tolist() == list(ball)
        close(np.linalg.norm(rows[:, :4], axis=1), 1.0, 1e-14)
        first += len(rows)


def check_poses(chain: Chain, tree: Any) -> None:
    """Compare forward kinematics with products of matrices."""
    q = chain.spread(np.random.default_rng(2).random((2, chain.n)))
    for row, numbers in zip(q, poses(tree, q)):
        found = [Pose(x[:4], x[4:]).matrix for x in numbers]
        close(found, expected_matrices(chain, row), 1e-12 * max(1.0, np.abs(row).max(initial=0)))


def check_spread(chain: Chain, tree: Any, how: str) -> None:
    """Compare spread configurations: a box, but for balls, which are in their cones."""
    q = np.full(chain.n, np.nan)
    for u in np.random.default_rng(5).random((3, chain.n)):
        call(spread.spread, how, Seen(ROBOT, tree._block), tree.lower, tree.upper, tree.neutral,
             u, q)
        close(q, chain.spread(u), 1e-12)
        check_inside(chain, q)
        for i, variable in enumerate(chain.variables):
            kind = chain.model.joint(variable.joint).kind
            if kind is JointKind.BALL or variable.name.endswith(('.rx', '.ry', '.rz')):
                continue
            slides = kind is JointKind.PRISMATIC or (
                kind is not JointKind.REVOLUTE and variable.name.endswith(('.x', '.y', '.z')))
            slides |= any(joint.kind is JointKind.PRISMATIC and variable.name in names_of(
                chain, joint) for joint in needed(chain))
            wide = 1.0 if slides else math.pi
            low = variable.lower if variable.lower > -math.inf else chain.neutral[i] - wide
            high = variable.upper if variable.upper < math.inf else chain.neutral[i] + wide
            close(q[i], low + u[i] * (high - low), 1e-12)


def check_inside(chain: Chain, q: np.ndarray, slack: float = 1e-9) -> None:
    """Check that all variables are within limits, balls within cone and twist."""
    assert np.all(q >= chain.lower - slack)
    assert np.all(q <= chain.upper + slack)
    for i, variable in enumerate(chain.variables):
        joint = chain.model.joint(variable.joint)
        if joint.kind is JointKind.BALL and variable.name.endswith('.x'):
            R = naive.rotation(q[i:i + 3])[:3, :3]
            assert math.acos(min(1.0, R[2, 2])) <= joint.swing + slack + 1e-6
            if R[2, 2] > -0.999:
                swing = naive.axis_frame(R[:, 2])
                turn = (swing.T @ R)[:2, :2]
                twist = math.atan2(turn[1, 0], turn[0, 0])
                inside = joint.twist[0] - slack - 1e-6 <= twist <= joint.twist[1] + slack + 1e-6
                assert inside or abs(abs(twist) - math.pi) < 1e-6


def primes(n: int) -> list[int]:
    """Return the first primes."""
    found: list[int] = []
    number = 2
    while len(found) < n:
        if all(number % prime for prime in found):
            found.append(number)
        number += 1
    return found


def check_starts(chain: Chain, size: int = 6) -> None:
    """Check stored configurations: the sequence, inside the limits, and the frames of the tips."""
    for shift in (0, 3):
        robot = read(ROBOT, chain.robot(size, shift))
        number = 1 + np.arange(size)[:, None] + size * shift
        u = (0.5 + number * (np.sqrt(primes(chain.n)) % 1.0)) % 1.0
        expected = chain.spread(u.reshape(size, chain.n))
        close(robot.stored[:chain.n].T, expected, 2e-6)
        to_first = np.eye(4)
        if len(robot.element):
            w, x, y, z, *way = robot.element[0, :7]
            to_first = Pose.from_xyz_wxyz(way, (w, x, y, z)).inverse().matrix
        for row in (0, size - 1):
            check_inside(chain, expected[row])
            matrices = expected_matrices(chain, expected[row])
            for frame, matrix in zip(robot.stored[chain.n:, row].reshape(-1, 7), matrices):
                found = Pose.from_xyz_wxyz(frame[4:], frame[:4]).matrix
                close(found, to_first @ matrix, 3e-6 * max(1.0, np.abs(matrix).max()))


# --- robots --------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize('name', ROBOTS)
def test_robots_are_packed_as_the_model_says(name, how):
    check_chain(arm(name), how)
    check_chain(arm(name).model.whole, how)
    chain = arm(name)
    check_chain(chain.model.chain(chain.base, chain.tips, TOOL), how)


@both
@pytest.mark.parametrize('name', ROBOTS)
def test_parts_of_robots_are_packed_as_the_model_says(name, how):
    model = arm(name).model
    for base in model.links[:4]:
        below = model.links_below(base)
        for tip in {base, *below[:1], *below[-1:]}:
            check_chain(model.chain(base, tip), how)


@both
@pytest.mark.parametrize('seed', SEEDS)
def test_trees_of_all_joints_are_packed_as_the_model_says(seed, how):
    model = random_tree(seed, 25)
    check_chain(model.whole, how)
    check_chain(model.chain(None, model.leaves, TOOL), how)
    for link in model.links[::3]:
        check_chain(model.chain(None, link), how)


@both
@pytest.mark.parametrize('kind', [JointKind.REVOLUTE, JointKind.PRISMATIC])
@pytest.mark.parametrize('axis', [(0, 0, 1), (0, 0, -1), (0, 1, 0), (1e-7, 0, -1), (3, 4, 12)])
def test_axes_in_any_relation(kind, axis, how):
    origins = [Pose.from_xyz_rpy((0.1, 0.4, 0.2), (0, 0.3 * i, 0)) for i in range(4)]
    kinds = [JointKind.REVOLUTE, kind, JointKind.CONTINUOUS, JointKind.REVOLUTE]
    joints = [Joint(f'j{i}', kinds[i], f'l{i}', f'l{i + 1}', origins[i], axis, -1.0, 2.0)
              for i in range(4)]
    check_chain(build_model('axes', joints).whole, how)
    check_chain(build_model('axes', joints).chain(), how)


@both
@pytest.mark.parametrize('noise', [0.0, 1e-17, -3e-16])
def test_axes_on_one_line_are_not_turned(noise, how):
    origins = [Pose.from_xyz_rpy((noise, -noise, 0.3), (noise, 0, 0.7)) for _ in range(4)]
    model = build_model('coaxial', [
        Joint(f'j{i}', JointKind.REVOLUTE, f'l{i}', f'l{i + 1}', origins[i], (0, 0, 1), -1.0, 1.0)
        for i in range(4)])
    tree = pack_chain(model.chain(), how, move=True)
    assert not tree.element[:, core.OFFSET].any()
    check_chain(model.chain(), how)


@both
def test_rows_need_not_be_of_unit_length(how):
    joints, rows = joint_table(arm('panda').model)
    tips = tip_table(arm('panda').model, rows, 'panda_link0', ['panda_hand_tcp'], TOOL)
    expected = pack_table(joints, tips, how)
    joints[:, column.ORIGIN:column.ORIGIN + 4] *= 3.0
    joints[:, column.AXIS:column.AXIS + 3] *= 0.2
    tips[:, column.TIP_POSE:column.TIP_POSE + 4] *= 5.0
    found = pack_table(joints, tips, how)
    for name in ('element', 'tip'):
        close(getattr(found, name), getattr(expected, name), 1e-12)
    for name in ('index', 'tip_index', 'path', 'slot'):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@both
def test_masters_may_be_off_the_way_and_behind_their_mimics(how):
    def follower(i, factor, offset, lower, upper):
        return Joint(f'f{i}', JointKind.PRISMATIC, f'l{i}', f'l{i + 1}', axis=(0, 1, 1),
                     lower=lower, upper=upper, mimic=Mimic('master', factor, offset))
    model = build_model('followers', [
        follower(0, 2.0, 0.1, -1.0, 1.5), follower(1, -0.5, 0.0, -0.1, math.inf),
        follower(2, 1.0, 0.0, 5.0, 6.0),  # never inside: it narrows nothing
        follower(3, 0.0, 0.0, 1.0, 2.0),
        Joint('free', JointKind.CONTINUOUS, 'l4', 'l5'),
        Joint('master', JointKind.REVOLUTE, 'l0', 'm', lower=-2.0, upper=2.0)])
    for tip in ('l5', 'l2', 'm'):
        check_chain(model.chain('l0', tip), how)
    check_chain(model.chain('l2', 'l5'), how)
    tree = pack_chain(model.chain('l2', 'l5'), how)
    assert model.joints[tree.joint[0]].name == 'master'
    close(tree.lower, (-0.55, -math.inf), 1e-15)
    close(tree.upper, (0.2, math.inf), 1e-15)


@both
def test_a_robot_without_joints(how):
    tips = np.array([[-1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0]])
    tree = pack_table(np.empty((0, column.JOINT.width)), tips, how, move=True)
    assert (tree.n, tree.n_elements, tree.n_screws, tree.n_path, tree.n_slots) == (0,) * 5
    close(tree.tip, tips[:, 1:], 0)
    assert tree.tip_index.tolist() == [[-1, 0, 0, 0, 0]]
    block = packed_by_entries(np.empty((0, column.JOINT.width)), tips, 3, 0)
    close(read(ROBOT, block).stored.T, np.tile(tips[:, 1:], (3, 1)), 0)


@both
def test_neutral_stays_finite_where_one_limit_is_missing(how):
    lower, upper = np.array([1.0, -np.inf, -np.inf, 2.0]), np.array([np.inf, -2.0, np.inf, 3.0])
    q = np.empty(4)
    variant(spread.neutral, how)(lower, upper, q)
    assert q.tolist() == [1.0, -2.0, 0.0, 2.5]


# --- memory and time -----------------------------------------------------------------------------


def packed_by_entries(joints: np.ndarray, tips: np.ndarray, starts: int, shift: int) -> np.ndarray:
    """Return a robot by the two entries of the library, in memory full of rubbish."""
    entries = door().entries
    memory = np.full(entries['pack_memory_size'](len(joints)), np.nan)
    given = joints, len(joints), tips, len(tips), starts
    block = np.full(entries['robot_size'](*given, memory), np.nan)
    assert entries['robot'](*given, shift, block, memory) == 0
    return block


@both
@pytest.mark.parametrize('name', ['panda', 'humanoid'])
def test_the_entries_fill_the_whole_block_with_what_the_kernels_write(name, how):
    chain = arm(name)
    found = read(ROBOT, packed_by_entries(*tables(chain), 20, 1))
    expected = pack_chain(chain, how, move=True)
    for field in ROBOT.fields:
        if field != 'stored':
            close(getattr(found, field), getattr(expected, field), 1e-12)
    assert np.isfinite(found.stored).all()
    np.testing.assert_array_equal(found.stored, read(ROBOT, chain.robot(20, 1)).stored)


@about_compiled
def test_a_long_chain_of_mimics_is_packed_in_no_time():
    joints, tips = long_robot(3000)
    pack_table(*long_robot(3), 'compiled')
    start = time.perf_counter()
    tree = pack_table(joints, tips, 'compiled')
    assert time.perf_counter() - start < 0.1
    assert (tree.n, tree.n_elements, tree.n_screws, tree.n_path, tree.n_slots) == (
        1, 3000, 3000, 3000, 1)
    assert tree.path[:, 2].sum() == 1


@pytest.mark.skipif(not door().level, reason='about compiled code')
def test_starts_of_an_arm_are_filled_in_no_time():
    joints, tips = tables(arm('panda'))
    times = []
    for _ in range(5):
        start = time.perf_counter()
        packed_by_entries(joints, tips, 512, 0)
        times.append(time.perf_counter() - start)
    assert min(times) < 5e-3


@about_compiled
@pytest.mark.parametrize('kernel', KERNELS, ids=lambda kernel: kernel.__name__)
def test_kernels_allocate_nothing_and_raise_nothing(kernel):
    tree = pack_chain(arm('panda'), 'compiled', move=True)
    robot, memory = Seen(ROBOT, tree._block), rubbish(PACKING, n_joints=20)
    call(spread.spread, 'compiled', robot, tree.lower, tree.upper, tree.neutral, tree.neutral,
         np.empty(tree.n))
    call(stored.fill_starts, 'compiled', robot, 0, Seen(PACKING, memory))
    codes = kernel.compiled.inspect_llvm().values()
    assert codes
    for code in codes:
        assert not re.search('NRT_(MemInfo_alloc|Allocate)', code)
        assert not re.search('picklebuf|numba_do_raise|call [^@]*@Py', code)


# --- bad tables ----------------------------------------------------------------------------------

BALL, FOLLOWER = 4, 3  # rows of the robot below that has everything


def good_table() -> tuple[np.ndarray, np.ndarray]:
    """Return a table in which a number is to be spoilt."""
    kinds = [JointKind.FIXED, JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.REVOLUTE,
             JointKind.BALL, JointKind.PLANAR, JointKind.FLOATING]
    joints = [Joint(f'j{i}', kind, f'l{i}', f'l{i + 1}', lower=-1.0, upper=1.0,
                    mimic=Mimic('j1', 2.0) if i == FOLLOWER else None)
              for i, kind in enumerate(kinds)]
    model = build_model('all', joints)
    table, rows = joint_table(model)
    return table, tip_table(model, rows, model.root, model.leaves, TOOL)


def error_of(joints: np.ndarray, tips: np.ndarray, how: str) -> tuple[int, int]:
    """Return the code and the row that the packing finds."""
    code, sizes = count(joints, tips, how)
    return code, sizes[0]


BAD_JOINTS = [
    (PackError.KIND, 1, column.KIND, (-1, 6, 1.5, math.nan, math.inf)),
    (PackError.PARENT, 1, column.PARENT, (-2, 1, 2, 0.5, math.nan)),
    (PackError.ORIGIN, 0, column.ORIGIN, (0, math.nan, math.inf)),
    (PackError.ORIGIN, 2, column.ORIGIN + 6, (math.nan, -math.inf)),
    (PackError.AXIS, 1, column.AXIS, (0, math.nan, math.inf)),
    (PackError.AXIS, BALL, column.AXIS, (0, 1e-10)),
    (PackError.LIMITS, 1, column.LOWER, (1.5, math.nan, math.inf)),
    (PackError.LIMITS, 2, column.UPPER, (-1.5, math.nan, -math.inf)),
    (PackError.MIMIC_ROW, 2, column.MIMIC, (-2, 2, 7, 0.5, math.nan)),
    (PackError.MIMIC_KIND, 2, column.MIMIC, (0, BALL, 5, 6)),
    (PackError.MIMIC_KIND, 5, column.MIMIC, (1,)),
    (PackError.MIMIC_OF_MIMIC, 2, column.MIMIC, (FOLLOWER,)),
    (PackError.MIMIC_FACTOR, FOLLOWER, column.MULTIPLIER, (math.nan, math.inf)),
    (PackError.MIMIC_FACTOR, FOLLOWER, column.OFFSET, (math.nan, -math.inf)),
    (PackError.BALL, BALL, column.SWING, (-0.1, math.nan)),
    (PackError.BALL, BALL, column.TWIST_LOWER, (0.1, math.nan)),
    (PackError.BALL, BALL, column.TWIST_UPPER, (-0.1, math.nan)),
]
BAD_TIPS = [
    (PackError.TIP_JOINT, column.TIP_JOINT, (-2, 7, 0.5, math.nan)),
    (PackError.TIP_POSE, column.TIP_POSE + 5, (math.nan, math.inf)),
]


@both
@pytest.mark.parametrize(('error', 'row', 'place', 'values'), BAD_JOINTS)
def test_bad_joints_are_named(error, row, place, values, how):
    for value in values:
        joints, tips = good_table()
        assert error_of(joints, tips, how)[0] == PackError.NONE
        joints[row, place] = value
        assert error_of(joints, tips, how) == (error, row), value


@both
@pytest.mark.parametrize(('error', 'place', 'values'), BAD_TIPS)
def test_bad_tips_are_named(error, place, values, how):
    for value in values:
        joints, tips = good_table()
        tips[0, place] = value
        assert error_of(joints, tips, how) == (error, 0), value


@both
def test_a_tip_without_rotation_is_refused(how):
    joints, tips = good_table()
    tips[0, column.TIP_POSE:column.TIP_POSE + 4] = 0.0
    assert error_of(joints, tips, how)[0] == PackError.TIP_POSE


BAD_COUNTS = [(PackError.COUNT, counts) for counts in (
    (-1, 1, 16), (10**18, 1, 16), (7, -1, 16), (7, 0, 16), (7, 10**18, 16), (7, 1, -1),
    (7, 1, 10**18))]  # of joints, tips and starts


@pytest.mark.parametrize(('error', 'counts'), BAD_COUNTS)
def test_a_table_of_an_impossible_size_is_refused(error, counts):
    """Nothing is read or written: sizes beyond all memory once came out as other faults."""
    n_joints, n_tips, n_starts = counts
    entries, memory = door().entries, np.full(16, np.pi)
    size = entries['robot_size'](np.zeros(16), n_joints, np.zeros(8), n_tips, n_starts, memory)
    assert -size % 32 == error
    assert (memory == np.pi).all()
    if n_joints != 7:
        assert -entries['pack_memory_size'](n_joints) % 32 == error


def test_every_error_has_its_test():
    tested = {case[0] for case in BAD_JOINTS + BAD_TIPS + BAD_COUNTS}
    assert tested == set(PackError) - {PackError.NONE}


@both
def test_numbers_that_a_kind_does_not_read_may_be_anything(how):
    joints, tips = good_table()
    joints[[0, 6], column.AXIS:column.AXIS + 3] = math.nan
    joints[BALL:, column.LOWER:column.UPPER + 1] = math.nan
    joints[:BALL, column.SWING:] = math.nan
    joints[:FOLLOWER, column.MULTIPLIER:column.OFFSET + 1] = math.nan
    tree = pack_table(joints, tips, how)
    assert not np.isnan(tree.element).any()
    assert not np.isnan(tree.lower).any()


@pytest.mark.parametrize(('error', 'row', 'place', 'values'), BAD_JOINTS)
def test_the_entry_names_the_error_and_the_row(error, row, place, values):
    joints, tips = good_table()
    joints[row, place] = values[0]
    entries = door().entries
    memory = np.empty(entries['pack_memory_size'](len(joints)))
    result = entries['robot_size'](joints, len(joints), tips, len(tips), 1, memory)
    assert fault_of(result, pack=True) == (error, row)
