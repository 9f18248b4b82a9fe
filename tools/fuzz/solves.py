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
"""One case: a random robot, random options, and many solves that must keep every promise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
import time
import traceback
from typing import Any

from dq_ik import IkResult, load_robot, Solver, Status
from dq_ik.errors import DqIkError
from dq_ik.robot.model import JointKind
import numpy as np

from .batches import check_batch
from .judge import goals_of, Judge, tolerances
from .limits import check_joints
from .problems import (
    configuration,
    random_bounds,
    random_chain,
    random_goals,
    random_options,
    random_seed,
)
from .robots import Description, random_description

SLACK = 1e-9  # of what is not promised to the last bit: balls, mimics, sums
FAR = 1e6  # errors beyond are not compared digit by digit


@dataclass
class Outcome:
    """What a case did."""

    counts: Counter = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    ratio: float = 0.0  # worst time of a solve over its budget
    text: str = ''

    def blame(self, what: str, *details: Any) -> None:
        """Note a broken promise."""
        if sum(line.startswith(what) for line in self.violations) < 3:  # of a kind are enough
            self.violations.append(f'{what}: ' + '; '.join(map(repr, details)))


def run_case(r: Random, solves: int = 60, batch: int = 140) -> Outcome:
    """
    Draw a robot and solve; nothing but a child of DqIkError with a sentence may be raised.

    :param solves: goals of all kinds, one by one
    :param batch: poses at once; they are cheaper, and come in every form of an array
    """
    description = random_description(r)
    outcome = Outcome(text=description.text)
    try:
        solver = _solver(r, description, outcome)
        if solver is not None:
            _Case(r, solver, outcome).run(solves)
            check_batch(r, solver, batch, outcome.counts, outcome.blame)
    except Exception:
        outcome.blame('an exception', traceback.format_exc())
    return outcome


def _solver(r: Random, description: Description, outcome: Outcome) -> Solver | None:
    """Return a solver of a random chain, None if the robot or the chain is refused."""
    began = time.perf_counter()
    stage = 'urdf'
    try:
        model = load_robot(description.text, balls=description.balls or None)
        outcome.counts['urdf accepted'] += 1
        stage = 'chain'
        chain = random_chain(r, model)
        stage = 'options'
        return Solver(chain, **random_options(r, chain))
    except DqIkError as error:
        outcome.counts[f'{stage} refused'] += 1
        if not str(error).strip() or type(error) is DqIkError:
            outcome.blame('a refusal without a reason', error)
        return None
    finally:
        if time.perf_counter() - began > 30.0:
            outcome.blame('loading takes long', time.perf_counter() - began)


class _Case:
    """Solves with one solver, judged together."""

    def __init__(self, r: Random, solver: Solver, outcome: Outcome) -> None:
        self.r, self.solver, self.outcome = r, solver, outcome
        self.chain, self.options = solver.chain, solver.options
        self.answers: list[tuple[Any, Any, Any, IkResult]] = []

    def run(self, solves: int) -> None:
        """Solve, then judge all answers."""
        for number in range(solves):
            self.solve(again=number % 3 == 0)
        if self.answers:
            q = np.array([answer[3].q for answer in self.answers])
            with np.errstate(all='ignore'):
                check_joints(self.chain, q, lambda what, row, *more: self.outcome.blame(
                    what, *more, *self.answers[row][2]))
                judge = Judge(self.chain, q)
                for row, answer in enumerate(self.answers):
                    self.judge(judge, row, *answer)

    def solve(self, again: bool) -> None:
        """Solve once, or twice and compare."""
        r, chain = self.r, self.chain
        q = configuration(r, chain)
        try:
            goals = random_goals(r, chain, q)
            seed = random_seed(r, chain, q)
            bounds = random_bounds(r, seed)
            began = time.perf_counter()
            result = self.solver.solve(goals, seed, bounds=bounds)
        except DqIkError as error:
            self.outcome.counts['goal refused'] += 1
            if not str(error).strip() or type(error) is DqIkError:
                self.outcome.blame('a refusal without a reason', error)
            return
        spent = time.perf_counter() - began
        self.outcome.counts['solves'] += 1
        self.outcome.counts[result.status.name.lower()] += 1
        self._note_time(spent, lambda: self.solver.solve(goals, seed, bounds=bounds))
        where = (goals, None if seed is None else seed.tolist(), bounds, self.options, chain)
        self._check_numbers(result, seed, bounds, where)
        if again and result.time < 0.3 * self.options.timeout:
            self.outcome.counts['repeated'] += 1
            other = self.solver.solve(goals, seed, bounds=bounds)
            late = (Status.TIMED_OUT in (result.status, other.status)  # a busy machine, no fault
                    or other.time > 0.5 * self.options.timeout)
            if not late and (other.q.tobytes() != result.q.tobytes()
                             or other.status is not result.status):
                self.outcome.blame('not the same bits twice', result.q, other.q, other, *where)
        if np.isfinite(result.q).all():
            self.answers.append((goals, seed, where, result))

    def _note_time(self, spent: float, repeat: Callable[[], object]) -> None:
        """Note the time of a solve over its budget; a slow one may try again on a busy machine."""
        budget = max(self.options.timeout, 1e-3)
        for _ in range(5):
            if spent <= max(1.5, self.outcome.ratio) * budget:
                break
            began = time.perf_counter()
            repeat()
            spent = min(spent, time.perf_counter() - began)
        self.outcome.ratio = max(self.outcome.ratio, spent / budget)

    def _check_numbers(self, result: IkResult, seed: Any, bounds: Any, where: tuple) -> None:
        """Check what needs no kinematics: finite, inside the limits, a sentence."""
        chain, q = self.chain, result.q
        with np.errstate(all='ignore'):
            lower, upper = chain.lower, chain.upper
            if bounds is not None:
                balls = (JointKind.BALL, JointKind.FLOATING)
                boxed = [chain.model.joint(v.joint).kind not in balls
                         for v in chain.variables]  # the cone of a ball comes before bounds
                lower = np.where(boxed, np.maximum(lower, bounds[0]), lower)
                upper = np.where(boxed, np.minimum(upper, bounds[1]), upper)
        for name, rows in (('q', q[None]), ('solutions', result.solutions),
                           ('trace', result.trace)):
            if not np.isfinite(rows).all():
                self.outcome.blame(f'{name} is not finite', rows, *where)
            elif name != 'trace' and not ((rows >= lower).all() and (rows <= upper).all()):
                self.outcome.blame(f'{name} is outside the limits', rows, *where)
        errors = (*result.position_error, *result.rotation_error, result.cost)
        if np.isnan(errors).any() or not result.message.strip():
            self.outcome.blame('an error is not a number', errors, result.message, *where)
        step = self.options.max_joint_step
        if step and seed is not None and bounds is None:
            moved = np.abs(q - np.clip(seed, lower, upper)).max(initial=0.0)
            if moved > step + 1e-12 * (1.0 + np.abs(q).max(initial=0.0)) and not self._turns():
                self.outcome.blame('a joint moved beyond max_joint_step', moved, q, *where)

    def _turns(self) -> bool:
        """Tell whether whole turns or balls make a change of a number no measure of a motion."""
        return any(joint.kind in (JointKind.BALL, JointKind.FLOATING)
                   for joint in self.chain.model.joints)

    def judge(self, judge: Judge, row: int, goals: Any, seed: Any, where: tuple,
              result: IkResult) -> None:
        """Compare the answer with forward kinematics by matrices."""
        slack_p, slack_r = judge.slack(row)
        for tip, goal in goals_of(self.chain, goals).items():
            p, r = judge.errors(goal, tip, row)
            tolerance_p, tolerance_r = tolerances(goal, self.options)
            far = 100 * np.finfo(float).eps * np.linalg.norm(goal.pose.position)
            # The direction to a near point is as inexact as the position, over the distance.
            near = 0.0
            if goal.look_at is not None:
                distance = np.linalg.norm(judge.pose[tip][row][:3, 3] - goal.look_at)
                near, far = slack_p / max(distance, 1e-9), 0.0
            if result.success and not (p <= tolerance_p + slack_p + far
                                       and r <= tolerance_r + slack_r + near):
                self.outcome.blame('a false success', tip, (p, r), (slack_p, slack_r), result.q,
                                   *where)
            number = self.chain.tips.index(tip)
            if goal.position_tolerance is None and p < FAR and not (
                    abs(p - result.position_error[number]) <= SLACK * (1 + p) + slack_p + far):
                self.outcome.blame('another position error', p, result, *where)
