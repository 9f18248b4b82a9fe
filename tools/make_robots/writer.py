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
"""A robot as a list of links and joints, and its URDF text."""
from __future__ import annotations

from dataclasses import dataclass
from math import pi
from xml.etree import ElementTree

from .shapes import mass_properties, ORIGIN, Shape, Vector

COLOURS = {
    'white': '0.93 0.94 0.95 1', 'grey': '0.55 0.58 0.62 1', 'dark': '0.18 0.20 0.23 1',
    'orange': '0.95 0.45 0.10 1', 'blue': '0.15 0.42 0.78 1', 'teal': '0.10 0.62 0.60 1',
    'yellow': '0.96 0.76 0.15 1', 'red': '0.82 0.20 0.20 1', 'green': '0.25 0.62 0.32 1',
    'skin': '0.89 0.70 0.58 1', 'shirt': '0.22 0.40 0.62 1', 'trousers': '0.24 0.26 0.32 1',
}
AXES = {'x': (1, 0, 0), 'y': (0, 1, 0), 'z': (0, 0, 1),
        '-x': (-1, 0, 0), '-y': (0, -1, 0), '-z': (0, 0, -1)}
NOTICE = ' Apache-2.0, The dq_ik Authors. Written by python -m tools.make_robots '


@dataclass(frozen=True)
class Limits:
    """Range [rad or m], speed [rad/s or m/s] and effort [Nm or N] of a joint."""

    lower: float
    upper: float
    velocity: float
    effort: float


def degrees(lower: float, upper: float, velocity: float, effort: float) -> Limits:
    """Return limits given in degrees and degrees per second."""
    return Limits(*(value * pi / 180.0 for value in (lower, upper, velocity)), effort)


def numbers(values) -> str:
    """Format a vector for an attribute; rounding errors of other machines are zeros."""
    return ' '.join(f'{value if abs(value) > 1e-15 else 0.0:.12g}' for value in values)


class Robot:
    """Collects links and joints; :meth:`xml` writes them."""

    def __init__(self, name: str):
        """Start an empty robot."""
        self._root = ElementTree.Element('robot', name=name)
        self._root.append(ElementTree.Comment(NOTICE))
        self._used: set[str] = set()

    def link(self, name: str, *shapes: Shape, mass: float = 0.0) -> str:
        """Add a link that looks like ``shapes`` and weighs ``mass`` [kg]; return its name."""
        link = ElementTree.SubElement(self._root, 'link', name=name)
        for shape in shapes:
            self._visual(link, shape)
        if mass > 0.0:
            self._inertial(link, shapes, mass)
        return name

    def joint(self, name: str, parent: str, child: str, axis: str | Vector, limits: Limits, *,
              xyz: Vector = ORIGIN, rpy: Vector = ORIGIN, kind: str = 'revolute',
              damping: float = 0.1) -> None:
        """Add a moving joint; ``axis`` is a letter or a vector in the joint frame."""
        joint = self._connect(name, kind, parent, child, xyz, rpy)
        ElementTree.SubElement(joint, 'axis', xyz=numbers(AXES.get(axis, axis)))
        attributes = {'effort': numbers([limits.effort]), 'velocity': numbers([limits.velocity])}
        if kind != 'continuous':
            attributes |= {'lower': numbers([limits.lower]), 'upper': numbers([limits.upper])}
        ElementTree.SubElement(joint, 'limit', attributes)
        ElementTree.SubElement(joint, 'dynamics', damping=numbers([damping]))

    def mimic(self, name: str, parent: str, child: str, axis: str | Vector, limits: Limits,
              master: str, multiplier: float, offset: float = 0.0, **options) -> None:
        """Add a joint at ``multiplier * master + offset``."""
        self.joint(name, parent, child, axis, limits, **options)
        ElementTree.SubElement(self._root.find(f"joint[@name='{name}']"), 'mimic', joint=master,
                               multiplier=numbers([multiplier]), offset=numbers([offset]))

    def fixed(self, parent: str, child: str, xyz: Vector = ORIGIN, rpy: Vector = ORIGIN) -> None:
        """Fasten a link to its parent."""
        self._connect(f'{child}_joint', 'fixed', parent, child, xyz, rpy)

    def frame(self, parent: str, name: str, xyz: Vector = ORIGIN, rpy: Vector = ORIGIN) -> str:
        """Add a named frame: a link without body; return its name."""
        self.fixed(parent, self.link(name), xyz, rpy)
        return name

    def xml(self) -> str:
        """Return the URDF text."""
        for position, colour in enumerate(sorted(self._used), start=1):
            material = ElementTree.Element('material', name=colour)
            ElementTree.SubElement(material, 'color', rgba=COLOURS[colour])
            self._root.insert(position, material)
        self._used.clear()
        ElementTree.indent(self._root)
        return '<?xml version="1.0"?>\n' + ElementTree.tostring(self._root, 'unicode') + '\n'

    def _connect(self, name, kind, parent, child, xyz, rpy):
        joint = ElementTree.SubElement(self._root, 'joint', name=name, type=kind)
        ElementTree.SubElement(joint, 'origin', xyz=numbers(xyz), rpy=numbers(rpy))
        ElementTree.SubElement(joint, 'parent', link=parent)
        ElementTree.SubElement(joint, 'child', link=child)
        return joint

    def _visual(self, link, shape: Shape) -> None:
        self._used.add(shape.colour)
        visual = ElementTree.SubElement(link, 'visual')
        ElementTree.SubElement(visual, 'origin', xyz=numbers(shape.xyz), rpy=numbers(shape.rpy))
        geometry = ElementTree.SubElement(visual, 'geometry')
        if shape.kind == 'box':
            ElementTree.SubElement(geometry, 'box', size=numbers(shape.size))
        elif shape.kind == 'cylinder':
            ElementTree.SubElement(geometry, 'cylinder', radius=numbers(shape.size[:1]),
                                   length=numbers(shape.size[1:]))
        else:
            ElementTree.SubElement(geometry, 'sphere', radius=numbers(shape.size))
        ElementTree.SubElement(visual, 'material', name=shape.colour)

    @staticmethod
    def _inertial(link, shapes: tuple[Shape, ...], mass: float) -> None:
        centre, inertia = mass_properties(shapes, mass)
        inertial = ElementTree.SubElement(link, 'inertial')
        ElementTree.SubElement(inertial, 'origin', xyz=numbers(centre), rpy='0 0 0')
        ElementTree.SubElement(inertial, 'mass', value=numbers([mass]))
        names = ('ixx', 'ixy', 'ixz'), ('iyy', 'iyz'), ('izz',)
        ElementTree.SubElement(inertial, 'inertia', {
            name: f'{inertia[row, row + column]:.6g}'
            for row, group in enumerate(names) for column, name in enumerate(group)})
