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

from functools import lru_cache
from importlib.util import find_spec
import os
from pathlib import Path
import sysconfig
from typing import Any, TYPE_CHECKING
from urllib.parse import unquote, urlparse

from dq_ik.viewer.address import ViewerError
from dq_ik.viewer.visuals import Box, Cylinder, DEFAULT_RGBA, MeshFile, Rgba, Sphere, Visual
import numpy as np
import viser

if TYPE_CHECKING:
    import trimesh

CYLINDER_SEGMENTS = 24
SPHERE_SUBDIVISIONS = 2


class MeshError(ViewerError):
    """A mesh cannot be drawn; the message says why and what helps."""


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


def resolve_uri(uri: str, urdf_folder: Path | None = None) -> Path | None:
    """
    Return the file that a mesh reference means, or None when it is not on this machine.

    ``package://name/path`` is resolved in the share folders of ``AMENT_PREFIX_PATH`` and of this
    Python, in ``ROS_PACKAGE_PATH``, in the folders above the URDF, and in the robots of the
    ``example-robot-data`` wheel. Relative paths begin at the folder of the URDF.
    """
    parts = urlparse(uri)
    if parts.scheme == 'package':
        path = unquote(parts.path).lstrip('/')
        candidates = _package_candidates(parts.netloc, path, urdf_folder)
    elif parts.scheme in ('file', ''):
        file = Path(unquote(parts.path))
        candidates = [file if urdf_folder is None else urdf_folder / file]
    else:
        return None
    return next((path for path in candidates if path.is_file()), None)


def load_mesh(mesh: MeshFile, urdf_folder: Path | None = None) -> trimesh.Trimesh:
    """
    Return the triangles of a mesh file, scaled.

    Nodes of a COLLADA or OBJ scene are joined into one mesh, with their colours.

    :raises MeshError: with the reason and what to do about it
    """
    path = resolve_uri(mesh.uri, urdf_folder)
    if path is None:
        raise MeshError(_why_not_found(mesh.uri, urdf_folder))
    return _load_file(path, mesh.scale)


@lru_cache(maxsize=256)
def _load_file(path: Path, scale: tuple[float, float, float]) -> trimesh.Trimesh:
    try:
        import trimesh
    except ImportError:
        raise MeshError('mesh files need trimesh: pip install trimesh') from None
    if path.suffix.lower() == '.dae' and find_spec('collada') is None:
        raise MeshError('COLLADA files (.dae) need pycollada: pip install pycollada')
    try:
        mesh = trimesh.load(path, force='mesh')
    except Exception as error:  # a damaged file can raise anything in its reader
        raise MeshError(f'trimesh cannot read the file: {str(error) or type(error).__name__}; '
                        'export it again, as STL') from None
    if not isinstance(mesh, trimesh.Trimesh) or not len(mesh.faces):
        raise MeshError('the file has no triangles; export it again, as STL')
    mesh.apply_scale(scale)
    return mesh


def _why_not_found(uri: str, urdf_folder: Path | None) -> str:
    """Say why a file is not found, and what helps."""
    parts = urlparse(uri)
    if parts.scheme == 'package':
        return (f"package '{parts.netloc}' is not installed or lacks the file: source its "
                'workspace, or add the folder that contains it to ROS_PACKAGE_PATH')
    if parts.scheme in ('file', ''):
        place = '' if urdf_folder is None else f' (relative to {urdf_folder})'
        return f'there is no such file{place}: correct the URDF'
    return f"'{parts.scheme}:' is not fetched: use package:// or a file"


def _package_candidates(package: str, path: str, urdf_folder: Path | None) -> list[Path]:
    prefixes = [Path(prefix) for prefix in _split('AMENT_PREFIX_PATH')]
    prefixes.append(Path(sysconfig.get_path('data')))
    prefixes.append(Path(sysconfig.get_path('purelib')) / 'cmeel.prefix')
    roots = [prefix / 'share' for prefix in prefixes]
    for entry in map(Path, _split('ROS_PACKAGE_PATH')):
        roots += [entry.parent if entry.name == package else entry]
    if urdf_folder is not None:
        roots += urdf_folder.resolve().parents
    return [root / package / path for root in roots]


def _split(variable: str) -> list[str]:
    return [entry for entry in os.environ.get(variable, '').split(os.pathsep) if entry]
