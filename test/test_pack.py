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
"""Packing by kernels: the arrays of the Python code, for all robots, and answers to bad tables."""

from __future__ import annotations

import math
import re
import time
from typing import NamedTuple

from arms import arm, URDF
from helpers import BOTH, close, compiled, variant
import numba
import numpy as np
import pytest
from test_chain import random_tree

from dq_ik import Pose
from dq_ik.build import build_model
from dq_ik.chain import Chain
from dq_ik.common_normals import on_common_normals
from dq_ik.core import joints as column
from dq_ik.core import normals, pack, spread, stored
from dq_ik.core import tree as core
from dq_ik.core.compile import COMPILED
from dq_ik.core.joint_check import PackError
from dq_ik.core.joints import JointType
from dq_ik.core.trigonometry import padded
from dq_ik.joint_table import joint_table, tip_table, variable_name
from dq_ik.model import Joint, JointKind, Mimic
from dq_ik.space import reach, turning
from dq_ik.starts import start_table

ROBOTS = sorted(path.stem for path in URDF.glob('*.urdf'))
TOOL = Pose.from_xyz_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
SEEDS = range(8)
both = pytest.mark.parametrize('how', BOTH)
KERNELS = [pack.count, pack.fill, normals.move_to_common_normals, spread.neutral, spread.spread,
           spread.reach, spread.turning, stored.fill_starts]


class Packed(NamedTuple):
    """What the kernels write."""

    tree: core.Tree
    variables: pack.Variables
    sizes: np.ndarray


def new_scratch(n_joints: int) -> pack.Scratch:
    """Return memory full of rubbish."""
    return pack.Scratch(np.full((n_joints, 7), np.nan),
                        *(np.full(size * n_joints, 77) for size in (1, 1, 1, column.MOST_PARTS)))


def new_work(n: int, n_elements: int, n_screws: int) -> stored.StartsWork:
    """Return memory full of rubbish."""
    return stored.StartsWork(*(np.full(shape, np.nan) for shape in (
        n, n, n, (3, padded(n_elements)), (n_elements, 7), (n_screws, 6))))


def error_of(joints: np.ndarray, tips: np.ndarray, how: str) -> tuple[int, int]:
    """Return the code and the row that the packing finds."""
    sizes = np.empty(pack.N_SIZES, int)
    code = variant(pack.count, how)(joints, tips, new_scratch(len(joints)), sizes)
    return code, sizes[0]


def pack_table(joints: np.ndarray, tips: np.ndarray, how: str) -> Packed:
    """Return the arrays of a table."""
    scratch, sizes = new_scratch(len(joints)), np.empty(pack.N_SIZES, int)
    assert variant(pack.count, how)(joints, tips, scratch, sizes) == PackError.NONE
    n, n_elements, _, n_path, n_slots = sizes
    tree = core.Tree(
        np.full((n_elements, core.ELEMENT_WIDTH), np.nan),
        np.full((n_elements, core.INDEX_WIDTH), -9), np.full((len(tips), 7), np.nan),
        np.full((len(tips), core.TIP_INDEX_WIDTH), -9), np.full((n_path, 3), -9),
        np.full(n_slots, -9))
    variables = pack.Variables(np.full(n, np.nan), np.full(n, np.nan), np.full(n, -9),
                               np.full(n, -9))
    variant(pack.fill, how)(joints, tips, new_scratch(len(joints)), tree, variables)
    return Packed(tree, variables, sizes)


def pack_chain(chain: Chain, how: str) -> Packed:
    """Return the arrays of a chain, by way of a table of all joints of its robot."""
    joints, rows = joint_table(chain.model, chain.base)
    tips = tip_table(chain.model, rows, chain.base, chain.tips, chain.tool)
    return pack_table(joints, tips, how)


def check_trees(actual: core.Tree, expected: core.Tree) -> None:
    """Compare all arrays."""
    for name, a, b in zip(core.Tree._fields, actual, expected):
        assert a.shape == b.shape, name
        if a.dtype.kind == 'i':
            np.testing.assert_array_equal(a, b, err_msg=name)
        else:
            np.testing.assert_allclose(a, b, rtol=0.0, atol=1e-12, err_msg=name)


def check_chain(chain: Chain, how: str) -> None:
    """Compare all that is packed with what the Python code computes."""
    tree, variables, sizes = pack_chain(chain, how)
    check_trees(tree, chain.elements.tree)
    joints = chain.model.joints
    names = [variable_name(joints[row], part)
             for row, part in zip(variables.joint, variables.part)]
    assert tuple(names) == chain.joint_names
    assert sizes[pack.N_SCREWS] == core.n_screws(chain.elements.tree)
    close(variables.lower, chain.lower, 1e-12)
    close(variables.upper, chain.upper, 1e-12)
    check_extent(chain, tree, how)
    variant(normals.move_to_common_normals, how)(tree)
    expected = on_common_normals(chain.elements.tree)
    if not has_axes_on_one_line(expected):
        check_trees(one_of_equals(tree), one_of_equals(expected))
    check_starts(chain, tree, how)


def has_axes_on_one_line(tree: core.Tree) -> bool:
    """Tell whether the Python code let rounding choose a common normal: any one is right."""
    x_y_of_turn_and_way = np.abs(tree.element[1:, [1, 2, 4, 5]])
    return len(tree.tip) == 1 and bool((x_y_of_turn_and_way < 1e-12).all(axis=1).any())


def one_of_equals(tree: core.Tree) -> core.Tree:
    """Return offsets from -pi up and tips of one sign: rounding decides between pi and -pi."""
    element, tip = tree.element.copy(), tree.tip.copy()
    turns = tree.index[:, core.KIND] == core.REVOLUTE
    offset = element[turns, core.OFFSET]
    element[turns, core.OFFSET] = np.where(offset > math.pi - 1e-9, offset - 2 * math.pi, offset)
    tip[:, :4] *= np.sign(np.sum(tip[:, :4] * (1.0, 0.1, 0.01, 0.001), axis=1, keepdims=True))
    return tree._replace(element=element, tip=tip)


def check_extent(chain: Chain, tree: core.Tree, how: str) -> None:
    """Compare neutral and spread configurations, reach and periods."""
    lower, upper, neutral = chain.lower.copy(), chain.upper.copy(), np.full(chain.n, np.nan)
    variant(spread.neutral, how)(lower, upper, neutral)
    close(neutral, chain.neutral, 1e-12)
    q = np.full(chain.n, np.nan)
    for u in np.random.default_rng(5).random((5, chain.n)):
        variant(spread.spread, how)(tree, lower, upper, neutral, u, q)
        close(q, chain.spread(u), 1e-12)
    lengths, period = np.full(len(tree.tip), np.nan), np.full(chain.n, np.nan)
    variant(spread.reach, how)(tree, lower, upper, lengths)
    close(lengths, reach(chain.elements.tree, chain.lower, chain.upper), 1e-12)
    variant(spread.turning, how)(tree, lower, upper, period)
    close(period, turning(chain.elements.tree, chain.lower, chain.upper), 0)


def check_starts(chain: Chain, tree: core.Tree, how: str, count: int = 20) -> None:
    """Compare the tables of stored configurations."""
    work = new_work(chain.n, len(tree.element), core.n_screws(tree))
    for shift in (0, 3):
        table = np.full((chain.n + 7 * len(chain.tips), count), np.nan, np.float32)
        variant(stored.fill_starts, how)(tree, chain.lower.copy(), chain.upper.copy(),
                                         chain.neutral.copy(), shift, work, table)
        close(table, start_table(chain, count, shift), 1e-6)


@both
@pytest.mark.parametrize('name', ROBOTS)
def test_robots_are_packed_as_by_the_python_code(name, how):
    check_chain(arm(name), how)
    check_chain(arm(name).model.whole, how)
    chain = arm(name)
    check_chain(chain.model.chain(chain.base, chain.tips, TOOL), how)


@both
@pytest.mark.parametrize('name', ROBOTS)
def test_parts_of_robots_are_packed_as_by_the_python_code(name, how):
    model = arm(name).model
    for base in model.links[:4]:
        below = model.links_below(base)
        for tip in {base, *below[:1], *below[-1:]}:
            check_chain(model.chain(base, tip), how)


@both
@pytest.mark.parametrize('seed', SEEDS)
def test_trees_of_all_joints_are_packed_as_by_the_python_code(seed, how):
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
    tree = pack_chain(model.chain(), how).tree
    variant(normals.move_to_common_normals, how)(tree)
    assert not tree.element[:, core.OFFSET].any()
    check_chain(model.chain(), how)


@both
def test_rows_need_not_be_of_unit_length(how):
    joints, rows = joint_table(arm('panda').model)
    tips = tip_table(arm('panda').model, rows, 'panda_link0', ['panda_hand_tcp'], TOOL)
    expected = pack_table(joints, tips, how).tree
    joints[:, column.ORIGIN:column.ORIGIN + 4] *= 3.0
    joints[:, column.AXIS:column.AXIS + 3] *= 0.2
    tips[:, column.TIP_POSE:column.TIP_POSE + 4] *= 5.0
    check_trees(pack_table(joints, tips, how).tree, expected)


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
    variables = pack_chain(model.chain('l2', 'l5'), how).variables
    assert model.joints[variables.joint[0]].name == 'master'
    close(variables.lower, (-0.55, -math.inf), 1e-15)
    close(variables.upper, (0.2, math.inf), 1e-15)


@both
def test_a_robot_without_joints(how):
    tips = np.array([[-1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0]])
    tree, variables, sizes = pack_table(np.empty((0, column.JOINT_WIDTH)), tips, how)
    assert not sizes.any()
    assert not len(variables.lower)
    close(tree.tip, tips[:, 1:], 0)
    assert tree.tip_index.tolist() == [[-1, 0, 0, 0, 0]]
    variant(normals.move_to_common_normals, how)(tree)
    table = np.full((7, 3), np.nan, np.float32)
    none = np.empty(0)
    variant(stored.fill_starts, how)(tree, none, none, none, 0, new_work(0, 0, 0), table)
    close(table.T, np.tile(tips[:, 1:], (3, 1)), 0)


@both
def test_neutral_stays_finite_where_one_limit_is_missing(how):
    lower, upper = np.array([1.0, -np.inf, -np.inf, 2.0]), np.array([np.inf, -2.0, np.inf, 3.0])
    q = np.empty(4)
    variant(spread.neutral, how)(lower, upper, q)
    assert q.tolist() == [1.0, -2.0, 0.0, 2.5]


def long_robot(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a chain whose first joint all others mimic."""
    joints = np.zeros((n, column.JOINT_WIDTH))
    joints[:, column.KIND] = JointType.REVOLUTE
    joints[:, column.PARENT] = np.arange(n) - 1
    joints[:, column.ORIGIN] = joints[:, column.AXIS] = joints[:, column.MULTIPLIER] = 1.0
    joints[:, column.LOWER:column.UPPER + 1] = -1.0, 1.0
    joints[:, column.MIMIC] = 0
    joints[0, column.MIMIC] = -1
    return joints, np.array([[n - 1.0, 1, 0, 0, 0, 0, 0, 0]])


@pytest.mark.skipif(not COMPILED, reason='about compiled code')
def test_a_long_chain_of_mimics_is_packed_in_no_time():
    joints, tips = long_robot(3000)
    pack_table(joints[:3].copy(), np.array([[2.0, 1, 0, 0, 0, 0, 0, 0]]), 'compiled')
    start = time.perf_counter()
    tree, _, sizes = pack_table(joints, tips, 'compiled')
    assert time.perf_counter() - start < 0.1
    assert sizes.tolist() == [1, 3000, 3000, 3000, 1]
    assert tree.path[:, 2].sum() == 1


@pytest.mark.skipif(not COMPILED, reason='about compiled code')
def test_starts_of_an_arm_are_filled_in_no_time():
    chain = arm('panda')
    tree = pack_chain(chain, 'compiled').tree
    table = np.empty((chain.n + 7, 512), np.float32)
    arguments = (tree, chain.lower.copy(), chain.upper.copy(), chain.neutral.copy(), 0,
                 new_work(chain.n, len(tree.element), core.n_screws(tree)), table)
    fill = compiled(stored.fill_starts)
    fill(*arguments)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        fill(*arguments)
        times.append(time.perf_counter() - start)
    assert min(times) < 5e-3


@pytest.mark.skipif(not COMPILED, reason='about compiled code')
@pytest.mark.parametrize('kernel', KERNELS, ids=lambda kernel: kernel.__name__)
def test_kernels_allocate_nothing_and_raise_nothing(kernel):
    check_chain(arm('panda'), 'compiled')
    codes = kernel.compiled.inspect_llvm().values()
    assert codes
    for code in codes:
        assert not re.search('NRT_(MemInfo_alloc|Allocate)', code)
        assert not re.search('picklebuf|numba_do_raise|call [^@]*@Py', code)


@numba.njit
def pack_blocks(joints, tips, sizes, scratch_block, numbers, indices, variables, work_block,
                table):
    """Pack a robot as native code does it: all memory is a block of known size."""
    tree = core.unpack(numbers, indices)
    pack.fill(joints, tips, pack.scratch_of(scratch_block, joints.shape[0]), tree, variables)
    normals.move_to_common_normals(tree)
    q_neutral = np.empty(sizes[0])
    spread.neutral(variables.lower, variables.upper, q_neutral)
    work = stored.starts_work_of(work_block, sizes[0], sizes[1], sizes[2])
    stored.fill_starts(tree, variables.lower, variables.upper, q_neutral, 1, work, table)


@pytest.mark.skipif(not COMPILED, reason='about compiled code')
@pytest.mark.parametrize('name', ['panda', 'humanoid'])
def test_robots_are_packed_into_blocks_of_memory(name):
    chain = arm(name)
    joints, rows = joint_table(chain.model)
    tips = tip_table(chain.model, rows, chain.base, chain.tips, chain.tool)
    tree, _, sizes = pack_table(joints, tips, 'compiled')
    n_tips = len(tips)
    n, n_elements, n_screws, n_path, n_slots = sizes
    numbers = np.full(core.ELEMENT_WIDTH * n_elements + 7 * n_tips, np.nan)
    indices = np.full(4 + core.INDEX_WIDTH * n_elements + core.TIP_INDEX_WIDTH * n_tips
                      + 3 * n_path + n_slots, -9)
    indices[:4] = n_elements, n_tips, n_path, n_slots
    variables = pack.Variables(np.empty(n), np.empty(n), np.empty(n, int), np.empty(n, int))
    table = np.empty((n + 7 * n_tips, 20), np.float32)
    pack_blocks(joints, tips, sizes, np.full(pack.scratch_size(len(joints)), np.nan), numbers,
                indices, variables, np.full(stored.starts_work_size(n, n_elements, n_screws),
                                            np.nan), table)
    variant(normals.move_to_common_normals, 'plain')(tree)
    close(numbers, core.pack(tree)[0], 1e-12)
    np.testing.assert_array_equal(indices, chain.packed[1])
    close(table, start_table(chain, 20, 1), 1e-6)


# --- bad tables ------------------------------------------------------------------------------

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


def test_every_error_has_its_test():
    tested = {case[0] for case in BAD_JOINTS + BAD_TIPS}
    assert tested == set(PackError) - {PackError.NONE}


@both
def test_numbers_that_a_kind_does_not_read_may_be_anything(how):
    joints, tips = good_table()
    joints[[0, 6], column.AXIS:column.AXIS + 3] = math.nan
    joints[BALL:, column.LOWER:column.UPPER + 1] = math.nan
    joints[:BALL, column.SWING:] = math.nan
    joints[:FOLLOWER, column.MULTIPLIER:column.OFFSET + 1] = math.nan
    tree, variables, _ = pack_table(joints, tips, how)
    assert not np.isnan(tree.element).any()
    assert not np.isnan(variables.lower).any()
