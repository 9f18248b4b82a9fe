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

"""Nodes under test and a test node in one process, on a domain of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
import os
import threading
import time
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter


@contextmanager
def ros_bench(domain: int) -> Iterator[Bench]:
    """Open a context with a test node, and close everything at the end."""
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    context = Context()
    rclpy.init(args=[], context=context, domain_id=domain)
    bench = Bench(context)
    try:
        yield bench
    finally:
        bench.close()


class Bench:
    """A context, an executor in a thread, and the node that plays the rest of the world."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._executor = SingleThreadedExecutor(context=context)
        self._nodes: list[Node] = []
        self._closing = False
        self.node = self.add(Node, name='tester')
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def add(
        self, kind: Callable[..., Node], name: str | None = None,
        remap: Mapping[str, str] | None = None, **parameters: Any,
    ) -> Node:
        """Create a node with parameters and remappings, and spin it."""
        rules = [part for pair in (remap or {}).items() for part in ('-r', ':='.join(pair))]
        overrides = [Parameter(key.replace('__', '.'), value=value)
                     for key, value in parameters.items()]
        arguments = (name,) if name else ()
        node = kind(*arguments, context=self.context, parameter_overrides=overrides,
                    cli_args=['--ros-args', *rules])
        self._nodes.append(node)
        self._executor.add_node(node)
        return node

    def newest(self, kind: type, topic: str, qos: Any = 10) -> list:
        """Return a list that always holds the newest message of a topic, once there is one."""
        inbox: list = []

        def take(msg: Any) -> None:
            inbox[:] = [msg]

        self.node.create_subscription(kind, topic, take, qos)
        return inbox

    def close(self) -> None:
        """Stop spinning, then destroy the nodes."""
        self._closing = True
        self._thread.join(timeout=10.0)
        self._executor.shutdown()
        for node in reversed(self._nodes):
            node.destroy_node()
        rclpy.try_shutdown(context=self.context)

    def _spin(self) -> None:
        with suppress(ExternalShutdownException):
            while not self._closing:
                self._executor.spin_once(timeout_sec=0.1)


class Sender:
    """Publishes below the name of a node, on topics that are opened when they are first used."""

    def __init__(self, node: Node, name: str) -> None:
        self._node, self._name = node, name
        self._publishers: dict[str, Any] = {}

    def to(self, topic: str, kind: type) -> Any:
        """Return the publisher of a topic that the node listens to."""
        if topic not in self._publishers:
            publisher = self._node.create_publisher(kind, f'{self._name}/{topic}', 1)
            wait_until(publisher.get_subscription_count, what=topic)
            time.sleep(0.2)
            self._publishers[topic] = publisher
        return self._publishers[topic]


def wait_until(condition: Callable[[], bool], timeout: float = 40.0, what: str = '') -> None:
    """Return as soon as the condition holds; fail if it does not in time."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError(f'not within {timeout} s: {what or condition}')
