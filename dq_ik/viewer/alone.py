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
"""The page without ROS: a solver and an ideal robot in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
import logging
import os
from pathlib import Path
import threading
import time
from typing import Any
import webbrowser

from dq_ik.collision.bodies import Body, load_bodies
from dq_ik.collision.world import World
from dq_ik.collision.world_file import check_links, load_world
from dq_ik.errors import DqIkError
from dq_ik.goal import as_pose, Goal
from dq_ik.options import METHODS, MODES
from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
from dq_ik.robot.model import RobotModel
from dq_ik.robot.shapes import parse_visuals, Visual
from dq_ik.stream.in_process import InProcess
from dq_ik.stream.report import Report
from dq_ik.viewer.address import DEFAULT_PORT, LOOPBACK
from dq_ik.viewer.avoidance import Avoidance
from dq_ik.viewer.outlet import Outlet
from dq_ik.viewer.page import Page
from dq_ik.viewer.panel_html import flaw_sentences
from dq_ik.viewer.server import open_server
from dq_ik.viewer.surroundings import Surroundings
import numpy as np
from numpy.typing import ArrayLike

log = logging.getLogger(__name__)

PERIOD = 1.0 / 30.0  # between two steps of robot and page [s]


class AlonePage:
    """A page that moves by itself until it is closed; also a context that closes it."""

    def __init__(self, chain: Chain, q: ArrayLike | None = None, *, host: str = LOOPBACK,
                 port: int = DEFAULT_PORT, world: World | None = None,
                 robots: Mapping[str, Callable[[], Chain]] | None = None) -> None:
        """
        Serve the page of a robot.

        :param q: where its joints are; None: neutral
        :param world: the objects around it, which it keeps away from; None: none at first
        :param robots: what makes the chains that may be shown instead, by name
        """
        self._server = open_server(host, port)
        self._end = threading.Event()
        self._robots = robots or {}
        self._world = World() if world is None else world
        self._collision = 'world' if len(self._world) else 'off'
        self._shown: Report | None = None  # the newest that the page knows
        self._wanted: Callable[[], None] | None = None  # a change, made between two steps
        try:
            self._show(chain, None if q is None else chain.checked(q))
        except BaseException:  # also an interrupt
            self._server.stop()
            raise
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _show(self, chain: Chain, q: np.ndarray | None = None) -> None:
        """Show a robot at rest, instead of the one before."""
        self._server.scene.reset()
        self._server.gui.reset()
        self.robot = robot = InProcess(chain, q)
        around = Surroundings(chain, partial(bodies_of, chain.model), self._world)
        self._avoidance = Avoidance(robot, around, self._collision)
        _, folder = chain.model.source
        self.page = Page(
            self._server, chain, visuals_of(chain.model),
            Outlet(robot.goal, self._set_option, robot.twist, robot.joints, around,
                   self._choice(chain),
                   (chain.tool, self._set_tool) if len(chain.tips) == 1 else None),
            methods=METHODS, modes=MODES,
            urdf_folder=Path(folder) if folder else None)
        self.page.panel.show_option('collision', self._collision)
        self.page.show_joints(robot.positions)

    def _choice(self, chain: Chain) -> tuple[Sequence[str], Callable[[str], None]] | None:
        """Return the names of robots, the present one first, and what shows another one."""
        def use(name: str) -> None:
            if name in self._robots:
                self._wanted = partial(self._show_other, name)

        name = chain.model.name
        others = [other for other in self._robots if other != name]
        return ((name, *others), use) if others else None

    def _show_other(self, name: str) -> None:
        """Show another robot, whole, in all browsers."""
        self._show(self._robots[name]())
        for client in self._server.get_clients().values():
            self.page.views.reset(client.camera)

    def _set_option(self, name: str, value: str | bool | float) -> None:
        if name == 'collision':
            self._collision = str(value)
            self._avoidance.choose(self._collision)
        else:
            self.robot.option(name, value)

    def _set_tool(self, tool: Pose) -> None:
        """Put a tool on the tip, with the joints where they are."""
        chain = self.robot.chain
        self._wanted = lambda: self._show(
            Chain(chain.model, chain.base, chain.tips, tool), self.page.q)

    def _change(self) -> None:
        """Make the change that is wanted, if there is one; tell why it cannot be."""
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            try:
                wanted()
            except DqIkError as error:
                self.page.notes.say(str(error))

    @property
    def url(self) -> str:
        """Return the address of the page."""
        return self._server.url

    def ask(self, goals: Any) -> None:
        """Set goals: one for the only tip, a sequence in the order of the tips, or a mapping."""
        tips = self.robot.chain.tips
        if not isinstance(goals, Mapping):
            goals = dict(zip(tips, [goals] if len(tips) == 1 else goals))
        for tip, goal in goals.items():
            asked = goal if isinstance(goal, Goal) and not goal.asks_for_pose else _pose(goal)
            self.robot.goal(tip, asked)
            self.page.show_goal(tip, asked)

    def wait(self) -> None:
        """Stay until Ctrl-C, or until the page is closed elsewhere."""
        try:
            while not self._end.wait(0.2):
                pass
        except KeyboardInterrupt:
            pass
        finally:
            self.close()

    def close(self) -> None:
        """End the page."""
        if not self._end.is_set():
            self._end.set()
            self._thread.join()
            self._server.stop()

    def __enter__(self) -> AlonePage:
        """Return the page."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the page."""
        self.close()

    def _run(self) -> None:
        """Let the robot move and draw it, until the end; what was not expected is told once."""
        told: set[str] = set()
        while not self._end.wait(PERIOD):
            try:
                self._step()
            except Exception as error:
                text = f'a step failed, the page goes on: {error} ({type(error).__name__})'
                if text not in told:
                    told.add(text)
                    log.exception(text)
                    self.page.notes.say(text)

    def _step(self) -> None:
        """Let the robot move for a moment, and draw it."""
        self._change()
        self._avoidance.update()
        self.robot.step(time.monotonic())
        self.page.show_joints(self.robot.positions)
        if self.robot.report is not self._shown:
            self._shown = self.robot.report
            self.page.show_report(self._shown)
        self.page.show_motion(self.robot.motion)
        self.page.tick()


def show(chain: Chain, *, goal: Any = None, q: ArrayLike | None = None,
         port: int = DEFAULT_PORT, host: str = LOOPBACK, open_browser: bool = True,
         block: bool = True, world: World | str | os.PathLike | None = None,
         robots: Mapping[str, Callable[[], Chain]] | None = None) -> AlonePage:
    """
    Open the page on a chain: its goals can be dragged, and it follows them in this process.

    :param goal: what the tips shall be at, as for :meth:`Chain.solve`; None: where they are
    :param q: where the joints are at first, such as an answer of a solve; None: neutral
    :param port: first port to try; 0 lets the system choose
    :param host: interface of the page; other than loopback, anybody there can drag
    :param open_browser: open a browser, where there is a screen
    :param block: stay until Ctrl-C; else return at once, and :meth:`AlonePage.close` ends it
    :param world: the objects around the robot, or the file or name of a world; the robot keeps
        away from them
    :param robots: what makes the chains that may be chosen on the page instead, by name
    """
    if world is not None and not isinstance(world, World):
        world = load_world(world)
    if world is not None:
        check_links(world, chain.model)
    page = AlonePage(chain, q, host=host, port=port, world=world, robots=robots)
    try:
        if goal is not None:
            page.ask(goal)
    except DqIkError:
        page.close()
        raise
    for sentence in flaw_sentences(page.page.robot.flaws):
        print(sentence, flush=True)
    print(f'The page: {page.url}   (Ctrl-C ends it)' if block else f'The page: {page.url}',
          flush=True)
    if open_browser and (os.environ.get('DISPLAY') or os.environ.get('WAYLAND_DISPLAY')):
        webbrowser.open(page.url)
    if block:
        page.wait()
    return page


def visuals_of(model: RobotModel) -> tuple[Visual, ...]:
    """Return the shapes of a robot's links, none where it was not read from a description."""
    text, _ = model.source
    visuals = parse_visuals(text) if text else ()
    return tuple(visual for visual in visuals if visual.link in model.links)


def bodies_of(model: RobotModel) -> dict[str, Body]:
    """Return what counts for collisions: a link without ``<collision>`` is as its visual."""
    text, folder = model.source
    return load_bodies(text, Path(folder) if folder else None, of_visuals=True) if text else {}


def _pose(goal: Any) -> Pose:
    """Return the pose that a goal asks for."""
    return goal.pose if isinstance(goal, Goal) else as_pose(goal)
