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

"""What is costly to compute, kept in the user's own folder under a digest of where it is from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import contextlib
import hashlib
import io
import os
from pathlib import Path
from threading import get_ident

from dq_ik.native.files import cache_folder, is_private
import numpy as np

CODE = [Path(__file__).with_name(name) for name in ('convex.py', 'cut.py', 'pairs.py')]
SEAL = hashlib.sha256().digest_size


def digest(*parts: bytes | str) -> str:
    """Return a name for some contents, and for the code that computes with them."""
    found = hashlib.sha256()
    for path in CODE:
        found.update(path.read_bytes())
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        found.update(f'{len(data)} '.encode() + data)
    return found.hexdigest()[:32]


def cached(name: str, make: Callable[[], Sequence[np.ndarray]]) -> list[np.ndarray]:
    """
    Return arrays that were kept under a digest, or make and keep them.

    A folder that others may write to is not used; one that cannot be written is no error.
    """
    folder = cache_folder()
    path = folder / f'collision_{name}.npz'
    if is_private(folder) and (kept := _read(path)) is not None:
        return kept
    arrays = list(make())
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if is_private(folder):
            own = path.with_name(f'{path.name}.{os.getpid()}.{get_ident()}')
            _write(own, arrays)
            own.replace(path)
    return arrays


def _write(path: Path, arrays: Sequence[np.ndarray]) -> None:
    """Write arrays behind a digest of their bytes: no damage may cost a piece."""
    data = io.BytesIO()
    np.savez(data, *arrays)
    path.write_bytes(hashlib.sha256(data.getvalue()).digest() + data.getvalue())


def _read(path: Path) -> list[np.ndarray] | None:
    """Return the arrays of a file; None: there is none, or it is damaged."""
    try:
        kept = path.read_bytes()
    except OSError:
        return None
    seal, data = kept[:SEAL], kept[SEAL:]
    if hashlib.sha256(data).digest() != seal:
        return None
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return [arrays[key] for key in arrays.files]
