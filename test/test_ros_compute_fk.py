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
"""The service compute_fk against the conformance list."""

from builtin_interfaces.msg import Time
from dq_ik.pose import Pose
from dq_ik.ros.conversions import pose_from_msg
from dq_ik.ros.frames import Frames
from dq_ik.ros.services.compute_fk import compute_fk
from dq_ik.ros.services.requests import ErrorCode
from moveit_msgs.srv import GetPositionFK
import pytest
import ros_robot

ROBOT = ros_robot.robot()
STATE = {**ros_robot.POSTURE, 'lift': 0.2, 'grip': 0.01}


def ask(links, frame='', seed=None, current=None, lookup=None):
    request = GetPositionFK.Request(fk_link_names=list(links))
    request.header.frame_id = frame
    seed = STATE if seed is None else seed
    request.robot_state.joint_state.name = list(seed)
    request.robot_state.joint_state.position = list(seed.values())
    return compute_fk(request, GetPositionFK.Response(), ROBOT,
                      Frames(ROBOT.model, 'world', lookup), current or {}, Time(sec=9))


def poses(response):
    return {link: pose_from_msg(stamped.pose)
            for link, stamped in zip(response.fk_link_names, response.pose_stamped)}


def test_m23_empty_list():
    assert ask([]).error_code.val == ErrorCode.INVALID_LINK_NAME


def test_m24_unknown_links_are_left_out():
    response = ask(['flange', 'nope', 'tool'])
    assert response.error_code.val == ErrorCode.INVALID_LINK_NAME
    assert response.fk_link_names == ['flange', 'tool']
    assert len(response.pose_stamped) == 2
    assert "'nope'" in response.error_code.message


def test_m25_frame_by_tf():
    x_world_camera = Pose.from_xyz_rpy((1, 0, 0), (0, 0, 1.57))
    response = ask(['flange'], 'camera', lookup=lambda target, source: x_world_camera)
    expected = x_world_camera.inverse() @ ROBOT.model.link_poses(STATE)['flange']
    assert response.error_code.val == ErrorCode.SUCCESS
    assert poses(response)['flange'].distance(expected) == pytest.approx((0, 0), abs=1e-9)


def test_m25_frame_failure_answers_in_the_root():
    response = ask(['flange'], 'camera')
    assert response.error_code.val == ErrorCode.FRAME_TRANSFORM_FAILURE
    assert response.pose_stamped[0].header.frame_id == 'world'
    expected = ROBOT.model.link_poses(STATE)['flange']
    assert poses(response)['flange'].distance(expected) == pytest.approx((0, 0), abs=1e-9)


@pytest.mark.parametrize('frame', ['', 'world', 'torso', 'l3'])
def test_m26_stamp_and_frame(frame):
    response = ask(['tool'], frame)
    header = response.pose_stamped[0].header
    assert (header.stamp.sec, header.frame_id) == (9, frame or 'world')
    links = ROBOT.model.link_poses(STATE)
    expected = links[frame or 'world'].inverse() @ links['tool']
    assert poses(response)['tool'].distance(expected) == pytest.approx((0, 0), abs=1e-9)


def test_m27_order_of_the_request():
    links = ['tool', 'l1', 'finger_right', 'world', 'l1']
    assert ask(links).fk_link_names == links


def test_state_is_overlaid_on_the_current_one():
    response = ask(['flange'], seed={'lift': 0.3}, current=STATE)
    expected = ROBOT.model.link_poses({**STATE, 'lift': 0.3})['flange']
    assert poses(response)['flange'].distance(expected) == pytest.approx((0, 0), abs=1e-9)


@pytest.mark.parametrize('seed', [{'nope': 0.0}, {'j1': float('nan')}])
def test_bad_state_is_refused(seed):
    response = ask(['flange'], seed=seed)
    assert response.error_code.val == ErrorCode.INVALID_ROBOT_STATE
    assert not response.pose_stamped
