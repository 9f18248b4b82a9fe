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
"""Our node in a process of its own, for tests over real DDS."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import json
import os
from pathlib import Path
import signal
import subprocess
import sys
import tempfile
from typing import Any

from domains import reserve

ROOT = Path(__file__).parents[1]


def use_own_domain() -> None:
    """Keep a test module apart from all others on the machine, and off the network."""
    os.environ['ROS_DOMAIN_ID'] = str(reserve())
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'


class NodeProcess:
    """A running node and what it printed."""

    def __init__(self, process: subprocess.Popen, log: Path) -> None:
        self.process = process
        self._log = log

    @property
    def log(self) -> str:
        """Everything printed so far."""
        return self._log.read_text()

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self.process.poll() is None

    def stop(self, how: int = signal.SIGINT) -> int:
        """Send a signal and return the exit code."""
        if self.alive:
            self.process.send_signal(how)
        return self.process.wait(timeout=30)


@contextmanager
def run_node(arguments: tuple[str, ...] = (), block: tuple[str, ...] = (),
             **parameters: Any) -> Iterator[NodeProcess]:
    """
    Run the node with parameters, and end it at the end.

    It answers at once, without limits of speed, unless the parameters say otherwise.

    :param arguments: further arguments of ROS.
    :param block: modules that the node shall not find.
    """
    with tempfile.TemporaryDirectory() as folder:
        file, log = Path(folder) / 'parameters.yaml', Path(folder) / 'log'
        given = {'velocity_scaling': 0.0, **parameters}
        file.write_text(json.dumps({'/**': {'ros__parameters': given}}))  # JSON is YAML
        hide = ''.join(f'sys.modules[{name!r}] = None; ' for name in block)
        code = f'import sys; {hide}from dq_ik.ros.follow.node import main; sys.exit(main())'
        words = [sys.executable, '-c', code, '--ros-args', '--params-file', str(file), *arguments]
        environment = {**os.environ, 'PYTHONPATH': str(ROOT), 'RCUTILS_LOGGING_USE_STDOUT': '0'}
        with log.open('w') as out:
            process = subprocess.Popen(words, env=environment, stdout=out, stderr=out)
        node = NodeProcess(process, log)
        try:
            yield node
        finally:
            try:
                node.stop()
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
