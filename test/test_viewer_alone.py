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
"""The page without ROS: opened on any chain, with or without a description."""

from __future__ import annotations

from pathlib import Path
import re
import subprocess
import sys
import threading
import time
from urllib.request import urlopen

from dq_ik.collision.world import Box, World
from dq_ik.demo.choices import find_robot, TIPS
from dq_ik.errors import DqIkError
from dq_ik.goal import Goal
from dq_ik.pose import Pose
from dq_ik.robot.build import build_model
from dq_ik.robot.model import Joint
from dq_ik.robot.urdf import load_robot
from dq_ik.viewer.alone import show
import numpy as np
import pytest
from ros_bench import wait_until

ROOT = Path(__file__).parents[1]
TIP = 'panda_hand_tcp'
HOME = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])


def open_page(chain, **what):
    return show(chain, port=0, open_browser=False, block=False, **what)


@pytest.fixture(scope='module')
def arm():
    return load_robot(find_robot('panda')[0]).chain(None, TIP)


def test_the_page_answers_and_the_robot_goes_to_the_goal(arm, capsys):
    goal = arm.fk(HOME + 0.1)
    with open_page(arm, goal=goal, q=HOME) as page:
        assert page.url in capsys.readouterr().out
        assert b'<html' in urlopen(page.url, timeout=20).read()[:2000].lower()
        wait_until(lambda: page.page.tool_poses()[TIP].distance(goal) < (1e-4, 1e-4))
        wait_until(lambda: 'Reached' in page.page.panel._status.content)
        assert page.page.robot.flaws == {}
    with pytest.raises(OSError, match=r'refused|closed|reset'):
        urlopen(page.url, timeout=5)


def test_the_robot_keeps_away_from_its_world(arm):
    """A wall stands between the tool and the goal; without it the arm goes there."""
    tool = arm.fk(HOME)
    goal = Pose.from_xyz_rpy((0.0, -0.3, 0.0), (0.0, 0.0, 0.0)) @ tool
    world = World()
    world.add('wall', Box((1.0, 0.02, 1.0)), Pose.from_xyz_rpy(
        tool.position - (0.0, 0.15, 0.0), (0.0, 0.0, 0.0)))
    with open_page(arm, q=HOME, world=world) as page:
        wait_until(lambda: page._avoidance._around.scene is not None)
        page.ask(goal)
        wait_until(lambda: 'wall' in page.robot.report.message)
        scene, q = page._avoidance._around.scene, page.robot.tracker.command
        assert not scene.collides(q)
        assert scene.clearance(q).distance < 0.05
        page._set_option('collision', 'self')
        wait_until(lambda: page.page.tool_distance() < 1e-4)
        page._set_option('collision', 'off')
        world.remove('wall')


def test_without_shapes_it_stands_until_collisions_may_be():
    chain = build_model('bare', [Joint(
        'turn', 'revolute', 'base', 'tool', axis=(0, 0, 1), lower=-2, upper=2)]).chain()
    goal = chain.fk([0.5])
    with open_page(chain, goal=goal) as page:
        wait_until(lambda: page.page.tool_distance() < 1e-4)
        page._set_option('collision', 'self')
        wait_until(lambda: 'no collision shapes' in page.robot.report.message)
        page.ask(chain.fk([-0.5]))
        before = page.robot.tracker.command.copy()
        time.sleep(0.3)
        assert np.array_equal(page.robot.tracker.command, before)
        page._set_option('collision', 'off')
        wait_until(lambda: page.page.tool_distance() < 1e-4)
        assert page.page.tool_poses()['tool'].distance(chain.fk([-0.5])) < (1e-3, 1e-3)


def test_goals_of_several_tips_and_of_other_kinds(arm):
    chain = load_robot(find_robot('two_arms')[0]).chain(None, TIPS['two_arms'])
    left, right = chain.tips
    goals = chain.fk_all(chain.clamp(chain.neutral + 0.2))
    with open_page(chain, goal=list(goals.values())) as page:
        wait_until(lambda: page.page.tool_distance() < 1e-4)
    with open_page(chain, goal={right: goals[right]}) as page:
        wait_until(lambda: page.page.tool_poses()[right].distance(goals[right])[0] < 1e-4)
    with open_page(arm, goal=Goal(look_at=(0.6, 0.3, 0.2)), q=HOME) as page:
        assert page.page.goals[TIP].kind == 'look at'
    with open_page(arm, goal=goals[left].matrix) as page:
        assert page.page.goals[TIP].pose.distance(goals[left]) < (1e-9, 1e-9)


def test_a_robot_without_description_is_a_skeleton():
    step = Pose.from_xyz_rpy((0.0, 0.0, 0.3), (0.0, 0.0, 0.0))
    model = build_model('made', [
        Joint(f'j{k}', 'revolute', f'l{k}', f'l{k + 1}', step, axis=axis, lower=-2, upper=2)
        for k, axis in enumerate(np.eye(3)[[2, 1, 1, 0]].tolist())], [f'l{k}' for k in range(5)])
    with open_page(model.chain(None, 'l4')) as page:
        names = page._server.scene._handle_from_node_name
        assert sum('bone_' in name for name in names) >= 8


def test_bad_input_is_refused_and_no_page_stays_open(arm):
    threads = threading.active_count()
    with pytest.raises(DqIkError, match='7 numbers'):
        open_page(arm, q=[0.0, 1.0])
    with pytest.raises(DqIkError):
        open_page(arm, goal='there')
    wait_until(lambda: threading.active_count() <= threads, what='threads end')


def test_blocking_ends_when_the_page_is_closed(arm, monkeypatch):
    pages = []
    monkeypatch.setattr('dq_ik.viewer.alone.AlonePage.wait', lambda page: pages.append(page))
    page = show(arm, port=0, open_browser=False)
    assert pages == [page]
    monkeypatch.undo()
    closer = threading.Timer(0.3, page.close)
    closer.start()
    started = time.monotonic()
    page.wait()
    assert time.monotonic() - started < 20.0
    closer.join()


def test_the_example_of_the_page_runs():
    block, = re.findall(r'```python\n(.*?)```', (ROOT / 'docs/demo.md').read_text(), re.DOTALL)
    result = subprocess.run([sys.executable, '-c', block], cwd=ROOT, capture_output=True,
                            text=True, timeout=100, check=True)
    assert result.stdout.splitlines()[-1].startswith('http://127.0.0.1:')


def test_a_step_that_fails_does_not_end_the_page(arm, monkeypatch, caplog):
    """It is told once, in the log and on the page."""
    with open_page(arm, q=HOME) as page:
        step = page.robot.step
        failed = []

        def fail(now):
            failed.append(now)
            raise RuntimeError('no such thing')

        monkeypatch.setattr(page.robot, 'step', fail)
        wait_until(lambda: len(failed) > 2)
        monkeypatch.setattr(page.robot, 'step', step)
        goal = arm.fk(HOME + 0.1)
        page.ask(goal)
        wait_until(lambda: page.page.tool_poses()[TIP].distance(goal) < (1e-4, 1e-4))
        assert page.page.notes.last == (
            'a step failed, the page goes on: no such thing (RuntimeError)')
    assert caplog.text.count('a step failed') == 1
