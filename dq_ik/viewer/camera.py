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

"""What each browser sees: the first view, and goals that would be off screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dq_ik.pose import Pose
import numpy as np
import viser

# Camera and shift of its centre that keeps the robot beside the panel, in sizes of the scene.
EYE = (0.85, -0.85, 0.42)
BESIDE_PANEL = 0.1
# Part of the picture, from its centre, that goals are kept in: at the sides there are panels.
INNER = (0.5, 0.75)
FARTHEST = 20.0  # goal that the camera steps back for, in sizes of the scene


class Views:
    """The cameras of all browsers that show a page."""

    def __init__(self, server: viser.ViserServer, size: float, base: np.ndarray,
                 tools: Sequence[np.ndarray]) -> None:
        """
        Aim the first view at the middle between base and tools.

        :param size: of the scene [m]
        """
        self._server, self._size = server, size
        self._clients: set[int] = set()
        self._places: dict[str, tuple[float, ...]] = {}
        self._kept: dict[str, tuple[float, ...]] = {}
        right = size * np.array([1.0, 1.0, 0.0])
        center = 0.5 * (base + np.mean(tools, axis=0)) + BESIDE_PANEL * right
        self._first = center, center + size * np.array(EYE)
        camera = server.initial_camera
        camera.look_at, camera.position = map(tuple, self._first)
        camera.up = (0.0, 0.0, 1.0)

    def reset(self, camera: viser.CameraHandle) -> None:
        """Show the first view again."""
        target, eye = self._first
        aim(camera, eye, target)

    def frame(self, camera: viser.CameraHandle, points: Sequence[np.ndarray]) -> None:
        """Show all points from the present direction, as near as they allow."""
        low, high = np.min(points, axis=0), np.max(points, axis=0)
        center, radius = 0.5 * (low + high), 0.5 * float(np.linalg.norm(high - low))
        way = camera.position - camera.look_at
        half = np.tan(0.5 * camera.fov) * min(INNER[0] * camera.aspect, INNER[1])
        distance = max(radius, 1e-3) / np.sin(np.arctan(half))
        aim(camera, center + distance * way / np.linalg.norm(way), center)

    def keep(self, goals: Mapping[str, np.ndarray]) -> None:
        """
        Step back where a goal has come to rest outside of the picture, once for each such place.

        The robot could not be seen any more beside a goal that is very far away.

        :param goals: their positions in the world; those that somebody drags are left out
        """
        clients = self._server.get_clients()
        if clients.keys() - self._clients:
            self._kept.clear()
        self._clients = set(clients)
        places = {name: tuple(place) for name, place in goals.items()
                  if np.abs(place - self._first[0]).max() < FARTHEST * self._size}
        for name, place in places.items():
            if place == self._places.get(name) and place != self._kept.get(name):
                self._kept[name] = place
                for client in clients.values():
                    step_back(client.camera, np.array(place))
        self._places = places


def aim(camera: viser.CameraHandle, eye: np.ndarray, target: np.ndarray) -> None:
    """Put a camera somewhere and let it look at a point; its place carries that point along."""
    camera.position = eye
    camera.look_at = target


def step_back(camera: viser.CameraHandle, point: np.ndarray) -> None:
    """Move a camera away from what it looks at until a point is well inside the picture."""
    x_world_camera = Pose.from_xyz_wxyz(camera.position, camera.wxyz)
    x, y, depth = x_world_camera.inverse() @ point
    half = np.tan(0.5 * camera.fov)
    missing = max(abs(x) / (half * camera.aspect * INNER[0]), abs(y) / (half * INNER[1])) - depth
    if missing > 0.0:
        aim(camera, x_world_camera @ np.array([0.0, 0.0, -missing]), camera.look_at)
