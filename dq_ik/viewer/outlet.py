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
"""Where a page sends what its user does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dq_ik.goal import Goal
from dq_ik.pose import Pose
from dq_ik.viewer.surroundings import Surroundings


@dataclass(frozen=True)
class Outlet:
    """
    Where the page sends what its user does; called on viser's loop or in :meth:`Page.tick`.

    :param goal: a tip and its goal: the pose it shall take in the frame of the chain's base, a
        Goal that looks at a point, or one that is relative to another tip
    :param option: name and value of a setting: ``method``, ``mode``, ``position_only``,
        ``velocity_scaling``, ``collision``
    :param twist: a tip, its twist (linear first, m/s and rad/s), and the frame whose axes it is
        along; None: the page has no buttons to jog
    :param robots: names of robots, the one that is shown first, and what shows another one; None:
        there is no choice
    :param tool: the tool on the only tip, and what puts another one there; None: it cannot be
        changed
    :param joints: velocities by joint name [rad/s or m/s], which count for a moment; None: the
        page cannot move joints
    :param surroundings: the objects around the robot, and its bodies; None: the page has no part
        for them
    """

    goal: Callable[[str, Goal | Pose], None]
    option: Callable[[str, str | bool | float], None]
    twist: Callable[[str, Sequence[float], str], None] | None = None
    joints: Callable[[dict[str, float]], None] | None = None
    surroundings: Surroundings | None = None
    robots: tuple[Sequence[str], Callable[[str], None]] | None = None
    tool: tuple[Pose, Callable[[Pose], None]] | None = None
