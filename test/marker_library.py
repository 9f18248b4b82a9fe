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
"""A stand-in for the library interactive_markers, where no ROS installation has it."""

from __future__ import annotations

from types import ModuleType

from dq_ik.pose import Pose
from dq_ik.ros.conversions import pose_from_msg


class Server:
    """Counts what InteractiveMarkerServer would send."""

    def __init__(self, *_, **__) -> None:
        self.updates = 0
        self.poses: dict[str, Pose] = {}
        self._pending = False

    def insert(self, marker, **_) -> None:
        self.setPose(marker.name, marker.pose)

    def setPose(self, name, pose) -> None:  # noqa: N802
        self.poses[name] = pose_from_msg(pose)
        self._pending = True

    def applyChanges(self) -> None:  # noqa: N802
        self.updates += self._pending
        self._pending = False

    def clear(self) -> None:
        self.poses.clear()

    def shutdown(self) -> None:
        pass


class Menu:
    """Takes entries."""

    CHECKED, UNCHECKED = 1, 0

    def insert(self, *_, **__) -> int:
        return 0

    def setCheckState(self, *_) -> None:  # noqa: N802
        pass

    def apply(self, *_) -> None:
        pass


def stand_in() -> ModuleType:
    """Return a module in place of the library."""
    library = ModuleType('interactive_markers')
    library.InteractiveMarkerServer, library.MenuHandler = Server, Menu
    return library
