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
Screw joints for the solvers ([Rotations] section 4.2: a parameter that turns and slides).

A URDF has no screw joint. A slide that mimics a turn about the same axis is one: both read the
same variable, and their columns add up to ``w x (p - c) + d``.
"""

from __future__ import annotations

from collections.abc import Sequence
import math


def screw_joint(name: str, parent: str, child: str, pitch: float, *,
                axis: Sequence[float] = (0.0, 0.0, 1.0), xyz: Sequence[float] = (0.0, 0.0, 0.0),
                limits: tuple[float, float] = (-math.pi, math.pi)) -> str:
    """
    Return the URDF of a screw joint ([Rotations] eq. 61, algorithms 7, 10): two joints and a link.

    :param pitch: travel along the axis per turn [m]
    :param xyz: place of the joint in the parent link
    :param limits: of its one variable, which has the name of the joint [rad]
    """
    lead = pitch / (2.0 * math.pi)
    lower, upper = limits
    way = sorted((lead * lower, lead * upper))

    def text(values: Sequence[float]) -> str:
        return ' '.join(repr(float(value)) for value in values)

    return (
        f"<link name='{name}_nut'/>"
        f"<joint name='{name}' type='revolute'><parent link='{parent}'/>"
        f"<child link='{name}_nut'/><origin xyz='{text(xyz)}'/><axis xyz='{text(axis)}'/>"
        f"<limit lower='{lower!r}' upper='{upper!r}' velocity='1' effort='1'/></joint>"
        f"<joint name='{name}_travel' type='prismatic'><parent link='{name}_nut'/>"
        f"<child link='{child}'/><axis xyz='{text(axis)}'/>"
        f"<limit lower='{way[0]!r}' upper='{way[1]!r}' velocity='1' effort='1'/>"
        f"<mimic joint='{name}' multiplier='{lead!r}'/></joint>")
