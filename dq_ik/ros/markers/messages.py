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

"""Messages of the goal marker: its six handles, and what RViz shows of the solver's answer."""

from __future__ import annotations

from collections.abc import Mapping
import math

from dq_ik.pose import Pose
from dq_ik.ros.conversions import fill_pose
from dq_ik.stream.report import Report
from geometry_msgs.msg import Point, Quaternion, Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import (
    InteractiveMarker,
    InteractiveMarkerControl,
    Marker,
    MarkerArray,
)

HALF = math.sqrt(0.5)
# Orientation (w, x, y, z) whose x axis is the axis of a control.
AXES = {'x': (HALF, HALF, 0.0, 0.0), 'y': (HALF, 0.0, 0.0, HALF), 'z': (HALF, 0.0, HALF, 0.0)}
# Sizes in scales of the marker. RViz gives the mouse to what is in front: the core is inside the
# sphere that is dragged, and the text is above the arrows, which end at 0.9.
SPHERE_SIZE = 0.25
CORE_SIZE = 0.15
TEXT_SIZE = 0.16
TEXT_HEIGHT = 1.1


def goal_marker(
    tip: str, frame: str, pose: Pose, scale: float, *, position_only: bool, world_axes: bool
) -> InteractiveMarker:
    """
    Return the marker of one tip: arrows, rings, and a sphere that moves freely.

    The stamp stays zero, so that RViz answers in the marker's own frame.

    :param frame: base link of the chain
    :param scale: diameter of the rings [m]
    :param position_only: leave the rings out
    :param world_axes: arrows along the axes of ``frame`` instead of the tool's
    """
    marker = InteractiveMarker(name=tip, description=tip, scale=scale)
    marker.header.frame_id = frame
    fill_pose(marker.pose, pose)
    mode = InteractiveMarkerControl.FIXED if world_axes else InteractiveMarkerControl.INHERIT
    for axis, (w, x, y, z) in AXES.items():
        orientation = Quaternion(w=w, x=x, y=y, z=z)
        marker.controls.append(InteractiveMarkerControl(
            name=f'move_{axis}', orientation=orientation, orientation_mode=mode,
            interaction_mode=InteractiveMarkerControl.MOVE_AXIS))
        if not position_only:
            marker.controls.append(InteractiveMarkerControl(
                name=f'rotate_{axis}', orientation=orientation, orientation_mode=mode,
                interaction_mode=InteractiveMarkerControl.ROTATE_AXIS))
    marker.controls.append(_sphere_control(scale, position_only))
    return marker


def status_markers(
    frame: str, goals: Mapping[str, Pose], scale: float, report: Report
) -> MarkerArray:
    """
    Return a core in each goal, in the colour of the answer, and a text above the highest goal.

    They are ordinary markers: inserting the handle again would tear it out of the user's hand.
    """
    color = ColorRGBA(r=report.color[0], g=report.color[1], b=report.color[2], a=1.0)
    size = CORE_SIZE * scale
    markers = []
    for index, goal in enumerate(goals.values()):
        core = Marker(ns='goal', id=index, type=Marker.SPHERE, color=color)
        core.scale = Vector3(x=size, y=size, z=size)
        fill_pose(core.pose, goal)
        markers.append(core)
    words = f'{report.headline}: {report.reason}' if report.reason else report.headline
    text = Marker(ns='answer', type=Marker.TEXT_VIEW_FACING, text=words, color=color)
    text.scale = Vector3(x=0.35 * TEXT_SIZE * scale, z=TEXT_SIZE * scale)  # x: width of a space
    fill_pose(text.pose, max(goals.values(), key=lambda goal: goal.position[2]))
    text.pose.position.z += TEXT_HEIGHT * scale
    markers.append(text)
    for marker in markers:
        marker.header.frame_id = frame
    return MarkerArray(markers=markers)


def _sphere_control(scale: float, position_only: bool) -> InteractiveMarkerControl:
    size = SPHERE_SIZE * scale
    sphere = Marker(
        type=Marker.SPHERE, scale=Vector3(x=size, y=size, z=size),
        color=ColorRGBA(r=0.0, g=1.0, b=1.0, a=0.4))
    sphere.pose.position = Point()
    control = InteractiveMarkerControl
    return control(
        name='free', markers=[sphere], always_visible=True, orientation_mode=control.VIEW_FACING,
        independent_marker_orientation=True,
        interaction_mode=control.MOVE_3D if position_only else control.MOVE_ROTATE_3D)
