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
"""The node over real DDS, in a process of its own: topics, services, parameters."""

import math
import threading
import time

from diagnostic_msgs.msg import DiagnosticStatus
from dq_ik.pose import Pose
from dq_ik.ros.client import Client
from dq_ik.ros.conversions import fill_pose
from dq_ik.ros.services.requests import ErrorCode
from geometry_msgs.msg import PoseStamped
import numpy as np
import pytest
from rcl_interfaces.srv import DescribeParameters
from ros_bench import wait_until
import ros_processes
import ros_robot
from ros_world import ARM, CHAIN, close, Q, ROBOT, START_UP, World
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

ros_processes.use_own_domain()
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope='module')
def world():
    """Return a world with a node that follows the arm of the test robot."""
    with ros_processes.run_node(robot_description=ros_robot.urdf_text(), **ARM) as node:
        with Client('tester') as client:
            made = World(client, node)
            wait_until(lambda: made.goal.get_subscription_count() or not node.alive, START_UP)
            assert node.alive, node.log
            wait_until(lambda: client.node.count_publishers('/dq_ik/joint_commands'))
            yield made
            assert node.alive, node.log
        assert node.stop() == 0, node.log
        assert 'Traceback' not in node.log


# --- streaming -----------------------------------------------------------------------------------

def test_start_is_announced_with_warm_kernels(world):
    log = world.process.log
    assert 'ready after' in log
    assert "group 'arm' from arm_base to flange" in log


def test_goal_in_joint_command_out(world):
    goal = CHAIN.fk(Q)
    assert close(world.follow(goal), goal)
    msg = world.newest['/dq_ik/joint_commands']
    assert msg.name == list(ros_robot.ARM)
    assert msg.header.stamp.sec > 0
    assert len(msg.velocity) == 0
    world.status('reached', DiagnosticStatus.OK)


def test_pinocchio_finds_the_commanded_tip_at_the_goal(world):
    pinocchio = pytest.importorskip('pinocchio')
    model = pinocchio.buildModelFromXML(ros_robot.urdf_text())
    data = model.createData()
    goal = CHAIN.fk(Q)
    world.follow(goal)
    msg = world.newest['/dq_ik/joint_commands']
    q = pinocchio.neutral(model)
    for name, value in zip(msg.name, msg.position):
        joint = model.joints[model.getJointId(name)]
        both = (math.cos(value), math.sin(value)) if joint.nq == 2 else (value,)
        q[joint.idx_q:joint.idx_q + joint.nq] = both
    pinocchio.framesForwardKinematics(model, data, q)
    base, tip = (data.oMf[model.getFrameId(link)] for link in ('arm_base', 'flange'))
    np.testing.assert_allclose((base.inverse() * tip).homogeneous, goal.matrix, atol=2e-5)


@pytest.mark.parametrize('frame', ['', 'world', 'torso'])
def test_goal_in_frames_of_the_robot(world, frame):
    link = frame or 'world'
    links = ROBOT.model.link_poses(dict(zip(ros_robot.ARM, Q)))
    assert close(world.follow(links[link].inverse() @ links['flange'], frame), CHAIN.fk(Q))


def test_goal_in_the_frame_of_the_tip_moves_it_along(world):
    world.follow(CHAIN.fk(Q))
    step = Pose.from_xyz_rpy((0, 0, 0.02), (0, 0, 0))
    assert close(world.follow(step, 'flange'), CHAIN.fk(Q) @ step)


def test_best_reach_is_published_and_explained(world):
    q = world.follow(Pose.from_xyz_rpy((4, 0, 0.2), (0, 1.57, 0)))
    assert CHAIN.within_limits(q)
    assert CHAIN.fk(q).position[0] > 0.7
    world.status('best reach', DiagnosticStatus.WARN)
    world.follow(CHAIN.fk(Q))
    world.status('reached', DiagnosticStatus.OK)


@pytest.mark.parametrize(('pose', 'reason'), [
    ({'position': (math.nan, 0.0, 0.0)}, 'finite'),
    ({'position': (math.inf, 0.0, 0.0)}, 'finite'),
    ({'position': (0.0, 0.0, -1e300)}, 'no place on earth'),
    ({'orientation': (0.0, 0.0, 0.0, 0.0)}, 'zero'),
    ({'orientation': (math.nan, 0.0, 0.0, 1.0)}, 'finite'),
    ({'frame': 'camera'}, "'camera'"),
    ({'frame': '/world'}, 'leading slash'),
])
def test_impossible_goal_is_refused_with_the_reason_and_the_next_is_followed(world, pose, reason):
    world.follow(CHAIN.fk(Q))
    msg = PoseStamped()
    msg.header.frame_id = pose.get('frame', 'arm_base')
    p, r = msg.pose.position, msg.pose.orientation
    p.x, p.y, p.z = pose.get('position', (0.1, 0.0, 0.5))
    r.x, r.y, r.z, r.w = pose.get('orientation', (0.0, 0.0, 0.0, 1.0))
    before = world.count['/dq_ik/joint_commands']
    world.goal.publish(msg)
    world.status(reason, DiagnosticStatus.ERROR)
    assert world.count['/dq_ik/joint_commands'] == before
    assert close(world.follow(CHAIN.fk(Q)), CHAIN.fk(Q))


@pytest.mark.parametrize('value', [1e3, 1e6, 1e9])
def test_huge_goal_gives_a_finite_best_reach(world, value):
    q = world.follow(Pose.from_xyz_rpy((value, -value, value), (0, 0, 0)))
    assert np.isfinite(q).all()
    assert CHAIN.within_limits(q)


def test_unnormalised_quaternion_is_followed(world):
    goal = CHAIN.fk(Q)
    msg = PoseStamped()
    msg.header.frame_id = 'arm_base'
    fill_pose(msg.pose, goal)
    r = msg.pose.orientation
    r.x, r.y, r.z, r.w = (1e3 * c for c in (r.x, r.y, r.z, r.w))
    world.goal.publish(msg)
    wait_until(lambda: close(world.command(), goal))


def test_flood_ends_at_the_newest_goal(world):
    for k in range(3000):
        world.send(CHAIN.fk(Q + 0.1 * math.sin(0.01 * k)))
    world.send(CHAIN.fk(Q))  # answers to goals before it may still be on their way
    wait_until(lambda: close(world.command(), CHAIN.fk(Q)), what='the newest goal')
    time.sleep(0.3)
    assert close(world.command(), CHAIN.fk(Q))


def test_diagnostics_count(world):
    world.newest.pop('/diagnostics', None)
    world.follow(CHAIN.fk(Q))

    def counted():
        msg = world.newest.get('/diagnostics')
        values = {pair.key: pair.value for pair in msg.status[0].values} if msg else {}
        return values.get('goals_reached', '0') != '0' and float(values['latency_median']) < 0.1
    wait_until(counted)
    summary = world.newest['/diagnostics'].status[0]
    assert summary.name == 'dq_ik: arm'
    values = {pair.key: pair.value for pair in summary.values}
    assert (values['policy'], values['phase']) == ('intercept', 'following')
    assert 0.0 < float(values['margin']) <= 0.5
    assert values['nearest_limit'] in ros_robot.ARM


def test_reseed_takes_the_current_joint_states(world):
    state = JointState(name=list(ros_robot.ARM), position=(Q + 0.3).tolist())
    wait_until(world.joints.get_subscription_count)
    for _ in range(5):
        world.joints.publish(state)
        time.sleep(0.05)
    answer = world.client.call(Trigger, '/dq_ik/reseed', Trigger.Request())
    assert 'joint_states' in answer.message
    here = CHAIN.fk(Q + 0.3)
    np.testing.assert_allclose(world.follow(here), Q + 0.3, atol=1e-9)


# --- services ------------------------------------------------------------------------------------

@pytest.fixture
def moveit():
    return pytest.importorskip('moveit_msgs.srv')


def test_compute_ik(world, moveit):
    response = world.ask(CHAIN.fk(Q))
    assert response.error_code.val == ErrorCode.SUCCESS
    state = response.solution.joint_state
    assert close(CHAIN.configuration(dict(zip(state.name, state.position))), CHAIN.fk(Q))


def test_compute_ik_empty_request_is_answered(world, moveit):
    response = world.client.call(
        moveit.GetPositionIK, '/dq_ik/compute_ik', moveit.GetPositionIK.Request(), 20.0)
    assert response.error_code.val in (ErrorCode.SUCCESS, ErrorCode.NO_IK_SOLUTION)


def test_compute_ik_hostile_requests_are_answered(world, moveit):
    bad = moveit.GetPositionIK.Request().ik_request
    bad.robot_state.joint_state.name = ['nope'] * 1000
    answers = [world.ask(CHAIN.fk(Q), robot_state=bad.robot_state),
               world.ask(CHAIN.fk(Q), group_name='x' * 10000),
               world.ask(CHAIN.fk(Q), ik_link_name='\x01'),
               world.ask(CHAIN.fk(Q), pose_stamped_vector=[PoseStamped()] * 100)]
    assert [answer.error_code.val for answer in answers] == [
        ErrorCode.INVALID_ROBOT_STATE, ErrorCode.INVALID_GROUP_NAME,
        ErrorCode.INVALID_LINK_NAME, ErrorCode.INVALID_LINK_NAME]


def test_compute_fk(world, moveit):
    request = moveit.GetPositionFK.Request(fk_link_names=['flange', 'tool'])
    response = world.client.call(moveit.GetPositionFK, '/dq_ik/compute_fk', request)
    assert response.error_code.val == ErrorCode.SUCCESS
    assert response.fk_link_names == ['flange', 'tool']
    assert response.pose_stamped[0].header.stamp.sec > 0


def test_requests_do_not_stall_the_stream(world, moveit):
    """Searches for a goal out of reach, one after the other, while goals are answered."""
    assert all(result.successful for result in world.change(max_restarts=10000))
    answers, gaps = [], []
    far = Pose.from_xyz_rpy((3, 0, 0), (0, 0, 0))
    end = time.monotonic() + 1.0

    def ask_on():
        while time.monotonic() < end:
            answers.append(world.ask(far))

    world.follow(CHAIN.fk(Q))
    thread = threading.Thread(target=ask_on)
    thread.start()
    while thread.is_alive():
        start = time.monotonic()
        world.follow(CHAIN.fk(Q + 0.01 * math.sin(len(gaps))))
        gaps.append(time.monotonic() - start)
    thread.join()
    world.change(max_restarts=100)
    assert len(answers) >= 3
    assert {answer.error_code.val for answer in answers} == {ErrorCode.NO_IK_SOLUTION}
    assert len(gaps) >= 5
    assert np.median(gaps) < 0.1


# --- parameters ----------------------------------------------------------------------------------

def test_parameter_change_takes_effect(world):
    assert world.change(goal_mode='position')[0].successful
    goal = CHAIN.fk(Q) @ Pose.from_xyz_rpy((0, 0, 0), (0, 0, 3.0))
    q = world.follow(goal)
    assert CHAIN.fk(q).distance(goal)[0] < 1e-5
    assert world.change(goal_mode='pose')[0].successful


@pytest.mark.parametrize(('parameters', 'reason'), [
    ({'goal_mode': 'dance'}, 'goal_mode'), ({'velocity_scaling': 1.5}, 'velocity_scaling'),
    ({'timeout': -1.0}, 'timeout'), ({'tip_links': ['nope']}, "'nope'"),
    ({'robot_description': '<robot name="r"/>'}, ''), ({'locked_joints': ['nope']}, "'nope'"),
    ({'trajectory_topic': '/x'}, 'read-only'), ({'controller_joints': ['lift']}, "'lift'")])
def test_bad_parameter_is_refused_with_the_reason_and_the_node_goes_on(world, parameters, reason):
    result = world.change(**parameters)[0]
    assert not result.successful
    assert reason in result.reason
    assert close(world.follow(CHAIN.fk(Q)), CHAIN.fk(Q))


def test_parameters_are_described(world):
    request = DescribeParameters.Request(names=['position_tolerance', 'rate'])
    answer = world.client.call(DescribeParameters, '/dq_ik/describe_parameters', request)
    assert all(item.description and item.floating_point_range for item in answer.descriptors)


def test_rate_with_velocity_limit_moves_smoothly(world):
    world.follow(CHAIN.fk(Q))
    results = world.change(rate=100.0) + world.change(velocity_scaling=0.2)
    assert all(result.successful for result in results), results
    goal = CHAIN.fk(Q + 0.2)
    speeds = []
    world.send(goal)
    end = time.monotonic() + 5.0
    while time.monotonic() < end and not (speeds and close(world.command(), goal)):
        speeds.append(np.abs(world.newest['/dq_ik/joint_commands'].velocity or [0.0]).max())
        time.sleep(0.01)
    results = world.change(velocity_scaling=0.0) + world.change(rate=0.0)
    assert all(result.successful for result in results), results
    assert close(world.command(), goal)
    assert 0.3 < max(speeds) <= 0.4 + 1e-9
