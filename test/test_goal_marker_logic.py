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

"""The RViz goal marker decides rightly: dragging, releasing, menu, goals of others."""

from __future__ import annotations

from pathlib import Path

from dq_ik.pose import Pose
from dq_ik.robot.urdf import load_robot
from dq_ik.ros.conversions import pose_from_msg
from dq_ik.ros.markers.messages import goal_marker, status_markers
from dq_ik.ros.remote import from_parameter, to_parameter
from dq_ik.stream.marker import HOLD, Item, MarkerLogic, MarkerOutlet
from dq_ik.stream.report import BEST_REACH, Report
import pytest
from visualization_msgs.msg import InteractiveMarkerControl, Marker

TIP = 'panda_hand_tcp'
URDF = Path(__file__).parent.parent / 'urdf'
A = Pose.from_xyz_rpy((0.4, 0.1, 0.5), (3.1, 0.0, 0.2))
B = Pose.from_xyz_rpy((0.5, -0.1, 0.4), (3.1, 0.1, 0.0))


class Recorder:
    """Takes the decisions of the logic."""

    def __init__(self) -> None:
        self.goals: list[Pose] = []
        self.places: list[Pose] = []
        self.options: list[tuple[str, object]] = []
        self.rebuilds = 0
        self.outlet = MarkerOutlet(
            goal=lambda tip, pose: self.goals.append(pose),
            place=lambda tip, pose: self.places.append(pose),
            rebuild=self._rebuild,
            option=lambda name, value: self.options.append((name, value)))

    def _rebuild(self) -> None:
        self.rebuilds += 1


@pytest.fixture(scope='module')
def chain():
    """Return the seven-joint arm."""
    return load_robot(URDF / 'panda.urdf').chain(None, TIP)


@pytest.fixture
def logic(chain):
    """Return the logic and what it sends."""
    recorder = Recorder()
    return MarkerLogic(chain, recorder.outlet), recorder


def test_only_the_newest_pose_of_a_drag_is_sent(logic):
    """A mailbox, not a queue; and once."""
    marker, sent = logic
    marker.press(TIP)
    marker.drag(TIP, A)
    marker.drag(TIP, B)
    assert sent.goals == []
    marker.flush()
    marker.flush()
    assert sent.goals == [B]


def test_pause_keeps_the_goal_back_until_it_ends(logic):
    """Then the newest one goes out."""
    marker, sent = logic
    marker.select(TIP, Item.PAUSE)
    marker.drag(TIP, A)
    marker.flush()
    assert sent.goals == []
    marker.select(TIP, Item.PAUSE)
    marker.flush()
    assert sent.goals == [A]


def test_home_and_tool_move_the_marker_and_the_goal(logic, chain):
    """Home is where the tool was at first, the tool is where it is now."""
    marker, sent = logic
    first = chain.joint_positions(chain.neutral)
    now = {**first, 'panda_joint1': 0.5}
    marker.hear_joints(first)
    marker.hear_joints(now)
    marker.select(TIP, Item.TO_TOOL)
    marker.flush()
    marker.select(TIP, Item.HOME)
    marker.flush()
    tool, home = sent.goals
    assert tool == chain.fk(chain.configuration(now))
    assert home == chain.fk(chain.neutral)
    assert sent.places[-2:] == [tool, home]


def test_the_first_joint_states_place_the_marker_without_a_goal(logic, chain):
    """Looking at a robot does not move it."""
    marker, sent = logic
    marker.hear_joints({'panda_joint1': 0.3})
    marker.hear_joints({'panda_joint1': 0.6})
    marker.flush()
    assert sent.places == [chain.fk(chain.configuration({'panda_joint1': 0.3}))]
    assert sent.goals == []


def test_snap_returns_to_what_can_be_reached(logic, chain):
    """Only when asked for, only at release, only when the goal was not met."""
    marker, sent = logic
    answer = {'panda_joint1': 0.2}
    marker.hear_command(answer)
    marker.hear_status(False)
    marker.release(TIP, A)
    assert sent.places == []
    marker.select(TIP, Item.SNAP)
    marker.hear_status(True)
    marker.release(TIP, A)
    assert sent.places == []
    marker.hear_status(False)
    marker.release(TIP, A)
    assert sent.places == [chain.fk(chain.configuration(answer))]


def test_goals_of_others_move_the_marker_unless_it_is_held(logic):
    """Scripts and mouse share the topic."""
    marker, sent = logic
    marker.press(TIP)
    marker.hear_goal(TIP, A)
    assert sent.places == []
    marker.release(TIP, B)
    marker.hear_goal(TIP, A)
    assert sent.places == [A]
    assert marker.goals[TIP] == A


def test_menu_sets_the_solver_and_position_only(logic):
    """By parameters of the ik node; the tick follows what the node then says."""
    marker, sent = logic
    marker.choose('pls')
    assert sent.options == [('method', 'pls')]
    assert marker.method == 'pgs'
    marker.hear_option('method', 'pls')
    assert marker.method == 'pls'
    marker.select(TIP, Item.POSITION_ONLY)
    assert sent.options[-1] == ('position_only', True)
    rebuilds = sent.rebuilds
    marker.hear_option('position_only', True)
    assert sent.rebuilds == rebuilds
    assert marker.switches[Item.POSITION_ONLY]


@pytest.mark.parametrize(
    'setting', [('position_only', True), ('position_only', False), ('method', 'pls')])
def test_settings_survive_the_way_to_parameters_and_back(setting):
    """position_only is goal_mode over there."""
    parameter = to_parameter(*setting)
    assert from_parameter(parameter.name, parameter.value) == setting


def test_marker_has_six_handles_and_a_sphere():
    """Each with a unit orientation; the stamp is zero, so that RViz keeps our frame."""
    marker = goal_marker(TIP, 'base', A, 0.2, position_only=False, world_axes=False)
    assert pose_from_msg(marker.pose).distance(A) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert (marker.header.frame_id, marker.header.stamp.sec) == ('base', 0)
    modes = [control.interaction_mode for control in marker.controls]
    assert modes.count(InteractiveMarkerControl.MOVE_AXIS) == 3
    assert modes.count(InteractiveMarkerControl.ROTATE_AXIS) == 3
    assert modes.count(InteractiveMarkerControl.MOVE_ROTATE_3D) == 1
    for control in marker.controls[:6]:
        r = control.orientation
        assert r.w ** 2 + r.x ** 2 + r.y ** 2 + r.z ** 2 == pytest.approx(1.0)


def test_each_arrow_points_along_its_axis():
    """In RViz a marker moves along the x axis of the control's orientation."""
    marker = goal_marker(TIP, 'base', A, 0.2, position_only=True, world_axes=True)
    for control in marker.controls[:3]:
        r = control.orientation
        turn = Pose.from_xyz_wxyz((0, 0, 0), (r.w, r.x, r.y, r.z))
        along = abs(turn @ (1.0, 0.0, 0.0))
        assert along['xyz'.index(control.name[-1])] == pytest.approx(1.0)
        assert control.orientation_mode == InteractiveMarkerControl.FIXED


def test_position_only_has_no_rings():
    """And a sphere that does not turn."""
    marker = goal_marker(TIP, 'base', A, 0.2, position_only=True, world_axes=False)
    modes = {control.interaction_mode for control in marker.controls}
    assert modes == {InteractiveMarkerControl.MOVE_AXIS, InteractiveMarkerControl.MOVE_3D}


def test_status_markers_tell_the_answer_in_colour_and_words():
    """Beside the handle, not as a part of it."""
    report = Report(False, 'joint panda_joint4 is at its limit', 0.01, 0.0, 1e-5)
    core, text = status_markers('base', {TIP: A}, 0.2, report).markers
    assert (core.color.r, core.color.g) == pytest.approx(BEST_REACH[:2])
    assert text.type == Marker.TEXT_VIEW_FACING
    assert text.text == 'Best reach: joint panda_joint4 is at its limit'


@pytest.mark.parametrize(('message', 'words'), [
    ('best reach: joint limits are in the way', 'Best reach: joint limits are in the way'),
    ('best reach within the largest joint step allowed [1 2]',
     'Best reach: within the largest joint step allowed'),
    ('best reach', 'Best reach'), ('the goal is far [0.1 m]', 'Best reach: the goal is far')])
def test_the_text_says_best_reach_once(message, words):
    """And leaves details in brackets out."""
    text = status_markers('base', {TIP: A}, 0.2, Report(False, message)).markers[-1]
    assert text.text == words
    assert text.scale.x > 0.0, 'RViz would draw the words without spaces'
    assert text.scale.z > text.scale.x


def test_the_mouse_reaches_every_handle_through_the_status_markers():
    """A pick takes what is in front: the sphere hides the core, nothing is before the rest."""
    scale = 0.2
    handle = goal_marker(TIP, 'base', A, scale, position_only=False, world_axes=False)
    sphere, = (part for control in handle.controls for part in control.markers)
    core, text = status_markers('base', {TIP: A}, scale, Report(True)).markers
    assert max(core.scale.x, core.scale.y, core.scale.z) < min(sphere.scale.x, sphere.scale.y)
    assert pose_from_msg(core.pose).distance(A)[0] == pytest.approx(0.0, abs=1e-9)
    arrows_end = 0.9 * scale  # as RViz completes them
    assert text.pose.position.z - A.position[2] - 0.5 * text.scale.z > arrows_end


def test_each_tip_has_a_core_and_the_text_is_above_the_highest():
    """One answer holds for all tips."""
    *cores, text = status_markers('base', {'a': B, 'b': A}, 0.2, Report(True)).markers
    assert [(core.ns, core.id) for core in cores] == [('goal', 0), ('goal', 1)]
    for core, goal in zip(cores, (B, A)):
        assert pose_from_msg(core.pose).distance(goal)[0] == pytest.approx(0.0, abs=1e-9)
    assert (text.pose.position.x, text.pose.position.y) == pytest.approx(A.position[:2])
    assert text.pose.position.z > A.position[2]


def test_an_rviz_that_has_died_does_not_hold_the_marker(logic, monkeypatch):
    """As long as it lives, it says again and again that the marker is held."""
    marker, sent = logic
    now = [100.0]
    monkeypatch.setattr('dq_ik.stream.marker.time.monotonic', lambda: now[0])
    marker.press(TIP)
    now[0] += 0.8 * HOLD
    marker.press(TIP)
    now[0] += 0.8 * HOLD
    marker.hear_goal(TIP, A)
    assert sent.places == []
    now[0] += 0.3 * HOLD
    marker.hear_goal(TIP, A)
    assert sent.places == [A]
