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

"""The marker node with the real interactive_markers library, against a stand-in for RViz."""

from __future__ import annotations

from pathlib import Path

from domains import reserve
from dq_ik.pose import Pose
from dq_ik.robot.urdf import load_robot
from dq_ik.ros.conversions import fill_pose, pose_from_msg
from dq_ik.ros.markers.node import GoalMarkerNode
from geometry_msgs.msg import PoseStamped
import pytest
from rclpy.node import Node
from ros_bench import ros_bench, wait_until
from sensor_msgs.msg import JointState
from visualization_msgs.msg import InteractiveMarkerFeedback, InteractiveMarkerUpdate, MenuEntry
from visualization_msgs.srv import GetInteractiveMarkers

pytest.importorskip('interactive_markers')

PANDA = (Path(__file__).parent.parent / 'urdf' / 'panda.urdf').read_text()
TIP = 'panda_hand_tcp'
DOMAIN = reserve()
GOAL = Pose.from_xyz_rpy((0.4, 0.1, 0.5), (3.1, 0.0, 0.2))


class Rviz:
    """What RViz does with interactive markers: ask for them, hear updates, send feedback."""

    def __init__(self, node: Node) -> None:
        self._client = node.create_client(
            GetInteractiveMarkers, 'dq_ik_goal/get_interactive_markers')
        self._feedback = node.create_publisher(
            InteractiveMarkerFeedback, 'dq_ik_goal/feedback', 100)
        self.updates: list[InteractiveMarkerUpdate] = []
        node.create_subscription(
            InteractiveMarkerUpdate, 'dq_ik_goal/update', self.updates.append, 100)
        assert self._client.wait_for_service(10.0)
        wait_until(lambda: self._feedback.get_subscription_count() > 0)

    def marker(self):
        """Return the one marker, as a new RViz would get it."""
        future = self._client.call_async(GetInteractiveMarkers.Request())
        wait_until(future.done, what='markers')
        marker, = future.result().markers
        return marker

    def send(self, event: int, pose: Pose = GOAL, entry: int = 0) -> None:
        """Tell the server what the user did."""
        msg = InteractiveMarkerFeedback(
            client_id='rviz', marker_name=TIP, event_type=event, menu_entry_id=entry)
        msg.header.frame_id = 'panda_link0'
        fill_pose(msg.pose, pose)
        self._feedback.publish(msg)

    def entry(self, title: str) -> MenuEntry:
        """Return a menu entry, without its tick box."""
        return next(entry for entry in self.marker().menu_entries if title in entry.title)


@pytest.fixture(scope='module')
def bench():
    """Open a domain for all tests."""
    with ros_bench(DOMAIN) as opened:
        opened.add(GoalMarkerNode, robot_description=PANDA, tip_links=[TIP])
        yield opened


@pytest.fixture(scope='module')
def rviz(bench):
    """Connect the stand-in for RViz."""
    return Rviz(bench.node)


def test_rviz_gets_the_marker_with_handles_and_menu(rviz):
    """Seven controls and the menu's own one; all entries of the menu."""
    marker = rviz.marker()
    assert marker.name == TIP
    assert marker.header.frame_id == 'panda_link0'
    assert {control.name for control in marker.controls} >= {'move_x', 'rotate_z', 'free'}
    titles = ' '.join(entry.title for entry in marker.menu_entries)
    for word in ('Go to tool', 'Home', 'Position only', 'World axes', 'Snap', 'Solver', 'pls'):
        assert word in titles


def test_dragging_sends_goals(bench, rviz):
    """And the newest one last."""
    goals = bench.newest(PoseStamped, 'dq_ik/goal_pose', 1)
    wait_until(lambda: bench.node.count_publishers('dq_ik/goal_pose') > 0)
    rviz.send(InteractiveMarkerFeedback.MOUSE_DOWN)

    def sent() -> bool:
        rviz.send(InteractiveMarkerFeedback.POSE_UPDATE)
        return bool(goals)

    wait_until(sent, what='goal')
    rviz.send(InteractiveMarkerFeedback.MOUSE_UP)
    assert pose_from_msg(goals[0].pose).distance(GOAL) == pytest.approx((0.0, 0.0), abs=1e-6)


def test_the_menu_brings_the_goal_home(bench, rviz):
    """Home is where the first joint states were."""
    chain = load_robot(PANDA).chain(None, TIP)
    positions = {**chain.joint_positions(chain.neutral), 'panda_joint1': 0.4}
    states = bench.node.create_publisher(JointState, 'joint_states', 10)
    expected = chain.fk(chain.configuration(positions))

    def placed() -> bool:
        states.publish(JointState(name=list(positions), position=list(positions.values())))
        return pose_from_msg(rviz.marker().pose).distance(expected)[0] < 1e-6

    wait_until(placed, what='marker at the tool')
    goals = bench.newest(PoseStamped, 'dq_ik/goal_pose', 1)
    entry = rviz.entry('Home').id

    def home() -> bool:
        rviz.send(InteractiveMarkerFeedback.MENU_SELECT, entry=entry)
        return bool(goals) and pose_from_msg(goals[0].pose).distance(expected)[0] < 1e-6

    wait_until(home, what='goal at home')


def test_a_goal_of_somebody_else_moves_the_marker(bench, rviz):
    """Through the update topic of RViz."""
    goals = bench.node.create_publisher(PoseStamped, 'dq_ik/goal_pose/current', 1)
    wait_until(lambda: goals.get_subscription_count() > 0)
    other = Pose.from_xyz_rpy((0.3, 0.3, 0.3), (0.0, 0.0, 0.0))
    msg = PoseStamped()
    msg.header.frame_id = 'panda_link0'
    fill_pose(msg.pose, other)
    rviz.updates.clear()

    def moved() -> bool:
        goals.publish(msg)
        poses = [item for update in rviz.updates for item in update.poses]
        return bool(poses) and pose_from_msg(poses[-1].pose).distance(other)[0] < 1e-6

    wait_until(moved, what='marker update')


def test_world_axes_change_the_arrows(rviz):
    """The switch is ticked and the controls become fixed."""
    entry = rviz.entry('World axes')
    assert '[ ]' in entry.title
    rviz.send(InteractiveMarkerFeedback.MENU_SELECT, entry=entry.id)
    wait_until(lambda: '[x]' in rviz.entry('World axes').title, what='tick')
    modes = {control.name: control.orientation_mode for control in rviz.marker().controls}
    assert modes['move_x'] == 1
