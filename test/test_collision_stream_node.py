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

"""A node whose stream avoids collisions, over DDS: goals, jogs, the parameter, the status."""

from __future__ import annotations

from functools import partial
import itertools
import time

from collision_robots import chain_of, scene_of
from control_msgs.msg import JointJog
from diagnostic_msgs.msg import DiagnosticStatus
from dq_ik import Pose
from dq_ik.collision.world import Box
from dq_ik.robot.bundled import example_robots
from dq_ik.ros.client import Client
from dq_ik.ros.conversions import fill_pose
from dq_ik.ros.follow.bodies import HAS_ONE
from geometry_msgs.msg import Pose as PoseMsg
from geometry_msgs.msg import PoseStamped
from moveit_msgs.msg import CollisionObject
from moveit_msgs.srv import GetPositionIK
import numpy as np
import pytest
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from ros_bench import wait_until
import ros_processes
from sensor_msgs.msg import JointState
from shape_msgs.msg import SolidPrimitive

pytestmark = pytest.mark.timeout(600)

URDF = example_robots()['panda'].read_text()
ARM = {'base_link': 'panda_link0', 'tip_links': ('panda_hand',), 'group': 'arm',
       'wait_for_joint_states': True, 'velocity_scaling': 1.0}
CHAIN = chain_of('panda')
Q = np.array([-0.6, -0.8, 0.0, -2.3, 0.0, 1.6, 0.8])
WALL = Pose.from_xyz_rpy((0.7, 0.0, 0.5), (0, 0, 0)), (0.8, 0.002, 2.0)
START_UP = 400.0  # a checkout without a library builds it first


@pytest.fixture(autouse=True)
def domain():
    ros_processes.use_own_domain()


class Bench:
    """Talks to a node, and keeps what it says."""

    def __init__(self, client: Client) -> None:
        self.commands, self.status = [], DiagnosticStatus()
        node = client.node
        node.create_subscription(JointState, '/dq_ik/joint_commands', self._hear, 1000)
        node.create_subscription(DiagnosticStatus, '/dq_ik/status', self._note, 1000)
        self._goal = node.create_publisher(PoseStamped, '/dq_ik/goal_pose', 10)
        self._jog = node.create_publisher(JointJog, '/dq_ik/joint_jog', 10)
        self._objects = node.create_publisher(CollisionObject, 'collision_object', 10)
        self._states = node.create_publisher(JointState, 'joint_states', 10)
        self._set = node.create_client(SetParameters, '/dq_ik/set_parameters')

    @property
    def ready(self) -> bool:
        return all(topic.get_subscription_count() for topic in (
            self._goal, self._jog, self._objects, self._states)) and self._set.service_is_ready()

    def more_than(self, count: int) -> bool:
        return len(self.commands) > count

    def _hear(self, msg: JointState) -> None:
        places = dict(zip(msg.name, msg.position))
        self.commands.append([places[name] for name in CHAIN.joint_names])

    def _note(self, msg: DiagnosticStatus) -> None:
        self.status = msg

    @property
    def values(self) -> dict[str, str]:
        return {pair.key: pair.value for pair in self.status.values}

    def measure(self, q: np.ndarray) -> None:
        self._states.publish(JointState(name=list(CHAIN.joint_names), position=q.tolist()))

    def goal(self, pose: Pose) -> None:
        msg = PoseStamped()
        msg.header.frame_id = 'panda_link0'
        fill_pose(msg.pose, pose)
        self._goal.publish(msg)

    def jog(self, name: str, speed: float) -> None:
        self._jog.publish(JointJog(joint_names=[name], velocities=[speed]))

    def wall(self, operation: int, place: Pose = WALL[0]) -> None:
        msg = CollisionObject(id='wall', operation=operation)
        msg.pose = PoseMsg()
        fill_pose(msg.pose, place)
        if operation == CollisionObject.ADD:
            msg.primitives.append(SolidPrimitive(type=SolidPrimitive.BOX,
                                                 dimensions=list(WALL[1])))
        self._objects.publish(msg)

    def collision(self, value: str) -> bool:
        given = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=value)
        future = self._set.call_async(SetParameters.Request(
            parameters=[Parameter(name='collision', value=given)]))
        wait_until(future.done, 60.0)
        return future.result().results[0].successful


def knows_the_wall(client: Client) -> bool:
    """Tell whether a hand in the wall collides: topics and services overtake each other."""
    request = GetPositionIK.Request()
    request.ik_request.avoid_collisions = True
    request.ik_request.pose_stamped.header.frame_id = 'panda_link0'
    inside = Pose.from_xyz_rpy((0.5, 0.0, 0.5), (np.pi, 0.0, 0.0))
    fill_pose(request.ik_request.pose_stamped.pose, inside)
    response = client.call(GetPositionIK, 'dq_ik/compute_ik', request, 30.0)
    return response is not None and response.error_code.val != 1


def swept(scene, commands) -> bool:
    """Tell whether all commands, and the ways between them, are free."""
    q = np.array(commands)
    share = np.arange(0, 5)[:, None] / 5
    return all(scene.free(a + share * (b - a)).all() for a, b in itertools.pairwise(q))


@pytest.mark.parametrize('rate', [0.0, 200.0])
def test_a_node_stops_goals_and_jogs_at_an_object_and_says_so(rate):
    scene = scene_of('panda')
    scene.world.add('wall', Box(WALL[1]), WALL[0])
    across = Pose.from_xyz_rpy((0.45, 0.3, 0.5), (3.14159, 0.0, 0.0))
    with ros_processes.run_node(robot_description=URDF, collision='world', rate=rate,
                                **ARM) as node, Client('tester') as client:
        bench = Bench(client)
        wait_until(lambda: bench.ready or not node.alive, START_UP)
        wait_until(lambda: 'streams avoid collisions' in node.log, START_UP)
        bench.wall(CollisionObject.ADD)
        wait_until(partial(knows_the_wall, client), 60.0)

        def blocked():
            if not bench.commands:
                bench.measure(Q)
            bench.goal(across)
            return bench.values.get('status') == 'blocked'
        wait_until(blocked, 30.0, node.log)
        wait_until(lambda: HAS_ONE in bench.status.message, 30.0)
        assert 'blocked: bodies are in the way' in bench.status.message
        assert 'wall' in bench.status.message
        wait_until(lambda: 'wall' in bench.values['nearest_pair'], 10.0)
        wait_until(lambda: 0.0 < float(bench.values['clearance']) < 0.01, 20.0)
        wait_until(lambda: bench.values['phase'] == 'blocked', 10.0)

        count = len(bench.commands)
        for _ in range(100):
            bench.jog('panda_joint1', 1.0)
            wait_until(partial(bench.more_than, len(bench.commands)), 10.0)
        assert len(bench.commands) > count
        assert swept(scene, bench.commands)

        bench.wall(CollisionObject.REMOVE)

        def met():
            bench.goal(across)
            return bench.values.get('status') == 'converged'
        wait_until(met, 60.0)
        assert node.alive, node.log
        assert 'Traceback' not in node.log


@pytest.mark.parametrize('rate', [0.0, 200.0])
def test_an_arm_at_its_goal_makes_way_for_an_object(rate):
    """Nobody sends a goal while the object comes, nor when it goes."""
    goal = Pose.from_xyz_rpy((0.45, -0.3, 0.5), (3.14159, 0.0, 0.0))
    with ros_processes.run_node(robot_description=URDF, collision='world', rate=rate,
                                **ARM) as node, Client('tester') as client:
        bench = Bench(client)
        wait_until(lambda: bench.ready or not node.alive, START_UP)
        wait_until(lambda: 'streams avoid collisions' in node.log, START_UP)

        def met():
            if not bench.commands:
                bench.measure(Q)
            bench.goal(goal)
            return bench.values.get('status') == 'converged'
        wait_until(met, 60.0, node.log)
        there = np.array(bench.commands[-1])
        beside = Pose.from_xyz_rpy((0.7, -0.15, 0.5), (0, 0, 0))
        bench.wall(CollisionObject.ADD, beside)
        for _ in range(100):  # 0.1 m towards the arm
            beside = Pose.from_xyz_rpy(beside.position - np.array([0, 0.001, 0]), (0, 0, 0))
            bench.wall(CollisionObject.MOVE, beside)
            time.sleep(0.01)
        wait_until(lambda: bench.values.get('status') == 'blocked', 60.0, node.log)
        assert np.abs(np.array(bench.commands[-1]) - there).max() > 0.01
        assert 'wall' in bench.status.message
        bench.wall(CollisionObject.REMOVE)
        wait_until(lambda: bench.values.get('status') == 'converged', 60.0, node.log)
        wait_until(lambda: max(CHAIN.fk(np.array(bench.commands[-1]), 'panda_hand').distance(
            goal)) < 1e-4, 60.0, node.log)
        assert 'Traceback' not in node.log


def test_the_parameter_changes_at_run_time():
    across = Pose.from_xyz_rpy((0.45, 0.3, 0.5), (3.14159, 0.0, 0.0))
    with ros_processes.run_node(robot_description=URDF, **ARM) as node, Client('t') as client:
        bench = Bench(client)
        wait_until(lambda: bench.ready or not node.alive, START_UP)
        bench.wall(CollisionObject.ADD)
        wait_until(partial(knows_the_wall, client), 60.0)
        assert not bench.collision('maybe')
        assert bench.collision('world')
        wait_until(lambda: "streams avoid collisions: 'world'" in node.log, START_UP)

        def reaches(status):
            if not bench.commands:
                bench.measure(Q)
            bench.goal(across)
            return bench.values.get('status') == status
        wait_until(lambda: reaches('blocked'), 60.0)
        assert bench.collision('self')
        wait_until(lambda: reaches('converged'), 60.0)
        assert 'panda' in bench.values['nearest_pair']
        assert bench.collision('off')
        wait_until(lambda: reaches('converged') and bench.values['nearest_pair'] == '', 60.0)
        assert 'Traceback' not in node.log


def test_a_robot_without_shapes_is_not_moved_and_the_node_lives_on():
    from arms import URDF as FOLDER
    text = (FOLDER / 'arm6.urdf').read_text()
    with ros_processes.run_node(robot_description=text, collision='self') as node, Client(
            't') as client:
        bench = Bench(client)
        wait_until(lambda: 'no <collision> shapes' in node.log or not node.alive, START_UP)
        publisher = client.node.create_publisher(PoseStamped, '/dq_ik/goal_pose', 10)
        wait_until(publisher.get_subscription_count, 60.0)

        def refused():
            publisher.publish(PoseStamped())
            return 'no <collision> shapes' in bench.status.message
        wait_until(refused, 60.0)
        assert bench.status.level == DiagnosticStatus.ERROR
        assert "until collision is 'off'" in bench.status.message
        assert not bench.commands
        assert node.alive, node.log
