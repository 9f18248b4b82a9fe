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
"""Helpers of the tests: compiled and plain functions, samples of rotations, finite differences."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
import inspect
import math
from typing import Any, NamedTuple

from dq_ik.core.compile import FRONT_END
from dq_ik.core.memory import blocks
from dq_ik.core.memory.arrays import address
from dq_ik.core.memory.layout import PACKING, REQUEST, ROBOT, WORK
from dq_ik.core.memory.table import Table
from dq_ik.core.memory.views import read
from hypothesis import strategies as st
import numpy as np
from numpy.typing import ArrayLike

BOTH = ('compiled', 'plain') if FRONT_END else ('plain',)  # no compiler, nothing compiled
VIEWS = {ROBOT: blocks.view_robot, REQUEST: blocks.view_request, WORK: blocks.view_work,
         PACKING: blocks.view_packing}


class Seen(NamedTuple):
    """A block that a kernel takes as a view."""

    table: Table
    block: np.ndarray


def variant(kernel: Callable, how: str) -> Callable:
    """Return a kernel as numba compiles it, or as it is written (and where there is no numba)."""
    return compiled(kernel) if how == 'compiled' and FRONT_END else kernel


def call(kernel: Callable, how: str, *arguments: Any) -> Any:
    """Call a kernel of which some arguments are :class:`Seen`."""
    tables = tuple(a.table if isinstance(a, Seen) else None for a in arguments)
    if how == 'compiled' and FRONT_END:
        return compiled_with_views(kernel, tables)(
            *(a.block if isinstance(a, Seen) else a for a in arguments))
    return kernel(*(read(*a) if isinstance(a, Seen) else a for a in arguments))


@cache
def compiled_with_views(kernel: Callable, tables: tuple[Table | None, ...]) -> Callable:
    """Return a compiled function that takes blocks and hands on views of their tables."""
    import numba
    names = [f'a{i}' for i in range(len(tables))]
    given = [f'view{i}(address({name}, 0))' if table else name
             for i, (name, table) in enumerate(zip(names, tables))]
    views = {f'view{i}': VIEWS[table] for i, table in enumerate(tables) if table}
    return numba.njit(eval(f"lambda {', '.join(names)}: kernel({', '.join(given)})",
                           {'kernel': kernel, 'address': address, **views}))


@cache
def compiled(kernel: Callable) -> Callable:
    """Return a function that Python can call and that calls a compiled kernel."""
    import numba
    names = ', '.join(inspect.signature(kernel).parameters)
    return numba.njit(eval(f'lambda {names}: kernel({names})', {'kernel': kernel}))


def close(actual: ArrayLike, expected: ArrayLike, atol: float) -> None:
    """Assert that all numbers differ by at most ``atol``."""
    np.testing.assert_allclose(actual, expected, rtol=0, atol=atol)


def assert_derivative(f: Callable[[np.ndarray], np.ndarray], J: np.ndarray, q: np.ndarray,
                      atol: float = 1e-7, h: float = 1e-6) -> None:
    """
    Compare a Jacobian with central differences.

    :param f: function of a vector (n,) to a vector (m,).
    :param J: claimed derivative at q, shape (m, n).
    :param q: where.
    :param atol: greatest difference allowed in any entry; differencing itself errs by about 1e-9.
    :param h: step.
    """
    steps = h * np.eye(len(q))
    columns = [(np.asarray(f(q + e)) - np.asarray(f(q - e))) / (2 * h) for e in steps]
    close(J, np.array(columns).T.reshape(np.shape(J)), atol)


def _unit(v: tuple[float, ...]) -> tuple[float, ...]:
    length = math.sqrt(sum(c * c for c in v))
    return tuple(c / length for c in v)


@st.composite
def unit_vectors(draw: st.DrawFn) -> tuple[float, float, float]:
    """Draw points of the sphere."""
    z = draw(st.floats(-1, 1))
    angle = draw(st.floats(-math.pi, math.pi))
    radius = math.sqrt(1 - z * z)
    return _unit((radius * math.cos(angle), radius * math.sin(angle), z))


@st.composite
def rotation_vectors(draw: st.DrawFn, longest: float = math.pi) -> tuple[float, float, float]:
    """Draw rotations of any angle, near the identity (1e-7), and near a half turn."""
    axis = draw(unit_vectors())
    angle = draw(st.one_of(st.floats(0, longest), st.floats(0, 1e-7),
                           st.floats(math.pi - 1e-7, math.pi), st.sampled_from([0.0, math.pi])))
    return tuple(angle * c for c in axis)


@st.composite
def unit_quaternions(draw: st.DrawFn) -> tuple[float, float, float, float]:
    """Draw unit quaternions of both signs, with the angles of :func:`rotation_vectors`."""
    x, y, z = draw(rotation_vectors())
    angle = math.sqrt(x * x + y * y + z * z)
    sign = draw(st.sampled_from([1.0, -1.0]))
    factor = sign * (math.sin(angle / 2) / angle if angle else 0.5)
    return _unit((sign * math.cos(angle / 2), factor * x, factor * y, factor * z))


def vectors(size: float = 10.0) -> st.SearchStrategy[tuple[float, float, float]]:
    """Draw points of a cube."""
    return st.tuples(*[st.floats(-size, size)] * 3)


@st.composite
def poses(draw: st.DrawFn) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Draw unit dual quaternions ``(real, dual)`` with translations of up to 10 m."""
    w, x, y, z = draw(unit_quaternions())
    a, b, c = draw(vectors())
    dual = (-a * x - b * y - c * z, a * w + b * z - c * y,
            b * w + c * x - a * z, c * w + a * y - b * x)
    return (w, x, y, z), tuple(0.5 * d for d in dual)
