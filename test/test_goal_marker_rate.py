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

"""How often the marker node speaks to RViz, with a stand-in for interactive_markers."""

from __future__ import annotations

from pathlib import Path
import sys
import time

from diagnostic_msgs.msg import DiagnosticStatus
from domains import reserve
from dq_ik.pose import Pose
from dq_ik.ros.conversions import fill_pose
from dq_ik.ros.description import LATCHED
from dq_ik.ros.markers.node import GoalMarkerNode
from geometry_msgs.msg import PoseStamped
from marker_library import stand_in
import pytest
from ros_bench import ros_bench, wait_until
from visualization_msgs.msg import MarkerArray

PANDA = (Path(__file__).parent.parent / 'urdf' / 'panda.urdf').read_text()
TIP = 'panda_hand_tcp'
DOMAIN = reserve()
TIME = 2.0  # of a stream of goals [s]
MOST = 10.0  # updates per second that RViz keeps up with


@pytest.fixture
def bench(monkeypatch):
    """Open a domain with a marker node."""
    monkeypatch.setitem(sys.modules, 'interactive_markers', stand_in())
    with ros_bench(DOMAIN) as opened:
        opened.marker = opened.add(GoalMarkerNode, robot_description=PANDA, tip_links=[TIP])
        yield opened


def test_a_fast_stream_of_goals_updates_rviz_ten_times_a_second(bench):
    """Both the handle and the markers of the answer; the last goal and answer get there."""
    arrays: list[MarkerArray] = []
    bench.node.create_subscription(
        MarkerArray, 'dq_ik_goal_marker/status_markers', arrays.append, LATCHED)
    goals = bench.node.create_publisher(PoseStamped, 'dq_ik/goal_pose/current', 10)
    answers = bench.node.create_publisher(DiagnosticStatus, 'dq_ik/status', LATCHED)
    wait_until(lambda: goals.get_subscription_count() > 0 < answers.get_subscription_count())
    server = bench.marker._server
    wait_until(lambda: TIP in server.poses and bool(arrays), what='first markers')
    first, arrays_before = server.updates, len(arrays)
    started = time.monotonic()
    count = 0
    while time.monotonic() - started < TIME:
        count += 1
        pose = Pose.from_xyz_rpy((0.4, 1e-4 * count, 0.5), (3.1, 0.0, 0.2))
        msg = PoseStamped()
        msg.header.frame_id = 'panda_link0'
        fill_pose(msg.pose, pose)
        goals.publish(msg)
        answers.publish(DiagnosticStatus(level=DiagnosticStatus.OK, message=f'goal {count}'))
        time.sleep(1 / 60)
    assert count > 3 * MOST * TIME / 2
    wait_until(lambda: server.poses[TIP].distance(pose)[0] < 1e-9, what='the last goal')
    wait_until(lambda: f'goal {count}' in arrays[-1].markers[-1].text, what='the last answer')
    most = MOST * (time.monotonic() - started) + 1
    assert 2 < server.updates - first <= most
    assert 2 < len(arrays) - arrays_before <= most
