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
"""Which questions are asked to whom, and how often: the quick run and the full one."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from . import cases, robots
from .robots import Robot

OURS = ('dq_ik pgs', 'dq_ik pls')
PAPER = ('dq_ik pgs_paper', 'dq_ik pls_paper')
MANY_JOINTS = (*OURS, 'TRAC-IK', 'OptIK', 'Pinocchio loop', 'Pink', 'toolbox LM Chan')
MANY_TIPS = (*OURS, 'Pinocchio loop', 'Pink', 'mink', 'PlaCo', 'Klampt', 'RoboPlan')
BATCH = ('panda', 'ur5')
BATCH_PEERS = ('TRAC-IK', 'KDL', 'toolbox LM Chan', 'OptIK', 'RoboPlan', 'Pinocchio loop',
               'EAIK (analytic)')

TITLES = {
    'mid': "TRAC-IK's protocol: random reachable poses, seed in the middle of the ranges, "
           '1e-5 m and 1e-5 rad, 5 ms',
    'random': 'Random seeds, otherwise the same',
    'loose': 'Tolerances of 1e-3 m and 1e-3 rad',
    'limits': 'Goals on joint limits (one to three joints at the end of their range)',
    'singular': 'Goals at singular configurations',
    'five': 'Arms with five joints',
    'two_arms': 'Two arms on a turning torso: a pose for each hand, seed in the middle',
    'stream': 'Tracking at 500 Hz: each frame from the last answer, no restarts',
    'unreachable': 'Goals out of reach: is the answer the best reach?',
    'joints': 'Growth with the number of joints',
    'tips': 'Growth with the number of tips',
    'mid_4x4': "TRAC-IK's protocol, goals given as 4x4 arrays, caches cold between turns",
    'stream_4x4': 'Tracking at 500 Hz, goals given as 4x4 arrays',
}
MATRICES = ('mid_4x4', 'stream_4x4')  # shown together, in a section of their own


@dataclass(frozen=True)
class Plan:
    """How much of everything."""

    arms: tuple[str, ...]
    few: tuple[str, ...]
    count: int
    frames: int
    paths: int
    hopeless: int
    joints: tuple[int, ...]
    tips: tuple[int, ...]
    cell_seconds: float
    batch: int


QUICK = Plan(arms=robots.ARMS, few=('panda', 'ur5'), count=3000, frames=400, paths=3, hopeless=30,
             joints=(7, 20, 50, 100), tips=(1, 2, 4, 8), cell_seconds=0.15, batch=20_000)
FULL = Plan(arms=robots.ARMS, few=('panda', 'ur5', 'iiwa'), count=10_000, frames=2500, paths=8,
            hopeless=1000, joints=(7, 15, 30, 50, 75, 100), tips=(1, 2, 4, 6, 8),
            cell_seconds=5.0, batch=200_000)


@dataclass(frozen=True)
class Turn:
    """A case on a robot: how to make the problems, and who takes part (None: everybody)."""

    case: str
    robot: Robot
    make: Callable[[], cases.Problems]
    solvers: tuple[str, ...] | None = None


def count(plan: Plan, wanted: set[str]) -> int:
    """Return the number of turns, and one for the start."""
    sizes = {case: len(_robots_of(plan, case)) for case in TITLES}
    return 1 + sum(size for case, size in sizes.items() if case in wanted)


def _robots_of(plan: Plan, case: str) -> tuple:
    """Return the names (or sizes) of the robots of a case."""
    special = {'mid': plan.arms, 'mid_4x4': plan.arms, 'five': ('arm5', 'so_arm'),
               'two_arms': ('two_arms',),
               'unreachable': ('panda',), 'joints': plan.joints, 'tips': plan.tips}
    return special.get(case, plan.few)


def turns(plan: Plan, wanted: set[str], folder: Path) -> Iterator[Turn]:
    """Yield the wanted cases, one robot after the other."""
    makers = {
        'mid': lambda robot: cases.reachable(robot, plan.count),
        'random': lambda robot: cases.reachable(robot, plan.count, seeds='random'),
        'loose': lambda robot: cases.reachable(robot, plan.count, cases.LOOSE),
        'limits': lambda robot: cases.on_limits(robot, plan.count),
        'singular': lambda robot: cases.singular(robot, plan.count // 2),
        'five': lambda robot: cases.reachable(robot, plan.count),
        'two_arms': lambda robot: cases.reachable(robot, plan.count),
        'stream': lambda robot: cases.stream(robot, plan.frames, plan.paths),
        'unreachable': lambda robot: cases.unreachable(robot, plan.hopeless),
        'joints': lambda robot: cases.nearby(robot, plan.count // 4),
        'tips': lambda robot: cases.nearby(robot, plan.count // 4),
        'mid_4x4': lambda robot: cases.reachable(robot, plan.count).as_matrices(warm=False),
        'stream_4x4': lambda robot: cases.stream(robot, plan.frames, plan.paths).as_matrices(
            warm=True),
    }
    solvers = {'joints': MANY_JOINTS, 'tips': MANY_TIPS, 'two_arms': MANY_TIPS}
    grown = {'joints': robots.snake, 'tips': robots.star}
    for case, make in makers.items():
        if case in wanted:
            for name in _robots_of(plan, case):
                robot = grown.get(case, robots.load)(name, folder)
                yield Turn(case, robot, partial(make, robot), solvers.get(case))
