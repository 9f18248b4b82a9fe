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

"""What results of the library below zero mean, for people."""

from __future__ import annotations

from typing import NamedTuple

from dq_ik.core.entries.block_check import FAULTS
from dq_ik.core.entries.pose_input import Fault
from dq_ik.core.packing.joint_check import PackError


class BadRow(NamedTuple):
    """What is wrong with which row of an argument."""

    kind: Fault | PackError
    row: int

    def __str__(self) -> str:
        """Return both in words."""
        return f"row {self.row}: {self.kind.name.lower().replace('_', ' ')}"


def fault_of(result: int, *, pack: bool = False) -> BadRow:
    """
    Return what a result below zero says.

    :param pack: whether it is one of the packing of a robot
    """
    return BadRow((PackError if pack else Fault)(-result % FAULTS), -result // FAULTS)
