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

"""The steady clock in seconds, readable inside kernels at about 20 ns a reading."""

from __future__ import annotations

import time

from dq_ik.core.compile import FRONT_END, kernel

MANY = 24  # joints of a chain whose every step takes far longer than a look at the clock

if FRONT_END:
    from numba import types

    _CLOCK = int(time.CLOCK_MONOTONIC)
    _clock_gettime = types.ExternalFunction(
        'clock_gettime', types.int32(types.int32, types.uintp))

    @kernel
    def seconds(timespec):
        """Steady time [s]; ``timespec`` is an int64 array of two, the buffer of the call."""
        _clock_gettime(_CLOCK, timespec.ctypes.data)
        return timespec[0] + 1e-9 * timespec[1]
else:
    def seconds(timespec):
        """Steady time [s]; the buffer is not needed here."""
        return time.monotonic()


@kernel
def is_over(work):
    """Tell whether the time of a solve is over."""
    return seconds(work.clock) > work.deadline[0]


@kernel
def is_over_in_step(work, n):
    """Do as :func:`is_over` in the midst of a step, if n joints are so many that it pays."""
    return n >= MANY and is_over(work)
