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

"""Meshes of a URDF: the file that a reference means, and its triangles."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
import os
from pathlib import Path
import sysconfig
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

from dq_ik.errors import DqIkError
from dq_ik.robot.shapes import MeshFile

if TYPE_CHECKING:
    import trimesh

# Folders of a package that hold its URDF: meshes may be beside such a folder.
URDF_FOLDERS = ('urdf', 'robots', 'xacro', 'description')


class MeshError(DqIkError):
    """A shape cannot be read; the message says why and what helps."""


def resolve_uri(uri: str, urdf_folder: Path | None = None) -> Path | None:
    """
    Return the file that a mesh reference means, or None when it is not in one of the roots.

    ``package://name/path`` is resolved in the share folders of ``AMENT_PREFIX_PATH``, of this
    Python and of the ``example-robot-data`` wheel, in ``ROS_PACKAGE_PATH``, in packages around the
    URDF, and beside the URDF. Relative paths begin at the folder of the URDF. No path leaves its
    root by ``..``, and ``file://`` reads from roots only. Links inside a root are followed.
    """
    scheme, host, path = split_uri(uri)
    if scheme == 'package':
        candidates = _package_candidates(host, path, urdf_folder)
    elif scheme in ('file', '') and host in ('', 'localhost'):
        roots = _roots(host) + _own_roots(urdf_folder)
        folder = Path() if urdf_folder is None else urdf_folder.resolve()
        candidates = [(root, folder / path) for root in roots]
    else:
        candidates = []
    return next((Path(os.path.normpath(file)) for root, file in candidates
                 if _is_inside(file, root) and _is_file(file)), None)


def split_uri(uri: str) -> tuple[str, str, str]:
    """Return scheme, host or package, and path of a mesh reference; a bad one has the scheme ?."""
    try:
        parts = urlparse(uri)
        path = unquote(parts.path)
        return parts.scheme, parts.netloc, path.lstrip('/') if parts.netloc else path
    except ValueError:
        return '?', '', ''


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
    scheme, host, path = split_uri(uri)
    if scheme == 'package':
        return (f"package '{host}' is not installed or lacks the file: source its "
                'workspace, or add the folder that contains it to ROS_PACKAGE_PATH')
    if scheme == '?':
        return 'that is no address: use package://, file:// or a path'
    if scheme not in ('file', ''):
        return f"'{scheme}:' is not fetched: use package:// or a file"
    if urdf_folder is None and not path.startswith('/'):
        return 'the folder of the URDF is not known: set the parameter urdf_folder'
    place = '' if urdf_folder is None else f' (relative to {urdf_folder})'
    return (f'there is no such file{place} in the package of the URDF or in an installed one: '
            'correct the URDF, or set urdf_folder')


def _package_candidates(package: str, path: str,
                        urdf_folder: Path | None) -> list[tuple[Path, Path]]:
    """Return the folders that may be the package, each with the file in it."""
    if package in ('', '.', '..'):
        return []
    folders = [root / package for root in _roots(package)]
    if urdf_folder is not None:
        around = urdf_folder.resolve()
        folders += [root / package for root in (around, *around.parents)
                    if root in _own_roots(around) or around.is_relative_to(root / package)
                    or (root / package / 'package.xml').is_file()]
        folders += _own_roots(around)  # a copy of the package under another name
    return [(folder, folder / path) for folder in folders]


def _roots(package: str) -> list[Path]:
    """Return the folders that contain installed packages."""
    prefixes = [Path(prefix) for prefix in _split('AMENT_PREFIX_PATH')]
    prefixes.append(Path(sysconfig.get_path('data')))
    prefixes.append(Path(sysconfig.get_path('purelib')) / 'cmeel.prefix')
    return [prefix / 'share' for prefix in prefixes] + [
        entry.parent if entry.name == package else entry
        for entry in map(Path, _split('ROS_PACKAGE_PATH'))]


def _own_roots(urdf_folder: Path | None) -> list[Path]:
    """Return the folder of the URDF and, if it is a part of a package, that package."""
    if urdf_folder is None:
        return []
    folder = urdf_folder.resolve()
    package = next((place for place in (folder, *folder.parents)
                    if (place / 'package.xml').is_file()), None)
    if package is None and folder.name in URDF_FOLDERS:
        package = folder.parent
    return [folder] if package is None else [folder, package]


def _is_inside(file: Path, root: Path) -> bool:
    """Whether a path stays in a folder; by its words, as links in a package lead elsewhere."""
    return Path(os.path.abspath(file)).is_relative_to(os.path.abspath(root))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _split(variable: str) -> list[str]:
    return [entry for entry in os.environ.get(variable, '').split(os.pathsep) if entry]
