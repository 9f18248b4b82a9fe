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
Partners of the node in ``soak.py``: web page, marker of RViz, and a stand-in of a controller.

Each is a process, as the parts of the load: ``soak_partners.py NAME SECONDS``.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
import json
from pathlib import Path
import sys
import time
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / 'test')]

from marker_library import stand_in  # noqa: E402
import ros_robot  # noqa: E402
from tools.soak_parts import gaps  # noqa: E402

TRAJECTORIES = '/soak_controller/joint_trajectory'
# The page and the marker see the arm where it is commanded to be.
ARGUMENTS = ['--ros-args', '-r', 'joint_states:=/dq_ik/joint_commands']
SETTLING = 1.0  # seconds after the last goal


def page(seconds: float) -> dict[str, Any]:
    """Serve the page to a visitor that takes all that a browser would be sent."""
    from dq_ik.ros.viewer_node import ViewerNode
    import viser
    from websockets.sync.client import connect

    def visit(node: Any, seconds: float) -> dict[str, Any]:
        received = size = 0
        end = time.monotonic() + seconds
        address = node.address.replace('http', 'ws')
        with connect(address, origin=node.address, max_size=None, compression=None,
                     subprotocols=[f'viser-v{viser.__version__}']) as socket:
            while (left := end - time.monotonic()) > 0.0:
                try:
                    size += len(socket.recv(timeout=left))
                    received += 1
                except TimeoutError:
                    break
        return {'messages': received, 'bytes': size}
    return beside(ViewerNode, seconds, visit, port=0)


def marker(seconds: float) -> dict[str, Any]:
    """Run the node of the marker, and listen as RViz does."""
    from dq_ik.ros.markers.node import GoalMarkerNode
    from visualization_msgs.msg import MarkerArray
    if find_spec('interactive_markers') is None:
        sys.modules['interactive_markers'] = stand_in()
    times: list[float] = []

    def listen(node: Any, seconds: float) -> dict[str, Any]:
        node.create_subscription(MarkerArray, '~/status_markers',
                                 lambda _: times.append(time.perf_counter()), 100)
        time.sleep(seconds)
        return {'updates': len(times), 'gaps': gaps(times)}
    return beside(GoalMarkerNode, seconds, listen)


def beside(make: Callable[..., Any], seconds: float,
           act: Callable[[Any, float], dict[str, Any]], **parameters: Any) -> dict[str, Any]:
    """Act while a node of ours runs in a thread."""
    from dq_ik.ros.running import SpinThread
    import rclpy
    from rclpy.parameter import Parameter
    rclpy.init()
    given = {'robot_description': ros_robot.urdf_text(), 'base_link': 'arm_base',
             'tip_links': ['flange'], **parameters}
    node = make(cli_args=ARGUMENTS, parameter_overrides=[
        Parameter(name, value=value) for name, value in given.items()])
    thread = SpinThread(node)
    try:
        return act(node, seconds + SETTLING)
    finally:
        thread.close()
        rclpy.try_shutdown()


def controller(seconds: float) -> dict[str, Any]:
    """Take trajectories, and check each as joint_trajectory_controller does."""
    from dq_ik.ros.client import Client
    from trajectory_msgs.msg import JointTrajectory
    times: list[float] = []
    bad = 0

    def take(msg: JointTrajectory) -> None:
        nonlocal bad
        times.append(time.perf_counter())
        moments = [point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec
                   for point in msg.points]
        bad += (list(msg.joint_names) != list(ros_robot.ARM) or moments != sorted(set(moments))
                or not msg.points or any(msg.points[-1].velocities))

    with Client('soak_controller') as client:
        client.node.create_subscription(JointTrajectory, TRAJECTORIES, take, 1000)
        time.sleep(seconds + SETTLING)
    return {'trajectories': len(times), 'bad': bad, 'gaps': gaps(times)}


PARTNERS = {partner.__name__: partner for partner in (page, marker, controller)}


if __name__ == '__main__':
    print(json.dumps(PARTNERS[sys.argv[1]](float(sys.argv[2]))))
