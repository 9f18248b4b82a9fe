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
"""The bodies of a robot in the scene: what counts for collisions, coloured by clearance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dq_ik.collision.bands import Band, FARTHEST, WIDER
from dq_ik.collision.bodies import Body
from dq_ik.collision.hulls import triangles
from dq_ik.contact import Contact
from dq_ik.viewer.scene import RobotScene
import numpy as np
import viser

PLAIN = (168, 178, 190)  # a body that is far from others, or whose clearance is not asked
PLAIN_OPACITY, BAND_OPACITY = 0.35, 0.75
LINE = (255, 255, 255)  # between the points of the nearest pair


class BodyView:
    """Convex pieces that move with their links, and a line between the nearest two."""

    def __init__(self, server: viser.ViserServer, robot: RobotScene,
                 bodies: Mapping[str, Body], root: str) -> None:
        """
        Draw the bodies; none is seen yet.

        :param root: link in whose frame the points of a contact are
        """
        self._looks: dict[str, tuple[Any, ...]] = {}
        self._bodies: dict[str, Any] = {}
        with server.atomic():
            for link, body in bodies.items():
                vertices, faces = triangles(body.pieces, WIDER)
                self._bodies[link] = server.scene.add_mesh_simple(
                    f'{robot.node_name(link)}/body', vertices.astype(np.float32),
                    faces.astype(np.uint32), color=PLAIN, opacity=PLAIN_OPACITY,
                    flat_shading=True, cast_shadow=False, receive_shadow=False, visible=False)
            self._line = server.scene.add_line_segments(
                f'{robot.node_name(root)}/nearest', points=np.zeros((1, 2, 3)), colors=LINE,
                thickness=2.0, thickness_units='screen', visible=False)

    def show(self, bands: Mapping[str, Band | None], always: bool) -> None:
        """
        Colour the bodies, and send only what has changed.

        :param bands: of the links whose clearance is known
        :param always: draw also those that are far from others
        """
        for link, node in self._bodies.items():
            band = bands.get(link)
            look = (band is not None or always, PLAIN if band is None else band.rgb,
                    PLAIN_OPACITY if band is None else BAND_OPACITY)
            if self._looks.get(link) != look:
                self._looks[link] = look
                node.color, node.opacity = look[1:]
                node.visible = look[0]

    def point_out(self, contact: Contact | None) -> None:
        """Draw a line between the nearest two points; none where bodies overlap or are far."""
        seen = contact is not None and 0.0 < contact.distance < FARTHEST
        if seen and contact is not None:
            self._line.points = np.array(
                [[contact.point_first, contact.point_second]], dtype=np.float32)
        if self._line.visible != seen:
            self._line.visible = seen
