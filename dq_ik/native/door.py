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
The door in Python: what ``door.c`` does, over entries that are called otherwise.

The entries may be the kernels as they are written, or machine code that is called by ctypes. It is
slower than the door in C and does the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
import ctypes
from functools import partial
from typing import Any

from dq_ik.core.entries.exports import ENTRIES
from dq_ik.core.entries.pose_input import PoseKind
from dq_ik.native.calls import arguments
import numpy as np

Entries = Mapping[str, Callable[..., int]]
NO_NUMBERS = np.empty(0)
ORIGIN = np.zeros(3)
N_SIZES = 4  # words of the heads that are read here: table, length, n, n_tips


class Door:
    """A door: its entries by name, and the types ``Robot`` and ``Solver`` made of them."""

    def __init__(self, entries: Entries, kind: str, level: str = '', engine: Any = None) -> None:
        """
        Take over entries that accept NumPy arrays for addresses, and None for no address.

        :param kind: for people: how the entries are called
        :param level: of the processor
        :param engine: what keeps the entries alive
        """
        self.entries, self.kind, self.level, self._engine = entries, kind, level, engine
        self.Robot, self.Solver = partial(Robot, entries), partial(Solver, entries)


class Robot:
    """
    A robot, for calls with single configurations.

    Each answers None where it must be asked with a contiguous array of float64.
    """

    def __init__(self, entries: Entries, block: np.ndarray) -> None:
        """Note the sizes of a robot's block."""
        self._entries, self._block = entries, block
        self._memory_size = entries['memory_size'](block) if _is_whole(block) else -1
        if self._memory_size < 0:
            raise ValueError('this block is no robot of this version')
        self._n, self._n_tips = _sizes(block)

    def fk(self, q: Any, tip: int) -> Any:
        """Return (real, dual) of a tip's pose, or a number below zero."""
        if not _is_vector(q, self._n):
            return None
        if not 0 <= tip < self._n_tips:
            raise IndexError('there is no such tip')
        poses = np.empty(8 * self._n_tips)
        result = self._entries['fk'](self._block, q, 1, 0, poses, np.empty(self._memory_size))
        if result < 0:
            return result
        numbers = poses[8 * tip:8 * tip + 8].tolist()
        return tuple(numbers[:4]), tuple(numbers[4:])

    def jacobian(self, q: Any, tip: int, point: np.ndarray | None, body: bool,
                 out: np.ndarray) -> Any:
        """Write a Jacobian (6, n); return 0 or a number below zero."""
        if not _is_vector(q, self._n):
            return None
        return self._entries['jacobian'](
            self._block, q, 1, tip, ORIGIN if point is None else point, int(body), NO_NUMBERS, 0,
            out, np.empty(self._memory_size))


class Solver(Robot):
    """A robot and a request, for single solves."""

    def __init__(self, entries: Entries, robot: np.ndarray, request: np.ndarray) -> None:
        """Note the sizes."""
        super().__init__(entries, robot)
        self._request = request
        if (not _is_whole(request) or entries['answer_size'](request) < 0
                or _sizes(request) != _sizes(robot)):
            raise ValueError('this block is no request for this robot')

    def solve(self, goal: Any, seed: Any, timeout: float, answer: np.ndarray,
              links: np.ndarray | None = None, scene: np.ndarray | None = None,
              contact: np.ndarray | None = None) -> Any:
        """
        Write the answer and return its status; None: goal or seed must be converted first.

        :param links: with scene and contact, for an answer that is free of collisions
        """
        seeded = seed is not None
        kind = {(4, 4): PoseKind.MATRIX, (8,): PoseKind.DUAL_QUATERNION}.get(
            getattr(goal, 'shape', ()))
        if (self._n_tips != 1 or kind is None or not _is_numbers(goal)
                or (seeded and not _is_vector(seed, self._n))):
            return None
        given = (self._block, self._request, 1, goal.reshape(-1), int(kind), 1,
                 seed if seeded else NO_NUMBERS, int(seeded), timeout)
        memory = np.empty(self._memory_size)
        if scene is None:
            return self._entries['solve'](*given, answer, 1, memory)
        more = self._entries['scene_memory_size'](links, scene) if _is_whole(
            links) and _is_whole(scene) else -1
        if more < 0:
            raise ValueError('these blocks are no scene of this version')
        return self._entries['solve_free'](*given, links, scene, answer, contact, 1, memory,
                                           np.empty(more))


def _is_whole(block: np.ndarray | None) -> bool:
    """Tell whether a block has the length that its head states."""
    return (block is not None and len(block) >= N_SIZES
            and int(block[:2].view(np.int64)[1]) == len(block))


def _sizes(block: np.ndarray) -> list[int]:
    """Return the numbers of variables and of tips of a robot or a request."""
    return block[2:N_SIZES].view(np.int64).tolist()


def _is_numbers(value: Any) -> bool:
    return (isinstance(value, np.ndarray) and value.dtype == np.float64
            and value.flags.c_contiguous)


def _is_vector(value: Any, n: int) -> bool:
    return _is_numbers(value) and value.shape == (n,)


def plain_entries() -> Entries:
    """Return the entries as they are written."""
    def called(function: Callable[..., int]) -> Callable[..., int]:
        def call(*values: Any) -> int:
            with np.errstate(all='ignore'):
                return int(function(*(NO_NUMBERS if value is None else value.reshape(-1)
                                      if isinstance(value, np.ndarray) else value
                                      for value in values)))
        return call
    return {name: called(function) for name, function in ENTRIES.items()}


def ctypes_entries(address: Callable[[str], int]) -> Entries:
    """
    Return the entries of machine code.

    :param address: gives the address of a C function by its name
    """
    kinds: dict[str, Any] = {'int': ctypes.c_int64, 'float': ctypes.c_double}

    def called(name: str) -> Callable[..., int]:
        given = [kinds.get(kind, ctypes.c_void_p) for kind in arguments(name).values()]
        native = ctypes.CFUNCTYPE(ctypes.c_int64, *given)(address(f'dq_ik_{name}'))
        return lambda *values: native(*(
            value.ctypes.data if isinstance(value, np.ndarray) else value for value in values))
    return {name: called(name) for name in ENTRIES}
