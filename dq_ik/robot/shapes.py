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

"""The shapes of each link in a URDF: those that are seen, with their colours, and the solid."""

from __future__ import annotations

from dataclasses import dataclass
import math
from xml.etree import ElementTree

from dq_ik.errors import DqIkError
from dq_ik.pose import Pose
from dq_ik.robot.xml_text import parse_robot

LARGEST = 1e9  # number that is drawn: browsers have single precision
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
class Capsule:
    """A cylinder about z with round ends, centred at its origin; ``length`` is without these."""

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


Shape = Box | Cylinder | Capsule | Sphere | MeshFile


@dataclass(frozen=True)
class Visual:
    """
    One shape on one link.

    :param shape: None where the URDF cannot be read here; ``flaw`` says why
    :param rgba: None where the URDF gives no colour
    :param flaw: what cannot be read in the URDF, and what is expected
    """

    link: str
    origin: Pose
    shape: Shape | None
    rgba: Rgba | None
    flaw: str = ''


def parse_visuals(urdf: str) -> tuple[Visual, ...]:
    """
    Return the visuals, link by link; one that cannot be read has a flaw instead of its shape.

    :param urdf: text of a description that :func:`dq_ik.load_robot` has accepted
    """
    robot = parse_robot(urdf)
    palette = {material.get('name', ''): material for material in robot.iter('material')
               if material.find('color') is not None}
    return tuple(
        visual for link in robot.findall('link') for element in link.findall('visual')
        if (visual := _visual(link.get('name', ''), element, palette)) is not None)


def parse_collisions(urdf: str, of_visuals: bool = False) -> tuple[Visual, ...]:
    """
    Return the solid shapes, link by link, as :func:`parse_visuals` returns those that are seen.

    :param of_visuals: a link without any is as solid as its visual
    """
    robot = parse_robot(urdf)
    found = []
    for link in robot.findall('link'):
        elements = link.findall('collision') or (link.findall('visual') if of_visuals else [])
        shapes = (_visual(link.get('name', ''), element, {}) for element in elements)
        found += [shape for shape in shapes if shape is not None]
    return tuple(found)


def _visual(link: str, element: ElementTree.Element,
            palette: dict[str, ElementTree.Element]) -> Visual | None:
    """Return one visual; None for a shape that is none of ours."""
    try:
        shape = parse_shape(element.find('geometry'))
        if shape is None:
            return None
        origin = parse_origin(element.find('origin'))
    except DqIkError as error:
        return Visual(link, Pose.identity(), None, None, str(error))
    try:
        return Visual(link, origin, shape, _color(element.find('material'), palette))
    except DqIkError as error:
        return Visual(link, origin, shape, None, str(error))


def parse_shape(geometry: ElementTree.Element | None) -> Shape | None:
    """
    Return the shape inside a ``<geometry>`` element, or None for one we cannot draw.

    :raises DqIkError: when its sizes cannot be read
    """
    for element in geometry if geometry is not None else ():
        if element.tag == 'box':
            return Box(_triple(element, 'size', '0 0 0', 0.0))
        if element.tag in ('cylinder', 'capsule'):
            kind = Cylinder if element.tag == 'cylinder' else Capsule
            return kind(_size(element, 'radius'), _size(element, 'length'))
        if element.tag == 'sphere':
            return Sphere(_size(element, 'radius'))
        if element.tag == 'mesh':
            return MeshFile(element.get('filename', ''), _triple(element, 'scale', '1 1 1'))
    return None


def parse_origin(origin: ElementTree.Element | None) -> Pose:
    """
    Return the pose of an ``<origin>`` element; identity where there is none.

    :raises DqIkError: when its numbers cannot be read
    """
    if origin is None:
        return Pose.identity()
    return Pose.from_xyz_rpy(_triple(origin, 'xyz', '0 0 0'), _triple(origin, 'rpy', '0 0 0'))


def _color(material: ElementTree.Element | None,
           palette: dict[str, ElementTree.Element]) -> Rgba | None:
    """Return a visual's own colour, else the one that the robot gives to its material's name."""
    if material is None:
        return None
    color = material.find('color')
    if color is None:
        named = palette.get(material.get('name', ''))
        color = None if named is None else named.find('color')
    if color is None:
        return None
    red, green, blue, *alpha = _numbers(color, 'rgba', '', (3, 4), 0.0, 1.0)
    return red, green, blue, alpha[0] if alpha else 1.0


def _triple(element: ElementTree.Element, name: str, default: str,
            least: float = -math.inf) -> tuple[float, float, float]:
    x, y, z = _numbers(element, name, default, (3,), least)
    return x, y, z


def _size(element: ElementTree.Element, name: str) -> float:
    return _numbers(element, name, '0', (1,), 0.0)[0]


def _numbers(element: ElementTree.Element, name: str, default: str, counts: tuple[int, ...],
             least: float = -math.inf, greatest: float = math.inf) -> list[float]:
    """Return the finite numbers of an attribute; raise with a sentence if they are not so."""
    text = element.get(name, default)
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        values = []
    if len(values) not in counts or not all(
            abs(value) <= LARGEST and least <= value <= greatest for value in values):
        bounds = '' if least == -math.inf else (
            ' of at least 0' if greatest == math.inf else ' from 0 to 1')
        wanted = ' or '.join(map(str, counts))
        raise DqIkError(f'<{element.tag} {name}="{text[:40]}"> in the URDF is not '
                        f'{wanted} finite number{"s" * (counts != (1,))}{bounds}')
    return values
