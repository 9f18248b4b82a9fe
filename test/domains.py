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
"""Domains of ROS that nobody else on this machine uses, also beside other runs of the tests."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
import tempfile
from typing import IO

COUNT = 100  # from 102 on, the ports of DDS are those that a system gives to anybody
_KEPT: list[IO] = []


def reserve() -> int:
    """Return a domain that no other run has; it is ours until this process ends."""
    for step in range(COUNT):
        number = 1 + (os.getpid() + step) % COUNT
        try:
            file = (Path(tempfile.gettempdir()) / f'dq_ik_domain_{number}').open('a')
        except OSError:  # of another user
            continue
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            continue
        _KEPT.append(file)
        return number
    raise RuntimeError(f'all {COUNT} domains of ROS are in use')
