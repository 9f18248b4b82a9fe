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
"""Draw the visual shapes of a URDF: viser's primitives, and what trimesh reads from mesh files."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

from dq_ik.robot.meshes import load_mesh, MeshError
from dq_ik.robot.shapes import (
    Box,
    Capsule,
    Cylinder,
    DEFAULT_RGBA,
    MeshFile,
    Rgba,
    Shape,
    Sphere,
    Visual,
)
import numpy as np
import viser

CYLINDER_SEGMENTS = 24
SPHERE_SUBDIVISIONS = 2


def add_visual(
    scene: viser.SceneApi,
    name: str,
    visual: Visual,
    urdf_folder: Path | None = None,
    tint: Rgba | None = None,
) -> viser.SceneNodeHandle:
    """
    Add one visual as the scene node ``name``.

    :param tint: colour and opacity that replace the visual's own, for ghosts
    :raises MeshError: when its shape or mesh cannot be read
    """
    if visual.shape is None:
        raise MeshError(visual.flaw)
    *color, alpha = tint or visual.rgba or DEFAULT_RGBA
    style: dict[str, Any] = {
        'color': tuple(color),
        'opacity': alpha if alpha < 1.0 else None,
        'cast_shadow': False,
        'receive_shadow': False,
        'wxyz': visual.origin.quaternion,
        'position': visual.origin.position,
    }
    match visual.shape:
        case Box(size):
            return scene.add_box(name, dimensions=size, **style)
        case Cylinder(radius, length):
            return scene.add_cylinder(
                name, radius=radius, height=length, radial_segments=CYLINDER_SEGMENTS, **style)
        case Capsule(radius, length):
            return scene.add_cylinder(
                name, radius=radius, height=length + 2.0 * radius,
                radial_segments=CYLINDER_SEGMENTS, **style)
        case Sphere(radius):
            return scene.add_icosphere(
                name, radius=radius, subdivisions=SPHERE_SUBDIVISIONS, **style)
        case MeshFile() as file:
            mesh = load_mesh(file, urdf_folder)
    if tint is None and visual.rgba is None and mesh.visual is not None and mesh.visual.defined:
        own_colors = {key: style[key] for key in style if key not in ('color', 'opacity')}
        return scene.add_mesh_trimesh(name, mesh, **own_colors)
    return scene.add_mesh_simple(
        name, np.asarray(mesh.vertices), np.asarray(mesh.faces), flat_shading=True, **style)


def corners(shape: Shape | None, urdf_folder: Path | None = None) -> list[np.ndarray]:
    """Return the corners of the box around a shape, in its frame; none if it is not drawn."""
    match shape:
        case Box(size):
            half = 0.5 * np.array(size)
        case Cylinder(radius, length):
            half = np.array([radius, radius, 0.5 * length])
        case Capsule(radius, length):
            half = np.array([radius, radius, 0.5 * length + radius])
        case Sphere(radius):
            half = np.full(3, radius)
        case MeshFile() as file:
            try:
                return list(map(np.array, product(*load_mesh(file, urdf_folder).bounds.T)))
            except MeshError:
                return []
        case _:
            return []
    return [half * signs for signs in product((-1.0, 1.0), repeat=3)]
