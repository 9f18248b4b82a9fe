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

"""Mesh files: where a URDF's ``package://`` points to, and what trimesh reads from it."""

from __future__ import annotations

from functools import lru_cache
import os
from pathlib import Path
import sysconfig
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

from dq_ik.viewer.visuals import MeshFile

if TYPE_CHECKING:
    import trimesh


def resolve_uri(uri: str, urdf_folder: Path | None = None) -> Path | None:
    """
    Return the file that a mesh reference means, or None when it is not on this machine.

    ``package://name/path`` is looked for in the share folders of ``AMENT_PREFIX_PATH`` and of this
    Python, in ``ROS_PACKAGE_PATH``, in the folders above the URDF, and in the robots of the
    ``example-robot-data`` wheel. Relative paths are meant from the folder of the URDF.
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


def load_mesh(mesh: MeshFile, urdf_folder: Path | None = None) -> trimesh.Trimesh | None:
    """
    Return the triangles of a mesh file, scaled, or None when file or reader are missing.

    Nodes of a COLLADA or OBJ scene are joined into one mesh, with their colours.
    """
    path = resolve_uri(mesh.uri, urdf_folder)
    return None if path is None else _load_file(path, mesh.scale)


@lru_cache(maxsize=256)
def _load_file(path: Path, scale: tuple[float, float, float]) -> trimesh.Trimesh | None:
    import trimesh

    try:
        mesh = trimesh.load(path, force='mesh')
    except (ValueError, ImportError, OSError, AttributeError, KeyError, NotImplementedError):
        return None
    if not len(mesh.faces):
        return None
    mesh.apply_scale(scale)
    return mesh


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
