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
"""
Dataclasses as ROS parameters.

A field gives name, type and default of a parameter, its metadata the description and the range.
Nothing is written down twice: :class:`dq_ik.IkOptions` and
:class:`dq_ik.ros.settings.NodeSettings` are the only lists.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import Field, fields
from typing import Any, TypeVar

from dq_ik.errors import OptionError
from dq_ik.options import checked, item_type
from dq_ik.ros.groups import GroupNames
from dq_ik.ros.settings import NodeSettings
from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.node import Node
from rclpy.parameter import Parameter

T = TypeVar('T')


def declare(node: Node, kind: type[T]) -> T:
    """
    Declare one parameter per field of a dataclass; return it with the values that the user gave.

    :raises OptionError: if a value is refused; the message names the parameter.
    """
    values = {}
    for item in fields(kind):  # type: ignore[arg-type]
        parameter = node.declare_parameter(item.name, ros_value(item), _descriptor(item))
        values[item.name] = field_value(item, parameter.value)
    return kind(**values)


def updated(current: T, parameters: Iterable[Parameter]) -> T:
    """
    Return a dataclass with those parameters that are fields of it changed.

    :raises OptionError: if a value is refused.
    """
    items = {item.name: item for item in fields(current)}  # type: ignore[arg-type]
    changed = {p.name: field_value(items[p.name], p.value) for p in parameters if p.name in items}
    if not changed:
        return current
    kept = {name: getattr(current, name) for name in items if name not in changed}
    return type(current)(**kept, **changed)


def with_numbers(node: Node, parameters: list[Parameter]) -> list[Parameter]:
    """
    Return parameters with integers and numbers in strings as floats, where a float is declared.

    YAML, and so ``ros2 param set``, reads ``1e-4`` as a string and ``50`` as an integer.
    """
    return [_with_number(node, parameter) for parameter in parameters]


def _with_number(node: Node, given: Parameter) -> Parameter:
    kinds = Parameter.Type
    if given.type_ not in (kinds.STRING, kinds.INTEGER) or not node.has_parameter(given.name) or (
            node.get_parameter(given.name).type_ is not kinds.DOUBLE):
        return given
    try:
        return Parameter(given.name, kinds.DOUBLE, float(given.value))
    except ValueError:
        return given


def declare_groups(node: Node, settings: NodeSettings) -> dict[str, GroupNames]:
    """Declare ``groups.<name>.base_link`` and ``.tip_links`` for each of ``group_names``."""
    groups = {}
    for name in settings.group_names:
        base = node.declare_parameter(f'groups.{name}.base_link', '', ParameterDescriptor(
            description=f'link of group {name} that stands still', read_only=True))
        tips = node.declare_parameter(f'groups.{name}.tip_links', [''], ParameterDescriptor(
            description=f'links of group {name} that follow goals', read_only=True,
            dynamic_typing=True))
        groups[name] = GroupNames(base.value, _sequence(tips.name, tips.value, str))
    return groups


def field_value(item: Field, value: Any) -> Any:
    """Return a parameter's value as the field holds it; raises OptionError on a wrong type."""
    if isinstance(item.default, tuple):
        value = _sequence(item.name, value, item_type(item))
    return checked(item, value)


def _sequence(name: str, value: Any, kind: type) -> tuple[Any, ...]:
    """Return numbers or names; a lone value is a list of one, empty names do not count."""
    values = [value] if isinstance(value, (str, bool, int, float)) else list(value or ())
    if not all(isinstance(entry, str if kind is str else (int, float)) for entry in values):
        raise OptionError(
            f'{name} is {value!r}; it must be a list of {"names" if kind is str else "numbers"}')
    return tuple(filter(None, values)) if kind is str else tuple(values)


def ros_value(item: Field) -> Any:
    """Return a field's default as a parameter; an empty list of names holds one empty name."""
    if not isinstance(item.default, tuple):
        return item.default
    return list(item.default) or ([''] if item_type(item) is str else [])


def _descriptor(item: Field) -> ParameterDescriptor:
    about = item.metadata
    descriptor = ParameterDescriptor(
        description=about['description'], read_only=about['read_only'])
    if about['choices']:
        descriptor.additional_constraints = f'one of {", ".join(map(str, about["choices"]))}'
    if isinstance(item.default, tuple) and not item.default:
        descriptor.dynamic_typing = True  # ROS gives empty lists no type; one name may come alone
    low, high = about['minimum'], about['maximum']
    if low is None:
        return descriptor
    if isinstance(item.default, int):
        descriptor.integer_range = [IntegerRange(from_value=low, to_value=high)]
    else:
        descriptor.floating_point_range = [
            FloatingPointRange(from_value=float(low), to_value=float(high))]
    return descriptor
