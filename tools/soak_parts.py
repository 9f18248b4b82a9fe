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
"""The parts of the load of ``soak.py``, each a process: ``soak_parts.py NAME SECONDS``."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
import json
import math
from pathlib import Path
import statistics
import sys
import threading
import time
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / 'test')]

import ros_robot  # noqa: E402

RATE = 500.0  # goals per second
CLIENTS = 8
START_UP = 400.0
PATIENCE = 20.0  # seconds after which a call counts as unanswered


def gaps(times: list[float]) -> dict[str, float]:
    """Return the median and the largest distance of successive moments."""
    steps = [b - a for a, b in pairwise(times)] or [0.0]
    return {'median': statistics.median(steps), 'worst': max(steps)}


def every(period: float, seconds: float, act: Callable[[int], None]) -> list[float]:
    """Act at a steady rate; return when it happened."""
    times, began = [], time.perf_counter()
    for number in range(round(seconds / period)):
        time.sleep(max(0.0, began + number * period - time.perf_counter()))
        times.append(time.perf_counter())
        act(number)
    return times


def ask(service: Any, request: Any) -> tuple[Any, float]:
    """Return the answer to a request, None if there is none, and how long it took."""
    done, began = threading.Event(), time.perf_counter()
    future = service.call_async(request)
    future.add_done_callback(lambda _: done.set())
    answered = done.wait(PATIENCE)
    return future.result() if answered else None, time.perf_counter() - began


def timer(seconds: float) -> dict[str, Any]:
    """Do nothing at the rate of the goals: what this machine does to any process."""
    return {'gaps': gaps(every(1.0 / RATE, seconds, lambda _: None))}


def stream(seconds: float) -> dict[str, Any]:
    """Send goals on a circle; count the commands that answer them."""
    from dq_ik.pose import Pose
    from dq_ik.ros.client import Client
    from dq_ik.ros.conversions import fill_pose
    from geometry_msgs.msg import PoseStamped
    from sensor_msgs.msg import JointState
    arrived: list[float] = []
    stamps: list[float] = []

    def take(msg: JointState) -> None:
        arrived.append(time.perf_counter())
        stamps.append(msg.header.stamp.sec + 1e-9 * msg.header.stamp.nanosec)

    with Client('soak_stream') as client:
        publisher = client.node.create_publisher(PoseStamped, '/dq_ik/goal_pose', 1)
        client.node.create_subscription(JointState, '/dq_ik/joint_commands', take, 1000)
        while not (publisher.get_subscription_count()
                   and client.node.count_publishers('/dq_ik/joint_commands')):
            time.sleep(0.05)
        goal = PoseStamped()
        goal.header.frame_id = 'arm_base'

        def send(number: int) -> None:
            angle = 2.0 * math.pi * 0.25 * number / RATE
            place = (0.4, 0.1 * math.sin(angle), 0.5 + 0.1 * math.cos(angle))
            fill_pose(goal.pose, Pose.from_xyz_rpy(place, (0.0, 1.5, 0.0)))
            publisher.publish(goal)

        sent = every(1.0 / RATE, seconds, send)
        time.sleep(1.0)
    places = [bisect_left(arrived, moment) for moment in sent]
    late = [arrived[k] - moment for k, moment in zip(places, sent) if k < len(arrived)]
    return {'sent': len(sent), 'commands': len(arrived), 'unanswered': len(sent) - len(late),
            'latency': {'median': statistics.median(late or [0.0]), 'worst': max(late or [0.0])},
            'gaps': gaps(sent), 'stamp gaps': gaps(stamps)}


def clients(seconds: float) -> dict[str, Any]:
    """Call the services from eight threads, each as soon as its last answer came."""
    from dq_ik.ros.client import Client
    from moveit_msgs.srv import GetPositionFK, GetPositionIK
    latencies: list[float] = []
    counts: Counter = Counter()
    chain = ros_robot.robot().groups['arm']

    def work(ik: Any, fk: Any, number: int) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            number += 1
            service, request = (fk, _fk_request()) if number % 4 == 0 else (
                ik, _ik_request(chain, number))
            answer, latency = ask(service, request)
            counts['calls'] += 1
            counts['unanswered'] += answer is None
            latencies.append(latency)

    with Client('soak_clients') as client:
        pairs = [(client.node.create_client(GetPositionIK, '/dq_ik/compute_ik'),
                  client.node.create_client(GetPositionFK, '/dq_ik/compute_fk'))
                 for _ in range(CLIENTS)]
        for service in (service for pair in pairs for service in pair):
            service.wait_for_service(START_UP)  # what is sent before goes nowhere
        threads = [threading.Thread(target=work, args=(*pair, 1000 * k))
                   for k, pair in enumerate(pairs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return {**counts, 'latency': {'median': statistics.median(latencies),
                                  'worst': max(latencies)}}


def _ik_request(chain: Any, number: int) -> Any:
    """Return a request: three of four goals are within reach."""
    from dq_ik.ros.conversions import fill_pose
    from moveit_msgs.srv import GetPositionIK
    import numpy as np
    request = GetPositionIK.Request()
    request.ik_request.group_name = 'arm'
    request.ik_request.pose_stamped.header.frame_id = 'arm_base'
    fill_pose(request.ik_request.pose_stamped.pose,
              chain.fk(chain.random(np.random.default_rng(number))))
    if number % 4 == 1:
        request.ik_request.pose_stamped.pose.position.x += 5.0
    request.ik_request.timeout.nanosec = 5_000_000
    return request


def _fk_request() -> Any:
    from moveit_msgs.srv import GetPositionFK
    request = GetPositionFK.Request(fk_link_names=['flange', 'tool'])
    request.robot_state.joint_state.name = list(ros_robot.ARM)
    request.robot_state.joint_state.position = [0.1] * len(ros_robot.ARM)
    return request


def parameters(seconds: float) -> dict[str, Any]:
    """Change parameters of the solver and of the node twice a second."""
    from dq_ik.ros.client import Client
    from rcl_interfaces.srv import SetParameters
    from rclpy.parameter import Parameter
    changes = (('max_restarts', 50), ('position_tolerance', 1e-4), ('status_rate', 20.0),
               ('max_restarts', 100), ('position_tolerance', 1e-5), ('status_rate', 10.0))
    counts: Counter = Counter()
    with Client('soak_parameters') as client:
        service = client.node.create_client(SetParameters, '/dq_ik/set_parameters')
        service.wait_for_service(START_UP)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            name, value = changes[counts['changes'] % len(changes)]
            request = SetParameters.Request(
                parameters=[Parameter(name, value=value).to_parameter_msg()])
            answer, _ = ask(service, request)
            counts['changes'] += 1
            counts['unanswered'] += answer is None
            counts['refused'] += answer is not None and not answer.results[0].successful
            time.sleep(0.5)
    return dict(counts)


PARTS = {part.__name__: part for part in (timer, stream, clients, parameters)}


if __name__ == '__main__':
    print(json.dumps(PARTS[sys.argv[1]](float(sys.argv[2]))))
