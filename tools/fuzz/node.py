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
from collections.abc import Callable
from functools import partial
import os
from pathlib import Path
from random import Random
import sys
import threading
import time
import traceback
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / 'test')]

from dq_ik.ros.client import Client  # noqa: E402
from dq_ik.ros.conversions import pose_from_msg  # noqa: E402
from dq_ik.ros.services.requests import ErrorCode  # noqa: E402
from geometry_msgs.msg import PoseStamped  # noqa: E402
from moveit_msgs.srv import GetPositionFK, GetPositionIK  # noqa: E402
import numpy as np  # noqa: E402
from rcl_interfaces.srv import SetParameters, SetParametersAtomically  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402
from rclpy.qos import QoSDurabilityPolicy, QoSProfile  # noqa: E402
import ros_processes  # noqa: E402
import ros_robot  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import String  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402

from .judge import Judge, pose_errors  # noqa: E402
from .patience import Patience  # noqa: E402
from .questions import ARM, Questions  # noqa: E402

AT_ONCE = 8  # requests that wait for an answer; ROS keeps 10
PATIENCE = 30.0  # seconds after which a request counts as unanswered
ROUND = 200  # requests; in the first half, the robot and the options stay as they are
START_UP = 400.0
LATCHED = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
TOLERANCE = 1e-5 + 1e-9  # of the default options, and what rounding may do


class Sent:
    """What was sent, written out only when somebody reads it."""

    def __init__(self, name: str, content: Any) -> None:
        self.name, self.content = name, content

    def __repr__(self) -> str:
        """Return the name and the content, not for ever."""
        return f'{self.name}: {self.content!r}'[:20000]


class Attack(Questions):
    """Sends odd things to one node, and judges what it says."""

    def __init__(self, client: Client, r: Random, blame: Any, counts: Counter,
                 clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(r)
        self.client, self.blame, self.counts = client, blame, counts
        self.clock, self.calm = clock, False
        self.sent: deque[Sent] = deque(maxlen=30)
        self.waiting: dict[Any, tuple[float, Sent]] = {}
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
        self.restoring = node.create_client(
            SetParametersAtomically, '/dq_ik/set_parameters_atomically')
        node.create_subscription(JointState, '/dq_ik/joint_commands', self.judge_state, 10)

    # --- sending ---------------------------------------------------------------------------------

    def publish(self) -> None:
        """Send a message on some topic."""
        topic, make = self.r.choice(self.topics[:3] if self.calm else self.topics)
        msg = self.odd.change(make(), self.r.choice((0.0, 0.05, 0.3)))
        self.sent.append(Sent(topic.topic_name, msg))
        self.counts['messages'] += 1
        topic.publish(msg)

    def ask(self) -> None:
        """Send a request to some service."""
        services = self.services[:2] if self.calm else self.services
        client, make, judge, _ = self.r.choices(
            services, weights=[service[3] for service in services])[0]
        request = make()
        if judge in (self.judge_ik, self.judge_fk):
            share = self.r.choice((0.0, 0.02, 0.1, 0.4))
            self.odd.change(request, share)
            if self.calm and share == 0.0 and judge == self.judge_ik:
                judge = partial(self.judge_pose, request.ik_request)
        self.send(client, request, judge)

    def send(self, client: Any, request: Any, judge: Any) -> None:
        """Send a request and judge its answer when it comes."""
        sent = Sent(client.srv_name, request)
        self.sent.append(sent)
        self.counts['requests'] += 1
        future = client.call_async(request)
        with self.answered:
            self.waiting[future] = self.clock(), sent
        future.add_done_callback(lambda done: self.take(done, sent, judge))

    def take(self, future: Any, sent: Sent, judge: Any) -> None:
        """Judge an answer, and note that it came."""
        try:
            self.counts['answers'] += 1
            if judge is not None:
                judge(future.result(), sent)
        except Exception:
            self.blame('no judgement', traceback.format_exc(), sent)
        finally:
            with self.answered:
                self.waiting.pop(future, None)
                self.answered.notify()

    def run(self, seconds: float, alive: Any) -> bool:
        """Attack for a while; tell whether the node still lives and answers."""
        end = time.monotonic() + seconds
        number = -1
        while time.monotonic() < end:
            number += 1
            if number % 5000 == 4999:
                print(f"so far {self.counts['requests']:,} requests", flush=True)
            if number % ROUND == 0 and not self.restore(alive):
                return False
            if number % ROUND == ROUND // 2:
                if not self.room(0, alive):  # the node may take a change before what came first
                    return False
                self.calm = False
                self.send(self.services[2][0], SetParameters.Request(parameters=[Parameter(
                    'robot_description_semantic', value='').to_parameter_msg()]), None)
            if self.r.random() < 0.5:
                self.publish()
            self.ask()
            if not self.room(AT_ONCE - 1, alive):
                return False
        return self.room(0, alive)

    def restore(self, alive: Any) -> bool:
        """Bring all parameters back; tell whether the node still lives and answers."""
        if not self.room(0, alive):
            return False
        self.send(self.restoring, self.defaults(), self.judge_restored)
        return self.room(0, alive)

    def room(self, most: int, alive: Any) -> bool:
        """Wait until at most so many requests are open; blame those that are never answered."""
        while True:
            now = self.clock()
            with self.answered:
                if len(self.waiting) <= most:
                    return True
                self.answered.wait(1.0)
                late = [sent for since, sent in self.waiting.values() if now - since > PATIENCE]
            if not alive():
                return False
            if late:
                self.counts['unanswered'] += len(late)
                self.blame('unanswered', *late)
                return False

    # --- what comes back -------------------------------------------------------------------------

    def judge_ik(self, answer: Any, sent: Sent) -> None:
        """Check a documented code with a reason, and a solution that is finite."""
        self._judge_code(answer.error_code, sent)
        if answer.error_code.val == ErrorCode.SUCCESS:
            self.counts['ik solved'] += 1
            if not np.isfinite(answer.solution.joint_state.position).all():
                self.blame('a solution is not finite', answer, sent)

    def judge_pose(self, request: Any, answer: Any, sent: Sent) -> None:
        """Check that a success brings the link to the pose, within the limits of the joints."""
        self.judge_ik(answer, sent)
        if answer.error_code.val != ErrorCode.SUCCESS:
            return
        self.counts['ik judged'] += 1
        state = answer.solution.joint_state
        q = self.chain.configuration({
            name: value for name, value in zip(state.name, state.position)
            if name in self.chain.joint_names})
        goal = pose_from_msg(request.pose_stamped.pose).matrix
        errors = np.ravel(pose_errors(Judge(self.chain, q[None]).pose['flange'], goal[None]))
        if not (errors <= TOLERANCE).all():
            self.blame('a false success', errors, answer, sent)
        if not ((q >= self.chain.lower) & (q <= self.chain.upper)).all():
            self.blame('a solution is outside the limits', answer, sent)

    def judge_restored(self, answer: Any, sent: Sent) -> None:
        """Note whether the robot and the options are known again."""
        self.calm = answer.result.successful
        self.counts['restored'] += answer.result.successful
        if not answer.result.successful:
            self.blame('the defaults are refused', answer.result.reason)

    def judge_fk(self, answer: Any, sent: Sent) -> None:
        """Check a documented code and finite poses."""
        self._judge_code(answer.error_code, sent)
        for pose in answer.pose_stamped:
            p, r = pose.pose.position, pose.pose.orientation
            if not np.isfinite((p.x, p.y, p.z, r.x, r.y, r.z, r.w)).all():
                self.blame('a pose is not finite', answer, sent)

    def _judge_code(self, code: Any, sent: Sent) -> None:
        known = code.val in ErrorCode._value2member_map_ and code.val != ErrorCode.FAILURE
        if not known or (code.val != ErrorCode.SUCCESS and not code.message.strip()):
            self.blame(f'code {code.val}', code.message, sent)

    def judge_parameters(self, answer: Any, sent: Sent) -> None:
        """Check that a refusal has a reason."""
        for result in answer.results:
            self.counts['parameters set' if result.successful else 'parameters refused'] += 1
            if not result.successful and not result.reason.strip():
                self.blame('a parameter is refused without a reason', sent)

    def judge_state(self, msg: JointState) -> None:
        """Check that commands are finite."""
        self.counts['commands'] += 1
        if not np.isfinite((*msg.position, *msg.velocity)).all():
            self.blame('a command is not finite', msg)


def fuzz_node(seed: int, seconds: float, folder: Path) -> tuple[Counter, list[str]]:
    """Attack nodes for a while; one that dies or hangs is replaced."""
    counts: Counter = Counter()
    kinds: Counter = Counter()
    ros_processes.use_own_domain()
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
        clock = Patience(node.process.pid, os.getpid())
        attack = Attack(client, Random(name), blame, counts, clock.now)
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
