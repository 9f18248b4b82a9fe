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

"""Measure the web page: mouse to joint command, cost of drawing, a stream beside it."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
import os
from pathlib import Path
import signal
import statistics
import subprocess
import sys
import time

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / 'test')]  # the browser and the test node of the tests

from browser import ARROW, Browser, open_browser, unavailable  # noqa: E402
from dq_ik.robot.bundled import robot_file  # noqa: E402
from dq_ik.ros.viewer_node import ViewerNode  # noqa: E402
from dq_ik.stream.path import FigureOfEight  # noqa: E402
import numpy as np  # noqa: E402
from ros_bench import ros_bench, wait_until  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
import viser  # noqa: E402

DOMAIN = 161
TIP, BASE = 'panda_hand_tcp', 'panda_link0'
EVENTS = 200
DRAGS = 15
STREAM_RATE, STREAM_TIME = 500.0, 10.0
MOTION = 2e-4  # [rad]: the arm has moved


def environment() -> dict[str, str]:
    """Return the environment of all processes."""
    return {**os.environ, 'PYTHONPATH': str(ROOT), 'ROS_DOMAIN_ID': str(DOMAIN),
            'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}


@contextmanager
def processes(urdf: str) -> Iterator[None]:
    """Run the ik node and the simulated arm as processes of their own."""
    settings = ROOT / 'build' / 'page_speed.yaml'
    settings.parent.mkdir(exist_ok=True)
    quoted = '\n'.join(f'      {line}' for line in urdf.splitlines())
    settings.write_text(f'/**:\n  ros__parameters:\n    robot_description: |\n{quoted}\n'
                        f'    tip_links: [{TIP}]\n')
    remap = ['-r', 'joint_commands:=dq_ik/joint_commands']
    running = [
        subprocess.Popen([sys.executable, '-m', module, '--ros-args', '--params-file',
                          str(settings), *extra], env=environment())
        for module, extra in (('dq_ik.ros.follow.node', []), ('dq_ik.ros.sim_node', remap))]
    try:
        yield
    finally:
        for process in running:
            process.send_signal(signal.SIGINT)
        for process in running:
            process.wait(20.0)


def event_to_command(viewer: ViewerNode, commands: list) -> list[float]:
    """Return times from a gizmo event in the server to the joint command that answers it [s]."""
    goal = viewer.page.goals[TIP]
    start = goal.pose
    loop = viewer._server.get_event_loop()
    times = []
    for index in range(EVENTS):
        offset = np.array([0.0, 0.03 * np.sin(0.1 * index), 0.0])
        goal.control.position = start.position + offset
        event = viser.TransformControlsEvent(None, 0, goal.control, 'update')
        commands.clear()
        began = time.perf_counter()
        asyncio.run_coroutine_threadsafe(goal._dragged(event), loop)
        while not commands and time.perf_counter() - began < 1.0:
            time.sleep(0.0001)
        times.append(time.perf_counter() - began)
        time.sleep(0.02)
    end = viser.TransformControlsEvent(None, 0, goal.control, 'end')
    asyncio.run_coroutine_threadsafe(goal._dragged(end), loop).result(1.0)
    return times


def drag_to_motion(viewer: ViewerNode, browser: Browser, states: list) -> list[float]:
    """Return times from a movement of the mouse in Chromium to a movement of the arm [s]."""
    page, times = viewer.page, []
    pose = page.goals[TIP].pose
    axes = pose.matrix[:3, :3]
    browser.look_at(pose.position, pose.position + axes @ np.full(3, 0.6))
    grip = pose.position + ARROW * page.goals[TIP].control.scale * axes[:, 0]
    start = np.array(browser.pixel(grip))
    step = np.array(browser.pixel(grip - 0.01 * axes[:, 0])) - start
    browser.page.mouse.move(*start)
    browser.page.wait_for_timeout(500)
    browser.page.mouse.down()
    for index in range(DRAGS):
        browser.page.wait_for_timeout(1000)
        before = np.array(states[0].position)
        began = time.perf_counter()
        browser.page.mouse.move(*(start + (index + 1) * step))
        while (np.abs(np.array(states[0].position) - before).max() < MOTION
               and time.perf_counter() - began < 3.0):
            time.sleep(0.002)
        times.append(time.perf_counter() - began)
    browser.page.mouse.up()
    return times


def drawing_share(viewer: ViewerNode) -> float:
    """Return the share of a core that this process needs more when the arm moves on the page."""
    def cpu(seconds: float) -> float:
        began = time.process_time()
        time.sleep(seconds)
        return (time.process_time() - began) / seconds

    page = viewer.page
    page.play(FigureOfEight.around(page.chain, {TIP: page.goals[TIP].pose}))
    time.sleep(1.0)
    drawn = cpu(8.0)
    tick, viewer.page.tick = viewer.page.tick, lambda: None
    page.stop()
    idle = cpu(8.0)
    viewer.page.tick = tick
    return drawn - idle


def stream_rates() -> tuple[float, float]:
    """Return goals and commands per second of a stream of 500 Hz from a process of its own."""
    words = [sys.executable, str(ROOT / 'tools' / 'goal_stream.py'), '--rate', str(STREAM_RATE),
             '--duration', str(STREAM_TIME), '--base', BASE]
    output = subprocess.run(words, env=environment(), check=True, stdout=subprocess.PIPE,
                            text=True).stdout
    sent, answered = map(float, output.split())
    return sent, answered


def describe_stream(name: str) -> str:
    """Stream goals, and return one line about it."""
    sent, answered = stream_rates()
    return f'{name:<42} {answered:.1f} commands for {sent:.1f} goals per second (bar: 500)'


def describe(name: str, times: list[float], bar: float) -> str:
    """Return one line: median and 95th percentile against the bar."""
    median = 1e3 * statistics.median(times)
    return (f'{name:<42} median {median:7.2f} ms, p95 {1e3 * np.quantile(times, 0.95):7.2f} ms '
            f'(bar: {bar:g} ms)')


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--no-browser', action='store_true', help='leave the browser out')
    browser = not parser.parse_args().no_browser
    if browser and (reason := unavailable()):
        print(reason, file=sys.stderr)
        return 1
    urdf = robot_file('panda').read_text()
    with processes(urdf), ros_bench(DOMAIN) as bench:
        wait_until(lambda: bench.node.count_publishers('dq_ik/joint_commands'), 300.0,
                   'the ik node is ready')
        print(describe_stream('500 Hz without a page'))
        viewer = bench.add(ViewerNode, robot_description=urdf, tip_links=[TIP], port=0)
        commands = bench.newest(JointState, 'dq_ik/joint_commands')
        states = bench.newest(JointState, 'joint_states')
        wait_until(lambda: viewer.page._heard_joints, what='joint states')
        time.sleep(2.0)
        print(describe('gizmo event to joint command', event_to_command(viewer, commands), 5))
        print(f'{"drawing a moving arm at 30 Hz":<42} {100 * drawing_share(viewer):.1f} % '
              'of a core (bar: 10 %)')
        print(describe_stream('500 Hz beside the viewer'))
        if browser:
            with open_browser(viewer._server) as window:
                print(describe_stream('500 Hz beside the page in Chromium'))
                print(describe('mouse in Chromium to motion of the arm', drag_to_motion(
                    viewer, window, states), 250))
    return 0


if __name__ == '__main__':
    sys.exit(main())
