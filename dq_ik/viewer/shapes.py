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

"""Draw the visual shapes of a URDF with viser's primitives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import viser

from dq_ik.viewer.meshes import load_mesh
from dq_ik.viewer.visuals import Box, Cylinder, DEFAULT_RGBA, Rgba, Sphere, Visual

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
    :raises MeshError: when its mesh cannot be read
    """
    *color, alpha = tint or visual.rgba or DEFAULT_RGBA
    look: dict[str, Any] = {
        'color': tuple(color),
        'opacity': alpha if alpha < 1.0 else None,
        'cast_shadow': False,
        'receive_shadow': False,
        'wxyz': visual.origin.quaternion,
        'position': visual.origin.position,
    }
    match visual.shape:
        case Box(size):
            return scene.add_box(name, dimensions=size, **look)
        case Cylinder(radius, length):
            return scene.add_cylinder(
                name, radius=radius, height=length, radial_segments=CYLINDER_SEGMENTS, **look)
        case Sphere(radius):
            return scene.add_icosphere(
                name, radius=radius, subdivisions=SPHERE_SUBDIVISIONS, **look)
    return _add_mesh(scene, name, visual, urdf_folder, look, tint)


def _add_mesh(
    scene: viser.SceneApi,
    name: str,
    visual: Visual,
    urdf_folder: Path | None,
    look: dict[str, Any],
    tint: Rgba | None,
) -> viser.SceneNodeHandle:
    mesh = load_mesh(visual.shape, urdf_folder)
    if tint is None and visual.rgba is None and mesh.visual.defined:
        own_colors = {key: look[key] for key in ('wxyz', 'position', 'cast_shadow')}
        return scene.add_mesh_trimesh(name, mesh, receive_shadow=False, **own_colors)
    return scene.add_mesh_simple(
        name, np.asarray(mesh.vertices), np.asarray(mesh.faces), flat_shading=True, **look)
