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
SPHERE_SIZE = 0.25
TEXT_SIZE = 0.16


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


def status_markers(frame: str, pose: Pose, scale: float, report: Report) -> MarkerArray:
    """
    Return a text above the goal and a halo in the colour of the answer.

    They are ordinary markers: inserting the handle again would tear it out of the user's hand.
    """
    color = ColorRGBA(r=report.color[0], g=report.color[1], b=report.color[2], a=0.35)
    halo = Marker(ns='goal', id=0, type=Marker.SPHERE, color=color)
    halo.scale = Vector3(x=0.4 * scale, y=0.4 * scale, z=0.4 * scale)
    words = f'{report.headline}: {report.message}'
    text = Marker(ns='goal', id=1, type=Marker.TEXT_VIEW_FACING, text=words)
    text.scale.z = TEXT_SIZE * scale
    text.color = ColorRGBA(r=color.r, g=color.g, b=color.b, a=1.0)
    for marker in (halo, text):
        marker.header.frame_id = frame
        fill_pose(marker.pose, pose)
    text.pose.position.z += 0.7 * scale
    return MarkerArray(markers=[halo, text])


def _sphere_control(scale: float, position_only: bool) -> InteractiveMarkerControl:
    size = SPHERE_SIZE * scale
    sphere = Marker(
        type=Marker.SPHERE, scale=Vector3(x=size, y=size, z=size),
        color=ColorRGBA(r=0.0, g=1.0, b=1.0, a=0.5))
    sphere.pose.position = Point()
    control = InteractiveMarkerControl
    return control(
        name='free', markers=[sphere], always_visible=True, orientation_mode=control.VIEW_FACING,
        independent_marker_orientation=True,
        interaction_mode=control.MOVE_3D if position_only else control.MOVE_ROTATE_3D)
