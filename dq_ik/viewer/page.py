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
from dq_ik.stream.path import FigureOfEight, Glide, random_configuration, unreachable_goal
from dq_ik.stream.path import Path as GoalPath
from dq_ik.stream.report import MotionReport, Report
from dq_ik.viewer import panel
from dq_ik.viewer.camera import Views
from dq_ik.viewer.gizmo import GoalHandle, kinds_of_goals, LOOK_AT, POSE
from dq_ik.viewer.jog_buttons import JogButtons
from dq_ik.viewer.outlet import Outlet
from dq_ik.viewer.panel_html import flaws_html
from dq_ik.viewer.scene import add_ground_and_lights, robot_size, RobotScene, Trace
from dq_ik.viewer.visuals import Visual
import numpy as np
import viser

PANEL_PERIOD = 0.2  # between two updates of the panel [s]
# Size of the scene, as a multiple of the robot's; of handles and traces, of the scene's.
SCENE_SCALE = 1.4
GIZMO_SCALE = 0.17
TRACE_SPACING = 0.004


class Page:
    """
    A robot that follows its joint states, and handles for its goals.

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
        self._server = server
        self._chain = chain
        self._outlet = outlet
        self._lock = threading.RLock()
        self._rng = np.random.default_rng()
        self._home = chain.neutral
        self._positions = chain.joint_positions(chain.neutral)
        self._report, self._motion = Report(), MotionReport()
        self._heard_joints = False
        self._path: GoalPath | None = None
        self._path_start = 0.0
        self._tracing = True
        self._panel_time = 0.0
        size = SCENE_SCALE * robot_size(chain.model, self._positions)
        add_ground_and_lights(server, size)
        self.robot = RobotScene(server, chain.model, visuals, urdf_folder)
        self._x_world_base = chain.model.link_poses(self._positions)[chain.base]
        self._views = Views(server, size, self._x_world_base.position, [
            self._x_world_base @ pose.position for pose in self.tool_poses().values()])
        self.goals = {
            tip: GoalHandle(
                server, self.robot, chain.base, tip, pose,
                GIZMO_SCALE * size / math.sqrt(len(chain.tips)), self._dragged,
                self.tool_poses)
            for tip, pose in self.tool_poses().items()
        }
        self._traces = {
            tip: Trace(server, f'{self.robot.node_name(chain.base)}/trace_{index}',
                       TRACE_SPACING * size)
            for index, tip in enumerate(chain.tips)
        }
        if self.robot.flaws:
            server.gui.add_html(flaws_html(self.robot.flaws))
        joints = [joint for joint in chain.model.joints if joint.name in self._positions]
        self.panel = panel.Panel(
            server, joints, kinds_of_goals(chain.tips), {'method': methods, 'mode': modes},
            self._actions())
        self._jog = JogButtons(
            server, outlet, chain.base, lambda: self.panel.tip, self._stop_path)
        self.robot.show(self._positions)

    def show_joints(self, positions: Mapping[str, float]) -> None:
        """Take the newest joint positions; home and goals are where the robot is at first."""
        with self._lock:
            self._positions.update(positions)
            if not self._heard_joints:
                self._heard_joints = True
                self._home = self._configuration()
                for tip, pose in self.tool_poses().items():
                    self.goals[tip].move(pose)

    def show_report(self, report: Report) -> None:
        """Take the solver's answer to the newest goal."""
        with self._lock:
            self._report = report
            self.panel.add_sample(time.monotonic(), report)

    def show_motion(self, motion: MotionReport) -> None:
        """Take the newest news of the motion."""
        with self._lock:
            self._motion = motion

    def show_option(self, name: str, value: str | bool) -> None:
        """Show a setting that was changed elsewhere."""
        with self._lock:
            self.panel.show_option(name, value)
            if name == 'position_only':
                self._allow_rotation(not value)

    def show_goal(self, tip: str, goal: Goal | Pose) -> None:
        """Move a handle to a goal that was sent from elsewhere."""
        with self._lock:
            self.goals[tip].show(goal)
            self.panel.show_kind(tip, self.goals[tip].kind)

    @property
    def is_playing(self) -> bool:
        """Whether goals move along a path."""
        return self._path is not None

    def tool_poses(self) -> dict[str, Pose]:
        """Return the poses of the tips at the newest joint positions, in the base frame."""
        return self._chain.fk_all(self._chain.configuration(self._positions, strict=False))

    def tool_distance(self) -> float:
        """Return the greatest distance of a tool from its goal [m]; NaN if all look at points."""
        tools = self.tool_poses()
        return max((tools[tip].distance(goal.pose)[0] for tip, goal in self.goals.items()
                    if goal.kind != LOOK_AT), default=math.nan)

    def tick(self) -> None:
        """Draw the newest state; play the path if one is on."""
        with self._lock, self._server.atomic():
            now = time.monotonic()
            self._follow_path(now)
            if self.robot.show(self._positions):
                self._show_motion()
            if now - self._panel_time >= PANEL_PERIOD:
                self._panel_time = now
                self._push_panel(now)

    def _show_motion(self) -> None:
        for tip, pose in self.tool_poses().items() if self._jog.is_recent else ():
            self.goals[tip].move(pose)
        for goal in self.goals.values():
            goal.carry()
        for tip, pose in self.tool_poses().items() if self._tracing else ():
            self._traces[tip].add(pose.position)

    def _push_panel(self, now: float) -> None:
        self.panel.show_status(self._report, self.tool_distance())
        self.panel.show_motion(self._motion)
        self.panel.show_joints(self._positions)
        self.panel.push_plots(now)
        for trace in self._traces.values():
            trace.push()
        for goal in self.goals.values():
            goal.paint(self._report.color)
        self._views.keep({tip: self._x_world_base @ goal.pose.position
                          for tip, goal in self.goals.items() if not goal.is_dragged})

    def _actions(self) -> dict[str, Callable[..., None]]:
        """Return what the controls of the panel do, by label."""
        return {
            panel.TO_TOOL: lambda: self._set_goals(self.tool_poses()),
            panel.HOME: lambda: self._glide_to(self._home),
            panel.RANDOM: self._go_to_random_goal,
            panel.UNREACHABLE: self._go_out_of_reach,
            panel.PLAY: self._play,
            panel.TRACE: self._trace,
            panel.KINDS: self._choose_kind,
            panel.POSITION_ONLY: self._position_only,
            panel.LABELS['method']: lambda name: self._outlet.option('method', name),
            panel.LABELS['mode']: lambda name: self._outlet.option('mode', name),
        }

    def _go_to_random_goal(self) -> None:
        self._glide_to(random_configuration(self._chain, self._rng, self._configuration()))

    def _glide_to(self, q: np.ndarray) -> None:
        """Lead the goals of all tips from where the robot is to another configuration."""
        with self._lock:
            self._stop_path()
            for tip in self.goals:
                self._choose_kind(tip, POSE)
            self._start_path(Glide(self._chain, self._configuration(), q))

    def _go_out_of_reach(self) -> None:
        tip = self.panel.tip
        near = self.tool_poses()[tip]
        self._set_goals({tip: unreachable_goal(self._chain, tip, near)})

    def _play(self, playing: bool) -> None:
        with self._lock:
            starts = {self.panel.tip: self.goals[self.panel.tip].pose}
            self._start_path(FigureOfEight.around(self._chain, starts) if playing else None)

    def _start_path(self, path: GoalPath | None) -> None:
        self._path, self._path_start = path, time.monotonic()

    def _follow_path(self, now: float) -> None:
        """Send the goals of this moment; the last ones are those of the path's end."""
        if self._path is None:
            return
        elapsed = now - self._path_start
        for tip, pose in self._path.goals(elapsed).items():
            self._set_goal(tip, pose)
        if elapsed >= self._path.duration:
            self._path = None

    def _trace(self, tracing: bool) -> None:
        with self._lock:
            self._tracing = tracing
            for trace in self._traces.values():
                trace.clear()

    def _position_only(self, on: bool) -> None:
        self._allow_rotation(not on)
        self._outlet.option('position_only', on)

    def _allow_rotation(self, allowed: bool) -> None:
        for goal in self.goals.values():
            goal.allow_rotation(allowed)

    def _choose_kind(self, tip: str, kind: str) -> None:
        """Let the handle of a tip ask for another kind of goal."""
        with self._lock:
            self._stop_path()
            self.goals[tip].choose(kind)
            self.panel.show_kind(tip, kind)

    def _set_goals(self, poses: Mapping[str, Pose]) -> None:
        """Move handles to poses and tell the solver, after the end of any path."""
        with self._lock:
            for tip, pose in poses.items():
                self._choose_kind(tip, POSE)
                self._set_goal(tip, pose)

    def _set_goal(self, tip: str, pose: Pose) -> None:
        self.goals[tip].move(pose)
        self._outlet.goal(tip, self.goals[tip].ask())

    def _configuration(self) -> np.ndarray:
        return self._chain.clamp(self._chain.configuration(self._positions, strict=False))

    def _dragged(self, goal: GoalHandle) -> None:
        """Send a goal as it is dragged; dragging ends a path."""
        self._stop_path()
        self._outlet.goal(goal.tip, goal.ask())

    def _stop_path(self) -> None:
        if self._path is not None:
            self._path = None
            self.panel.stop_playing()
