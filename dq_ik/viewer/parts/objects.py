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
"""The part of the page where objects are added, dragged and removed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import count
import time
from typing import Any, TYPE_CHECKING

from dq_ik.collision.world import Box, Cylinder, Sphere
from dq_ik.errors import CollisionError
from dq_ik.pose import Pose
from dq_ik.stream.texts import numbers_text, parse_numbers
from dq_ik.viewer.collision_html import sentence_html
from dq_ik.viewer.object_view import ObjectView
from dq_ik.viewer.panel import Mirror, on_change, on_choice, show_value
import numpy as np

if TYPE_CHECKING:
    from dq_ik.viewer.page import Page
    from dq_ik.viewer.surroundings import Surroundings

OBJECT, PLACE, REMOVE = 'Object', 'Object at [m]', 'Remove object'
NEW, ADD, SHAPE, SIZE, NAME = 'New object', 'Add object', 'Shape', 'Size [m]', 'Object name'
NOTHING = '(none)'
#: shapes: what makes one, what its sizes are, and the first sizes [m]
SHAPES: dict[str, tuple[Callable[..., Any], str, tuple[float, ...]]] = {
    'box': (lambda x, y, z: Box((x, y, z)), 'x, y, z', (0.1, 0.1, 0.3)),
    'sphere': (Sphere, 'radius', (0.08,)),
    'cylinder': (Cylinder, 'radius, length', (0.05, 0.3)),
}
AHEAD = 0.25  # of the tool, away from the base: where a new object appears [m]
TYPING = 0.7  # after the last key, a place that is typed counts [s]
TINY = 1e-3  # a way that is shorter has no direction [m]


class Objects:
    """A list of the objects that stand still, a handle for the chosen one, and new ones."""

    def __init__(self, page: Page, around: Surroundings) -> None:
        """Add the controls, and draw the objects that are there."""
        self._page, self._around, gui = page, around, page.server.gui
        self._version = -1
        self._typed: tuple[str, float] | None = None  # a place, and when it counts
        handle = next(iter(page.goals.values())).control.scale
        self._view = ObjectView(page.server, page.robot, page.chain.model.root, float(handle),
                                self._choose)
        if around.note:
            gui.add_html(sentence_html(around.note))
        self._chosen = gui.add_dropdown(OBJECT, (NOTHING,), hint='Click an object, or choose it')
        on_change(self._chosen, self._choose)
        self._place = Mirror(gui.add_text(PLACE, '', hint='x, y, z of the chosen object'),
                             self._type)
        on_choice(gui.add_button_group('', (REMOVE,)),
                  {REMOVE: page.notes.told(self._remove)})
        with gui.add_folder(NEW):
            self._shape = gui.add_dropdown(SHAPE, tuple(SHAPES))
            self._size = gui.add_text(SIZE, '')
            self._name = gui.add_text(NAME, '')
            on_choice(gui.add_button_group('', (ADD,)), {ADD: page.notes.told(self._add)})
        on_change(self._shape, self._begin)
        self._begin(self._shape.value)
        page.on_tick.append(self._tick)

    def _begin(self, shape: str) -> None:
        """Offer sizes and a name for a new object."""
        _, sizes, numbers = SHAPES[shape]
        show_value(self._size, numbers_text(numbers))
        self._size.hint = sizes
        names = (f'{shape} {number}' for number in count(1))
        show_value(self._name, next(name for name in names if name not in self._around.world))

    def _add(self) -> None:
        """Add an object beyond the tool, and choose it."""
        shape = self._shape.value
        make, words, first = SHAPES[shape]
        sizes = parse_numbers(self._size.value, len(first), f'the size of a {shape}',
                              f'{words} in metres')
        name = self._name.value.strip()
        with self._page.lock:
            self._around.add(name, make(*sizes), self._ahead())
            self._choose(name)
            self._begin(shape)

    def _ahead(self) -> Pose:
        """Return a pose beyond the tool, seen from the base, in the frame of the root."""
        page = self._page
        poses = page.chain.model.link_poses(page.positions)
        tool, base = poses[page.panel.tip].position, poses[page.chain.base].position
        way = (tool - base) * (1.0, 1.0, 0.0)
        length = float(np.linalg.norm(way))
        way = way / length if length > TINY else np.array([1.0, 0.0, 0.0])
        return Pose.from_xyz_rpy(tool + AHEAD * way, (0.0, 0.0, 0.0))

    def _remove(self) -> None:
        with self._page.lock:
            if self._view.chosen is None:
                raise CollisionError('choose an object first: click it, or use the list')
            self._around.remove(self._view.chosen)
            self._show()

    def _type(self, text: str) -> None:
        """Wait until the place is typed whole: half of one may be another place."""
        self._typed = text, time.monotonic() + TYPING

    def _move(self, text: str) -> None:
        """Move the chosen object to a typed place."""
        with self._page.lock:
            if self._view.chosen is None:
                raise CollisionError('choose an object first: click it, or use the list')
            xyz = parse_numbers(text, 3, 'the place of the object', 'x, y, z in metres')
            before = self._around.world[self._view.chosen].pose
            self._around.move(self._view.chosen, Pose.from_xyz_wxyz(xyz, before.quaternion))

    def _choose(self, name: str) -> None:
        """Give the handle to an object."""
        with self._page.lock:
            self._view.choose(None if name == NOTHING else name)
            self._show()

    def _tick(self, now: float) -> None:
        """Send where the chosen object was dragged to, and draw what has changed."""
        if self._typed is not None and now > self._typed[1]:
            text, self._typed = self._typed[0], None
            self._page.notes.told(self._move)(text)
        pose, name = self._view.take_drag(), self._view.chosen
        if pose is not None and name is not None:
            with suppress(CollisionError):  # somebody else has removed it
                self._around.move(name, pose)
        if self._around.world.version != self._version:
            self._show()

    def _show(self) -> None:
        """Draw the world as it is, and its names in the list."""
        page = self._page
        self._version, things = self._around.world.snapshot()
        poses = {thing.name: thing.pose for thing in things if thing.link is None}
        if self._view.chosen not in poses:
            self._view.choose(None)
        self._view.show([thing for thing in things
                         if thing.link is None or thing.link in page.chain.model.links])
        names = (NOTHING, *poses)
        if self._chosen.options != names:
            self._chosen.options = names
        chosen = self._view.chosen
        show_value(self._chosen, NOTHING if chosen is None else chosen)
        if self._typed is None:
            self._place.show('' if chosen is None else numbers_text(poses[chosen].position, 4))


def add_objects(page: Page) -> None:
    """Add the part, if the page knows what is around its robot."""
    if page.outlet.surroundings is not None:
        Objects(page, page.outlet.surroundings)
