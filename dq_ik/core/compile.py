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

``kernel`` is for small functions, ``routine`` for larger ones, ``entry`` for those called from
Python. All compile with numba. Without numba the same functions run as plain Python: slow but
right, with one warning.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
import hashlib
import os
from pathlib import Path
import sys
import tempfile
from typing import Any
import warnings

try:
    import numba
except ImportError:  # pragma: no cover - exercised in a subprocess by the tests
    numba = None
    warnings.warn(
        'numba is not installed: dq_ik runs uncompiled, about a thousand times slower. '
        "Install it with 'pip install numba' or 'apt install python3-numba'.", RuntimeWarning,
        stacklevel=2)

COMPILED = numba is not None and not numba.config.DISABLE_JIT

# Nothing that Python calls; less to compile.
FOR_KERNELS_ONLY = {'no_cpython_wrapper': True, 'no_cfunc_wrapper': True}
# Reordering and fused multiply-add, but NaN stays NaN: the solver must see it.
FAST_MATH = {'reassoc', 'contract', 'arcp', 'nsz', 'afn'}


def _compiler(**flags: Any) -> Callable[[Callable], Callable]:
    if numba is None:
        return lambda function: function
    return numba.njit(nogil=True, error_model='numpy', fastmath=FAST_MATH, **flags)


def kernel(function: Callable) -> Callable:
    """Compile a small function of a hot loop: it is always inlined, by other kernels only."""
    return _for_kernels(_compiler(forceinline=True, **FOR_KERNELS_ONLY)(function), function)


def routine(function: Callable) -> Callable:
    """Compile a larger function: it is compiled once and called, by other kernels only."""
    return _for_kernels(_compiler(**FOR_KERNELS_ONLY)(function), function)


def _for_kernels(compiled: Any, function: Any) -> Callable:
    """Let compiled code call the compiled function; Python calls it as it is written."""
    if COMPILED:
        function.compiled = compiled
        function._numba_type_ = compiled._numba_type_
    return function


def entry(function: Callable) -> Callable:
    """
    Compile a function that Python calls; the machine code is kept on disk between runs.

    Numba looks only at the file of the function itself to see whether the code on disk is stale;
    here all files of the core count.
    """
    compiled: Any  # a dispatcher of numba
    try:
        compiled = _compiler(cache=True)(function)
    except RuntimeError:  # neither the package nor the home folder is writable
        numba.config.CACHE_DIR = os.environ['NUMBA_CACHE_DIR'] = os.path.join(
            tempfile.gettempdir(), f'dq_ik_cache_{os.getuid()}')
        compiled = _compiler(cache=True)(function)
    if COMPILED:
        compiled._cache._cache_file._source_stamp = _core_digest()
    return compiled


def bound(function: Any, *arguments: Any) -> Callable:
    """
    Return an entry for arguments of the types of these, compiled or read from disk.

    Calls save the search for the right types, a third of a microsecond. Nothing checks the types
    any more: contiguous arrays of the same kinds must be given.
    """
    if not COMPILED:
        return function
    types = tuple(numba.typeof(argument) for argument in arguments)
    function.compile(types)
    return function.get_overload(types)


def is_ready(function: Any) -> bool:
    """Tell whether an entry runs at once: compiled here or on disk, or never to be compiled."""
    if not COMPILED or function.signatures:
        return True
    return bool(function._cache._cache_file._load_index())


@cache
def announce(function: Any) -> None:
    """Say that an entry will be compiled, if it has to be."""
    if not is_ready(function):
        print('dq_ik: compiling the solver, once; this takes about a minute', file=sys.stderr)


def _core_digest() -> str:
    """Return a digest of the sources of the core."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob('*.py')):
        digest.update(path.read_bytes())
    return digest.hexdigest()
