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
"""Where a stream starts: at the joints as they are measured."""

from __future__ import annotations

from dq_ik.ros.description import CurrentState
from dq_ik.stream.tracker import Tracker
import numpy as np

REST = 1.0  # after such a pause somebody else may have moved the arm [s]
MOVED = 1e-3  # by more than this [rad or m]


def was_moved(stream: Tracker, state: CurrentState, now: float) -> bool:
    """Tell whether somebody else moved the arm while no goals came."""
    chain, age = stream.chain, stream.goal_age(now)
    if stream.pending or age is None or age < REST:
        return False
    if not state.knows(chain.angles.names, now - REST):
        return False
    measured = chain.configuration(state.positions, strict=False)
    return bool(np.abs(measured - stream.command).max(initial=0.0) > MOVED)
