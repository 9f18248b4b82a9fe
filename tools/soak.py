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
Mixed load on one node for a while: ``make soak ARGS="--minutes 30"``.

Goals at 500 Hz, eight clients of the services, and changes of parameters, each from a process of
its own over DDS. The table at the end has lost goals, unanswered calls, latencies, memory,
threads, descriptors, and the gaps between commands beside those of a bare timer in the same run.
"""

from __future__ import annotations

import argparse
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
import json
import math
import os
from pathlib import Path
import statistics
import subprocess
import sys
import threading
import time
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / 'test')]

import ros_processes  # noqa: E402
import ros_robot  # noqa: E402

RATE = 500.0  # goals per second
CLIENTS = 8
START_UP = 400.0
PATIENCE = 20.0  # seconds after which a call counts as unanswered
GROWTH = 5.0  # MB that the node may grow
STEADY = 2  # threads and files that DDS may open and close for partners
GAP = 0.020  # seconds that a gap may exceed those of the bare timer
ARM = {'base_link': 'arm_base', 'tip_links': ['flange'], 'group': 'arm'}


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


# --- the parts, each a process -------------------------------------------------------------------

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
    end = time.monotonic() + seconds
    chain = ros_robot.robot().groups['arm']

    def work(client: Client, number: int) -> None:
        ik = client.node.create_client(GetPositionIK, '/dq_ik/compute_ik')
        fk = client.node.create_client(GetPositionFK, '/dq_ik/compute_fk')
        while time.monotonic() < end:
            number += 1
            service, request = (fk, _fk_request()) if number % 4 == 0 else (
                ik, _ik_request(chain, number))
            done, began = threading.Event(), time.perf_counter()
            service.call_async(request).add_done_callback(lambda _, done=done: done.set())
            counts['calls'] += 1
            counts['unanswered'] += not done.wait(PATIENCE)
            latencies.append(time.perf_counter() - began)

    with Client('soak_clients') as client:
        probe = client.node.create_client(GetPositionIK, '/dq_ik/compute_ik')
        probe.wait_for_service(START_UP)
        threads = [threading.Thread(target=work, args=(client, 1000 * k)) for k in range(CLIENTS)]
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
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            name, value = changes[counts['changes'] % len(changes)]
            request = SetParameters.Request(
                parameters=[Parameter(name, value=value).to_parameter_msg()])
            answer = client.call(SetParameters, '/dq_ik/set_parameters', request, PATIENCE)
            counts['changes'] += 1
            counts['unanswered'] += answer is None
            counts['refused'] += answer is not None and not answer.results[0].successful
            time.sleep(0.5)
    return dict(counts)


PARTS = {part.__name__: part for part in (timer, stream, clients, parameters)}


# --- the run -------------------------------------------------------------------------------------

def resources(pid: int) -> tuple[float, int, int]:
    """Return the memory [MB], the threads and the open files of a process."""
    lines = dict(line.split(':', 1) for line in
                 Path(f'/proc/{pid}/status').read_text().splitlines() if ':' in line)
    return (int(lines['VmRSS'].split()[0]) / 1024.0, int(lines['Threads']),
            len(os.listdir(f'/proc/{pid}/fd')))


def soak(seconds: float) -> dict[str, Any]:
    """Run all parts beside a node; return what was measured."""
    from dq_ik.ros.client import Client
    from moveit_msgs.srv import GetPositionIK
    ros_processes.use_own_domain(70)
    with ros_processes.run_node(robot_description=ros_robot.urdf_text(), **ARM) as node:
        with Client('soak') as client:
            ready = client.node.create_client(GetPositionIK, '/dq_ik/compute_ik')
            while not ready.wait_for_service(1.0):
                if not node.alive:
                    raise SystemExit(node.log)
        runs = {name: subprocess.Popen(
            [sys.executable, __file__, '--part', name, '--minutes', str(seconds / 60.0)],
            stdout=subprocess.PIPE, text=True) for name in PARTS}
        samples = []
        while any(run.poll() is None for run in runs.values()) and node.alive:
            time.sleep(1.0)
            if node.alive:
                samples.append(resources(node.process.pid))
        found: dict[str, Any] = {'alive': node.alive, 'traceback': 'Traceback' in node.log}
        for name, run in runs.items():
            text = run.communicate(timeout=60)[0] if node.alive else '{}'
            found[name] = json.loads(text.strip().splitlines()[-1])
    settled = samples[len(samples) // 4:-2] or samples  # the parts come and go at the ends
    for k, name in enumerate(('memory', 'threads', 'files')):
        found[name] = {'first': settled[0][k], 'last': settled[-1][k],
                       'most': max(sample[k] for sample in settled)}
    return found


def table(found: dict[str, Any]) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Return rows of what was measured beside its bar, and the bars that are missed."""
    part, calls = found['stream'], found['clients']
    bare, own = found['timer']['gaps']['worst'], part['stamp gaps']['worst']
    sender = part['gaps']['worst']
    grown = found['memory']['last'] - found['memory']['first']
    unanswered = calls['unanswered'] + found['parameters']['unanswered']
    replaced = part['sent'] - part['commands'] - part['unanswered']
    ms = 1e3
    judged = (
        ('node', 'lives' if found['alive'] else 'died', 'lives', found['alive']),
        ('goals sent', f"{part['sent']:,}", '', True),
        ('goals replaced by newer ones', f'{replaced:,}', '', True),
        ('goals lost', f"{part['unanswered']:,}", '0', part['unanswered'] == 0),
        ('calls', f"{calls['calls']:,}", '', True),
        ('parameter changes', f"{found['parameters']['changes']:,}", '', True),
        ('unanswered', f'{unanswered:,}', '0', unanswered == 0),
        ('goal to command, median [ms]', f"{ms * part['latency']['median']:.2f}", '', True),
        ('goal to command, worst [ms]', f"{ms * part['latency']['worst']:.1f}", '', True),
        ('call, median [ms]', f"{ms * calls['latency']['median']:.2f}", '', True),
        ('call, worst [ms]', f"{ms * calls['latency']['worst']:.1f}", '', True),
        ('gap of a bare timer, worst [ms]', f'{ms * bare:.1f}', '', True),
        ('gap of the sender, worst [ms]', f'{ms * sender:.1f}', '', True),
        ('gap of the stamps, worst [ms]', f'{ms * own:.1f}',
         f'{ms * (max(bare, sender) + GAP):.1f}', own <= max(bare, sender) + GAP),
        ('memory, growth [MB]', f'{grown:.2f}', f'{GROWTH}', grown < GROWTH),
        ('threads', f"{found['threads']['first']} to {found['threads']['last']}", 'same',
         found['threads']['last'] <= found['threads']['first'] + STEADY),
        ('files', f"{found['files']['first']} to {found['files']['last']}", 'same',
         found['files']['last'] <= found['files']['first'] + STEADY))
    return [row[:3] for row in judged], [row[0] for row in judged if not row[3]]


def main() -> int:
    """Soak as the arguments say; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(prog='soak', description=__doc__)
    parser.add_argument('--minutes', type=float, default=1.0)
    parser.add_argument('--part', choices=PARTS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        print(json.dumps(PARTS[given.part](60.0 * given.minutes)))
        return 0
    found = soak(60.0 * given.minutes)
    rows, missed = table(found)
    for what, measured, bar in rows:
        print(f'{what:36} {measured:>14} {bar:>10}')
    for what in missed:
        print(f'missed: {what}')
    folder = ROOT / '.artifacts'
    folder.mkdir(exist_ok=True)
    (folder / 'soak.json').write_text(json.dumps(found, indent=1))
    return 1 if missed else 0


if __name__ == '__main__':
    sys.exit(main())
