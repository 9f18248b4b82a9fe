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
"""All solutions of the goals: a ghost of the robot for each, to be chosen with a click."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dq_ik.stream.self_motion import all_answers
from dq_ik.viewer.panel import on_choice
from dq_ik.viewer.parts.elbow import goals_moved
from dq_ik.viewer.scene import RobotScene
import numpy as np
import viser

if TYPE_CHECKING:
    from dq_ik.pose import Pose
    from dq_ik.viewer.page import Page

SOLUTIONS, FIND, HIDE, CHOOSE = 'Solutions', 'Find all', 'Hide', 'Go to'
MOST = 8  # that are shown
GHOST = (0.35, 0.70, 0.90, 0.28)
NONE = 'No posture meets the goals.'


class Solutions:
    """Finds the distinct postures that meet the goals, and goes to the one that is chosen."""

    def __init__(self, page: Page) -> None:
        """Add the buttons."""
        self._page, gui = page, page.server.gui
        self._folder = gui.add_folder(SOLUTIONS)
        self._ghosts: list[RobotScene] = []
        self._choice: viser.GuiButtonGroupHandle | None = None
        self._goals: dict[str, Pose] = {}
        with self._folder:
            on_choice(gui.add_button_group('', (FIND, HIDE)),
                      {FIND: page.notes.told(self._find), HIDE: self._hide})
        page.on_tick.append(self._tick)

    def _find(self) -> None:
        """Draw a ghost for each solution and a button with its number; 1 is the nearest."""
        page = self._page
        with page.lock:
            self._hide()
            wanted = page.wanted()
            answers = all_answers(page.chain, wanted, page.q, MOST)
            if not len(answers):
                page.notes.say(NONE)
                return
            self._goals = {tip: page.goals[tip].pose for tip in wanted}
            numbers = [str(number + 1) for number in range(len(answers))]
            with self._folder:
                self._choice = page.server.gui.add_button_group(CHOOSE, numbers)
            on_choice(self._choice, {
                number: partial(page.go_to, q) for number, q in zip(numbers, answers)})
            with page.server.atomic():
                for q in answers:
                    self._add_ghost(q)

    def _add_ghost(self, q: np.ndarray) -> None:
        page = self._page
        ghost = page.robot.copy(f'/solution_{len(self._ghosts)}', GHOST)
        ghost.show({**page.positions, **page.chain.joint_positions(q)})

        async def choose(_: viser.SceneNodePointerEvent) -> None:
            page.go_to(q)

        for part in ghost.parts:
            part.on_click(choose)
        self._ghosts.append(ghost)

    def _hide(self) -> None:
        with self._page.lock, self._page.server.atomic():
            for ghost in self._ghosts:
                ghost.remove()
            self._ghosts = []
            if self._choice is not None:
                self._choice.remove()
                self._choice = None

    def _tick(self, _: float) -> None:
        """Hide solutions of goals that were moved; a robot on its way moves its own."""
        if self._ghosts and not self._page.moves_joints and goals_moved(self._page, self._goals):
            self._hide()
