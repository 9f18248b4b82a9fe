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

"""Make the pictures of the documentation anew, from real runs in a headless browser."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
import io
from pathlib import Path
import sys
import time

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / 'test')]  # the pictures are taken with the tests' camera

from browser import Browser, open_browser, unavailable  # noqa: E402
from dq_ik.collision.world import Sphere  # noqa: E402
from dq_ik.demo.choices import find_robot, STARTS, TIPS, tips_of  # noqa: E402
from dq_ik.pose import Pose  # noqa: E402
from dq_ik.robot.urdf import load_robot  # noqa: E402
from dq_ik.ros.follow.node import IkNode  # noqa: E402
from dq_ik.ros.sim_node import SimNode  # noqa: E402
from dq_ik.ros.viewer_node import ViewerNode  # noqa: E402
from dq_ik.stream.path import FigureOfEight, Glide, PERIOD, random_configuration  # noqa: E402
from dq_ik.viewer.alone import AlonePage, show  # noqa: E402
from dq_ik.viewer.page import Page  # noqa: E402
import numpy as np  # noqa: E402
from PIL import Image  # noqa: E402
from ros_bench import ros_bench, wait_until  # noqa: E402

IMAGES = ROOT / 'docs' / 'images'
DOMAIN = 160
SIZE, PHONE = {'width': 1280, 'height': 800}, {'width': 390, 'height': 844}
FILM_SIZE = (640, 400)
FRAMES = 36
FRAME_TIME = 0.1
COLORS, FILM_COLORS = 224, 96
HIDE_NOTICES = '.mantine-Notification-root { display: none !important }'
# A posture from which the arm of the pictures starts.
START = {'panda_joint2': -0.3, 'panda_joint4': -2.1, 'panda_joint6': 1.9, 'panda_joint7': 0.785}


@contextmanager
def demo(robot: str, tips: tuple[str, ...], start: dict[str, float]) -> Iterator[tuple]:
    """Run solver, simulated arm and page of a robot, and open the page."""
    _, text = find_robot(robot)
    chosen = {'robot_description': text, 'tip_links': list(tips), 'use_tf': False}
    with ros_bench(DOMAIN) as bench:
        bench.add(IkNode, **chosen)
        del chosen['use_tf']
        bench.add(SimNode, robot_description=text,
                  remap={'joint_commands': 'dq_ik/joint_commands'},
                  **{f'start__{joint}': value for joint, value in start.items()})
        viewer = bench.add(ViewerNode, port=0, **chosen)
        wait_until(lambda: viewer.page._heard_joints, 20.0, 'joint states')
        with open_browser(viewer._server, SIZE) as browser:
            browser.page.add_style_tag(content=HIDE_NOTICES)
            yield viewer.page, browser


def shoot(browser: Browser, name: str) -> None:
    """Save one picture with few colours, to keep the repository small."""
    browser.page.wait_for_timeout(1500)
    grab(browser).quantize(COLORS, dither=Image.Dither.NONE).save(
        IMAGES / f'{name}.png', optimize=True)


def grab(browser: Browser) -> Image.Image:
    """Return what the browser shows."""
    return Image.open(io.BytesIO(browser.page.screenshot())).convert('RGB')


def film(page: Page, browser: Browser, tip: str) -> None:
    """
    Save one round of the figure of eight.

    A software renderer needs most of a second per picture, so the path is taken slowly, picture
    by picture, and shown at FRAME_TIME per picture.
    """
    eight = FigureOfEight({tip: page.goals[tip].pose}, {tip: 0.15})
    frames = []
    for index in range(FRAMES + 1):
        page._set_goal(tip, eight.goals(PERIOD * index / FRAMES)[tip])
        wait_until(lambda: page.tool_distance() < 2e-3, 10.0, 'the tool follows')
        browser.page.wait_for_timeout(350)
        frames.append(grab(browser).resize(FILM_SIZE, Image.Resampling.LANCZOS).quantize(
            FILM_COLORS, dither=Image.Dither.NONE))
    frames[1].save(
        IMAGES / 'figure_of_eight.gif', save_all=True, append_images=frames[2:], loop=0,
        duration=round(1000 * FRAME_TIME), optimize=True)


def picture_arm() -> None:
    """Picture one arm: a goal just reached, a goal out of reach, a film."""
    tip = 'panda_hand_tcp'
    with demo('panda', (tip,), START) as (page, browser):
        film(page, browser, tip)
        shoot(browser, 'page')
        browser.press('Out of reach')
        time.sleep(3.0)
        shoot(browser, 'best_reach')


def picture_tree(robot: str) -> None:
    """Picture a robot with several tips, after a random goal."""
    with demo(robot, TIPS[robot], {}) as (page, browser):
        goal = random_configuration(page.chain, np.random.default_rng(5), page.q)
        page.play(Glide(page.chain, page.q, goal))
        time.sleep(4.0)
        shoot(browser, robot)


@contextmanager
def alone(robot: str, size: dict[str, int],
          world: str | None = None) -> Iterator[tuple[AlonePage, Browser]]:
    """Open the page of a robot without ROS, among the objects of a world."""
    chain = load_robot(find_robot(robot)[0]).chain(None, tips_of(robot, ()))
    q = chain.clamp(chain.configuration(STARTS[robot] if world else START, strict=False))
    page = show(chain, q=q, port=0, open_browser=False, block=False, world=world)
    with page, open_browser(page._server, size) as browser:
        browser.page.add_style_tag(content=HIDE_NOTICES)
        yield page, browser


def picture_solutions() -> None:
    """Picture all solutions of a goal as ghosts."""
    with alone('panda', SIZE) as (_, browser):
        browser.tab('Joints')
        browser.press('Find all')
        shoot(browser, 'solutions')


def picture_key_poses() -> None:
    """Picture a humanoid between two key poses."""
    with alone('humanoid', SIZE) as (opened, browser):
        page, rng = opened.page, np.random.default_rng(7)
        browser.tab('Poses')
        for name in ('stand', 'reach', 'turn'):
            browser.write('Name', name)
            browser.press('Save')
            page.go_to(random_configuration(page.chain, rng, page.home))
            wait_until(lambda: not page.moves_joints, 60.0, 'the posture')
        page.clear_traces()
        shoot(browser, 'key_poses')


def picture_world() -> None:
    """Picture a hand beside a pillar that is chosen, and a ball that was added."""
    with alone('panda', SIZE, 'table') as (opened, browser):
        page = opened.page
        around = page.outlet.surroundings
        around.add('ball', Sphere(0.06), Pose.from_xyz_rpy((0.55, -0.2, 0.21), (0, 0, 0)))
        tip, = page.chain.tips
        page.set_goals({tip: Pose.from_xyz_rpy((0.46, 0.12, 0.34), (np.pi, 0.0, 0.3))})
        wait_until(lambda: page.tool_distance() < 1e-3, 60.0, 'the pose')
        page.clear_traces()
        browser.tab('World')
        browser.choose('Object', 'pillar')
        browser.look_at(np.array([0.42, -0.12, 0.32]), np.array([1.25, -1.0, 0.85]))
        shoot(browser, 'world')


def picture_phone() -> None:
    """Picture the page on a phone."""
    with alone('panda', PHONE) as (_, browser):
        browser.tab('Joints')
        shoot(browser, 'phone')


def main() -> int:
    """Make the pictures that are asked for."""
    makers = {'panda': picture_arm, 'solutions': picture_solutions,
              'key_poses': picture_key_poses, 'world': picture_world, 'phone': picture_phone, **{
                  robot: lambda robot=robot: picture_tree(robot) for robot in TIPS}}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--only', action='append', choices=list(makers),
                        help='make these pictures only; may be repeated')
    chosen = parser.parse_args().only or list(makers)
    if reason := unavailable():
        print(reason, file=sys.stderr)
        return 1
    IMAGES.mkdir(parents=True, exist_ok=True)
    for robot in chosen:
        makers[robot]()
    return 0


if __name__ == '__main__':
    sys.exit(main())
