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

"""The visual shapes of each link in a URDF, and their colours."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree

from dq_ik.pose import Pose

DEFAULT_RGBA = (0.72, 0.74, 0.78, 1.0)

Rgba = tuple[float, float, float, float]


@dataclass(frozen=True)
class Box:
    """A box centred at its origin; ``size`` in metres along x, y, z."""

    size: tuple[float, float, float]


@dataclass(frozen=True)
class Cylinder:
    """A cylinder about z, centred at its origin."""

    radius: float
    length: float


@dataclass(frozen=True)
class Sphere:
    """A sphere centred at its origin."""

    radius: float


@dataclass(frozen=True)
class MeshFile:
    """A mesh in a file; ``uri`` as written in the URDF."""

    uri: str
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)


Shape = Box | Cylinder | Sphere | MeshFile


@dataclass(frozen=True)
class Visual:
    """One shape on one link; ``rgba`` is None where the URDF gives no colour."""

    link: str
    origin: Pose
    shape: Shape
    rgba: Rgba | None


def parse_visuals(urdf: str) -> tuple[Visual, ...]:
    """
    Return every visual that can be drawn, link by link.

    :param urdf: text of a description that :func:`dq_ik.load_robot` has accepted
    """
    robot = ElementTree.fromstring(urdf.strip())
    palette = {
        material.get('name', ''): rgba
        for material in robot.iter('material')
        if (rgba := _rgba(material)) is not None
    }
    visuals = []
    for link in robot.findall('link'):
        for element in link.findall('visual'):
            shape = parse_shape(element.find('geometry'))
            if shape is not None:
                visuals.append(Visual(
                    link.get('name', ''), parse_origin(element.find('origin')), shape,
                    _color(element.find('material'), palette),
                ))
    return tuple(visuals)


def parse_shape(geometry: ElementTree.Element | None) -> Shape | None:
    """Return the shape inside a ``<geometry>`` element, or None for one we cannot draw."""
    for element in geometry if geometry is not None else ():
        if element.tag == 'box':
            return Box(_triple(element.get('size', '0 0 0')))
        if element.tag in ('cylinder', 'capsule'):
            return Cylinder(float(element.get('radius', 0)), float(element.get('length', 0)))
        if element.tag == 'sphere':
            return Sphere(float(element.get('radius', 0)))
        if element.tag == 'mesh':
            return MeshFile(element.get('filename', ''), _triple(element.get('scale', '1 1 1')))
    return None


def parse_origin(origin: ElementTree.Element | None) -> Pose:
    """Return the pose of an ``<origin>`` element; identity where there is none."""
    if origin is None:
        return Pose.identity()
    return Pose.from_xyz_rpy(
        _triple(origin.get('xyz', '0 0 0')), _triple(origin.get('rpy', '0 0 0')))


def _color(material: ElementTree.Element | None, palette: dict[str, Rgba]) -> Rgba | None:
    """Return a visual's own colour, else the one that the robot gives to its material's name."""
    if material is None:
        return None
    return _rgba(material) or palette.get(material.get('name', ''))


def _rgba(material: ElementTree.Element) -> Rgba | None:
    color = material.find('color')
    if color is None:
        return None
    red, green, blue, *alpha = (float(value) for value in color.get('rgba', '').split())
    return red, green, blue, alpha[0] if alpha else 1.0


def _triple(text: str) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in text.split())
    return x, y, z
