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

"""The page does what its buttons say, without any browser or ROS."""

from __future__ import annotations

import asyncio
from itertools import pairwise
import math
from pathlib import Path
import re

from dq_ik.goal import Goal
from dq_ik.pose import Pose
from dq_ik.robot.shapes import parse_visuals
from dq_ik.robot.urdf import load_robot
from dq_ik.stream.outlook import Outlook
from dq_ik.stream.path import (
    FigureOfEight,
    Glide,
    GLIDE_TIME,
    PERIOD,
    random_configuration,
    unreachable_goal,
)
from dq_ik.stream.report import BEST_REACH, MotionReport, REACHED, Report
from dq_ik.viewer.gizmo import HOLD
from dq_ik.viewer.page import Outlet, Page
from dq_ik.viewer.panel import HOME, RANDOM, TO_TOOL, UNREACHABLE
from dq_ik.viewer.panel_html import ALARM
from dq_ik.viewer.parts import jog_buttons
from dq_ik.viewer.server import open_server
import numpy as np
import pytest
import viser

URDF = Path(__file__).parent.parent / 'urdf'
Q_HOME = (0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8)
PANDA_HOME = {f'panda_joint{index}': q for index, q in enumerate(Q_HOME, start=1)}


class Recorder:
    """Takes what the page sends."""

    def __init__(self) -> None:
        self.goals: list[tuple[str, Pose]] = []
        self.options: list[tuple[str, object]] = []
        self.twists: list[tuple[str, list[float], str]] = []
        self.outlet = Outlet(
            lambda tip, pose: self.goals.append((tip, pose)),
            lambda name, value: self.options.append((name, value)),
            lambda tip, twist, frame: self.twists.append((tip, list(twist), frame)))


@pytest.fixture(scope='module')
def server():
    """Serve one page for all tests."""
    page = open_server(port=0)
    yield page
    page.stop()


def open_page(server, robot: str, *tips: str) -> tuple[Page, Recorder]:
    server.scene.reset()
    server.gui.reset()
    text = (URDF / f'{robot}.urdf').read_text()
    recorder = Recorder()
    page = Page(
        server, load_robot(text).chain(None, tips), parse_visuals(text), recorder.outlet,
        methods=('pgs', 'pls'), modes=('speed', 'distance'))
    return page, recorder


@pytest.fixture
def panda(server):
    """Open the page of the seven-joint arm, at home."""
    page, recorder = open_page(server, 'panda', 'panda_hand_tcp')
    page.show_joints(PANDA_HOME)
    return page, recorder


@pytest.fixture
def clock(monkeypatch):
    """Return the time that the page sees, to be moved on by hand."""
    now = [100.0]
    monkeypatch.setattr('dq_ik.viewer.page.time.monotonic', lambda: now[0])
    return now


def glide(page: Page, clock: list[float]) -> None:
    """Let the goals go where a button has sent them."""
    for _ in range(31):
        clock[0] += GLIDE_TIME / 30
        page.tick()
    assert not page.is_playing


def use(server, label: str, value=None) -> None:
    """Do what a browser does when a user sets the labelled control, or presses the button."""
    for handle in list(server.gui._gui_input_handle_from_uuid.values()):
        options = getattr(handle, 'options', ())
        if handle.label == label or (value is None and label in options):
            handle._impl.value = label if value is None else value
            event = viser.GuiEvent(client=None, client_id=0, target=handle)
            for callback in handle._impl.update_cb:
                asyncio.run(callback(event))
            return
    pytest.fail(f'there is no control {label!r}')


def hold(server, label: str) -> None:
    """Do what a browser does each moment while a user holds the labelled button."""
    button, = (handle for handle in server.gui._gui_input_handle_from_uuid.values()
               if handle.label == label)
    for callback in button._button_impl.hold_cbs_from_freq[jog_buttons.RATE]:
        asyncio.run(callback(viser.GuiEvent(client=None, client_id=0, target=button)))


@pytest.mark.parametrize(('label', 'wanted'), [
    ('x +', [0.1, 0, 0, 0, 0, 0]), ('y −', [0, -0.1, 0, 0, 0, 0]),
    ('Turn z +', [0, 0, 0, 0, 0, 0.4]), ('Turn x −', [0, 0, 0, -0.4, 0, 0])])
def test_a_button_that_is_held_jogs_its_axis(server, panda, label, wanted):
    page, recorder = panda
    hold(server, label)
    hold(server, label)
    assert recorder.twists == [('panda_hand_tcp', wanted, 'panda_link0')] * 2
    assert recorder.goals == []


def test_jogging_is_along_the_base_or_the_tool_at_the_chosen_speed(server, panda):
    page, recorder = panda
    use(server, jog_buttons.AXES, jog_buttons.TOOL)
    use(server, jog_buttons.SPEED, 0.25)
    hold(server, 'z +')
    assert recorder.twists == [('panda_hand_tcp', [0, 0, 0.25, 0, 0, 0], 'panda_hand_tcp')]


def test_jogging_ends_a_path_and_takes_the_handle_along(server, panda):
    page, recorder = panda
    use(server, 'Figure of eight', True)
    assert page.is_playing
    hold(server, 'x +')
    assert not page.is_playing
    page.show_joints({**PANDA_HOME, 'panda_joint4': -2.0})
    page.tick()
    assert page.tool_distance() < 1e-9
    assert recorder.goals == []


def test_goals_begin_at_the_tools(panda):
    """Nothing is sent before the user does something."""
    page, recorder = panda
    assert page.tool_distance() < 1e-9
    assert recorder.goals == []


def test_a_browser_that_is_gone_does_not_hold_the_handle(panda, monkeypatch):
    """Cut off in mid-drag: after a few seconds goals of others move the handle again."""
    page, _ = panda
    now = [100.0]
    monkeypatch.setattr('dq_ik.viewer.gizmo.time.monotonic', lambda: now[0])
    handle = page.goals['panda_hand_tcp']
    asyncio.run(handle._dragged(viser.TransformControlsEvent(
        client=None, client_id=0, target=handle.control, phase='update')))
    other = Pose.from_xyz_rpy((0.3, 0.3, 0.3), (0.0, 0.0, 0.0))
    now[0] += HOLD - 0.1
    page.show_goal('panda_hand_tcp', other)
    assert handle.is_dragged
    assert handle.pose.distance(other)[0] > 0.1
    now[0] += 0.2
    page.show_goal('panda_hand_tcp', other)
    assert not handle.is_dragged
    assert handle.pose.distance(other)[0] < 1e-9


def test_goal_to_tool_follows_the_arm(server, panda):
    """After the arm has moved, the goal is brought to it."""
    page, recorder = panda
    page.show_joints({**PANDA_HOME, 'panda_joint1': 0.5})
    assert page.tool_distance() > 0.1
    use(server, TO_TOOL)
    assert page.tool_distance() < 1e-9
    assert len(recorder.goals) == 1


def test_home_is_where_the_robot_was_at_first(server, panda, clock):
    """Whatever happened since; the goal glides there."""
    page, recorder = panda
    first = page.tool_poses()['panda_hand_tcp']
    page.show_joints({**PANDA_HOME, 'panda_joint1': 0.5})
    use(server, HOME)
    glide(page, clock)
    _, goal = recorder.goals[-1]
    assert goal.distance(first) == pytest.approx((0.0, 0.0), abs=1e-9)
    poses = [pose for _, pose in recorder.goals]
    assert max(one.distance(two)[0] for one, two in pairwise(poses)) < 0.05


def test_random_goals_differ_and_are_in_reach(server, panda, clock):
    """Each press gives another one."""
    page, recorder = panda
    use(server, RANDOM)
    glide(page, clock)
    _, one = recorder.goals[-1]
    use(server, RANDOM)
    glide(page, clock)
    _, two = recorder.goals[-1]
    assert one.distance(two)[0] > 1e-3
    chain = load_robot(URDF / 'panda.urdf').chain(None, 'panda_hand_tcp')
    assert np.linalg.norm(one.position - chain.reach_from[0]) < chain.reach[0]


def test_out_of_reach_is_beyond_the_stretched_arm(server, panda):
    """By construction no configuration gets there."""
    _, recorder = panda
    use(server, UNREACHABLE)
    (tip, goal), = recorder.goals
    chain = load_robot(URDF / 'panda.urdf').chain(None, tip)
    rng = np.random.default_rng(0)
    places = np.array([chain.fk(chain.random(rng)).position for _ in range(2000)])
    farthest = np.linalg.norm(places - chain.reach_from[0], axis=1).max()
    assert farthest < chain.reach[0] < np.linalg.norm(goal.position - chain.reach_from[0])


def test_options_are_sent_by_name(server, panda):
    """Solver, mode and position-only."""
    page, recorder = panda
    use(server, 'Solver', 'pls')
    use(server, 'Mode', 'distance')
    use(server, 'Position only', True)
    assert recorder.options == [('method', 'pls'), ('mode', 'distance'), ('position_only', True)]
    assert page.goals['panda_hand_tcp'].control.disable_rotations


def test_options_set_elsewhere_are_shown_and_not_sent_back(panda):
    """Otherwise two pages would fight."""
    page, recorder = panda
    page.show_option('method', 'pls')
    page.show_option('position_only', True)
    page.show_option('mode', 'unheard of')
    assert page.panel._controls['Solver'].value == 'pls'
    assert page.panel._controls['Mode'].value == 'speed'
    assert page.goals['panda_hand_tcp'].control.disable_rotations
    assert recorder.options == []


def test_figure_of_eight_moves_the_goal_until_it_is_stopped(server, panda, clock):
    """Each tick sends the next pose; a button ends the path."""
    page, recorder = panda
    use(server, 'Figure of eight', True)
    for _ in range(30):
        clock[0] += PERIOD / 30
        page.tick()
    assert len(recorder.goals) == 30
    heights = [pose.position[2] for _, pose in recorder.goals]
    assert max(heights) - min(heights) > 0.05
    use(server, TO_TOOL)
    count = len(recorder.goals)
    page.tick()
    assert len(recorder.goals) == count
    assert page.panel._controls['Figure of eight'].value is False


def test_figure_of_eight_is_closed_and_crosses_itself():
    """Start, middle and end are the same point."""
    start = Pose.from_xyz_rpy((0.5, 0.0, 0.5), (3.0, 0.0, 0.0))
    eight = FigureOfEight({'tip': start}, {'tip': 0.1})
    for share in (0.0, 0.5, 1.0):
        assert eight.goals(share * PERIOD)['tip'].distance(start)[0] < 1e-12
    lobes = [eight.goals(share * PERIOD)['tip'].position[1] for share in (0.25, 0.75)]
    assert lobes == pytest.approx([0.1, -0.1])


def test_ghost_and_status_tell_the_answer(panda):
    """Green and its numbers when reached; amber and the reason when not."""
    page, _ = panda
    page.show_report(Report(True, 'reached', 2e-6, 1e-6, 12e-6))
    page._panel_time = 0.0
    page.tick()
    ghost = page.goals['panda_hand_tcp']._ghost[0]
    assert tuple(ghost.color) == tuple(round(255 * value) for value in REACHED)
    assert 'Reached' in page.panel._status.content
    assert '12 &micro;s' in page.panel._status.content
    page.show_report(Report(False, 'joint <7> is at its limit', 0.0123, 0.0, 1e-5))
    page._panel_time = 0.0
    page.tick()
    assert tuple(ghost.color) == tuple(round(255 * value) for value in BEST_REACH)
    assert 'joint &lt;7&gt; is at its limit' in page.panel._status.content
    assert '12.30 mm' in page.panel._status.content


def motion_of(page: Page, motion: MotionReport) -> str:
    """Return what the panel says about a motion."""
    page.show_motion(motion)
    page._panel_time = 0.0
    page.tick()
    return page.panel._motion.content


def widths(html: str) -> list[float]:
    """Return the lengths of bars [%]."""
    return [float(width) for width in re.findall(r'width:([0-9.]+)%', html)]


def test_the_panel_shows_the_motion(panda):
    """Policy and phase; the margin is a full bar at the centre of the range."""
    page, _ = panda
    html = motion_of(page, MotionReport(
        'intercept', 'following', Outlook(0.125, 'panda_joint4', 3.0, 'panda_joint1'), 0.5, 0.75))
    assert 'policy intercept' in html
    assert 'following' in html
    assert 'nearest limit: panda_joint4' in html
    assert 'at its limit' not in html
    assert ALARM not in html
    assert widths(html) == [25.0, 50.0, 75.0]
    assert all(f'>{text} %<' in html for text in ('12.5', '50', '75'))


def test_the_panel_warns_of_the_next_limit(panda):
    """In red: the joint and the time, a small margin, full speed."""
    page, _ = panda
    html = motion_of(page, MotionReport(
        'stop', 'following', Outlook(0.4, 'a', 0.42, 'elbow <1>'), 0.5))
    assert 'elbow &lt;1&gt; is at its limit in 0.4 s at this speed' in html
    assert html.count(ALARM) == 1
    html = motion_of(page, MotionReport('stop', '', Outlook(0.01, 'a', 0.42, 'a'), 1.0))
    assert html.count(ALARM) == 3


@pytest.mark.parametrize('number', [math.nan, math.inf, -math.inf, -5.0, 1e300])
def test_the_panel_shows_any_motion(panda, number):
    """Whatever somebody sends: bars stay in their frames, nothing becomes part of the page."""
    page, _ = panda
    html = motion_of(page, MotionReport(
        '<b>', '<script>', Outlook(number, 'x<y', number, ''), number, number))
    assert all(0.0 <= width <= 100.0 for width in widths(html))
    assert len(widths(html)) == 3
    assert 'at its limit' not in html
    assert '<b>' not in html
    assert '<script>' not in html
    assert 'x&lt;y' in html


def test_an_unknown_motion_is_dashes(panda):
    page, _ = panda
    html = motion_of(page, MotionReport())
    assert html.count('&ndash;') == 4
    assert widths(html) == [0.0, 0.0, 0.0]


def test_news_of_the_motion_are_drawn_at_most_ten_times_a_second(panda, clock):
    page, _ = panda
    contents = []
    for k in range(100):
        clock[0] += 0.01
        page.show_motion(MotionReport(speed=0.01 * k))
        page.tick()
        contents.append(page.panel._motion.content)
    assert 2 < len(set(contents)) <= 10


def test_trace_grows_with_the_motion_and_is_cleared(server, panda):
    """It can be switched off."""
    page, _ = panda
    line = page._traces['panda_hand_tcp']._line
    for angle in np.linspace(0.0, 1.0, 20):
        page.show_joints({'panda_joint1': float(angle)})
        page._panel_time = 0.0
        page.tick()
    assert line.visible
    assert len(line.points) > 10
    use(server, 'Trace', False)
    assert not line.visible


def test_a_handle_in_the_hand_is_not_moved(panda):
    """Neither by topics nor by anything else, until it is released."""
    page, recorder = panda
    goal = page.goals['panda_hand_tcp']
    goal.control.position = (0.4, 0.1, 0.5)
    event = viser.TransformControlsEvent(
        client=None, client_id=0, target=goal.control, phase='update')
    asyncio.run(goal._dragged(event))
    assert recorder.goals[-1][1].position == pytest.approx((0.4, 0.1, 0.5))
    page.show_goal('panda_hand_tcp', Pose.identity())
    assert goal.pose.position == pytest.approx((0.4, 0.1, 0.5))
    asyncio.run(goal._dragged(viser.TransformControlsEvent(
        client=None, client_id=0, target=goal.control, phase='end')))
    page.show_goal('panda_hand_tcp', Pose.identity())
    assert goal.pose == Pose.identity()


def test_dragging_ends_a_path(server, panda, clock):
    """Two hands on one handle would be one too many."""
    page, recorder = panda
    use(server, 'Figure of eight', True)
    goal = page.goals['panda_hand_tcp']
    asyncio.run(goal._dragged(viser.TransformControlsEvent(
        client=None, client_id=0, target=goal.control, phase='start')))
    count = len(recorder.goals)
    clock[0] += 0.1
    page.tick()
    assert not page.is_playing
    assert len(recorder.goals) == count


def test_each_tip_has_its_goal(server, clock):
    """Two arms, two handles; single-tip buttons mean the chosen one."""
    chain = load_robot(URDF / 'two_arms.urdf')
    tips = chain.leaves
    page, recorder = open_page(server, 'two_arms', *tips)
    assert tuple(page.goals) == tips
    use(server, RANDOM)
    glide(page, clock)
    assert [tip for tip, _ in recorder.goals[-2:]] == list(tips)
    use(server, 'Tip', tips[1])
    use(server, UNREACHABLE)
    assert recorder.goals[-1][0] == tips[1]


def drag(page: Page, tip: str, xyz) -> None:
    """Do what viser does when a browser moves a gizmo and lets it go."""
    goal = page.goals[tip]
    goal.control.position = xyz
    for phase in ('update', 'end'):
        asyncio.run(goal._dragged(viser.TransformControlsEvent(
            client=None, client_id=0, target=goal.control, phase=phase)))


def test_a_handle_may_be_a_point_to_look_at(server, panda):
    """It is ahead of the tool at first, and nothing is sent before it is dragged."""
    page, recorder = panda
    tip = 'panda_hand_tcp'
    handle, tool = page.goals[tip], page.tool_poses()[tip]
    use(server, tip, 'look at')
    assert recorder.goals == []
    ahead = tool.inverse() @ handle.pose.position
    assert ahead[:2] == pytest.approx((0.0, 0.0), abs=1e-9)
    assert ahead[2] > 0.1
    assert handle.control.disable_rotations
    assert not any(part.visible for part in handle._ghost)
    assert np.isnan(page.tool_distance())
    drag(page, tip, (0.6, 0.2, 0.3))
    goal = recorder.goals[-1][1]
    assert goal.look_at == pytest.approx((0.6, 0.2, 0.3))
    assert goal.position_weight == (0.0, 0.0, 0.0)
    page.show_option('position_only', False)
    assert handle.control.disable_rotations
    use(server, tip, 'pose')
    assert handle.pose.distance(tool) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert not handle.control.disable_rotations
    drag(page, tip, (0.5, 0.1, 0.4))
    assert isinstance(recorder.goals[-1][1], Pose)


def test_a_point_to_look_at_moves_along_the_figure_of_eight(server, panda, clock):
    """Buttons that ask for poses end it."""
    page, recorder = panda
    use(server, 'panda_hand_tcp', 'look at')
    use(server, 'Figure of eight', True)
    clock[0] += 0.5
    page.tick()
    assert recorder.goals[-1][1].look_at == pytest.approx(
        tuple(page.goals['panda_hand_tcp'].pose.position))
    use(server, TO_TOOL)
    assert isinstance(recorder.goals[-1][1], Pose)
    assert page.panel._kinds['panda_hand_tcp'].value == 'pose'
    assert page.tool_distance() < 1e-9


def test_a_handle_may_be_relative_to_another_tip(server):
    """The pose between the tips is that of the moment of dragging; then the handle is carried."""
    left, right = tips = load_robot(URDF / 'two_arms.urdf').leaves
    page, recorder = open_page(server, 'two_arms', *tips)
    assert page.panel._kinds[right].options == ('pose', 'look at', f'relative to {left}')
    use(server, right, f'relative to {left}')
    handle, other = page.goals[right], page.tool_poses()[left]
    drag(page, right, handle.pose.position + 0.05)
    goal = recorder.goals[-1][1]
    assert goal.relative_to == left
    assert goal.pose.distance(other.inverse() @ handle.pose) == pytest.approx((0, 0), abs=1e-9)
    chain = load_robot(URDF / 'two_arms.urdf').chain(None, tips)
    page.show_joints(chain.joint_positions(chain.neutral + 0.2))
    page.tick()
    expected = page.tool_poses()[left] @ goal.pose
    assert handle.pose.distance(expected) == pytest.approx((0, 0), abs=1e-9)
    assert len(recorder.goals) == 2  # the two of the drag


def test_goals_of_others_are_shown_by_their_kind(server):
    """But not while a user has chosen another kind and is about to drag."""
    left, right = tips = load_robot(URDF / 'two_arms.urdf').leaves
    page, recorder = open_page(server, 'two_arms', *tips)
    grasp = Pose.from_xyz_rpy((0.1, 0.2, 0.0), (0.0, 0.0, 1.0))
    page.show_goal(left, Goal(look_at=(1.0, 0.0, 0.5)))
    page.show_goal(right, Goal(grasp, relative_to=left))
    assert [page.panel._kinds[tip].value for tip in tips] == ['look at', f'relative to {left}']
    assert page.goals[left].pose.position == pytest.approx((1.0, 0.0, 0.5))
    assert page.goals[right].pose == page.tool_poses()[left] @ grasp
    page.show_goal(right, Pose.identity())
    assert page.panel._kinds[right].value == 'pose'
    use(server, right, 'look at')
    page.show_goal(right, Pose.identity())
    assert page.goals[right].kind == 'look at'
    assert recorder.goals == []


def test_a_glide_can_be_met_at_every_moment():
    """All tips of a humanoid, within the limits, from end to end."""
    model = load_robot(URDF / 'humanoid.urdf')
    chain = model.chain(None, model.leaves)
    end = random_configuration(chain, np.random.default_rng(1), chain.neutral)
    assert chain.within_limits(end)
    way = Glide(chain, chain.neutral, end)
    for time, q in ((0.0, chain.neutral), (0.5 * GLIDE_TIME, 0.5 * (chain.neutral + end)),
                    (GLIDE_TIME, end), (2.0 * GLIDE_TIME, end)):
        expected = chain.fk_all(q)
        for tip, pose in way.goals(time).items():
            assert pose.distance(expected[tip]) == pytest.approx((0.0, 0.0), abs=1e-9)


def test_unreachable_goal_of_a_tool_at_the_base_has_a_direction():
    """No division by zero."""
    chain = load_robot(URDF / 'panda.urdf').chain(None, 'panda_hand_tcp')
    goal = unreachable_goal(chain, 'panda_hand_tcp', Pose.identity())
    assert np.linalg.norm(goal.position - chain.reach_from[0]) > chain.reach[0]


def test_drawing_costs_little(panda):
    """30 Hz for a tenth of a core leaves 3.3 ms per tick."""
    import time

    page, _ = panda
    rng = np.random.default_rng(0)
    states = [{name: value + rng.normal(0.0, 0.01) for name, value in PANDA_HOME.items()}
              for _ in range(60)]
    started = time.process_time()
    for state in states:
        page.show_joints(state)
        page.tick()
    assert (time.process_time() - started) / len(states) < 3.3e-3
