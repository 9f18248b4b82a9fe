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
from pathlib import Path
import sys

from dq_ik.cli.common import robot_help, ros_needed
from dq_ik.demo.choices import DEFAULT_ROBOT, find_robot, tips_of, usable_viewer
from dq_ik.demo.nodes import demo_nodes, DemoSettings
from dq_ik.errors import DqIkError
from dq_ik.options import IkOptions
from dq_ik.viewer.address import DEFAULT_PORT, free_port, LOOPBACK


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``dq_ik demo``."""
    methods = IkOptions.__dataclass_fields__['method'].metadata['choices']
    parser.add_argument('--robot', default=DEFAULT_ROBOT,
                        help=f'{robot_help()} (default: %(default)s)')
    parser.add_argument('--urdf', type=Path, help='URDF or xacro file instead')
    parser.add_argument('--base', default='', help='link that stands still; default: the root')
    parser.add_argument('--tip', nargs='+', default=[], metavar='LINK',
                        help='links that follow goals; default: the only leaf')
    parser.add_argument('--solver', default='pgs', choices=methods, metavar='METHOD',
                        help=f'one of {", ".join(methods)} (default: %(default)s)')
    parser.add_argument('--viewer', default='web', choices=('web', 'none'), help='default: web')
    parser.add_argument('--port', type=int, default=0, help='of the web page')
    parser.add_argument('--no-browser', action='store_true', help='serve the page, open nothing')
    parser.add_argument('--no-sim', action='store_true', help='show the commands, not an arm')
    parser.add_argument('--no-path', action='store_true', help='no moving goal, drag one yourself')
    parser.add_argument('--duration', type=float, default=0.0, metavar='SECONDS',
                        help='end after this time of motion; default: run until Ctrl-C')


def run(args: Namespace) -> int:
    """Run the demo until it ends."""
    from dq_ik.demo.run import run_demo

    with ros_needed():
        import rclpy  # noqa: F401
    if args.duration and args.no_path:
        raise DqIkError('--duration is the time of the moving goal: it excludes --no-path')
    urdf, description = find_robot(args.robot, args.urdf)
    viewer, note = usable_viewer(args.viewer)
    if note:
        print(note, file=sys.stderr)
    port = free_page_port(args.port) if viewer == 'web' else 0
    settings = DemoSettings(
        urdf=urdf, description=description, base=args.base,
        tips=tips_of(args.robot, tuple(args.tip), args.urdf, args.base),
        solver=args.solver, viewer=viewer, sim=not args.no_sim, path=not args.no_path,
        duration=args.duration, port=port)
    page = f'http://{LOOPBACK}:{port}' if port else ''
    return run_demo(demo_nodes(settings), page, browser=not args.no_browser)


def free_page_port(wanted: int) -> int:
    """Return the first free port for the page from ``wanted`` on; say so if it is another one."""
    wanted = wanted or DEFAULT_PORT
    port = free_port(LOOPBACK, wanted)
    if port != wanted:
        print(f'Port {wanted} is busy: the page is on port {port}.', file=sys.stderr)
    return port
