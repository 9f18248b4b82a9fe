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
"""Messages to and from poses and joint positions."""

import math

from builtin_interfaces.msg import Duration
from dq_ik.errors import DqIkError, PoseError
from dq_ik.pose import Pose
from dq_ik.robot.urdf import load_robot
from dq_ik.ros import conversions
from dq_ik.ros.description import CurrentState
from geometry_msgs import msg as geometry_msgs
import numpy as np
import pytest
import ros_robot
from sensor_msgs import msg as sensor_msgs

POSE = Pose.from_xyz_rpy((0.1, -0.2, 0.3), (0.4, -0.5, 3.0))
FREE = """
<robot name="free"><link name="a"/><link name="b"/><link name="c"/>
  <joint name="float" type="floating">
    <parent link="a"/><child link="b"/><origin xyz="0 0 1"/>
  </joint>
  <joint name="plane" type="planar"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/></joint>
</robot>
"""


def pose_msg(position, xyzw):
    msg = geometry_msgs.Pose()
    msg.position.x, msg.position.y, msg.position.z = position
    msg.orientation.x, msg.orientation.y, msg.orientation.z, msg.orientation.w = xyzw
    return msg


def test_pose_survives_the_message():
    msg = conversions.fill_pose(geometry_msgs.Pose(), POSE)
    assert POSE.distance(conversions.pose_from_msg(msg)) == pytest.approx((0, 0), abs=1e-12)


def test_quaternion_order_is_exchanged():
    msg = conversions.fill_pose(geometry_msgs.Pose(), Pose.from_xyz_rpy((0, 0, 0), (0, 0, 1.0)))
    assert msg.orientation.w == pytest.approx(math.cos(0.5))
    assert msg.orientation.z == pytest.approx(math.sin(0.5))


def test_transform_survives_the_message():
    msg = conversions.fill_transform(geometry_msgs.Transform(), POSE)
    assert POSE.distance(conversions.pose_from_transform(msg)) == pytest.approx((0, 0), abs=1e-12)


@pytest.mark.parametrize('seed', range(20))
def test_pose_is_read_as_by_the_general_way(seed):
    rng = np.random.default_rng(seed)
    position, quaternion = rng.normal(size=3), rng.normal(size=4) * 10.0 ** rng.uniform(-9, 9)
    w, x, y, z = quaternion.tolist()
    pose = conversions.pose_from_msg(pose_msg(position.tolist(), (x, y, z, w)))
    expected = Pose.from_xyz_wxyz(position, quaternion)
    np.testing.assert_allclose(pose.real, expected.real, atol=1e-15)
    np.testing.assert_allclose(pose.dual, expected.dual, atol=1e-14)


def test_long_quaternion_is_normalised():
    pose = conversions.pose_from_msg(pose_msg((1.0, 2.0, 3.0), (0.0, 0.0, 10.0, 10.0)))
    np.testing.assert_allclose(pose.rpy, (0, 0, math.pi / 2), atol=1e-12)
    np.testing.assert_allclose(pose.position, (1, 2, 3), atol=1e-12)


@pytest.mark.parametrize(('position', 'xyzw'), [
    ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)),
    ((math.nan, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)),
    ((0.0, math.inf, 0.0), (0.0, 0.0, 0.0, 1.0)),
    ((0.0, 0.0, -1e300), (0.0, 0.0, 0.0, 1.0)),
    ((0.0, 0.0, 0.0), (math.nan, 0.0, 0.0, 1.0)),
])
def test_impossible_pose_is_refused(position, xyzw):
    with pytest.raises(PoseError):
        conversions.pose_from_msg(pose_msg(position, xyzw))


def test_seconds_count_nanoseconds():
    assert conversions.seconds(Duration(sec=1, nanosec=500_000_000)) == pytest.approx(1.5)


@pytest.mark.parametrize(('names', 'positions'), [
    (['j1', 'nope'], [0.0, 0.0]), (['j1', 'j2'], [0.0]), (['j1'], [math.nan]),
    (['j1'], [-math.inf])])
def test_strict_joint_state_is_refused(names, positions):
    model = ros_robot.robot().model
    with pytest.raises(DqIkError):
        conversions.joint_positions(sensor_msgs.JointState(name=names, position=positions), model)


def test_free_joints_survive_the_message():
    model = load_robot(FREE)
    whole = model.whole
    q = np.array([0.1, 0.2, 0.3, 0.4, -0.5, 0.6, 0.7, -0.8, 0.9])
    positions = dict(zip(whole.joint_names, q))
    moveit_msgs = pytest.importorskip('moveit_msgs.msg')
    writer = conversions.RobotStateWriter(model, geometry_msgs.Transform)
    state = writer.fill(moveit_msgs.RobotState(), positions)
    assert state.multi_dof_joint_state.joint_names == ['float', 'plane']
    back = conversions.multi_dof_positions(state.multi_dof_joint_state, model)
    assert back == pytest.approx(positions)


def test_virtual_joints_of_moveit_are_passed_over():
    msg = sensor_msgs.MultiDOFJointState(
        joint_names=['virtual_joint'], transforms=[geometry_msgs.Transform()])
    assert conversions.multi_dof_positions(msg, ros_robot.robot().model) == {}


def test_current_state_merges_publishers_and_drops_nonsense():
    state = CurrentState()
    state.update(sensor_msgs.JointState(name=['j1', 'j2'], position=[0.1, 0.2]))
    state.update(sensor_msgs.JointState(name=['j2', 'other_robot'], position=[0.3, 0.4]))
    state.update(sensor_msgs.JointState(name=['j1'], position=[math.nan]))
    state.update(sensor_msgs.JointState(name=['j1', 'j2'], position=[9.0]))
    assert state.positions == {'j1': 0.1, 'j2': 0.3, 'other_robot': 0.4}
    assert state.knows(('j1', 'j2'))
    assert not state.knows(('j1', 'j3'))
