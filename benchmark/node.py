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
"""
The ROS node against a node that does no work: ``python -m benchmark.node [--quick]``.

Three processes on one machine talk over DDS: this one sends, the echo node and our node answer.
They are asked in turn, so that whatever else the machine does happens to both.
"""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
import json
import os
from pathlib import Path
import signal
import subprocess
import sys
import tempfile
import threading
import time
from time import perf_counter
from typing import Any, NamedTuple

from dq_ik.robot.chain import Chain
from dq_ik.robot.urdf import load_robot
import numpy as np

ROOT = Path(__file__).parents[1]
ROBOT = ROOT / 'urdf' / 'panda.urdf'
START = (0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8)
NODES = ('echo', 'dq_ik')
PAUSE = 2e-3  # between two questions [s]
RATE = 1000.0  # goals per second under load

Times = dict[str, list[float]]


class Load(NamedTuple):
    """A node under load: goals sent and answered per second, cores busy, memory growth, error."""

    sent: float
    answered: float
    busy: float
    growth: float
    error: float

    @property
    def cost(self) -> float:
        """Processor seconds per answer."""
        return self.busy / max(self.answered, 1.0)


def measure(quick: bool) -> dict[str, str]:
    """
    Return latencies, rates, processor time and memory, ready for a table.

    :param quick: seconds instead of minutes.
    """
    chain = load_robot(ROBOT).chain()
    os.environ.setdefault('ROS_DOMAIN_ID', str(1 + os.getpid() % 100))
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    from dq_ik.ros.client import Client
    with Client('benchmark') as client:
        bench = Bench(client, chain)
        started = perf_counter()
        with nodes(chain) as pids:
            found = start_row(bench.connect(started))
            found |= time_rows('goal to joint command', bench.topic_times(300 if quick else 3000))
            services = bench.service_times(200 if quick else 2000)
            found |= time_rows('compute_ik round trip', services) if services else {}
            found |= load_rows({name: bench.load(name, pid, 5.0 if quick else 60.0)
                                for name, pid in pids.items()})
    return found


@contextmanager
def nodes(chain: Chain) -> Iterator[dict[str, int]]:
    """Run the echo node and ours; yield their process ids by name."""
    names = list(chain.joint_positions(chain.neutral))
    with tempfile.TemporaryDirectory() as folder:
        parameters = Path(folder) / 'parameters.yaml'
        text = json.dumps(ROBOT.read_text())  # JSON is YAML
        parameters.write_text(f'/**:\n  ros__parameters:\n    robot_description: {text}\n')
        environment = {**os.environ, 'PYTHONPATH': str(ROOT)}
        commands = {'echo': ['-m', 'benchmark.echo_node', json.dumps(names)],
                    'dq_ik': ['-m', 'dq_ik.ros.follow.node', '--ros-args',
                              '--params-file', str(parameters)]}
        running = {name: subprocess.Popen([sys.executable, *words], cwd=ROOT, env=environment,
                                          stderr=subprocess.DEVNULL)
                   for name, words in commands.items()}
        try:
            yield {name: process.pid for name, process in running.items()}
        finally:
            for process in running.values():
                process.send_signal(signal.SIGINT)
            for process in running.values():
                process.wait(timeout=20)


class Bench:
    """Sends goals and requests to both nodes."""

    def __init__(self, client: Any, chain: Chain) -> None:
        from geometry_msgs.msg import PoseStamped
        from sensor_msgs.msg import JointState
        self.node = client.node
        self.chain = chain
        self.count = dict.fromkeys(NODES, 0)
        self.newest: dict[str, Any] = {}
        self.arrival = 0.0
        self.arrived = threading.Event()
        self.goals = {name: self.node.create_publisher(PoseStamped, f'/{name}/goal_pose', 1)
                      for name in NODES}
        for name in NODES:
            self.node.create_subscription(
                JointState, f'/{name}/joint_commands', partial(self.take, name), 10)
        self.path = [self.goal(k) for k in range(500)]

    def goal(self, k: int) -> Any:
        """Return a pose of a smooth closed path."""
        from dq_ik.ros.conversions import fill_pose
        from geometry_msgs.msg import PoseStamped
        q = np.add(START, 0.3 * np.sin(2.0 * np.pi * k / 500 + np.arange(7)))
        msg = PoseStamped()
        msg.header.frame_id = self.chain.base
        fill_pose(msg.pose, self.chain.fk(q))
        return msg

    def take(self, name: str, msg: Any) -> None:
        """Note when an answer came."""
        self.arrival = perf_counter()
        self.count[name] += 1
        self.newest[name] = msg
        self.arrived.set()

    def connect(self, started: float, timeout: float = 120.0) -> dict[str, float]:
        """Ask both nodes until they answer; return when each did, in seconds after the start."""
        first: dict[str, float] = {}
        while len(first) < len(NODES):
            for name in NODES:
                if not self.count[name]:
                    self.send(name, self.path[0], wait=0.02)
                if self.count[name] and name not in first:
                    first[name] = self.arrival - started
            if perf_counter() > started + timeout:
                raise TimeoutError(f'no answer from {set(NODES) - set(first)}')
        return first

    def send(self, name: str, goal: Any, wait: float = 1.0) -> float:
        """Send a goal and return the seconds until its answer, 0 if none came."""
        self.arrived.clear()
        start = perf_counter()
        self.goals[name].publish(goal)
        return self.arrival - start if self.arrived.wait(wait) else 0.0

    def topic_times(self, rounds: int) -> Times:
        """Return the time from goal to answer, the nodes in turn."""
        times: Times = {name: [] for name in NODES}
        for k in range(rounds):
            for name in turn(k):
                time.sleep(PAUSE)
                times[name].append(self.send(name, self.path[k % len(self.path)]))
        return times

    def service_times(self, rounds: int) -> Times:
        """Return the time from request to response, in turn; empty without moveit_msgs."""
        try:
            from moveit_msgs.srv import GetPositionIK
        except ImportError:
            return {}
        clients = {name: self.node.create_client(GetPositionIK, f'/{name}/compute_ik')
                   for name in NODES}
        request = GetPositionIK.Request()
        request.ik_request.robot_state.joint_state.name = list(self.chain.joint_names)
        request.ik_request.robot_state.joint_state.position = list(START)
        times: Times = {name: [] for name in NODES}
        for client in clients.values():
            client.wait_for_service(10.0)
        for k in range(rounds):
            request.ik_request.pose_stamped = self.path[k % len(self.path)]
            for name in turn(k):
                time.sleep(PAUSE)
                start = perf_counter()
                response = clients[name].call(request)
                times[name].append(perf_counter() - start)
                if response.error_code.val != 1:
                    raise RuntimeError(f'{name}: {response.error_code}')
        return times

    def load(self, name: str, pid: int, duration: float) -> Load:
        """Send goals at 1 kHz and watch the node."""
        count, busy, memory = self.count[name], processor_time(pid), resident(pid)
        start = perf_counter()
        sent = 0
        while perf_counter() - start < duration:
            self.goals[name].publish(self.path[sent % len(self.path)])
            sent += 1
            time.sleep(max(0.0, start + sent / RATE - perf_counter()))
        elapsed = perf_counter() - start
        time.sleep(0.2)
        last = self.send(name, self.path[0])
        return Load(sent / elapsed, (self.count[name] - count - (last > 0)) / elapsed,
                    (processor_time(pid) - busy) / elapsed, resident(pid) - memory,
                    self.error(name))

    def error(self, name: str) -> float:
        """Return how far the newest command is from the goal that was sent last [m]."""
        from dq_ik.ros.conversions import pose_from_msg
        msg = self.newest[name]
        q = self.chain.configuration(dict(zip(msg.name, msg.position)))
        return self.chain.fk(q).distance(pose_from_msg(self.path[0].pose))[0]


def turn(k: int) -> tuple[str, ...]:
    """Return the nodes in the order of a round: neither is always the first."""
    return NODES if k % 2 else NODES[::-1]


def processor_time(pid: int) -> float:
    """Return the seconds that a process has computed."""
    fields = Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def resident(pid: int) -> float:
    """Return the memory of a process [MB]."""
    pages = int(Path(f'/proc/{pid}/statm').read_text().split()[1])
    return pages * os.sysconf('SC_PAGE_SIZE') / 1e6


def time_rows(title: str, times: Times) -> dict[str, str]:
    """Return median and 99th percentile of both nodes, and their ratios."""
    rows = {}
    for label, percentile in (('median', 50), ('p99', 99)):
        echo, ours = (1e3 * np.percentile(times[name], percentile) for name in NODES)
        rows[f'{title}, {label}'] = (
            f'{ours:.3f} ms, echo {echo:.3f} ms, ratio {ours / echo:.2f}')
    return rows


def start_row(first: dict[str, float]) -> dict[str, str]:
    """Return when the nodes, started at once, answered their first goals."""
    return {'start to first command': f"{first['dq_ik']:.2f} s, echo {first['echo']:.2f} s"}


def load_rows(loads: dict[str, Load]) -> dict[str, str]:
    """Return what the nodes did under load."""
    echo, ours = (loads[name] for name in NODES)
    return {
        '1 kHz goals, answered per second': f'{ours.answered:.0f} of {ours.sent:.0f}, '
                                            f'echo {echo.answered:.0f} of {echo.sent:.0f}',
        '1 kHz goals, processor': f'{100 * ours.busy:.0f} % of a core, echo '
                                  f'{100 * echo.busy:.0f} %, ratio {ours.busy / echo.busy:.2f}',
        '1 kHz goals, processor per answer': f'{1e3 * ours.cost:.2f} ms, echo '
                                             f'{1e3 * echo.cost:.2f} ms, ratio '
                                             f'{ours.cost / echo.cost:.2f}',
        '1 kHz goals, memory growth': f'{ours.growth:.1f} MB, echo {echo.growth:.1f} MB',
        '1 kHz goals, error at the last goal': f'{1e3 * ours.error:.2g} mm'}


def main() -> None:
    """Print the table."""
    for what, value in measure('--quick' in sys.argv[1:]).items():
        print(f'{what:<40} {value}')


if __name__ == '__main__':
    main()
