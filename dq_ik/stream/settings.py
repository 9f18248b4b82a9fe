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
"""Settings with description and range, and those of a tracker."""

from __future__ import annotations

from dataclasses import dataclass

from dq_ik.errors import OptionError
from dq_ik.options import check_all, setting

LOWEST_RATE = 0.01  # of the commands [Hz]; a timer of a longer period is a mistake


@dataclass(frozen=True)
class StreamSettings:
    """How goals are followed. Who holds one knows that every value is in its range."""

    goal_mode: str = setting(
        'pose', 'what of a goal must be met; axis: position and the direction of goal_axis',
        choices=('pose', 'position', 'orientation', 'axis'))
    goal_axis: tuple[float, ...] = setting(
        (0.0, 0.0, 1.0), 'axis of the tip for goal_mode axis', length=3)
    rate: float = setting(
        0.0, 'commands per second [Hz], 0.01 or more; 0: as goals arrive and on the way',
        minimum=0.0, maximum=2000.0)
    velocity_scaling: float = setting(
        1.0, 'greatest joint speed as a fraction of the URDF limits; 0: no limit, jumps happen',
        minimum=0.0, maximum=1.0)
    ramp_time: float = setting(
        0.2, 'time [s] in which a joint reaches its greatest speed, where nothing else limits its '
        'acceleration; 0: at once', minimum=0.0, maximum=10.0)
    acceleration_limit: tuple[float, ...] = setting(
        (), 'greatest joint acceleration [rad/s^2 or m/s^2]: one number, or one per joint; empty '
        'or 0: that of the URDF, else velocity / ramp_time')
    jerk_limit: tuple[float, ...] = setting(
        (), 'greatest joint jerk [rad/s^3 or m/s^3]: one number, or one per joint; empty or 0: '
        'that of the URDF, else none')
    limiting: str = setting(
        'path', 'path: all joints slow down together, so that the tool stays on its path; '
        'joint: each by itself', choices=('path', 'joint'))
    lost_policy: str = setting(
        'intercept', 'while the goal cannot be followed: go straight to where it can be met again '
        '(intercept), stay as near to it as can be (best_reach), or stay (stop)',
        choices=('intercept', 'best_reach', 'stop'))
    momentum: bool = setting(
        True, 'start each step where the last one leads to: keeps the branch at singularities')
    avoid_limits_gain: float = setting(
        3.0, 'how strongly redundant joints are kept away from their limits [1/s]; 0: not at all',
        minimum=0.0, maximum=100.0)
    look_ahead: bool = setting(
        True, 'plan the motion of an arm of seven joints 0.8 s ahead along the goals')
    step_ratio: float = setting(
        10.0, 'greatest step of a joint for a step of the goal [rad/m], at least 0.4 rad/s; '
        '0: any', minimum=0.0, maximum=1e6)
    goal_timeout: float = setting(
        0.0, 'brake and hold when no goal came for this long [s]; 0: go on to the last goal',
        minimum=0.0, maximum=3600.0)

    def __post_init__(self) -> None:
        """Refuse values out of range and combinations without a meaning."""
        check_all(self)
        if 0 < self.rate < LOWEST_RATE:
            raise OptionError(f'rate is {self.rate}; it must be 0 or at least {LOWEST_RATE}')
        for name in ('acceleration_limit', 'jerk_limit'):
            if any(number < 0.0 for number in getattr(self, name)):
                raise OptionError(f'{name} is {getattr(self, name)}; it must be 0 or more')
        if not any(self.goal_axis):
            raise OptionError('goal_axis is zero; it must have a direction')
