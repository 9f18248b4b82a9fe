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
"""A node in a process of its own under random messages and requests, over real DDS."""

from __future__ import annotations

from collections import Counter, deque
from pathlib import Path
from random import Random
import sys
import threading
import time
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / 'test')]

from dq_ik.options import IkOptions, NAMES  # noqa: E402
from dq_ik.ros.client import Client  # noqa: E402
from dq_ik.ros.conversions import fill_pose  # noqa: E402
from dq_ik.ros.services.requests import ErrorCode  # noqa: E402
from dq_ik.ros.settings import NodeSettings  # noqa: E402
from geometry_msgs.msg import PoseStamped  # noqa: E402
from moveit_msgs.srv import GetPositionFK, GetPositionIK  # noqa: E402
import numpy as np  # noqa: E402
from rcl_interfaces.srv import SetParameters  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402
from rclpy.qos import QoSDurabilityPolicy, QoSProfile  # noqa: E402
import ros_processes  # noqa: E402
import ros_robot  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import String  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402

from .messages import NUMBERS, Oddity, TEXTS  # noqa: E402
from .robots import mutated, random_description  # noqa: E402

AT_ONCE = 8  # requests that wait for an answer
PATIENCE = 30.0  # seconds after which a request counts as unanswered
START_UP = 400.0
LATCHED = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
ARM = {'base_link': 'arm_base', 'tip_links': ['flange'], 'group': 'arm'}


class Attack:
    """Sends odd things to one node, and judges what it says."""

    def __init__(self, client: Client, r: Random, blame: Any, counts: Counter) -> None:
        self.client, self.r, self.blame, self.counts = client, r, blame, counts
        self.robot = ros_robot.robot()
        self.chain = self.robot.groups['arm']
        self.limits = {joint.name: (joint.lower, joint.upper) for joint in self.robot.model.joints}
        self.odd = Oddity(r, (*self.robot.model.links, *self.limits, *self.robot.groups))
        self.sent: deque[str] = deque(maxlen=30)
        self.waiting: dict[Any, tuple[float, str, Any]] = {}
        self.answered = threading.Condition()
        node = client.node
        self.topics = [
            (node.create_publisher(PoseStamped, '/dq_ik/goal_pose', 1), self.goal),
            (node.create_publisher(JointState, '/joint_states', 10), self.joint_state),
            (node.create_publisher(Clock, '/clock', 1), Clock),
            (node.create_publisher(String, '/robot_description_semantic', LATCHED), self.srdf)]
        self.services = [
            (node.create_client(GetPositionIK, '/dq_ik/compute_ik'), self.ik, self.judge_ik, 10),
            (node.create_client(GetPositionFK, '/dq_ik/compute_fk'), self.fk, self.judge_fk, 6),
            (node.create_client(SetParameters, '/dq_ik/set_parameters'), self.parameters,
             self.judge_parameters, 2),
            (node.create_client(Trigger, '/dq_ik/reseed'), Trigger.Request, None, 1)]
        node.create_subscription(JointState, '/dq_ik/joint_commands', self.judge_state, 10)

    # --- what is sent ----------------------------------------------------------------------------

    def goal(self) -> PoseStamped:
        """Return a goal within reach."""
        q = self.chain.spread(np.array([self.r.random() for _ in range(self.chain.n)]))
        msg = PoseStamped()
        msg.header.frame_id = 'arm_base'
        fill_pose(msg.pose, self.chain.fk(q))
        return msg

    def joint_state(self) -> JointState:
        """Return joint states of all joints that move."""
        return JointState(name=list(ros_robot.MOVABLE),
                          position=[self.r.uniform(-1.0, 1.0) for _ in ros_robot.MOVABLE])

    def srdf(self) -> String:
        """Return groups of the robot, or others."""
        return String(data=self.r.choice((ros_robot.SRDF, mutated(self.r, ros_robot.SRDF).text)))

    def ik(self) -> GetPositionIK.Request:
        """Return a request that has an answer."""
        request = GetPositionIK.Request()
        request.ik_request.group_name = 'arm'
        request.ik_request.pose_stamped = self.goal()
        if self.r.random() < 0.5:
            request.ik_request.robot_state.joint_state = self.joint_state()
        request.ik_request.timeout.nanosec = self.r.choice((0, 1, 10_000_000))
        return request

    def fk(self) -> GetPositionFK.Request:
        """Return a request that has an answer."""
        request = GetPositionFK.Request(fk_link_names=['flange', self.r.choice(self.odd.names)])
        request.robot_state.joint_state = self.joint_state()
        return request

    def parameters(self) -> SetParameters.Request:
        """Return a change of one parameter: a value of its type, or anything."""
        name = self.r.choice((*NAMES, *NodeSettings.__dataclass_fields__))
        default = getattr(IkOptions(), name, getattr(NodeSettings(), name, None))
        value: Any = self.r.choice((*NUMBERS, *TEXTS, 1, 0, -1, True, list(NUMBERS[:3]), ['a']))
        if isinstance(default, float) and self.r.random() < 0.7:
            value = self.r.choice((*NUMBERS, 1e-12, 0.01, 0.5, 10.0))
        if name.startswith('robot_description'):
            value = self.r.choice((random_description(self.r).text, ros_robot.SRDF, *TEXTS))
        elif self.r.random() < 0.5:
            value = list(default) if isinstance(default, tuple) else default
            value = getattr(NodeSettings(**{k: tuple(v) if isinstance(v, list) else v
                                            for k, v in ARM.items()}), name, value)
            value = list(value) if isinstance(value, tuple) else value
        if value == []:
            value = ['']
        return SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])

    def restore(self) -> SetParameters.Request:
        """Return the parameters of the test robot."""
        values = {'robot_description': ros_robot.urdf_text(), **ARM, 'max_restarts': 100,
                  'timeout': 0.05, 'use_sim_time': False}
        return SetParameters.Request(parameters=[
            Parameter(name, value=value).to_parameter_msg() for name, value in values.items()])

    # --- sending ---------------------------------------------------------------------------------

    def publish(self) -> None:
        """Send a message on some topic."""
        topic, make = self.r.choice(self.topics)
        msg = self.odd.change(make(), self.r.choice((0.0, 0.05, 0.3)))
        self.sent.append(f'{topic.topic_name}: {msg!r}'[:20000])
        self.counts['messages'] += 1
        topic.publish(msg)

    def ask(self) -> None:
        """Send a request to some service."""
        client, make, judge, _ = self.r.choices(
            self.services, weights=[service[3] for service in self.services])[0]
        request = make()
        if judge in (self.judge_ik, self.judge_fk):
            self.odd.change(request, self.r.choice((0.0, 0.02, 0.1, 0.4)))
        self.send(client, request, judge)

    def send(self, client: Any, request: Any, judge: Any) -> None:
        """Send a request and judge its answer when it comes."""
        text = f'{client.srv_name}: {request!r}'[:20000]
        self.sent.append(text)
        self.counts['requests'] += 1
        future = client.call_async(request)
        with self.answered:
            self.waiting[future] = time.monotonic(), text, client
        future.add_done_callback(lambda done: self.take(done, text, judge))

    def take(self, future: Any, text: str, judge: Any) -> None:
        """Note an answer."""
        with self.answered:
            self.waiting.pop(future, None)
            self.answered.notify()
        self.counts['answers'] += 1
        if judge is not None:
            judge(future.result(), text)

    def run(self, seconds: float, alive: Any) -> bool:
        """Attack for a while; tell whether the node still lives and answers."""
        end = time.monotonic() + seconds
        number = 0
        while time.monotonic() < end:
            number += 1
            if number % 5000 == 0:
                print(f"so far {self.counts['requests']:,} requests", flush=True)
            if number % 200 == 0:
                self.send(self.services[2][0], self.restore(), None)
            if self.r.random() < 0.5:
                self.publish()
            self.ask()
            if not self.room(AT_ONCE - 1, alive):
                return False
        return self.room(0, alive)

    def room(self, most: int, alive: Any) -> bool:
        """Wait until at most so many requests are open; blame those that are never answered."""
        while True:
            with self.answered:
                if len(self.waiting) <= most:
                    return True
                self.answered.wait(1.0)
                late = [text for since, text, _ in self.waiting.values()
                        if time.monotonic() - since > PATIENCE]
            if not alive():
                return False
            if late:
                self.counts['unanswered'] += len(late)
                self.blame('unanswered', *late)
                return False

    # --- what comes back -------------------------------------------------------------------------

    def judge_ik(self, answer: Any, text: str) -> None:
        """Check a documented code with a reason, and a solution that is finite."""
        self._judge_code(answer.error_code, text)
        if answer.error_code.val == ErrorCode.SUCCESS:
            self.counts['ik solved'] += 1
            if not np.isfinite(answer.solution.joint_state.position).all():
                self.blame('a solution is not finite', answer, text)

    def judge_fk(self, answer: Any, text: str) -> None:
        """Check a documented code and finite poses."""
        self._judge_code(answer.error_code, text)
        for pose in answer.pose_stamped:
            p, r = pose.pose.position, pose.pose.orientation
            if not np.isfinite((p.x, p.y, p.z, r.x, r.y, r.z, r.w)).all():
                self.blame('a pose is not finite', answer, text)

    def _judge_code(self, code: Any, text: str) -> None:
        known = code.val in ErrorCode._value2member_map_ and code.val != ErrorCode.FAILURE
        if not known or (code.val != ErrorCode.SUCCESS and not code.message.strip()):
            self.blame(f'code {code.val}', code.message, text)

    def judge_parameters(self, answer: Any, text: str) -> None:
        """Check that a refusal has a reason."""
        for result in answer.results:
            self.counts['parameters set' if result.successful else 'parameters refused'] += 1
            if not result.successful and not result.reason.strip():
                self.blame('a parameter is refused without a reason', text)

    def judge_state(self, msg: JointState) -> None:
        """Check that commands are finite."""
        self.counts['commands'] += 1
        if not np.isfinite((*msg.position, *msg.velocity)).all():
            self.blame('a command is not finite', msg)


def fuzz_node(seed: int, seconds: float, folder: Path) -> tuple[Counter, list[str]]:
    """Attack nodes for a while; one that dies or hangs is replaced."""
    counts: Counter = Counter()
    kinds: Counter = Counter()
    ros_processes.use_own_domain(seed + 40)
    end, number = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        number += 1
        _attack_one(f'{seed} {number}', end, folder, counts, kinds)
    return counts, [f'{count} x {kind}' for kind, count in kinds.most_common()]


def _attack_one(name: str, end: float, folder: Path, counts: Counter, kinds: Counter) -> None:
    """Attack one node until it dies or the time is over."""
    def blame(what: str, *details: object) -> None:
        counts['violations'] += 1
        kinds[what] += 1
        if kinds[what] <= 5:
            folder.mkdir(parents=True, exist_ok=True)
            file = folder / f'ros_{name.replace(" ", "_")}_{counts["violations"]}.txt'
            file.write_text('\n\n'.join([what, *map(str, details)]))
            print(f'{what}: {str(details)[:300]}', flush=True)

    with ros_processes.run_node(robot_description=ros_robot.urdf_text(), **ARM) as node, \
            Client('fuzzer') as client:
        attack = Attack(client, Random(name), blame, counts)
        late = time.monotonic() + START_UP
        while not all(service.service_is_ready() for service, *_ in attack.services):
            if not node.alive or time.monotonic() > late:
                blame('the node does not start', node.log)
                raise SystemExit(f'the node does not start: {node.log[-2000:]}')
            time.sleep(0.1)
        attack.run(end - time.monotonic(), lambda: node.alive)
        counts['nodes'] += 1
        if not node.alive:
            blame('the node died', node.log[-6000:], *attack.sent)
        elif 'Traceback' in node.log:
            blame('a traceback in the log', node.log[node.log.index('Traceback'):][:6000])
