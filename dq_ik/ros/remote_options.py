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

"""The solver's settings of another node, by the standard parameter services."""

from __future__ import annotations

from collections.abc import Callable

from rcl_interfaces.msg import Parameter as ParameterMsg
from rcl_interfaces.msg import ParameterEvent
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.parameter_client import AsyncParameterClient
from rclpy.qos import qos_profile_parameter_events
from rclpy.task import Future

ASK_PERIOD = 1.0
WATCHED = ('method', 'mode', 'goal_mode')


class RemoteOptions:
    """
    Sets and follows ``method``, ``mode`` and ``position_only`` of a node that runs dq_ik.

    ``position_only`` stands for the parameter ``goal_mode``: ``position`` or ``pose``.
    """

    def __init__(
        self, node: Node, remote: str, on_change: Callable[[str, str | bool, str], None]
    ) -> None:
        """
        Watch the parameters of ``remote``.

        :param remote: name of the other node
        :param on_change: called with name, value and an empty text after each change, by whomever;
            with the reason instead of that text when a change of ours was refused
        """
        self._node = node
        self._on_change = on_change
        self._remote = node.resolve_topic_name(remote)
        self._client = AsyncParameterClient(node, remote)
        self._asking = node.create_timer(ASK_PERIOD, self._ask)
        node.create_subscription(
            ParameterEvent, '/parameter_events', self._on_event, qos_profile_parameter_events)

    def ask(self) -> None:
        """Learn the values in use, as soon as the node is there."""
        self._asking.reset()

    def _ask(self) -> None:
        if self._client.services_are_ready():
            self._client.get_parameters(list(WATCHED)).add_done_callback(self._on_values)

    def set(self, name: str, value: str | bool) -> None:
        """Change a setting; the answer comes to ``on_change``."""
        if not self._client.services_are_ready():
            self._on_change(name, value, f'there is no node {self._remote}')
            return
        parameter = to_parameter(name, value)
        future = self._client.set_parameters([parameter])
        future.add_done_callback(lambda done: self._on_result(name, value, done))

    def _on_result(self, name: str, value: str | bool, done: Future) -> None:
        result = done.result().results[0]
        if not result.successful:
            self._on_change(name, value, result.reason or 'refused')

    def _on_values(self, done: Future) -> None:
        self._asking.cancel()
        for name, value in zip(WATCHED, done.result().values):
            self._report(ParameterMsg(name=name, value=value))

    def _on_event(self, event: ParameterEvent) -> None:
        if event.node == self._remote:
            for parameter in (*event.new_parameters, *event.changed_parameters):
                if parameter.name in WATCHED:
                    self._report(parameter)

    def _report(self, parameter: ParameterMsg) -> None:
        name, value = from_parameter(parameter.name, parameter.value.string_value)
        if value != '':
            self._on_change(name, value, '')


def to_parameter(name: str, value: str | bool) -> Parameter:
    """Return a setting of the page as a parameter of the ik node."""
    if name == 'position_only':
        return Parameter('goal_mode', value='position' if value else 'pose')
    return Parameter(name, value=value)


def from_parameter(name: str, value: str) -> tuple[str, str | bool]:
    """Return a parameter of the ik node as a setting of the page; the inverse of to_parameter."""
    if name == 'goal_mode':
        return 'position_only', value == 'position'
    return name, value
