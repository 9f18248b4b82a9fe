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
The decorators of the core.

``kernel`` is for small functions, ``routine`` for larger ones. Python calls both as they are
written. The library is built from them by numba (:mod:`dq_ik.native.build`); in that process, and
in tests of compiled kernels, the environment variable ``DQ_IK_KERNELS`` is ``numba``.
"""

from __future__ import annotations

from collections.abc import Callable
import os
from typing import Any

FRONT_END = os.environ.get('DQ_IK_KERNELS') == 'numba'
# An index out of range ends the call with a status; for tests, at a third of the speed.
CHECKED = os.environ.get('DQ_IK_CHECKED') == '1'

# Reordering and fused multiply-add, but NaN stays NaN: the solver must see it.
FAST_MATH = {'reassoc', 'contract', 'arcp', 'nsz', 'afn'}

if FRONT_END:
    import numba


def compiler(**flags: Any) -> Callable[[Callable], Callable]:
    """Return numba's decorator for code that nothing but compiled code calls."""
    return numba.njit(nogil=True, error_model='numpy', fastmath=FAST_MATH, boundscheck=CHECKED,
                      no_cpython_wrapper=True, no_cfunc_wrapper=True, **flags)


def kernel(function: Callable) -> Callable:
    """Mark a small function of a hot loop: compiled code inlines it always."""
    return _compiled(function, forceinline=True)


def routine(function: Callable) -> Callable:
    """Mark a larger function: compiled code calls it."""
    return _compiled(function)


def _compiled(function: Any, **flags: Any) -> Callable:
    """Let compiled code call the compiled function; Python calls it as it is written."""
    if FRONT_END:
        function.compiled = compiler(**flags)(function)
        function._numba_type_ = function.compiled._numba_type_
    return function
