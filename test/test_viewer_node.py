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

"""The page as a ROS node, with a stand-in for the ik node."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path

from control_msgs.msg import JointJog
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from domains import reserve
from dq_ik.pose import Pose
from dq_ik.robot.urdf import load_robot
from dq_ik.ros.conversions import fill_pose, pose_from_msg
from dq_ik.ros.description import LATCHED
from dq_ik.ros.goals import LOOK_AT, POSE, RELATIVE
from dq_ik.ros.remote import motion_from_status, report_from_status
from dq_ik.ros.viewer_node import ViewerNode
from geometry_msgs.msg import PointStamped, PoseStamped
import pytest
from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter
from ros_bench import wait_until
from sensor_msgs.msg import JointState
import viser

PANDA = (Path(__file__).parent.parent / 'urdf' / 'panda.urdf').read_text()
TIP = 'panda_hand_tcp'
DOMAIN = reserve()
FAR = [9.0, 0.0, 0.0, 0.0, 0.0, 0.0]
GOAL = Pose.from_xyz_rpy((0.4, 0.1, 0.5), (3.1, 0.0, 0.2))


class StandIn(Node):
    """Has the parameters of the ik node, and refuses one solver."""

    def __init__(self, **kwargs) -> None:
        super().__init__('dq_ik', **kwargs)
        for name, value in (('method', 'pgs'), ('mode', 'distance'), ('goal_mode', 'pose'),
                            ('tool_offset', [0.0, 0.0, 0.0])):
            self.declare_parameter(name, value)
        self.add_on_set_parameters_callback(self.judge)

    @staticmethod
    def judge(parameters) -> SetParametersResult:
        bad = any(parameter.value == 'ccd' or list(parameter.value) == FAR
                  for parameter in parameters if not isinstance(parameter.value, float))
        return SetParametersResult(successful=not bad, reason='not today' if bad else '')


@pytest.fixture(scope='module')
def remote(bench):
    """Return the stand-in of the ik node."""
    return bench.add(StandIn)


@pytest.fixture(scope='module')
def viewer(bench, remote):
    """Return the node with its page open and its parameters known."""
    node = bench.add(ViewerNode, robot_description=PANDA, tip_links=[TIP], port=0)
    wait_until(lambda: chosen(node, 'Mode') == 'distance', what='settings of the ik node')
    return node


def chosen(viewer: ViewerNode, label: str) -> str:
    return viewer.page.panel._controls[label].value


def shows(viewer: ViewerNode, text: str) -> bool:
    return text in viewer.page.panel._status.content


def drag(viewer: ViewerNode, pose: Pose, phase: str) -> None:
    """Do what viser does when a browser moves the gizmo."""
    goal = viewer.page.goals[TIP]
    goal.control.position, goal.control.wxyz = pose.position, pose.quaternion
    asyncio.run(goal._dragged(viser.TransformControlsEvent(
        client=None, client_id=0, target=goal.control, phase=phase)))


def test_a_dragged_handle_is_a_goal_on_the_topic(bench, viewer):
    """In the frame of the base, with a stamp."""
    goals = bench.newest(PoseStamped, 'dq_ik/goal_pose', 1)
    wait_until(lambda: bench.node.count_publishers('dq_ik/goal_pose') > 0)
    wait_until(lambda: viewer._goals._publishers[POSE, TIP].get_subscription_count() > 0)
    drag(viewer, GOAL, 'update')
    wait_until(lambda: bool(goals), what='goal')
    assert goals[0].header.frame_id == 'panda_link0'
    assert goals[0].header.stamp.sec > 0
    assert pose_from_msg(goals[0].pose).distance(GOAL) == pytest.approx((0.0, 0.0), abs=1e-6)
    drag(viewer, GOAL, 'end')


def test_joint_states_move_the_robot(bench, viewer):
    """Even when they come best effort, and with joints of other robots."""
    states = bench.node.create_publisher(JointState, 'joint_states', 10)
    chain = load_robot(PANDA).chain(None, TIP)
    positions = {**chain.joint_positions(chain.neutral), 'panda_joint1': 0.7, 'other': 1.0}
    message = JointState(name=list(positions), position=list(positions.values()))
    expected = chain.fk(chain.configuration(positions, strict=False))

    def arrived() -> bool:
        states.publish(message)
        return viewer.page.tool_poses()[TIP].distance(expected)[0] < 1e-9

    wait_until(arrived, what='tool pose')


def test_goals_of_others_move_the_handle(bench, viewer):
    """As soon as the ik node says that it follows them."""
    goals = bench.node.create_publisher(PoseStamped, 'dq_ik/goal_pose/current', 1)
    wait_until(lambda: goals.get_subscription_count() > 0)
    msg = PoseStamped()
    msg.header.frame_id = 'panda_link0'
    other = Pose.from_xyz_rpy((0.3, 0.3, 0.3), (0.0, 0.0, 0.0))
    fill_pose(msg.pose, other)

    def moved() -> bool:
        goals.publish(msg)
        return viewer.page.goals[TIP].pose.distance(other)[0] < 1e-6

    wait_until(moved, what='handle at the goal')


def test_a_dragged_point_is_a_point_on_its_topic(bench, viewer):
    """The look_at topic, in the frame of the base."""
    points = bench.newest(PointStamped, 'dq_ik/look_at', 1)
    wait_until(lambda: viewer._goals._publishers[LOOK_AT, TIP].get_subscription_count() > 0)
    viewer.page.choose_kind(TIP, 'look at')
    drag(viewer, GOAL, 'update')
    drag(viewer, GOAL, 'end')
    wait_until(lambda: bool(points), what='point')
    assert points[0].header.frame_id == 'panda_link0'
    point = points[0].point
    assert (point.x, point.y, point.z) == pytest.approx(tuple(GOAL.position))
    viewer.page.choose_kind(TIP, 'pose')


def test_points_of_others_move_the_handle(bench, viewer):
    """The page then shows the kind of that goal."""
    points = bench.node.create_publisher(PointStamped, 'dq_ik/look_at/current', 1)
    wait_until(lambda: points.get_subscription_count() > 0)
    msg = PointStamped()
    msg.header.frame_id = 'panda_link0'
    msg.point.x = 0.8

    def moved() -> bool:
        points.publish(msg)
        return viewer.page.goals[TIP].pose.position == pytest.approx((0.8, 0.0, 0.0))

    wait_until(moved, what='handle at the point')
    with viewer.page.lock:  # handle and kind change together
        assert viewer.page.panel._kinds[TIP].value == 'look at'
    viewer.page.choose_kind(TIP, 'pose')


def test_a_relative_goal_goes_to_its_topic(bench, remote):
    """With the other tip as its frame."""
    left, right = tips = ['left_tool', 'right_tool']
    node = bench.add(ViewerNode, port=0, tip_links=tips, ik_node='pair', robot_description=(
        Path(__file__).parent.parent / 'urdf' / 'two_arms.urdf').read_text())
    wait_until(lambda: node.page is not None)
    goals = bench.newest(PoseStamped, f'pair/{right}/relative_goal', 1)
    wait_until(lambda: node._goals._publishers[RELATIVE, right].get_subscription_count() > 0)
    node.page.choose_kind(right, f'relative to {left}')
    node.page._set_goal(right, GOAL)
    wait_until(lambda: bool(goals), what='relative goal')
    assert goals[0].header.frame_id == left
    expected = node.page.tool_poses()[left].inverse() @ GOAL
    assert pose_from_msg(goals[0].pose).distance(expected) == pytest.approx((0, 0), abs=1e-6)


def test_status_is_reported(bench, viewer):
    """With reason and numbers."""
    publisher = bench.node.create_publisher(DiagnosticStatus, 'dq_ik/status', LATCHED)
    publisher.publish(DiagnosticStatus(
        level=DiagnosticStatus.WARN, message='panda_joint4 is at its limit',
        values=[KeyValue(key='position_error', value='1.23e-02'),
                KeyValue(key='rotation_error', value='0.0'), KeyValue(key='time', value='1e-05')]))
    wait_until(lambda: 'Best reach' in viewer.page.panel._status.content, what='status')
    assert 'panda_joint4 is at its limit' in viewer.page.panel._status.content
    assert '12.30 mm' in viewer.page.panel._status.content


@pytest.mark.parametrize(
    ('level', 'title'),
    [(DiagnosticStatus.OK, 'Reached'), (DiagnosticStatus.WARN, 'Best reach'),
     (DiagnosticStatus.ERROR, 'Not followed'), (DiagnosticStatus.STALE, 'Holding')])
def test_the_badge_tells_answers_from_refusals(level, title):
    """A refused goal is no best reach, and a jogged arm has reached nothing."""
    assert report_from_status(DiagnosticStatus(level=level, message='why')).headline == title
    assert report_from_status(
        DiagnosticStatus(level=level, message='jogging')).headline == 'Moving'


def test_a_status_of_anybody_is_shown_as_far_as_it_can_be_read():
    """Numbers that are none are left out."""
    values = [KeyValue(key='position_error', value='n/a'), KeyValue(key='time', value='')]
    report = report_from_status(DiagnosticStatus(message='why', values=values))
    assert report.message == 'why'
    assert math.isnan(report.position_error)
    assert math.isnan(report.solve_time)


def test_a_motion_of_anybody_is_shown_as_far_as_it_can_be_read():
    """A status without news of the motion has none; numbers that are none are left out."""
    assert motion_from_status(DiagnosticStatus(message='why')) is None
    values = [KeyValue(key='margin', value='n/a'), KeyValue(key='time_left', value='soon'),
              KeyValue(key='nearest_limit', value='elbow'), KeyValue(key='speed', value='0.25')]
    motion = motion_from_status(DiagnosticStatus(values=values))
    assert math.isnan(motion.outlook.margin)
    assert math.isnan(motion.acceleration)
    assert (motion.outlook.nearest, motion.outlook.sentence) == ('elbow', '')
    assert motion.speed == 0.25


def test_the_motion_is_shown_from_status_and_diagnostics(bench, viewer):
    """Also after a status that makes no sense; diagnostics of other nodes are left out."""
    answers = bench.node.create_publisher(DiagnosticStatus, 'dq_ik/status', LATCHED)
    beats = bench.node.create_publisher(DiagnosticArray, '/diagnostics', 10)

    def values(phase, margin):
        return [KeyValue(key='phase', value=phase), KeyValue(key='margin', value=margin),
                KeyValue(key='nearest_limit', value='elbow')]

    def says(text):
        return text in viewer.page.panel._motion.content

    answers.publish(DiagnosticStatus(values=values('on the way', 'n/a')))
    wait_until(lambda: says('on the way') and says('nearest limit: elbow'), what='status')

    def summed_up():
        beats.publish(DiagnosticArray(status=[
            DiagnosticStatus(name='dq_ik: arm', values=values('following', '0.125')),
            DiagnosticStatus(name='other: arm', values=values('lost', '0.5'))]))
        return says('following') and says('12.5 %')
    wait_until(summed_up, what='diagnostics')


def test_settings_go_both_ways(viewer, remote):
    """From the page to the parameters, and from ``ros2 param set`` to the page."""
    viewer.page.outlet.option('method', 'pls')
    wait_until(lambda: remote.get_parameter('method').value == 'pls', what='parameter set')
    viewer.page.outlet.option('position_only', True)
    wait_until(lambda: remote.get_parameter('goal_mode').value == 'position')
    remote.set_parameters([Parameter('mode', value='speed')])
    wait_until(lambda: chosen(viewer, 'Mode') == 'speed', what='page follows')


def test_the_speed_goes_both_ways_where_the_node_has_one(viewer, remote):
    """The stand-in has none at first, and its other settings were known all the same."""
    remote.declare_parameter('velocity_scaling', 0.5)
    wait_until(lambda: chosen(viewer, 'Speed [%]') == 50, what='page follows')
    viewer.page.outlet.option('velocity_scaling', 0.25)
    wait_until(lambda: remote.get_parameter('velocity_scaling').value == 0.25)


def test_the_tool_goes_both_ways(viewer, remote):
    """The page asks the ik node for a tool, and shows the one that the node has."""
    tool = Pose.from_xyz_rpy((0.0, 0.0, 0.1), (0.0, 0.5, 0.0))
    viewer.page.outlet.tool[1](tool)
    wait_until(lambda: viewer.page.chain.tips == (f'{TIP}_tool',), what='page follows')
    assert remote.get_parameter('tool_offset').value == pytest.approx([0, 0, 0.1, 0, 0.5, 0])
    links = viewer.page.chain.model.link_poses(viewer.page.positions)
    at = links[TIP].inverse() @ links[f'{TIP}_tool']
    assert at.distance(tool) < (1e-9, 1e-9)
    remote.set_parameters([Parameter('tool_offset', value=[0.0, 0.0, 0.0])])
    wait_until(lambda: viewer.page.chain.tips == (TIP,), what='the tool is gone')
    viewer.page.outlet.tool[1](Pose.from_xyz_rpy(FAR[:3], (0.0, 0.0, 0.0)))
    wait_until(lambda: 'tool_offset was not set: not today' in viewer.page.panel._status.content)
    wait_until(lambda: chosen(viewer, 'Mode') == remote.get_parameter('mode').value)


def test_joints_are_moved_by_velocities_on_a_topic(bench, viewer):
    """Those of the whole chain, towards the posture, with a stamp; zeros when they do not move."""
    jogs = []
    bench.node.create_subscription(JointJog, 'dq_ik/joint_jog', jogs.append, 10)
    wait_until(lambda: viewer._joints._publisher.get_subscription_count() > 0)
    chain = viewer.page.chain
    viewer.page.go_to(viewer.page.q + 0.1 * (chain.neutral - viewer.page.q) + 0.05)
    wait_until(lambda: bool(jogs), what='velocities')
    assert tuple(jogs[0].joint_names) == chain.joint_names
    assert any(jogs[0].velocities)
    assert jogs[0].header.stamp.sec > 0
    wait_until(lambda: not any(jogs[-1].velocities), what='nobody moves: the end')
    wait_until(lambda: not viewer.page.moves_joints, what='the end on the page')


def test_a_refused_setting_says_why(viewer):
    """In the status line."""
    viewer.page.outlet.option('method', 'ccd')
    wait_until(lambda: 'not today' in viewer.page.panel._status.content, what='reason')


def test_a_missing_ik_node_is_named(bench):
    """The page works without one, and says what is missing."""
    node = bench.add(
        ViewerNode, robot_description=PANDA, tip_links=[TIP], port=0, ik_node='nobody')
    wait_until(lambda: shows(node, 'Waiting') and shows(node, 'node nobody'), what='waiting')
    node.page.outlet.option('method', 'pls')
    wait_until(lambda: shows(node, 'there is no node /nobody'))
    answers = bench.node.create_publisher(DiagnosticStatus, 'nobody/status', LATCHED)
    wait_until(lambda: shows(node, 'Ready'), what='somebody came')
    answers.publish(DiagnosticStatus(level=DiagnosticStatus.OK, message='here I am'))
    wait_until(lambda: shows(node, 'here I am'), what='answer')
    bench.node.destroy_publisher(answers)
    wait_until(lambda: shows(node, 'Waiting'), what='waiting again')


def test_the_badge_of_a_killed_ik_node_does_not_stay_green(bench):
    """Its publisher is still known for 20 s, but the diagnostics of each second stay away."""
    node = bench.add(
        ViewerNode, robot_description=PANDA, tip_links=[TIP], port=0, ik_node='mortal')
    answers = bench.node.create_publisher(DiagnosticStatus, 'mortal/status', LATCHED)
    beats = bench.node.create_publisher(DiagnosticArray, '/diagnostics', 10)

    def alive() -> bool:
        beats.publish(DiagnosticArray(status=[DiagnosticStatus(name='mortal: default')]))
        answers.publish(DiagnosticStatus(level=DiagnosticStatus.OK, message='here I am'))
        return node._heard_at is not None and shows(node, 'Reached')

    wait_until(alive, what='answer')
    wait_until(lambda: shows(node, 'Waiting') and not shows(node, 'Reached'), 10.0, 'waiting')
    wait_until(alive, what='the node is back')


def test_meshes_that_are_not_drawn_are_named_once_with_reason_and_remedy(bench, capfd):
    """Files with the same trouble share a line."""
    visual = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
    files = ('package://no_such/a.stl', 'package://no_such/b.stl', 'gone.stl')
    links = ''.join(f'<link name="l{i}">{visual.format(file)}</link>'
                    for i, file in enumerate(files))
    joints = ''.join(f'<joint name="j{i}" type="fixed"><parent link="base"/>'
                     f'<child link="l{i}"/></joint>' for i in range(3))
    moving = ('<link name="tip"/><joint name="j" type="continuous"><parent link="base"/>'
              '<child link="tip"/></joint>')
    node = bench.add(ViewerNode, port=0, tip_links=['tip'], robot_description=(
        f'<robot name="r"><link name="base"/>{links}{joints}{moving}</robot>'))
    wait_until(lambda: node.page is not None)
    lines = [line for line in capfd.readouterr().err.splitlines() if 'not drawn' in line]
    assert len(lines) == 2
    assert files[0] in lines[0]
    assert files[1] in lines[0]
    assert 'ROS_PACKAGE_PATH' in lines[0]
    assert files[2] in lines[1]
    assert 'urdf_folder' in lines[1]
    controls = node._server.gui._container_handle_from_uuid['root']._children.values()
    words = ' '.join(getattr(control, 'content', '') for control in controls)
    assert all(file in words for file in files)
