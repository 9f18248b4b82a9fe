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

"""
The goal marker of RViz as a ROS node.

It needs the package ``interactive_markers`` of a ROS installation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
import sys
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from dq_ik.errors import DqIkError
from dq_ik.options import METHODS, setting
from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
from dq_ik.ros.conversions import fill_pose, pose_from_msg
from dq_ik.ros.description import CurrentState, LATCHED, listen_for_description
from dq_ik.ros.groups import read_robot
from dq_ik.ros.markers.collisions import CollisionDisplay
from dq_ik.ros.markers.messages import goal_marker, status_markers
from dq_ik.ros.parameters import declare
from dq_ik.ros.remote import GoalTopics, RemoteOptions, report_from_status
from dq_ik.ros.running import run, steady_timer
from dq_ik.ros.settings import GoalSenderSettings, SceneSettings
from dq_ik.stream.marker import Item, MarkerLogic, MarkerOutlet
from dq_ik.stream.path import arm_length
from dq_ik.stream.report import Report
from geometry_msgs.msg import Pose as PoseMsg
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from visualization_msgs.msg import InteractiveMarkerFeedback, Marker, MarkerArray

SCALE_OF_REACH = 0.17
SCREEN_PERIOD = 0.1  # least time between two updates for RViz, which drops faster ones [s]


# While somebody holds a marker, RViz says so again and again.
PRESSED = (InteractiveMarkerFeedback.MOUSE_DOWN, InteractiveMarkerFeedback.KEEP_ALIVE)


@dataclass(frozen=True)
class MarkerSettings(SceneSettings, GoalSenderSettings):
    """Parameters of the node."""

    marker_namespace: str = setting(
        'dq_ik_goal', 'Interactive Markers Namespace for RViz; one level, no slash inside',
        read_only=True)
    scale: float = setting(
        0.0, 'size of the marker [m]; 0: in proportion to the arm', minimum=0.0, maximum=10.0,
        read_only=True)
    rate: float = setting(
        60.0, 'greatest rate of goals [Hz]', minimum=1.0, maximum=1000.0, read_only=True)
    collision_markers: bool = setting(
        False, 'publish the bodies, coloured by clearance, and the objects on '
        '~/collision_markers', read_only=True)


class GoalMarkerNode(Node):
    """Serves the goal markers of the robot that ``robot_description`` describes."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__('dq_ik_goal_marker', **kwargs)
        self._settings = declare(self, MarkerSettings)
        self._server = open_marker_server(self, self._settings.marker_namespace)
        self._markers: Markers | None = None
        self._state = CurrentState(self)
        self._options = RemoteOptions(self, self._settings.ik_node, self._on_option)
        self._shown: MarkerArray | None = None
        self._status = self.create_publisher(MarkerArray, '~/status_markers', LATCHED)
        self._report: Report | None = None
        self._collisions = CollisionDisplay(
            self, self._settings, self._state) if self._settings.collision_markers else None
        listen_for_description(self, self._settings.robot_description, self._use)
        remote = self._settings.ik_node
        self.create_subscription(JointState, f'{remote}/joint_commands', self._on_command, 1)
        self.create_subscription(DiagnosticStatus, f'{remote}/status', self._on_status, LATCHED)
        steady_timer(self, 1.0 / self._settings.rate, self._tick)
        steady_timer(self, SCREEN_PERIOD, self._show)

    def destroy_node(self) -> None:
        """Take the markers away, then the node."""
        self._server.shutdown()
        if self._collisions is not None:
            self._collisions.close()
        super().destroy_node()

    def _use(self, urdf: str) -> None:
        """Serve the markers of another robot."""
        chain = self._settings.chain(read_robot(urdf))
        if self._collisions is not None:
            self._collisions.use(chain, urdf)
        if self._markers is not None:
            self._markers.topics.close()
        self._markers = Markers(self, self._server, chain, self._settings, self._options)
        self._status.publish(MarkerArray(markers=[Marker(action=Marker.DELETEALL)]))
        self._options.ask()

    def _on_command(self, msg: JointState) -> None:
        if self._markers is not None:
            self._markers.logic.hear_command(dict(zip(msg.name, msg.position)))

    def _on_status(self, msg: DiagnosticStatus) -> None:
        if self._markers is not None:
            self._report = report_from_status(msg)
            self._markers.logic.hear_status(bool(self._report.reached))

    def _on_option(self, name: str, value: str | bool | float, refusal: str) -> None:
        if refusal:
            self.get_logger().warning(f'{name} was not set: {refusal}')
        elif self._markers is not None:
            self._markers.logic.hear_option(name, value)

    def _tick(self) -> None:
        if self._markers is not None:
            self._markers.tick(self._state)

    def _show(self) -> None:
        """Bring the newest goals and the newest answer to RViz."""
        if self._markers is not None:
            self._markers.show()
            status = self._markers.status(self._report) if self._report else None
            if status is not None and status != self._shown:
                self._shown = status
                self._status.publish(status)


class Markers:
    """Six-axis handles with a menu in RViz; what they mean is decided by MarkerLogic."""

    def __init__(self, node: Node, server: Any, chain: Chain, settings: MarkerSettings,
                 options: RemoteOptions) -> None:
        """
        Draw the markers of a robot.

        :param server: the InteractiveMarkerServer.
        """
        self._log = node.get_logger()
        self._server = server
        self._chain = chain
        self._scale = settings.scale or SCALE_OF_REACH * max(
            arm_length(chain, tip) for tip in chain.tips)
        self._moved: set[str] = set()
        self._stale = True
        self.topics = GoalTopics(
            node, settings.ik_node, chain, lambda tip, pose: self.logic.hear_goal(tip, pose))
        self.logic = MarkerLogic(
            chain, MarkerOutlet(self.topics.send, self._place, self._rebuild, options.change))
        server.clear()
        self.show()

    def tick(self, state: CurrentState) -> None:
        """Hear goals and joints of others, then send what was dragged."""
        self.topics.hear()
        if state.knows(self._chain.joint_names):
            self.logic.hear_joints(state.positions)
        self.logic.flush()

    def status(self, report: Report) -> MarkerArray:
        """Return the markers that say how the newest goal was answered."""
        return status_markers(self._chain.base, self.logic.goals, self._scale, report)

    def show(self) -> None:
        """Bring what has changed to RViz; a marker in somebody's hand stays where it is."""
        moved, self._moved = self._moved, set()
        if self._stale:
            self._stale = False
            self._insert()
        else:
            for tip in moved:
                if not self.logic.is_held(tip):
                    self._server.setPose(tip, fill_pose(PoseMsg(), self.logic.goals[tip]))
        self._server.applyChanges()

    def _insert(self) -> None:
        """Insert all markers, with a menu that shows the switches as they are."""
        logic = self.logic
        menu = build_menu(logic, self._select)
        for tip, pose in logic.goals.items():
            marker = goal_marker(
                tip, self._chain.base, pose, self._scale,
                position_only=logic.switches[Item.POSITION_ONLY],
                world_axes=logic.switches[Item.WORLD_AXES])
            self._server.insert(marker, feedback_callback=self._on_feedback)
            menu.apply(self._server, tip)

    def _place(self, tip: str, _: Pose) -> None:
        self._moved.add(tip)

    def _rebuild(self) -> None:
        self._stale = True

    def _select(self, choice: Item | str, feedback: InteractiveMarkerFeedback) -> None:
        """Obey a menu entry: a solver by its name, or an item for the marker clicked."""
        if isinstance(choice, Item):
            self.logic.select(feedback.marker_name, choice)
        else:
            self.logic.choose(choice)

    def _on_feedback(self, feedback: InteractiveMarkerFeedback) -> None:
        """Sort what RViz says; poses in other frames than ours are refused."""
        if feedback.header.frame_id not in ('', self._chain.base):
            self._log.warning(
                f"RViz answers in frame '{feedback.header.frame_id}', not '{self._chain.base}'",
                throttle_duration_sec=5.0)
            return
        try:
            pose = pose_from_msg(feedback.pose)
        except DqIkError as error:
            self._log.warning(f'marker pose ignored: {error}', throttle_duration_sec=5.0)
            return
        tip = feedback.marker_name
        if feedback.event_type in PRESSED:
            self.logic.press(tip)
        elif feedback.event_type == InteractiveMarkerFeedback.POSE_UPDATE:
            self.logic.drag(tip, pose)
        elif feedback.event_type == InteractiveMarkerFeedback.MOUSE_UP:
            self.logic.release(tip, pose)


def open_marker_server(node: Node, namespace: str) -> Any:
    """Return an InteractiveMarkerServer whose queue does not lose clicks behind movements."""
    try:
        from interactive_markers import InteractiveMarkerServer
    except ImportError:
        raise DqIkError(
            'the goal marker needs the ROS package interactive_markers (apt: '
            'ros-<distribution>-interactive-markers); the web page needs nothing of the kind'
        ) from None
    return InteractiveMarkerServer(node, namespace, feedback_sub_qos=QoSProfile(depth=10))


def build_menu(
    logic: MarkerLogic, select: Callable[[Item | str, InteractiveMarkerFeedback], None]
) -> Any:
    """Return the menu of a marker: actions, switches and solvers, with what is on ticked."""
    from interactive_markers import MenuHandler

    menu = MenuHandler()

    def add(
        title: str, choice: Item | str, parent: Any = None, ticked: bool | None = None
    ) -> None:
        handle = menu.insert(
            title, parent=parent, callback=lambda feedback: select(choice, feedback))
        if ticked is not None:
            menu.setCheckState(handle, menu.CHECKED if ticked else menu.UNCHECKED)

    for item in Item:
        add(item.value, item, ticked=logic.switches.get(item))
    solvers = menu.insert('Solver')
    for method in METHODS:
        add(method, method, parent=solvers, ticked=method == logic.method)
    return menu


def main(args: list[str] | None = None) -> int:
    """Run the node until shutdown."""
    return run('dq_ik_goal_marker', GoalMarkerNode, args)


if __name__ == '__main__':
    sys.exit(main())
