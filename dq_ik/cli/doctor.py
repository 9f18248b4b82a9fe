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
"""Check what is installed, and say what to do: five checks."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from importlib import import_module
from importlib.util import find_spec
import os
import time
from typing import NamedTuple

from dq_ik.cli.common import add_json
from dq_ik.cli.words import is_terminal, ros_name, say_json, wait
from dq_ik.display import HOW_TO_GET_VISER
from dq_ik.native.load import describe, door

MESSAGES = ('diagnostic_msgs', 'geometry_msgs', 'sensor_msgs', 'std_srvs', 'trajectory_msgs',
            'visualization_msgs', 'moveit_msgs', 'control_msgs')
GET_ROS = (". /opt/ros/$ROS_DISTRO/setup.bash, or pip install 'dq_ik[ros]'; Python, solve and the "
           'page need no ROS')
GOOD, ADVICE, BAD = 'good', 'advice', 'bad'
COLOURS = {GOOD: 'green', ADVICE: 'yellow', BAD: 'bold red'}


class Finding(NamedTuple):
    """What a check found, and what to do where it is not good."""

    name: str
    state: str
    text: str
    remedy: str = ''


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``dq_ik doctor``."""
    parser.add_argument('--node', type=ros_name, default='/dq_ik',
                        help='name of the node to look for')
    parser.add_argument('--timeout', type=wait, default=2.0,
                        help='seconds to listen for nodes (default: %(default)s)')
    add_json(parser)


def run(args: Namespace) -> int:
    """Print what each check found; 0 unless something is broken."""
    ros = check_ros()
    findings = [check_library(), ros, check_messages(ros), check_page(),
                check_nodes(ros, args.node, args.timeout)]
    if args.json:
        say_json([finding._asdict() for finding in findings])
    else:
        show(findings)
    return 1 if any(finding.state == BAD for finding in findings) else 0


def check_library() -> Finding:
    """Tell how the kernels run."""
    if door().kind == 'native library':
        return Finding('native library', GOOD, describe().removeprefix('native library '))
    return Finding('native library', BAD, describe(),
                   'install a wheel, or pip install numba and python -m dq_ik.native builds it')


def check_ros() -> Finding:
    """Tell whether ROS 2 can be imported."""
    try:
        import_module('rclpy')
    except ImportError as error:
        return Finding('ROS 2', ADVICE, f'not usable here ({error})', GET_ROS)
    distro, domain = (os.environ.get(name) for name in ('ROS_DISTRO', 'ROS_DOMAIN_ID'))
    return Finding('ROS 2', GOOD, f'{distro or "wheels"}, domain {domain or 0}')


def check_messages(ros: Finding) -> Finding:
    """Tell which packages of messages are missing."""
    missing = [name for name in MESSAGES if find_spec(name) is None]
    if not missing:
        return Finding('messages', GOOD, 'all that topics and services need')
    remedy = GET_ROS
    if ros.state == GOOD:
        apt = f'sudo apt install {" ".join(map(debian, missing))}, or '
        remedy = (apt if 'ROS_DISTRO' in os.environ else '') + 'make setup, in a checkout of dq_ik'
    return Finding('messages', ADVICE, f'missing: {", ".join(missing)}', remedy)


def debian(package: str) -> str:
    """Return the name of a ROS package for apt."""
    return f'ros-{os.environ.get("ROS_DISTRO", "jazzy")}-{package.replace("_", "-")}'


def check_page() -> Finding:
    """Tell whether the page can be served and shown."""
    if find_spec('viser') is None:
        return Finding('browser', ADVICE, 'no page', HOW_TO_GET_VISER)
    import webbrowser
    try:
        name = getattr(webbrowser.get(), 'name', '') or 'a browser'
    except webbrowser.Error:
        return Finding('browser', ADVICE, 'the page is served, and no browser is here to open it',
                       'open the address that dq_ik demo prints, on this machine or by ssh -L')
    return Finding('browser', GOOD, f'the page opens in {os.path.basename(str(name))}')


def check_nodes(ros: Finding, name: str, seconds: float) -> Finding:
    """Tell whether two nodes of the same name are on the domain."""
    if ros.state != GOOD:
        return Finding('nodes', ADVICE, 'not looked for, without ROS', GET_ROS)
    from dq_ik.ros.client import Client
    with Client('dq_ik_doctor') as client:
        time.sleep(seconds)
        full = Counter(f'{space.rstrip("/")}/{node}'
                       for node, space in client.node.get_node_names_and_namespaces())
    if full[name] > 1:
        return Finding('nodes', BAD, f'{full[name]} nodes have the name {name} on this domain',
                       'end one, or give it a name or a domain of its own: -r __node:=other, '
                       'ROS_DOMAIN_ID')
    return Finding('nodes', GOOD, f'{name} runs' if full[name] else f'no {name} runs, no clash')


def show(findings: list[Finding]) -> None:
    """Print a line per finding, and one for what to do."""
    from rich.console import Console
    from rich.text import Text
    console = Console(highlight=False, soft_wrap=True, no_color=not is_terminal())
    for finding in findings:
        state = Text(f'{finding.state:<7}', COLOURS[finding.state])
        console.print(state, f'{finding.name:<15}{finding.text}', sep='')
        if finding.remedy:
            console.print(f'{"":<22}-> {finding.remedy}', markup=False)
