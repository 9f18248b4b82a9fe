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

"""The page: robot, goals and panel as one object, without ROS."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import math
from pathlib import Path
import threading
import time

from dq_ik.goal import Goal
from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
from dq_ik.robot.shapes import Visual
from dq_ik.stream.path import Path as GoalPath
from dq_ik.stream.report import MotionReport, Report
from dq_ik.viewer.actions import actions
from dq_ik.viewer.camera import Views
from dq_ik.viewer.gizmo import GoalHandle, kinds_of_goals, LOOK_AT, POSE
from dq_ik.viewer.notes import Notes
from dq_ik.viewer.outlet import Outlet
from dq_ik.viewer.panel import Panel
from dq_ik.viewer.panel_html import flaws_html
from dq_ik.viewer.parts.table import PARTS
from dq_ik.viewer.player import Player
from dq_ik.viewer.scene import add_ground_and_lights, robot_size, RobotScene, Trace
import numpy as np
import viser

PANEL_PERIOD = 0.2  # between two updates of the panel [s]
# Size of the scene, as a multiple of the robot's; of handles and traces, of the scene's.
SCENE_SCALE = 1.4
GIZMO_SCALE = 0.17
TRACE_SPACING = 0.004


class Page:
    """
    A robot that follows its joint states, handles for its goals, and a panel made of parts.

    Feed it with :meth:`show_joints`, :meth:`show_report`, :meth:`show_motion` and
    :meth:`show_goal` from any thread, and call :meth:`tick` about 30 times per second: only then
    is anything drawn.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        chain: Chain,
        visuals: tuple[Visual, ...],
        outlet: Outlet,
        *,
        methods: Sequence[str],
        modes: Sequence[str],
        urdf_folder: Path | None = None,
    ) -> None:
        """
        Draw the robot; it is at home until its joint positions are shown.

        :param visuals: shapes and colours of the links
        :param methods: solvers to choose from, the first one is in use; likewise ``modes``
        :param urdf_folder: folder of mesh files with relative names
        """
        self.server, self.chain, self.outlet = server, chain, outlet
        self.lock = threading.RLock()
        self.home = chain.neutral
        self._positions = chain.joint_positions(chain.neutral)
        self._report, self._motion = Report(), MotionReport()
        self._heard_joints = False
        self._panel_time = 0.0
        self.notes = Notes(server)
        self.tracing = True
        self._player = Player(chain, outlet, self._set_goal)
        size = SCENE_SCALE * robot_size(chain.model, self._positions)
        add_ground_and_lights(server, size)
        self.robot = RobotScene(server, chain.model, visuals, urdf_folder)
        self._x_world_base = chain.model.link_poses(self._positions)[chain.base]
        self.views = Views(server, size, self._x_world_base.position, [
            self._x_world_base @ pose.position for pose in self.tool_poses().values()])
        self.goals = {
            tip: GoalHandle(
                server, self.robot, chain.base, tip, pose,
                GIZMO_SCALE * size / math.sqrt(len(chain.tips)), self._dragged,
                self.tool_poses, chain.tool)
            for tip, pose in self.tool_poses().items()
        }
        self._traces = {
            tip: Trace(server, f'{self.robot.node_name(chain.base)}/trace_{index}',
                       TRACE_SPACING * size)
            for index, tip in enumerate(chain.tips)
        }
        if self.robot.flaws:
            server.gui.add_html(flaws_html(self.robot.flaws))
        self.panel = Panel(
            server, kinds_of_goals(chain.tips), {'method': methods, 'mode': modes},
            actions(self))
        self.on_tick: list[Callable[[float], None]] = []
        for tab, add in PARTS:
            with self.panel.tabs[tab]:
                add(self)
        self.robot.show(self._positions)

    # --- news from elsewhere ---------------------------------------------------------------------

    def show_joints(self, positions: Mapping[str, float]) -> None:
        """Take the newest joint positions; home and goals are where the robot is at first."""
        with self.lock:
            self._positions.update(positions)
            if not self._heard_joints:
                self._heard_joints = True
                self.home = self.q
                for tip, pose in self.tool_poses().items():
                    self.goals[tip].move(pose)

    def show_report(self, report: Report) -> None:
        """Take the solver's answer to the newest goal."""
        with self.lock:
            self._report = report
            self.panel.add_sample(time.monotonic(), report)

    def show_motion(self, motion: MotionReport) -> None:
        """Take the newest news of the motion."""
        with self.lock:
            self._motion = motion

    def show_option(self, name: str, value: str | bool | float) -> None:
        """Show a setting that was changed elsewhere."""
        with self.lock:
            self.panel.show_option(name, value)
            if name == 'position_only':
                self.allow_rotation(not value)

    def show_goal(self, tip: str, goal: Goal | Pose) -> None:
        """Move a handle to a goal that was sent from elsewhere."""
        with self.lock:
            self.goals[tip].show(goal)
            self.panel.show_kind(tip, self.goals[tip].kind)

    # --- what parts of the page ask and do -------------------------------------------------------

    @property
    def is_playing(self) -> bool:
        """Whether goals move along a path."""
        return self._player.is_playing

    @property
    def moves_joints(self) -> bool:
        """Whether joints are on their way to a posture."""
        return self._player.moves_joints

    @property
    def turn(self) -> int:
        """Return a number that changes whenever something else begins or ends to move."""
        return self._player.turn

    @property
    def positions(self) -> dict[str, float]:
        """Return the newest position of each joint."""
        return dict(self._positions)

    @property
    def q(self) -> np.ndarray:
        """Return the newest joint positions as a joint vector within the limits."""
        return self.chain.clamp(self.chain.configuration(self._positions, strict=False))

    def tool_poses(self) -> dict[str, Pose]:
        """Return the poses of the tips at the newest joint positions, in the base frame."""
        return self.chain.fk_all(self.chain.configuration(self._positions, strict=False))

    def wanted(self) -> dict[str, Goal | Pose]:
        """Return the goals of handles that ask for poses, as the solver is to take them."""
        poses = {tip: goal.pose for tip, goal in self.goals.items() if goal.kind == POSE}
        if not self.panel.is_position_only:
            return dict(poses)
        return {tip: Goal(pose, tip=tip, rotation_weight=0.0) for tip, pose in poses.items()}

    def tool_distance(self) -> float:
        """Return the greatest distance of a tool from its goal [m]; NaN if all look at points."""
        tools = self.tool_poses()
        return max((tools[tip].distance(goal.pose)[0] for tip, goal in self.goals.items()
                    if goal.kind != LOOK_AT), default=math.nan)

    def set_goals(self, poses: Mapping[str, Pose]) -> None:
        """Move handles to poses and tell the solver, after the end of any path."""
        with self.lock:
            for tip, pose in poses.items():
                self.choose_kind(tip, POSE)
                self._set_goal(tip, pose)

    def go_to(self, q: np.ndarray) -> None:
        """Lead the joints to a posture; the goals follow."""
        with self.lock:
            self.stop()
            for tip in self.goals:
                self.choose_kind(tip, POSE)
            self._player.go_to(q)

    def play(self, path: GoalPath, as_poses: bool = True) -> None:
        """Move goals along a path; ``as_poses``: they ask for poses, whatever they did before."""
        with self.lock:
            self.stop()
            for tip in path.goals(0.0) if as_poses else ():
                self.choose_kind(tip, POSE)
            self._player.play(path)

    def jog(self, tip: str, twist: Sequence[float], frame: str) -> None:
        """Move a tool at a velocity for a moment; its goal follows."""
        if self.outlet.twist is not None:
            self.stop()
            self._player.jog()
            self.outlet.twist(tip, twist, frame)

    def stop(self) -> None:
        """End what moves by itself."""
        was_playing = self.is_playing
        self._player.stop()
        if was_playing:
            self.panel.show_playing()

    def clear_traces(self) -> None:
        """Forget the paths of the tools."""
        with self.lock:
            for trace in self._traces.values():
                trace.clear()

    # --- drawing ---------------------------------------------------------------------------------

    def tick(self) -> None:
        """Draw the newest state; go on with what moves by itself."""
        with self.lock, self.server.atomic():
            now = time.monotonic()
            self._player.tick(now, self.q, self.panel.speed)
            if self.robot.show(self._positions):
                self._show_motion()
            for act in self.on_tick:
                act(now)
            if now - self._panel_time >= PANEL_PERIOD:
                self._panel_time = now
                self._push_panel(now)

    def _show_motion(self) -> None:
        for tip, pose in self.tool_poses().items() if self._player.is_jogging else ():
            self.goals[tip].move(pose)
        for goal in self.goals.values():
            goal.carry()
        for tip, pose in self.tool_poses().items() if self.tracing else ():
            self._traces[tip].add(pose.position)

    def _push_panel(self, now: float) -> None:
        self.panel.tick(now)
        self.panel.show_status(self._report, self.tool_distance())
        self.panel.show_motion(self._motion)
        self.panel.push_plots(now)
        for trace in self._traces.values():
            trace.push()
        for goal in self.goals.values():
            goal.paint(self._report.color)
        self.views.keep(self.goal_places())

    def goal_places(self) -> dict[str, np.ndarray]:
        """Return the places of the goals that nobody drags, in the world."""
        return {tip: self._x_world_base @ goal.pose.position
                for tip, goal in self.goals.items() if not goal.is_dragged}

    # --- handles ---------------------------------------------------------------------------------

    def allow_rotation(self, allowed: bool) -> None:
        """Show or hide the rings of all handles."""
        for goal in self.goals.values():
            goal.allow_rotation(allowed)

    def choose_kind(self, tip: str, kind: str) -> None:
        """Let the handle of a tip ask for another kind of goal."""
        with self.lock:
            self.stop()
            self.goals[tip].choose(kind)
            self.panel.show_kind(tip, kind)

    def _set_goal(self, tip: str, pose: Pose) -> None:
        self.goals[tip].move(pose)
        self.outlet.goal(tip, self.goals[tip].ask())

    def _dragged(self, goal: GoalHandle) -> None:
        """Send a goal as it is dragged; dragging ends what moves by itself."""
        self.stop()
        self.outlet.goal(goal.tip, goal.ask())
