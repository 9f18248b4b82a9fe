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

"""IkOptions: every setting of a solve, stated once for Python, the command line and ROS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, Field, field, fields, replace
import math
from numbers import Real
from typing import Any, get_args, Literal, TYPE_CHECKING, TypedDict

from dq_ik.errors import listing, nearest, OptionError
import numpy as np

if TYPE_CHECKING:
    from typing_extensions import Unpack

Method = Literal['pgs', 'pls', 'pgs_paper', 'pls_paper', 'transpose', 'transpose_buss', 'dls',
                 'svd', 'qr', 'gauss_newton', 'ccd']
Mode = Literal['speed', 'distance', 'distance_max', 'manipulability', 'all']
METHODS: tuple[str, ...] = get_args(Method)
MODES: tuple[str, ...] = get_args(Mode)
# Iterations of one attempt where the options say 0.
DEFAULT_ITERATIONS = {
    'pgs': 30, 'pls': 30, 'pgs_paper': 200, 'pls_paper': 3000, 'transpose': 20000,
    'transpose_buss': 1000, 'dls': 200, 'svd': 200, 'qr': 200, 'gauss_newton': 200, 'ccd': 500}


def setting(default: Any, description: str, minimum: float | None = None,
            maximum: float | None = None, *, choices: Sequence[str] | None = None,
            length: int | None = None, read_only: bool = False) -> Any:
    """
    Declare one setting: an option of a solve, or a parameter of a node.

    :param default: its value when nobody sets it; says the type. Numbers have a range.
    :param description: one sentence for people and for ``ros2 param describe``.
    :param length: of a tuple.
    :param read_only: a node that runs takes no other value.
    """
    return field(default=default, metadata={
        'description': description, 'minimum': minimum, 'maximum': maximum, 'choices': choices,
        'length': length, 'read_only': read_only})


class CallOptions(TypedDict, total=False):
    """Keywords of :meth:`Chain.solve` beside its own: the fields of IkOptions, but ``timeout``."""

    method: Method
    mode: Mode
    position_tolerance: float
    rotation_tolerance: float
    tolerance: float  # both of them
    max_restarts: int
    max_iterations: int
    max_solutions: int
    trace: int
    random_seed: int
    rotation_scale: float
    max_joint_step: float
    center_joints_weight: float
    minimal_displacement_weight: float
    rest_posture_weight: float
    avoid_joint_limits_weight: float
    posture_iterations: int
    rest_posture: Sequence[float] | np.ndarray
    joint_weights: Sequence[float] | np.ndarray
    locked_joints: Sequence[str]


class Overrides(CallOptions, total=False):
    """Keywords of :class:`dq_ik.Solver`: all fields of IkOptions, by their names."""

    timeout: float


@dataclass(frozen=True)
class IkOptions:
    """
    Settings of a solve. Who holds one knows that every value is in its range.

    The metadata of each field are the arguments of :func:`setting`.
    """

    method: Method = setting(
        'pgs', 'Solver: projected Gauss-Seidel (pgs), projected line search (pls), their forms as '
        'published, or a reference solver.', choices=METHODS)
    mode: Mode = setting(
        'speed', 'Which solution: the first found (speed), nearest to the seed (distance, or '
        'distance_max by the largest joint change), the most manipulable, or all that are found.',
        choices=MODES)
    timeout: float = setting(0.05, 'Time budget of one solve on the steady clock [s].', 1e-6, 60.0)
    position_tolerance: float = setting(
        1e-5, 'Distance from the goal that counts as reached [m].', 1e-12, 1.0)
    rotation_tolerance: float = setting(
        1e-5, 'Angle from the goal that counts as reached [rad].', 1e-12, math.pi)
    max_restarts: int = setting(
        100, 'Further starts after the seed; 0 keeps to the seed, as streams need.', 0, 10000)
    max_iterations: int = setting(
        0, 'Iterations of one attempt; 0 takes the default of the method.', 0, 1000000)
    max_solutions: int = setting(
        16, "Number of distinct solutions after which mode 'all' ends.", 1, 1000)
    trace: int = setting(0, 'Number of iterates kept in the result, for looking on.', 0, 100000)
    random_seed: int = setting(
        0, 'Shifts the sequence of starts; the same number gives the same answers.', 0, 2**31 - 1)
    rotation_scale: float = setting(
        0.0, 'Length that weighs a radian against a metre [m/rad]; 0 takes 0.3 of the reach, '
        'within 0.05 to 0.3.', 0.0, 100.0)
    max_joint_step: float = setting(
        0.0, 'Largest change of a joint from the seed [rad or m], of a ball its angle; 0: none.',
        0.0, 1e6)
    center_joints_weight: float = setting(
        0.0, 'Pull of the joints to the middle of their range where the goals leave them free.',
        0.0, 1.0)
    minimal_displacement_weight: float = setting(
        0.0, 'Pull of the joints to the seed where the goals leave them free.', 0.0, 1.0)
    rest_posture_weight: float = setting(
        0.0, 'Pull of the joints to rest_posture where the goals leave them free.', 0.0, 1.0)
    avoid_joint_limits_weight: float = setting(
        0.0, 'Push of the joints away from near limits where the goals leave them free.', 0.0, 1.0)
    posture_iterations: int = setting(
        20, 'Iterations spent on these objectives once the goals are met.', 0, 1000)
    rest_posture: tuple[float, ...] = setting(
        (), 'Joint vector that rest_posture_weight pulls to; empty: the neutral one.')
    joint_weights: tuple[float, ...] = setting(
        (), 'Strength of each joint, 1 by default: weaker joints move less; 0 locks a joint.')
    locked_joints: tuple[str, ...] = setting(
        (), 'Names of joints that keep the value of the seed.')

    def __post_init__(self) -> None:
        """Check every field; a tuple may be given as any sequence, a single entry as it is."""
        check_all(self)

    @classmethod
    def of(cls, options: IkOptions | None = None, **overrides: Unpack[Overrides]) -> IkOptions:
        """
        Return the options with some fields replaced, or raise OptionError naming the unknown ones.

        ``tolerance`` stands for both ``position_tolerance`` and ``rotation_tolerance``.
        """
        given: dict[str, Any] = dict(overrides)
        if 'tolerance' in given:
            both = given.pop('tolerance')
            given = {'position_tolerance': both, 'rotation_tolerance': both, **given}
        unknown = [name for name in given if name not in NAMES]
        if unknown:
            raise OptionError(
                f'unknown option {listing(unknown)}{nearest(unknown[0], NAMES)}; the options are '
                f'{listing(NAMES)}')
        return replace(options or cls(), **given)

    def __repr__(self) -> str:
        """Show the options that are not usual."""
        given = [f'{item.name}={getattr(self, item.name)!r}' for item in fields(self)
                 if getattr(self, item.name) != item.default]
        return f'IkOptions({", ".join(given)})'

    @property
    def iterations(self) -> int:
        """Return the iterations of one attempt."""
        return self.max_iterations or DEFAULT_ITERATIONS[self.method]


NAMES = tuple(item.name for item in fields(IkOptions))
METADATA: Mapping[str, Mapping[str, Any]] = {
    item.name: item.metadata for item in fields(IkOptions)}
DEFAULTS: Mapping[str, Any] = {item.name: item.default for item in fields(IkOptions)}


def check_all(settings: Any) -> None:
    """Bring each field of new settings to its type, or raise OptionError."""
    for item in fields(settings):
        object.__setattr__(settings, item.name, checked(item, getattr(settings, item.name)))


def checked(item: Field, value: Any) -> Any:
    """Return a setting's value in its own type, or raise OptionError with what would be right."""
    name, default, rules = item.name, item.default, item.metadata
    if isinstance(default, tuple):
        return _sequence(item, value)
    if isinstance(default, str):
        if not isinstance(value, str):
            raise OptionError(f'{name} is a text, got {value!r}')
        if rules['choices'] is not None and value not in rules['choices']:
            raise OptionError(f"{name} is one of {listing(rules['choices'])}, got {value!r}"
                              f"{nearest(value, rules['choices'])}")
        return value
    if isinstance(value, (bool, np.bool_)) is not isinstance(default, bool):
        kind = 'true or false' if isinstance(default, bool) else 'a number'
        raise OptionError(f'{name} is {kind}, got {value!r}')
    return bool(value) if isinstance(default, bool) else _number(item, value)


def _number(item: Field, value: Any) -> Any:
    """Return a number within its range."""
    if not isinstance(value, Real) or value != value:
        raise OptionError(f'{item.name} is a number, got {value!r}')
    low, high = item.metadata['minimum'], item.metadata['maximum']
    if not low <= value <= high:
        raise OptionError(f'{item.name} is between {low} and {high}, got {value!r}')
    if isinstance(item.default, float):
        return float(value)
    if value % 1 != 0:
        raise OptionError(f'{item.name} is a whole number, got {value!r}')
    return math.floor(value)


def _sequence(item: Field, value: Any) -> tuple:
    """Return names or finite numbers as a tuple."""
    kind, length = item_type(item), item.metadata['length']
    try:
        values = (value,) if isinstance(value, (str, Real)) else tuple(value)
        if kind is str and all(isinstance(v, str) for v in values):
            return values
        if kind is float and length in (None, len(values)):
            values = tuple(map(float, values))
            if all(map(math.isfinite, values)):
                return values
    except (OverflowError, TypeError, ValueError):
        pass
    count = '' if length is None else f'{length} '
    what = 'names' if kind is str else f'{count}finite numbers'
    raise OptionError(f'{item.name} is a sequence of {what}, got {value!r}')


def item_type(item: Field) -> type:
    """Return what a tuple holds: ``str`` or ``float``."""
    return str if 'str' in str(item.type) else float
