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

"""Contact: two bodies that are near each other, or collide."""

from __future__ import annotations

from typing import NamedTuple


class Contact(NamedTuple):
    """
    Two bodies that are near each other: names of links or objects.

    :param distance: between them [m]; 0: they overlap
    :param point_first: of the first, in the frame of the robot's root [m]
    :param point_second: of the second
    """

    first: str
    second: str
    distance: float
    point_first: tuple[float, ...] = ()
    point_second: tuple[float, ...] = ()

    def __str__(self) -> str:
        """Return it in words."""
        if self.distance <= 0.0:
            return f'{self.first} and {self.second} overlap'
        return f'{self.first} and {self.second} are {1e3 * self.distance:.3g} mm apart'
