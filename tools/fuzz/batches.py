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
"""Many poses at once, in every form of an array: the same promises, judged all at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

from dq_ik import BatchResult, DqIkError, Pose, Solver, Status
from dq_ik.robot.chain import Chain
import numpy as np
from scipy.spatial.transform import Rotation

from .judge import EPSILON, Judge, pose_errors, tolerances
from .limits import check_joints

FAR = 1e6  # errors beyond are not compared digit by digit
SLACK = 1e-9
SIZES = (1e-300, 1e-3, 0.1, 1.0, 1.0, 3.0, 10.0, 1e3, 1e9, 1e30)
AGAIN = 12  # every so many rows are solved alone too


def check_batch(r: Random, solver: Solver, count: int, counts: Counter,
                blame: Callable[..., None]) -> None:
    """Solve poses of all tips at once and judge the answers."""
    chain, rng = solver.chain, np.random.default_rng(r.getrandbits(64))
    q = configurations(rng, chain, count)
    with np.errstate(all='ignore'):
        judge = Judge(chain, q)
        check_fk(chain, judge, q, blame)
        targets = np.stack([poses(rng, judge.pose[tip]) for tip in chain.tips], axis=1)
        goals, order = in_a_form(r, targets)
        seeds = starts(r, rng, chain, q)
        bad = spoil(r, goals)
    where = (chain, solver.options, goals, order, seeds)
    try:
        batch = solver.solve_batch(goals, seeds, order=order)
    except DqIkError as error:
        counts['batches refused'] += 1
        if bad is None or f'{bad} ' not in str(error) or type(error) is DqIkError:
            blame('a batch is refused for no reason', error, bad, *where)
        return
    if bad is not None:
        blame('a bad goal in a batch is accepted', bad, *where)
        return
    counts['solves'] += count
    counts['solves in batches'] += count
    counts.update(Status(status).name.lower() for status in batch.status.tolist())
    with np.errstate(all='ignore'):
        check_answers(solver, targets, batch, lambda what, row, *more: blame(
            f'{what} (batch)', *more, targets[row], batch.q[row],
            None if seeds is None or seeds.ndim == 1 else seeds[row], *where[:2]))
    compare_with_single(solver, goals, order, seeds, batch, lambda *more: blame(*more, *where[:2]))


# --- questions -----------------------------------------------------------------------------------

def configurations(rng: np.random.Generator, chain: Chain, count: int) -> np.ndarray:
    """Draw configurations within the limits; in a quarter of them, joints are at their limits."""
    q = chain.spread(rng.random((count, chain.n)))
    for end in (chain.lower, chain.upper):
        at = (rng.random((count, 1)) < 0.25) & (rng.random(q.shape) < 0.3) & np.isfinite(end)
        q = np.where(at, end, q)
    return q


def poses(rng: np.random.Generator, there: np.ndarray) -> np.ndarray:
    """Draw matrices of goals: reached, half a turn away, beside, anywhere, huge or tiny."""
    T, kind = there.copy(), rng.integers(0, 9, len(there))
    flips = np.array([np.diag(d) for d in ((1.0, -1.0, -1.0), (-1.0, 1.0, -1.0),
                                           (-1.0, -1.0, 1.0))])
    turned = kind == 4
    T[turned, :3, :3] = T[turned, :3, :3] @ flips[rng.integers(0, 3, turned.sum())]
    T[kind == 5, :3, 3] += rng.normal(scale=0.01, size=((kind == 5).sum(), 3))
    away = kind > 5
    T[away, :3, :3] = Rotation.random(len(T), rng=rng).as_matrix()[away]
    T[away, :3, 3] = (rng.choice(SIZES, len(T))[:, None]
                      * rng.uniform(-1.0, 1.0, (len(T), 3)))[away]
    return T


def in_a_form(r: Random, targets: np.ndarray) -> tuple[Any, str | None]:
    """Return poses (N, tips, 4, 4) in a form that a batch takes, and the order of quaternions."""
    if targets.shape[1] > 1:
        return [[Pose.from_matrix(T) for T in row] for row in targets], None
    form, T = r.randrange(4), np.ascontiguousarray(targets[:, 0])
    if form == 0:
        return T, None
    if form == 1:
        sign = r.choice((1.0, -1.0))  # of both
        return sign * np.array([Pose.from_matrix(x).numbers() for x in T]), None
    xyzw = Rotation.from_matrix(T[:, :3, :3]).as_quat()
    if form == 2:
        return np.hstack([T[:, :3, 3], xyzw]), 'xyzw'
    return np.hstack([T[:, :3, 3], np.roll(xyzw, 1, axis=1)]), 'wxyz'


def starts(r: Random, rng: np.random.Generator, chain: Chain, q: np.ndarray) -> np.ndarray | None:
    """Draw none, one for all, or one each: at an answer, near it, anywhere, far away."""
    kind = r.randrange(6)
    if kind == 0:
        return None
    if kind == 1:
        return q[0]
    if kind == 2:
        return q
    if kind == 3:
        return np.clip(q + rng.uniform(-0.1, 0.1, q.shape), -1e9, 1e9)
    if kind == 4:
        return configurations(rng, chain, len(q))
    return rng.uniform(-1.0, 1.0, q.shape) * rng.choice((10.0, 1e3, 1e9), (len(q), 1))


def spoil(r: Random, goals: Any) -> int | None:
    """Seldom, make one row of an array no pose; return its number."""
    if not isinstance(goals, np.ndarray) or r.random() > 0.03:
        return None
    row = r.randrange(len(goals))
    goals[row] = r.choice((np.nan, np.inf, 0.0))
    return row


# --- answers -------------------------------------------------------------------------------------

def check_fk(chain: Chain, judge: Judge, q: np.ndarray, blame: Callable[..., None]) -> None:
    """Compare forward kinematics of all rows with products of matrices."""
    found = chain.fk_batch(q)
    for number, tip in enumerate(chain.tips):
        for row, numbers in enumerate(found[::AGAIN, number]):
            row *= AGAIN
            expected = judge.pose[tip][row]
            got = Pose.unchecked(numbers[:4], numbers[4:]).matrix
            slack_p, slack_r = judge.slack(row)
            if not (np.abs(got[:3, 3] - expected[:3, 3]).max() <= slack_p
                    and np.abs(got[:3, :3] - expected[:3, :3]).max() <= slack_r):
                blame('other forward kinematics', tip, q[row], got, expected, chain)


def check_answers(solver: Solver, targets: np.ndarray, batch: BatchResult,
                  blame: Callable[..., None]) -> None:
    """Judge all rows: finite, inside the limits, true errors, no false success."""
    chain, q = solver.chain, batch.q
    finite = np.isfinite(q).all(axis=1)
    inside = ((q >= chain.lower) & (q <= chain.upper)).all(axis=1)
    numbers = ~np.isnan(batch.position_error + batch.rotation_error).any(axis=1)
    for what, good in (('q is not finite', finite), ('q is outside the limits', inside),
                       ('an error is not a number', numbers)):
        for row in np.flatnonzero(~good):
            blame(what, row)
    if not finite.all():
        return
    check_joints(chain, q, blame)
    judge = Judge(chain, q)
    slack_r = 100.0 * EPSILON * judge.turn
    slack_p = slack_r * (1.0 + judge.length)
    for number, tip in enumerate(chain.tips):
        goal = targets[:, number]
        p, r = pose_errors(judge.pose[tip], goal)
        far = 100.0 * EPSILON * np.linalg.norm(goal[:, :3, 3], axis=1)
        tolerance_p, tolerance_r = tolerances(None, solver.options)
        met = (p <= tolerance_p + slack_p + far) & (r <= tolerance_r + slack_r)
        for row in np.flatnonzero(batch.success & ~met):
            blame('a false success', row, tip, (p[row], r[row]), (slack_p[row], slack_r[row]))
        same = (np.abs(p - batch.position_error[:, number])
                <= SLACK * (1.0 + p) + slack_p + far) | (p >= FAR)
        for row in np.flatnonzero(~same):
            blame('another position error', row, tip, p[row], batch[row])


def compare_with_single(solver: Solver, goals: Any, order: str | None, seeds: np.ndarray | None,
                        batch: BatchResult, blame: Callable[..., None]) -> None:
    """Solve some rows alone: the same bits, unless the time was over."""
    if order is not None:  # a single goal of seven numbers has another form
        return
    limit = solver.options.timeout
    for row in range(0, len(batch), AGAIN):
        many = batch[row]
        if many.time > 0.3 * limit:
            continue
        seed = seeds[row] if seeds is not None and seeds.ndim == 2 else seeds
        one = solver.solve(goals[row], seed)
        if Status.TIMED_OUT in (one.status, many.status) or one.time > 0.5 * limit:
            continue  # a busy machine, no fault
        same = one.status is many.status and not any(
            getattr(one, name).tobytes() != getattr(many, name).tobytes()
            for name in ('q', 'position_error', 'rotation_error', 'solutions', 'trace'))
        if not same or not many.message.strip():
            blame('a batch has other bits than a single solve', row, one, many, one.q, many.q,
                  goals[row], seed)
