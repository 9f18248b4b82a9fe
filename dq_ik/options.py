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
from dataclasses import dataclass, field, fields, replace
import math
from numbers import Real
from typing import Any, get_args, Literal, TYPE_CHECKING, TypedDict

from dq_ik.errors import listing, nearest, OptionError

if TYPE_CHECKING:
    import numpy as np
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


def _option(default: Any, description: str, minimum: float | None = None,
            maximum: float | None = None, choices: Sequence[str] | None = None,
            read_only: bool = False, item: type = float) -> Any:
    return field(default=default, metadata={
        'description': description, 'minimum': minimum, 'maximum': maximum, 'choices': choices,
        'read_only': read_only, 'item': item})


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
    Settings of a solve.

    Each field's metadata holds ``description``, ``minimum``, ``maximum``, ``choices``,
    ``read_only`` and, for sequences, the type ``item``.
    """

    method: Method = _option(
        'pgs', 'Solver: projected Gauss-Seidel (pgs), projected line search (pls), their forms as '
        'published, or a reference solver.', choices=METHODS)
    mode: Mode = _option(
        'speed', 'Which solution: the first found (speed), nearest to the seed (distance, or '
        'distance_max by the largest joint change), the most manipulable, or all that are found.',
        choices=MODES)
    timeout: float = _option(0.05, 'Time budget of one solve on the steady clock [s].', 1e-6, 60.0)
    position_tolerance: float = _option(
        1e-5, 'Distance from the goal that counts as reached [m].', 1e-12, 1.0)
    rotation_tolerance: float = _option(
        1e-5, 'Angle from the goal that counts as reached [rad].', 1e-12, math.pi)
    max_restarts: int = _option(
        100, 'Further starts after the seed; 0 keeps to the seed, as streams need.', 0, 10000)
    max_iterations: int = _option(
        0, 'Iterations of one attempt; 0 takes the default of the method.', 0, 1000000)
    max_solutions: int = _option(
        16, "Number of distinct solutions after which mode 'all' ends.", 1, 1000)
    trace: int = _option(0, 'Number of iterates kept in the result, for looking on.', 0, 100000)
    random_seed: int = _option(
        0, 'Shifts the sequence of starts; the same number gives the same answers.', 0, 2**31 - 1)
    rotation_scale: float = _option(
        0.0, 'Length that weighs a radian against a metre [m/rad]; 0 takes 0.3 of the reach, '
        'within 0.05 to 0.3.', 0.0, 100.0)
    max_joint_step: float = _option(
        0.0, 'Largest change of a joint from the seed [rad or m], of a ball its angle; 0: none.',
        0.0, 1e6)
    center_joints_weight: float = _option(
        0.0, 'Pull of the joints to the middle of their range where the goals leave them free.',
        0.0, 1.0)
    minimal_displacement_weight: float = _option(
        0.0, 'Pull of the joints to the seed where the goals leave them free.', 0.0, 1.0)
    rest_posture_weight: float = _option(
        0.0, 'Pull of the joints to rest_posture where the goals leave them free.', 0.0, 1.0)
    avoid_joint_limits_weight: float = _option(
        0.0, 'Push of the joints away from near limits where the goals leave them free.', 0.0, 1.0)
    posture_iterations: int = _option(
        20, 'Iterations spent on these objectives once the goals are met.', 0, 1000)
    rest_posture: tuple[float, ...] = _option(
        (), 'Joint vector that rest_posture_weight pulls to; empty: the neutral one.')
    joint_weights: tuple[float, ...] = _option(
        (), 'Strength of each joint, 1 by default: weaker joints move less; 0 locks a joint.')
    locked_joints: tuple[str, ...] = _option(
        (), 'Names of joints that keep the value of the seed.', item=str)

    def __post_init__(self) -> None:
        """Check every field; a tuple may be given as any sequence, a single name as it is."""
        for name in NAMES:
            object.__setattr__(self, name, checked(name, getattr(self, name)))

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


def checked(name: str, value: Any) -> Any:
    """Return an option's value in its own type, or raise OptionError with what would be right."""
    default, rules = DEFAULTS[name], METADATA[name]
    if rules['choices'] is not None:
        if value not in rules['choices']:
            raise OptionError(f"{name} is one of {listing(rules['choices'])}, got {value!r}"
                              f"{nearest(str(value), rules['choices'])}")
        return value
    if isinstance(default, tuple):
        return _sequence(name, value, rules['item'])
    if isinstance(value, bool) or not isinstance(value, Real) or math.isnan(value):
        raise OptionError(f'{name} is a number, got {value!r}')
    if not rules['minimum'] <= value <= rules['maximum']:
        raise OptionError(
            f"{name} is between {rules['minimum']} and {rules['maximum']}, got {value!r}")
    if isinstance(default, int) and value % 1 != 0:
        raise OptionError(f'{name} is a whole number, got {value!r}')
    return type(default)(value)


def _sequence(name: str, value: Any, item: type) -> tuple:
    """Return names or finite numbers as a tuple."""
    try:
        values = (value,) if isinstance(value, str) else tuple(value)
        if item is str and all(isinstance(v, str) for v in values):
            return values
        values = tuple(float(v) for v in values)
        if item is float and all(map(math.isfinite, values)):
            return values
    except (TypeError, ValueError):
        pass
    what = 'names' if item is str else 'finite numbers'
    raise OptionError(f'{name} is a sequence of {what}, got {value!r}')
