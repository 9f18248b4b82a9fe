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
"""Bodies and objects as markers of RViz, bodies coloured by clearance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dq_ik.collision.bands import Band, WIDER
from dq_ik.collision.bodies import Body
from dq_ik.collision.convex import Piece
from dq_ik.collision.hulls import triangles
from dq_ik.collision.world import Thing
from dq_ik.ros.conversions import fill_pose
from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

BODIES, OBJECTS = 'bodies', 'objects'  # namespaces
PLAIN, PLAIN_OPACITY, BAND_OPACITY = (168, 178, 190), 0.3, 0.75
OBJECT = (158, 126, 84)


class CollisionMarkers:
    """
    The markers of a robot and of a world; points of what was seen before are made once.

    Markers are locked to the frames of their links, so that they move with TF.
    """

    def __init__(self, bodies: Mapping[str, Body], root: str) -> None:
        """
        Prepare the bodies.

        :param root: link in whose frame objects stand still
        """
        self._root = root
        self._bodies = {link: points_of(body.pieces, WIDER) for link, body in bodies.items()}
        self._objects: dict[str, tuple[tuple[Piece, ...], list[Point]]] = {}

    def array(self, things: Iterable[Thing], bands: Mapping[str, Band | None]) -> MarkerArray:
        """
        Return all markers, after one that deletes those of before.

        :param bands: of the links; None: far from others
        """
        markers = [Marker(action=Marker.DELETEALL)]
        for number, (link, points) in enumerate(self._bodies.items()):
            band = bands.get(link)
            markers.append(_marker(BODIES, number, link, points, PLAIN if band is None
                                   else band.rgb, PLAIN_OPACITY if band is None
                                   else BAND_OPACITY))
        seen = {}
        for number, thing in enumerate(things):
            pieces, points = self._objects.get(thing.name, ((), []))
            if pieces is not thing.pieces:
                points = points_of(thing.pieces)
            seen[thing.name] = thing.pieces, points
            marker = _marker(OBJECTS, number, thing.link or self._root, points, OBJECT, 1.0)
            fill_pose(marker.pose, thing.pose)
            markers.append(marker)
        self._objects = seen
        return MarkerArray(markers=markers)


def points_of(pieces: Iterable[Piece], wider: float = 0.0) -> list[Point]:
    """Return the corners of triangles, three by three."""
    vertices, faces = triangles(pieces, wider)
    return [Point(x=x, y=y, z=z) for x, y, z in vertices[faces].reshape(-1, 3).tolist()]


def _marker(space: str, number: int, frame: str, points: list[Point],
            rgb: tuple[int, int, int], opacity: float) -> Marker:
    """Return triangles that move with a frame; the stamp is zero: as the frame is now."""
    red, green, blue = (value / 255.0 for value in rgb)
    marker = Marker(ns=space, id=number, type=Marker.TRIANGLE_LIST, points=points,
                    frame_locked=True, color=ColorRGBA(r=red, g=green, b=blue, a=opacity))
    marker.header.frame_id = frame
    marker.scale.x = marker.scale.y = marker.scale.z = 1.0
    marker.pose.orientation.w = 1.0
    return marker
