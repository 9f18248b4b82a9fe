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
"""Blocks by their tables: no gap, no overlap, one view for all; heads are checked."""

from __future__ import annotations

from functools import cache
import math
from typing import Any

from arms import arm
from dq_ik import Solver
from dq_ik.core.compile import FRONT_END
from dq_ik.core.entries.pose_input import Fault
from dq_ik.core.memory import views
from dq_ik.core.memory.arrays import address
from dq_ik.core.memory.layout import ANSWER, PACKING, REQUEST, ROBOT, WORK
from dq_ik.core.memory.table import FLOAT, formula, HEAD, Row, SINGLE, Table
from dq_ik.core.memory.views import DTYPES, read
from dq_ik.native.load import door, fault_of
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

TABLES = {table.name: table for table in (ROBOT, REQUEST, ANSWER, WORK, PACKING)}
each_table = pytest.mark.parametrize('table', TABLES.values(), ids=TABLES)
QUICK = settings(max_examples=25, deadline=None)


def sizes_of(table: Table) -> st.SearchStrategy[dict[str, int]]:
    """Draw sizes of a table, none and one among them."""
    return st.fixed_dictionaries({size: st.integers(0, 9) for size in table.sizes})


def in_order(table: Table, sizes: dict[str, int]) -> list[int]:
    """Return sizes in the order of the table."""
    return [sizes[name] for name in table.sizes]


@each_table
@QUICK
@given(data=st.data())
def test_fields_follow_one_another_and_fill_the_block(table, data):
    sizes = data.draw(sizes_of(table))
    place = table.head
    for name, found in table.slices(**sizes).items():
        assert found.start == place, name
        place = found.stop
    assert place == table.size(sizes) == len(table.new(**sizes))


@each_table
@QUICK
@given(data=st.data())
def test_views_of_python_have_the_shapes_and_places_of_the_table(table, data):
    sizes = data.draw(sizes_of(table))
    block = table.new(**sizes)
    view, begin = read(table, block), block.ctypes.data
    assert {size: getattr(view, size) for size in table.sizes} == sizes
    for name, place in table.slices(**sizes).items():
        field, found = table.fields[name], getattr(view, name)
        assert found.dtype == DTYPES[field.kind]
        assert found.shape == tuple(formula(size, sizes) for size in field.shape)
        assert found.nbytes <= 8 * (place.stop - place.start) < found.nbytes + 8
        if found.size:
            assert found.ctypes.data == begin + 8 * place.start
            assert found.flags.writeable


@each_table
def test_what_is_written_to_a_field_stays_there(table):
    sizes = dict.fromkeys(table.sizes, 3)
    block = table.new(**sizes)
    view = read(table, block)
    for number, name in enumerate(table.fields):
        getattr(view, name)[...] = number + 1
    for number, name in enumerate(table.fields):
        assert np.all(getattr(view, name) == number + 1), name
    head = block[:table.head].view(np.int64).tolist()
    assert head == [table.id, len(block), *sizes.values()]


def test_tables_differ_and_know_their_numbers():
    assert len({table.id for table in TABLES.values()}) == len(TABLES)
    for table in TABLES.values():
        changed = Table(table.name, table.sizes, list(table.fields.values())[::-1])
        assert changed.id != table.id


def test_columns_of_a_row_follow_one_another():
    row = Row(a=2, b=1, c=4)
    assert (row.places, row.width) == ((0, 2, 3), 7)


# --- views of kernels ----------------------------------------------------------------------------


@cache
def looked(table: Table) -> Any:
    """Return a compiled function that writes where the fields are, and how large."""
    import numba
    lines = ['view = see(address(block, 0))']
    for k, field in enumerate(table.fields.values()):
        if not field.shape:
            lines.append(f'out[{k}, 0] = view.{field.name}')
            continue
        lines.append(f'out[{k}, 0] = view.{field.name}.ctypes.data')
        lines += [f'out[{k}, {1 + i}] = view.{field.name}.shape[{i}]'
                  for i in range(len(field.shape))]
    lines += [f'sizes[{i}] = view.{size}' for i, size in enumerate(table.sizes)]
    names = {'see': views.view(table), 'address': address}
    exec('def look(block, out, sizes):\n    ' + '\n    '.join(lines), names)
    return numba.njit(names['look'])


@cache
def compiled_kernels(table: Table) -> tuple[Any, Any]:
    """Return the kernels that count the words of a block and write its head."""
    import numba
    sizes = ', '.join(table.sizes)
    names = {'size': views.size(table), 'begin': views.begin(table), 'address': address}
    exec(f'def count({sizes}):\n    return size({sizes})\n'
         f'def start(block, {sizes}):\n    begin(address(block, 0), {sizes})\n', names)
    return numba.njit(names['count']), numba.njit(names['start'])


@pytest.mark.skipif(not FRONT_END, reason='about compiled code')
@each_table
@QUICK
@given(data=st.data())
def test_compiled_views_are_those_of_python(table, data):
    sizes = data.draw(sizes_of(table))
    block = table.new(**sizes)
    view, numbers = read(table, block), {}
    for k, field in enumerate(table.fields.values()):
        if not field.shape:  # numbers are read
            numbers[field.name] = k + 5
            getattr(view, field.name)[...] = k + 5
    out, found = np.full((len(table.fields), 3), -1), np.empty(len(table.sizes), int)
    looked(table)(block, out, found)
    assert found.tolist() == in_order(table, sizes)
    for (name, place), row in zip(table.slices(**sizes).items(), out.tolist()):
        if name in numbers:
            assert row[0] == numbers[name]
            continue
        assert row[0] == block.ctypes.data + 8 * place.start, name
        shape = getattr(view, name).shape
        assert tuple(row[1:1 + len(shape)]) == shape, name


@pytest.mark.skipif(not FRONT_END, reason='about compiled code')
@each_table
@QUICK
@given(data=st.data())
def test_compiled_sizes_and_heads_are_those_of_the_table(table, data):
    sizes = data.draw(sizes_of(table))
    count, start = compiled_kernels(table)
    assert count(*in_order(table, sizes)) == table.size(sizes)
    block = np.zeros(table.size(sizes))
    start(block, *in_order(table, sizes))
    np.testing.assert_array_equal(block.view(np.int64), table.new(**sizes).view(np.int64))


@each_table
def test_sizes_as_written_are_those_of_the_table(table):
    for value in (0, 1, 4, 7):
        sizes = dict.fromkeys(table.sizes, value)
        assert views.size(table)(**sizes) == table.size(sizes)


def test_single_numbers_share_words():
    for count in range(5):
        field = next(field for field in WORK.fields.values() if field.kind == SINGLE)
        assert formula(field.words, {'n_stored': count}) == math.ceil(count / 2)
    assert all(field.kind == FLOAT for field in REQUEST.fields.values() if field.shape)


# --- heads ---------------------------------------------------------------------------------------


class Called:
    """A robot, a request and memory, and the entries that take them."""

    def __init__(self, name: str = 'panda') -> None:
        """Prepare everything that is needed for good calls."""
        self.chain = arm(name)
        solver = Solver(self.chain)
        self.robot, self.request = solver._robot, solver._requests.template
        self.memory = np.empty(solver._memory_size)
        self.answer = np.empty(solver._answer_size)
        self.q = self.chain.neutral.copy()

    def results(self, robot: np.ndarray) -> dict[str, int]:
        """Return what all entries say to a robot."""
        entries, n = door().entries, self.chain.n
        return {
            'request_size': entries['request_size'](robot),
            'request': entries['request'](robot, self.request.copy()),
            'memory_size': entries['memory_size'](robot),
            'solve': self.solve(robot, self.request),
            'fk': entries['fk'](robot, self.q, 1, 0, np.empty(8), self.memory),
            'jacobian': entries['jacobian'](robot, self.q, 1, 0, np.zeros(3), 0, None, 0,
                                            np.empty(6 * n), self.memory),
            'spread': entries['spread'](robot, self.q, 1, np.empty(n)),
            'clamp': entries['clamp'](robot, self.chain.lower, self.chain.upper, self.q, 1,
                                      np.empty(n), np.empty(n)),
        }

    def solve(self, robot: np.ndarray, request: np.ndarray, rows: int = 1) -> int:
        """Return what the solve says."""
        answers = np.empty(rows * len(self.answer))
        return door().entries['solve'](robot, request, rows, None, 0, 0, None, 0, 0.0, answers,
                                       rows, self.memory)


def with_head(block: np.ndarray, place: int, value: int) -> np.ndarray:
    """Return a copy with another number in its head."""
    changed = block.copy()
    changed[:HEAD + 3].view(np.int64)[place] = value
    return changed


def test_good_blocks_are_taken():
    called = Called()
    assert all(result >= 0 for result in called.results(called.robot).values())


@pytest.mark.parametrize('kind', ['request', 'answer', 'packing', 'zeros', 'not a number',
                                  'another version', 'truncated', 'another size'])
def test_a_block_that_is_no_robot_is_refused_by_every_entry(kind):
    called = Called()
    robot, length = called.robot, len(called.robot)
    wrong = {
        'request': called.request, 'zeros': np.zeros(length),
        'not a number': np.full(length, np.nan),
        'answer': ANSWER.new(n=7, n_tips=1, max_solutions=3, max_trace=2),
        'packing': PACKING.new(n_joints=9), 'another version': with_head(robot, 0, ROBOT.id + 1),
        'truncated': with_head(robot[:length // 2], 1, length // 2),
        'another size': with_head(robot, HEAD, called.chain.n + 1)}[kind]
    for name, result in called.results(wrong).items():
        assert result < 0, name
        assert fault_of(result) == (Fault.WRONG_BLOCK, 0), name


@pytest.mark.parametrize('kind', ['robot', 'zeros', 'another version', 'truncated',
                                  'another size'])
def test_a_block_that_is_no_request_is_refused(kind):
    called = Called()
    request, length = called.request, len(called.request)
    wrong = {
        'robot': called.robot, 'zeros': np.zeros(length),
        'another version': with_head(request, 0, REQUEST.id + 1),
        'truncated': with_head(request[:length // 2], 1, length // 2),
        'another size': with_head(request, HEAD, called.chain.n - 1)}[kind]
    assert fault_of(called.solve(called.robot, wrong)) == (Fault.WRONG_BLOCK, 0)
    assert fault_of(door().entries['answer_size'](wrong)) == (Fault.WRONG_BLOCK, 0)


def test_a_request_of_another_robot_is_refused_and_its_row_named():
    called, other = Called('panda'), Called('arm6')
    assert fault_of(called.solve(called.robot, other.request)) == (Fault.WRONG_BLOCK, 0)
    rows = np.concatenate([called.request, with_head(called.request, HEAD + 1, 2)])
    assert fault_of(called.solve(called.robot, rows, rows=2)) == (Fault.WRONG_BLOCK, 1)


def test_a_tip_that_there_is_not_is_refused():
    called = Called()
    for tip in (-1, 1, 2**40):
        result = door().entries['jacobian'](
            called.robot, called.q, 1, tip, np.zeros(3), 0, None, 0, np.empty(42), called.memory)
        assert fault_of(result) == (Fault.OUT_OF_RANGE, 0)


def test_numbers_that_are_not_finite_are_refused_and_their_row_named():
    called = Called()
    q = np.zeros((3, 7))
    q[2, 4] = math.nan
    entries = door().entries
    assert fault_of(entries['fk'](called.robot, q, 3, 0, np.empty(24), called.memory)) == (
        Fault.VECTOR_NOT_FINITE, 2)
    answers = np.empty(3 * len(called.answer))
    assert fault_of(entries['solve'](called.robot, called.request, 1, None, 0, 0, q, 3, 0.0,
                                     answers, 3, called.memory)) == (Fault.VECTOR_NOT_FINITE, 2)
