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
"""Start the demo: a moving goal, the solver, a simulated arm and a web page."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from functools import partial
from pathlib import Path
import sys

from dq_ik.cli.common import add_balls, add_tool, read_tool, robot_help, ros_needed
from dq_ik.cli.words import duration, Names, one_of, whole_number
from dq_ik.demo.choices import (
    checked_balls,
    DEFAULT_ROBOT,
    find_robot,
    find_scene,
    start_of,
    tips_of,
    usable_viewer,
)
from dq_ik.demo.nodes import demo_nodes, DemoSettings
from dq_ik.display import show
from dq_ik.errors import DqIkError
from dq_ik.options import METHODS
from dq_ik.robot.balls import read_balls, with_balls
from dq_ik.robot.bundled import robot_names, world_names
from dq_ik.robot.chain import Chain
from dq_ik.robot.urdf import load_robot
from dq_ik.viewer.address import DEFAULT_PORT, free_port, LOOPBACK


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``dq_ik demo``."""
    parser.add_argument('--robot', default=DEFAULT_ROBOT,
                        help=f'{robot_help()} (default: %(default)s)')
    parser.add_argument('--urdf', type=Path, help='URDF or xacro file instead')
    parser.add_argument('--base', default='', help='link that stands still; default: the root')
    parser.add_argument('--tip', nargs='+', action=Names, default=[], metavar='LINK',
                        help='links that follow goals; default: the only end that moves')
    add_tool(parser)
    add_balls(parser)
    parser.add_argument('--solver', default='pgs', type=one_of('method', METHODS),
                        metavar='METHOD',
                        help=f'one of {", ".join(METHODS)} (default: %(default)s)')
    parser.add_argument('--scene', default='', metavar='WORLD',
                        help='objects around the robot: a YAML file, or one of '
                             f'{", ".join(world_names())}')
    parser.add_argument('--viewer', default='web', type=one_of('viewer', ('web', 'none')),
                        metavar='VIEWER', help='web or none (default: %(default)s)')
    parser.add_argument('--port', type=whole_number, default=0, help='of the web page')
    parser.add_argument('--no-browser', action='store_true', help='serve the page, open nothing')
    parser.add_argument('--no-ros', action='store_true',
                        help='a page in this process, which can show other robots')
    parser.add_argument('--no-sim', action='store_true', help='show the commands, not an arm')
    parser.add_argument('--no-path', action='store_true', help='no moving goal, drag one yourself')
    parser.add_argument('--duration', type=duration, default=0.0, metavar='SECONDS',
                        help='end after this time of motion; default: run until Ctrl-C')


def run(args: Namespace) -> int:
    """Run the demo until it ends."""
    from dq_ik.demo.run import run_demo

    if args.no_ros and (args.viewer != 'web' or args.duration):
        raise DqIkError('--no-ros is a page alone: it excludes --viewer none and --duration')
    if (args.no_ros or not has_ros()) and args.viewer == 'web' and not args.duration:
        return run_alone(args)
    with ros_needed():
        import rclpy  # noqa: F401
    if args.duration and args.no_path:
        raise DqIkError('--duration is the time of the moving goal: it excludes --no-path')
    urdf, description = find_robot(args.robot, args.urdf)
    scene = find_scene(args.scene, description)
    viewer, note = usable_viewer(args.viewer)
    if note:
        print(note, file=sys.stderr)
    port = free_page_port(args.port) if viewer == 'web' else 0
    tips = tips_of(args.robot, tuple(args.tip), args.urdf, args.base)
    settings = DemoSettings(
        urdf=urdf, description=description, base=args.base, tips=tips,
        balls=checked_balls(description, args.ball),
        solver=args.solver, viewer=viewer, sim=not args.no_sim, path=not args.no_path,
        duration=args.duration, port=port, tool=tuple(args.tool),
        world=scene, start=start_of(urdf, description, tips, scene, args.base))
    page = f'http://{LOOPBACK}:{port}' if port else ''
    return run_demo(demo_nodes(settings), page, browser=not args.no_browser)


def has_ros() -> bool:
    """Tell whether ROS 2 can be used here."""
    try:
        import rclpy  # noqa: F401
    except ImportError:
        return False
    return True


def run_alone(args: Namespace) -> int:
    """Show the page in this process, with an arm that follows its goal, until Ctrl-C."""
    urdf, description = find_robot(args.robot, args.urdf)
    tips = tips_of(args.robot, tuple(args.tip), args.urdf, args.base)
    robot = with_balls(load_robot(urdf), read_balls(args.ball))
    chain = robot.chain(args.base or None, tips, read_tool(args.tool))
    the = 'The' if args.no_ros else 'ROS 2 is not usable here: the'
    print(f'{the} arm moves in this process, without topics.', flush=True)
    scene = find_scene(args.scene, description)
    start = chain.configuration(start_of(urdf, description, tips, scene, args.base),
                                strict=False)
    robots = {name: partial(load_chain, name) for name in robot_names()}
    show(chain, q=start, port=args.port or DEFAULT_PORT, open_browser=not args.no_browser,
         world=scene, robots=robots)
    return 0


def load_chain(name: str) -> Chain:
    """Return the chain of a robot that comes with the package, with its usual tips."""
    return load_robot(name).chain(tips=tips_of(name, ()))


def free_page_port(wanted: int) -> int:
    """Return the first free port for the page from ``wanted`` on; say so if it is another one."""
    wanted = wanted or DEFAULT_PORT
    port = free_port(LOOPBACK, wanted)
    if port != wanted:
        print(f'Port {wanted} is busy: the page is on port {port}.', file=sys.stderr)
    return port
