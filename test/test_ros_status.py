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
"""What the node says about itself."""

from functools import partial

from diagnostic_msgs.msg import DiagnosticStatus
from dq_ik.pose import Pose
from dq_ik.ros.follow import status
from dq_ik.stream.settings import StreamSettings
from dq_ik.stream.tracker import Tracker
import numpy as np
import pytest
import ros_robot


class Inbox:
    """Stands in for a publisher."""

    def __init__(self):
        self.texts = []

    def publish(self, msg):
        self.texts.append(msg.message)


def say(text, level=DiagnosticStatus.OK):
    return level, partial(DiagnosticStatus, level=level, message=text)


def test_first_status_and_changes_of_level_go_out_at_once():
    inbox = Inbox()
    topic = status.StatusTopic(inbox, period=1.0)
    topic.offer(*say('good'), 0.0)
    topic.offer(*say('bad', DiagnosticStatus.WARN), 0.01)
    topic.offer(*say('good again'), 0.02)
    assert inbox.texts == ['good', 'bad', 'good again']


def test_same_level_waits_for_its_turn_and_the_last_gets_out():
    inbox = Inbox()
    topic = status.StatusTopic(inbox, period=1.0)
    for k in range(15):
        topic.offer(*say(str(k)), 0.1 * k)
    assert inbox.texts == ['0', '10']
    topic.flush(2.0)
    topic.flush(3.0)
    assert inbox.texts == ['0', '10', '14']


@pytest.fixture(scope='module')
def chain():
    return ros_robot.robot().groups['arm']


def values(msg):
    return {pair.key: pair.value for pair in msg.values}


def test_reached_goal(chain):
    q = chain.configuration(ros_robot.POSTURE)
    msg = status.result_status('arm', chain.solve(chain.fk(q), q), Tracker(chain))
    assert msg.level == DiagnosticStatus.OK
    assert values(msg)['status'] == 'converged'
    assert float(values(msg)['position_error']) < 1e-5


def test_best_reach_names_the_reason(chain):
    far = Pose.from_xyz_rpy((3, 0, 0.2), (0, 1.57, 0))
    msg = status.result_status('arm', chain.solve(far, np.full(6, 0.1), max_restarts=0),
                               Tracker(chain))
    assert msg.level == DiagnosticStatus.WARN
    assert 'best reach' in msg.message
    assert float(values(msg)['position_error']) > 1.0


MOTION = ('policy', 'phase', 'margin', 'nearest_limit', 'time_left', 'next_limit', 'time_to_loss',
          'nearest_pair', 'clearance', 'speed', 'acceleration')


def moving(chain, **settings):
    """Return a tracker on its way along one joint, and its last answer."""
    q = chain.configuration(ros_robot.POSTURE)
    stream, result = Tracker(chain, settings=StreamSettings(**settings), q=q), None
    for k in range(6):
        q[0] += 0.005
        stream.set_goal('flange', chain.fk(q), 0.01 * k)
        result = stream.tick(0.01 * k, 0.01)
    return stream, result


def test_status_and_diagnostics_say_the_same_about_the_motion(chain):
    stream, result = moving(chain, rate=100.0)
    found = values(status.result_status('arm', result, stream))
    facts = dict(status.motion_facts(stream, stream.outlook))
    assert tuple(facts) == MOTION
    assert {key: found[key] for key in MOTION} == facts
    summary = status.diagnostics('arm', status.Counters(), 1.0, 0.1, facts.items())
    assert {key: values(summary)[key] for key in MOTION} == facts
    assert {key: values(status.jog_status('arm', None, stream))[key] for key in MOTION} == facts
    assert (facts['policy'], facts['phase']) == ('intercept', 'following')
    assert float(facts['speed']) == pytest.approx(stream.speed_share, abs=1e-3)
    assert 0.0 < float(facts['acceleration']) <= 1.0
    assert float(facts['margin']) == pytest.approx(stream.outlook.margin, abs=1e-3)
    assert facts['next_limit'] == chain.joint_names[0]


def test_shares_without_a_limit_are_empty(chain):
    stream, _ = moving(chain, rate=100.0, velocity_scaling=0.0)
    facts = dict(status.motion_facts(stream, stream.outlook))
    assert (facts['speed'], facts['acceleration']) == ('', '')
    stream, _ = moving(chain)
    facts = dict(status.motion_facts(stream, stream.outlook))
    assert float(facts['speed']) > 0.1
    assert facts['acceleration'] == ''


def test_diagnostics_of_a_busy_second():
    counters = status.Counters(goals=100, reached=90, best_reach=6, refused=4,
                               last_refusal='no frame', commands=96)
    counters.latencies.extend([1e-3, 2e-3, 9e-3])
    msg = status.diagnostics('arm', counters, 2.0, 0.1, [('robot', 'tester')])
    assert msg.level == DiagnosticStatus.WARN
    assert 'no frame' in msg.message
    found = values(msg)
    assert (found['goal_rate'], found['command_rate']) == ('50.0', '48.0')
    assert (found['goals_best_reach'], found['goals_refused']) == ('6', '4')
    assert float(found['latency_median']) == 2e-3
    assert float(found['latency_max']) == 9e-3
    assert found['robot'] == 'tester'


def test_diagnostics_before_the_first_goal():
    msg = status.diagnostics('arm', status.Counters(), 1.0, None)
    assert (msg.level, msg.message) == (DiagnosticStatus.OK, 'no goal yet')
