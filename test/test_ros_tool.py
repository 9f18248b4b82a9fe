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
"""A tool on the tip by the parameter ``tool_offset``, for goals, services and senders of goals."""

from __future__ import annotations

from domains import reserve
from dq_ik.errors import DqIkError
from dq_ik.pose import Pose
from dq_ik.ros.groups import build_robot
from dq_ik.ros.settings import GoalSenderSettings, NodeSettings
import numpy as np
import pytest
import ros_robot
from ros_world import ARM, CHAIN, Q, stamped

DOMAIN = reserve()
OFFSET = (0.0, 0.03, 0.2, 0.5, 0.0, 0.1)
TOOL = Pose.from_xyz_rpy(OFFSET[:3], OFFSET[3:])
WITH_TOOL = {**ARM, 'tip_links': tuple(ARM['tip_links']), 'tool_offset': OFFSET}


def settings(**changed):
    return NodeSettings(**{**WITH_TOOL, **changed})


def test_the_tool_is_a_link_of_the_robot():
    chain = build_robot(ros_robot.urdf_text(), settings()).groups['arm']
    assert chain.tips == ('flange_tool',)
    assert chain.fk(Q).distance(CHAIN.fk(Q) @ TOOL) < (1e-12, 1e-12)
    sender = GoalSenderSettings(base_link='arm_base', tip_links=('flange',), tool_offset=OFFSET)
    assert sender.chain(CHAIN.model).fk(Q) == chain.fk(Q)


@pytest.mark.parametrize(('changed', 'reason'), [
    ({'tool_offset': (0.1,)}, 'x, y, z'), ({'tool_offset': (0.0, 0.0, float('nan'))}, 'finite'),
    ({'tip_links': ('flange', 'finger_left')}, 'one tip')])
def test_a_tool_that_cannot_be_is_refused(changed, reason):
    with pytest.raises(DqIkError, match=reason):
        build_robot(ros_robot.urdf_text(), settings(**changed))


def test_goals_and_both_services_know_the_tool(monkeypatch):
    moveit = pytest.importorskip('moveit_msgs.srv')
    from dq_ik.ros.client import Client
    from dq_ik.ros.conversions import pose_from_msg
    from dq_ik.ros.follow.node import IkNode
    from geometry_msgs.msg import PoseStamped
    from ros_bench import ros_bench, wait_until
    from sensor_msgs.msg import JointState

    goal = CHAIN.fk(Q) @ TOOL
    monkeypatch.setenv('ROS_DOMAIN_ID', str(DOMAIN))
    with ros_bench(DOMAIN) as bench:
        bench.add(IkNode, robot_description=ros_robot.urdf_text(), use_tf=False,
                  velocity_scaling=0.0, **{name: list(value) if isinstance(value, tuple) else value
                                           for name, value in WITH_TOOL.items()})
        heard = bench.newest(JointState, '/dq_ik/joint_commands')
        goals = bench.node.create_publisher(PoseStamped, '/dq_ik/goal_pose', 1)

        def arrived():
            goals.publish(stamped(goal))
            q = heard and CHAIN.configuration(dict(zip(heard[0].name, heard[0].position)))
            return heard and (CHAIN.fk(q) @ TOOL).distance(goal) < (1.1e-5, 1.1e-5)
        wait_until(arrived, 60.0, 'the tool is at the goal')
        with Client('asker') as client:
            for link, wanted in (('', goal), ('flange_tool', goal), ('flange', CHAIN.fk(Q))):
                request = moveit.GetPositionIK.Request()
                request.ik_request.ik_link_name = link
                request.ik_request.pose_stamped = stamped(wanted)
                answer = client.call(moveit.GetPositionIK, '/dq_ik/compute_ik', request, 20.0)
                state = answer.solution.joint_state
                q = CHAIN.configuration(dict(zip(state.name, state.position)))
                assert CHAIN.fk(q).distance(CHAIN.fk(Q)) < (1e-4, 1e-4), link
            request = moveit.GetPositionFK.Request(fk_link_names=['flange_tool'])
            request.header.frame_id = 'arm_base'
            request.robot_state.joint_state.name = list(ros_robot.ARM)
            request.robot_state.joint_state.position = np.asarray(Q).tolist()
            answer = client.call(moveit.GetPositionFK, '/dq_ik/compute_fk', request, 20.0)
            assert pose_from_msg(answer.pose_stamped[0].pose).distance(goal) < (1e-9, 1e-9)
