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
"""Frames of goals: rigid links, moving links, TF."""

import sys
from types import SimpleNamespace

from dq_ik.pose import Pose
from dq_ik.ros.frames import FrameError, Frames, rigid_body, TfLookup
import numpy as np
import pytest
import rclpy
import ros_robot

LIFTED = {'lift': 0.25}


@pytest.fixture(scope='module')
def model():
    return ros_robot.robot().model


def close(a, b):
    return a.distance(b) == pytest.approx((0.0, 0.0), abs=1e-9)


def test_rigid_body_goes_up_and_down_over_fixed_joints(model):
    assert set(rigid_body(model, 'tool')) == {'tool', 'flange', 'palm'}
    palm = rigid_body(model, 'tool')['palm']
    np.testing.assert_allclose(palm.position, (0, 0, -0.1), atol=1e-12)


def test_base_frame_and_rigid_links_need_no_state(model):
    frames = Frames(model, 'arm_base')
    assert close(frames.pose('arm_base', {}), Pose.identity())
    assert close(frames.pose('torso', {}), Pose.from_xyz_rpy((0, 0, -0.2), (0, 0, 0)))


@pytest.mark.parametrize('frame', ['', 'world'])
def test_root_frame_is_seen_from_the_lifted_base(model, frame):
    pose = Frames(model, 'arm_base').pose(frame, LIFTED)
    assert close(pose, Pose.from_xyz_rpy((0, 0, -(0.1 + 0.3 + 0.25 + 0.2)), (0, 0, 0)))


def test_moving_link_is_placed_by_the_current_state_and_the_base_by_the_state(model):
    frames = Frames(model, 'arm_base')
    state, current = {**ros_robot.POSTURE, **LIFTED}, {**ros_robot.POSTURE, 'lift': 0.0, 'j1': 1.0}
    expected = (model.link_poses(state)['arm_base'].inverse() @ model.link_poses(current)['l3'])
    assert close(frames.pose('l3', state, current), expected)
    at_state = model.link_poses(state)
    assert close(frames.pose('l3', state), at_state['arm_base'].inverse() @ at_state['l3'])


def test_unknown_frame_without_tf_is_named(model):
    with pytest.raises(FrameError, match=r"'camera'.*tf2_ros is not in use"):
        Frames(model, 'arm_base').pose('camera', {})


def test_leading_slash_is_explained(model):
    with pytest.raises(FrameError, match='no leading slash'):
        Frames(model, 'arm_base').pose('/camera', {})


def test_frame_outside_the_robot_is_asked_from_tf_in_the_root(model):
    asked = []

    def lookup(target, source):
        asked.append((target, source))
        return Pose.from_xyz_rpy((1, 2, 3), (0, 0, 1))
    pose = Frames(model, 'arm_base', lookup).pose('camera', LIFTED)
    assert asked == [('world', 'camera')]
    assert close(pose, Pose.from_xyz_rpy((1, 2, 3 - 0.85), (0, 0, 1)))


class FakeBuffer:
    """Stands in for tf2_ros.Buffer: one known frame, no waiting."""

    def __init__(self):
        self.calls = []

    def lookup_transform(self, target, source, time, *timeout):
        self.calls.append((target, source, time.nanoseconds, timeout))
        if source != 'camera':
            raise KeyError(f'"{source}" passed to lookupTransform does not exist')
        vector = SimpleNamespace(x=1.0, y=2.0, z=3.0)
        return SimpleNamespace(transform=SimpleNamespace(
            translation=vector, rotation=SimpleNamespace(x=0.0, y=0.0, z=0.0, w=2.0)))


@pytest.fixture
def node():
    """Return a node whose /tf is remapped."""
    context = rclpy.Context()
    context.init(args=['--ros-args', '-r', '/tf:=/robot/tf', '-r', '__node:=renamed'])
    made = rclpy.create_node('tester', context=context)
    yield made
    made.destroy_node()
    context.try_shutdown()


@pytest.fixture
def lookup(node, monkeypatch):
    """Return a TfLookup on a fake tf2_ros, whose listener only remembers its node."""
    fake = SimpleNamespace(TransformException=KeyError, Buffer=FakeBuffer,
                           TransformListener=lambda buffer, node: (buffer, node))
    monkeypatch.setitem(sys.modules, 'tf2_ros', fake)
    made = TfLookup(node)
    yield made
    made.close()
    assert not made._spinning.thread.is_alive()


def test_tf_is_asked_for_the_latest_transform_without_waiting(lookup):
    assert close(lookup('world', 'camera'), Pose.from_xyz_rpy((1, 2, 3), (0, 0, 0)))
    assert lookup._buffer.calls == [('world', 'camera', 0, ())]


def test_tf_failure_keeps_the_reason(lookup):
    with pytest.raises(FrameError, match='passed to lookupTransform does not exist'):
        lookup('world', 'lamp')


def test_tf_listens_on_a_node_of_its_own_with_the_same_remappings(lookup):
    _, listening = lookup._listener
    assert listening.get_name() == '_renamed_tf'
    assert listening.resolve_topic_name('/tf') == '/robot/tf'
    assert listening.resolve_topic_name('/tf_static') == '/tf_static'


def test_missing_tf2_ros_is_an_import_error(node, monkeypatch):
    monkeypatch.setitem(sys.modules, 'tf2_ros', None)
    with pytest.raises(ImportError):
        TfLookup(node)


def test_real_tf(node):
    pytest.importorskip('tf2_ros')
    from geometry_msgs.msg import TransformStamped
    tf = TfLookup(node)
    msg = TransformStamped()
    msg.header.frame_id, msg.child_frame_id = 'world', 'camera'
    msg.transform.translation.x = 1.0
    tf._buffer.set_transform_static(msg, 'test')
    assert close(tf('world', 'camera'), Pose.from_xyz_rpy((1, 0, 0), (0, 0, 0)))
    with pytest.raises(FrameError):
        tf('world', 'lamp')
    tf.close()
