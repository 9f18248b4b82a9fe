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

"""The path that a tool has taken, as a line in the scene."""

from __future__ import annotations

from collections import deque

import numpy as np
import viser

LENGTH = 400
COLOR = (255, 176, 59)


class Trace:
    """A line through the last positions of a tool, in the frame of the node it is under."""

    def __init__(self, server: viser.ViserServer, name: str, spacing: float) -> None:
        """
        Draw nothing yet.

        :param spacing: least distance between two points of the line [m]
        """
        self._spacing = spacing
        self._points: deque[np.ndarray] = deque(maxlen=LENGTH)
        self._changed = False
        self._line = server.scene.add_line_segments(
            name, points=np.zeros((1, 2, 3)), colors=COLOR, thickness=2.5,
            thickness_units='screen', visible=False)

    def add(self, position: np.ndarray) -> None:
        """Lengthen the line to ``position``, once the tool has moved far enough."""
        if not self._points or np.linalg.norm(position - self._points[-1]) > self._spacing:
            self._points.append(np.array(position))
            self._changed = True

    def clear(self) -> None:
        """Forget the path and hide the line."""
        self._points.clear()
        self._changed = False
        self._line.visible = False

    def push(self) -> None:
        """Send the line to the page if it has grown."""
        if self._changed and len(self._points) > 1:
            points = np.array(self._points, dtype=np.float32)
            self._line.points = np.stack([points[:-1], points[1:]], axis=1)
            self._line.visible = True
            self._changed = False
