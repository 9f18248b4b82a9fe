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

"""Kinds of processors that the library is emitted for, and which of them this machine has."""

from __future__ import annotations

from pathlib import Path
import platform
from typing import NamedTuple


class Level(NamedTuple):
    """One kind of processor: its architecture, LLVM's name, the features that gcc can ask for."""

    architecture: str  # as uname -m and the macros of C name it
    cpu: str
    features: tuple[str, ...] = ()


_V2 = ('ssse3', 'sse4.1', 'sse4.2', 'popcnt')
_V3 = (*_V2, 'avx', 'avx2', 'bmi', 'bmi2', 'fma')
_V4 = (*_V3, 'avx512f', 'avx512bw', 'avx512cd', 'avx512dq', 'avx512vl')
# The better ones last.
LEVELS = {
    'v2': Level('x86_64', 'x86-64-v2', _V2),
    'v3': Level('x86_64', 'x86-64-v3', _V3),
    'v4': Level('x86_64', 'x86-64-v4', _V4),
    'aarch64': Level('aarch64', 'generic'),
}
_IN_CPUINFO = {'sse4.1': 'sse4_1', 'sse4.2': 'sse4_2', 'bmi': 'bmi1'}


def levels_of(machine: str) -> list[str]:
    """Return the levels of an architecture, by the name that ``uname -m`` gives it."""
    name = machine.lower()
    wanted = {'amd64': 'x86_64', 'arm64': 'aarch64'}.get(name, name)
    return [key for key, level in LEVELS.items() if level.architecture == wanted]


def own_level() -> str:
    """Return the best level of this machine; the lowest where its features are not known."""
    own = levels_of(platform.machine())
    if not own:
        raise LookupError(f'no level of the library is for {platform.machine()}')
    try:
        lines = Path('/proc/cpuinfo').read_text().splitlines()
    except OSError:
        return own[0]
    flags = next((set(line.split(':', 1)[1].split()) for line in lines
                  if line.startswith('flags')), set())
    usable = [key for key in own if all(
        _IN_CPUINFO.get(name, name) in flags for name in LEVELS[key].features)]
    return (usable or own[:1])[-1]
