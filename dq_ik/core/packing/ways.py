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

"""The way from each tip to the base: the screws that move the tip, and the variables of these."""

from dq_ik.core.algebra.vector import fill
from dq_ik.core.compile import kernel, routine
from dq_ik.core.memory import layout as core


@routine
def fill_ways(mark, tree_out):
    """
    Write paths and slots of all tips of a tree whose elements and tips are there.

    :param mark: work array of as many integers as there are variables, or more
    """
    fill(0, mark)
    path = 0
    slot = 0
    for tip in range(tree_out.tip.shape[0]):
        row = tree_out.tip_index[tip]
        row[core.PATH_START], row[core.SLOT_START] = path, slot
        path, lowest, highest = _mark(tree_out, row[core.TIP_ELEMENT], path, mark)
        slot = _number(lowest, highest, slot, mark, tree_out.slot)
        row[core.PATH_STOP], row[core.SLOT_STOP] = path, slot
        _fill_path(tree_out, row, mark)
        for k in range(row[core.SLOT_START], slot):
            mark[tree_out.slot[k]] = 0


@kernel
def _mark(tree, element, path, mark):
    """Mark the variables from an element to the base; return the end of the path, their range."""
    lowest = mark.shape[0]
    highest = -1
    while element >= 0:
        first = tree.index[element, core.VARIABLE]
        size = _size(tree, element)
        for variable in range(first, first + size):
            mark[variable] = 1
        lowest = min(lowest, first)
        highest = max(highest, first + size - 1)
        path += size
        element = tree.index[element, core.PARENT]
    return path, lowest, highest


@kernel
def _number(lowest, highest, slot, mark, slot_out):
    """Give the marked variables, in order, the next slots; marks become slots, from 1 on."""
    for variable in range(lowest, highest + 1):
        if mark[variable] != 0:
            slot_out[slot] = variable
            slot += 1
            mark[variable] = slot
    return slot


@kernel
def _fill_path(tree, row, mark):
    """Write the screws of one tip in order; a slot's mark is negative once it was met."""
    element = row[core.TIP_ELEMENT]
    stop = row[core.PATH_STOP]
    while element >= 0:
        size = _size(tree, element)
        stop -= size
        for k in range(size):
            tree.path[stop + k, 0] = tree.index[element, core.SCREW] + k
            tree.path[stop + k, 1] = tree.index[element, core.VARIABLE] + k
        element = tree.index[element, core.PARENT]
    for k in range(row[core.PATH_START], row[core.PATH_STOP]):
        variable = tree.path[k, 1]
        tree.path[k, 2] = 1 if mark[variable] > 0 else 0
        tree.path[k, 1] = abs(mark[variable]) - 1
        mark[variable] = -abs(mark[variable])


@kernel
def _size(tree, element):
    """Count the screws, and so the variables, of an element."""
    return 3 if tree.index[element, core.ELEMENT_KIND] == core.BALL else 1
