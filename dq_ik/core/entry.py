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

"""What the entries of the library share: their table, and results that say what is wrong."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dq_ik.core.blocks import view_request, view_robot
from dq_ik.core.compile import kernel
from dq_ik.core.layout import REQUEST, ROBOT
from dq_ik.core.memory import integers, vector

Numbers = np.ndarray  # read
NumbersOut = np.ndarray  # written

ENTRIES: dict[str, Callable] = {}
ROBOT_ID, REQUEST_ID = ROBOT.id, REQUEST.id
FAULTS = 32  # more than there are


def entry(function: Callable) -> Callable:
    """Let the library export a function."""
    ENTRIES[function.__name__] = function
    return function


@kernel
def fault(kind, row):
    """Return the result that says what is wrong with which row."""
    return -(FAULTS * row + kind)


@kernel
def is_robot(robot):
    """Tell whether a block is a robot of this version."""
    return vector(integers(robot, 0), 0, 1)[0] == ROBOT_ID


@kernel
def is_request(request, robot):
    """Tell whether a block is a request of this version, for this robot."""
    asked, tree = view_request(request), view_robot(robot)
    return (vector(integers(request, 0), 0, 1)[0] == REQUEST_ID and asked.n == tree.n
            and asked.n_tips == tree.n_tips)
