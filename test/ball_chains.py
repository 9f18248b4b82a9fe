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
Chains with balls, a judge of their limits, and best reaches that SciPy found for them.

``test/data/ball_reach.csv`` has goals out of reach with the least cost ``|p|^2 + (SCALE angle)^2``
of many bounded ``scipy.optimize.least_squares`` from random starts. SciPy's unknowns are part of
the cone, azimuth and twist of each ball: there the limits are a box.
Run ``python test/ball_chains.py`` to write the file anew (about a quarter of an hour).
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
import math
from pathlib import Path

from dq_ik import Solver, Status
from dq_ik.pose import Pose
from dq_ik.robot.balls import Ball
from dq_ik.robot.chain import Chain
from dq_ik.robot.urdf import load_robot
import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

DATA = Path(__file__).parent / 'data' / 'ball_reach.csv'
SCALE = 0.25  # metres that weigh as much as a radian
STARTS = 10
MISSED = 1e-6  # least cost that counts as out of reach: a millimetre
STEP = 0.3  # largest change of a joint in a survey [rad]
NUMBER = 100  # goals of each chain
# Joints from base to tip: half angles of a cone and a range of twist, or the limit of a hinge.
ARM = (((1.0, 1.0), (-0.8, 1.2)), 2.5, ((1.0, 1.0), (-0.8, 1.2)))
SNAKE = (((0.5, 0.5), (-0.3, 0.4)),) * 4
SHOULDER = (1.5, ((1.4, 0.6), (-0.5, 2.0)), 2.5, ((2.2, 2.2), (-2.5, 2.5)))
CHAINS = {'arm': ARM, 'snake': SNAKE, 'shoulder': SHOULDER}


@cache
def chain_of(name: str, length: float = 0.3) -> Chain:
    """Return a chain of equal links along z."""
    links, joints, parent, balls = ["<link name='base'/>"], [], 'base', {}

    def add(joint: str, axis: str, offset: float, limit: float) -> None:
        nonlocal parent
        links.append(f"<link name='{joint}_link'/>")
        joints.append(
            f"<joint name='{joint}' type='revolute'><parent link='{parent}'/>"
            f"<child link='{joint}_link'/><origin xyz='0 0 {offset}'/><axis xyz='{axis}'/>"
            f"<limit lower='-{limit}' upper='{limit}' velocity='1' effort='1'/></joint>")
        parent = f'{joint}_link'
    for i, limits in enumerate(CHAINS[name]):
        if isinstance(limits, tuple):
            for axis, vector in zip('xyz', ('1 0 0', '0 1 0', '0 0 1')):
                add(f's{i}{axis}', vector, length if axis == 'x' else 0.0, 3.0)
            balls[f'b{i}'] = Ball((f's{i}x', f's{i}y', f's{i}z'), swing=limits[0],
                                  twist=limits[1])
        else:
            add(f's{i}', '0 1 0', length, limits)
    links.append("<link name='tip'/>")
    joints.append(f"<joint name='end' type='fixed'><parent link='{parent}'/><child link='tip'/>"
                  f"<origin xyz='0 0 {length}'/></joint>")
    text = f"<robot name='{name}'>{''.join(links + joints)}</robot>"
    return load_robot(text, balls=balls).chain()


def places(name: str) -> list[tuple[int, object]]:
    """Return the first variable of each joint with its limits."""
    first, found = 0, []
    for limits in CHAINS[name]:
        found.append((first, limits))
        first += 3 if isinstance(limits, tuple) else 1
    return found


def split(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return swing vectors (N, 2) and twists (N,) about z of rotation vectors, by matrices."""
    R = Rotation.from_rotvec(np.array(w)).as_matrix()  # a copy: SciPy writes to it
    sine = np.hypot(R[:, 0, 2], R[:, 1, 2])
    tilt = np.arctan2(sine, R[:, 2, 2])
    stretch = np.divide(tilt, sine, out=np.ones_like(tilt), where=sine > 1e-9)
    swing = np.stack([-stretch * R[:, 1, 2], stretch * R[:, 0, 2], np.zeros(len(w))], axis=1)
    turn = np.swapaxes(Rotation.from_rotvec(swing).as_matrix(), 1, 2) @ R
    return swing[:, :2], np.arctan2(turn[:, 1, 0], turn[:, 0, 0])


def excess(name: str, q: np.ndarray) -> float:
    """How far the worst of configurations (N, n) is outside the limits of its joints [rad]."""
    worst = -math.inf
    for i, limits in places(name):
        if not isinstance(limits, tuple):
            worst = max(worst, float(np.abs(q[:, i]).max()) - limits)
            continue
        (a, b), (low, high) = limits
        swing, twist = split(q[:, i:i + 3])
        cone = min(a, b) * (np.hypot(swing[:, 0] / a, swing[:, 1] / b) - 1.0)
        worst = max(worst, cone.max(), (low - twist).max(), (twist - high).max())
    return worst


def turned(name: str, q: np.ndarray, q_new: np.ndarray) -> float:
    """Largest change of a joint between two configurations: of a ball the angle of its turn."""
    changes = []
    for i, limits in places(name):
        if isinstance(limits, tuple):
            back = Rotation.from_rotvec(q[i:i + 3]).inv()
            changes.append(float((back * Rotation.from_rotvec(q_new[i:i + 3])).magnitude()))
        else:
            changes.append(abs(q_new[i] - q[i]))
    return max(changes)


@dataclass
class Survey:
    """What came of many solves: answers or iterates outside, goals met, attempts that stalled."""

    outside: int = 0
    met: int = 0
    stalled: int = 0


def survey(name: str, method: str, number: int, first: int = 0) -> dict[str, Survey]:
    """
    Solve random goals within reach, with and without seeds outside, steps and bounds.

    :param first: of the numbers that the goals are drawn with
    """
    chain = chain_of(name)
    free, short = (Solver(chain, method=method, timeout=1.0, trace=200, max_joint_step=step)
                   for step in (0.0, STEP))
    found = {kind: Survey() for kind in ('inside', 'outside', 'step', 'bounds')}
    for count in range(first, first + number):
        rng = np.random.default_rng(count)
        kind = tuple(found)[count % 4]
        seed, q = chain.random(rng), chain.random(rng)
        solver, bounds, beyond = free, None, -math.inf
        if kind == 'outside':
            seed = rng.uniform(-3.0, 3.0, chain.n)
        elif kind == 'step':
            solver = short
            q = chain.clamp(seed + rng.uniform(-0.2, 0.2, chain.n))
        elif kind == 'bounds':
            width = rng.uniform(0.05, 0.6, chain.n)
            bounds = seed - width, seed + width
            way = rng.uniform(-width, width)
            while not chain.within_limits(seed + way):
                way *= 0.8
            q = seed + way
        result = solver.solve(chain.fk(q), seed, bounds=bounds)
        rows = np.vstack([result.q, result.trace])
        if kind == 'step':
            beyond = max(turned(name, seed, row) for row in rows) - STEP
        elif bounds is not None:
            beyond = max((bounds[0] - rows).max(), (rows - bounds[1]).max())
        found[kind].outside += bool(max(excess(name, rows), beyond) > 1e-9)
        found[kind].met += bool(result)
        found[kind].stalled += result.status is Status.STALLED
    return found


def least_cost(name: str, goal: Pose, rng: np.random.Generator) -> float:
    """Return the least cost that SciPy finds from random starts; it stops at reachable goals."""
    chain = chain_of(name)
    lower, upper = _box(name)
    joints, position, r_goal = places(name), goal.position, goal.quaternion.tolist()

    def residual(u: np.ndarray) -> np.ndarray:
        x = chain.fk(_configuration(joints, u))
        back = x.quaternion * (1.0, -1.0, -1.0, -1.0)
        return np.concatenate([position - x.position,
                               SCALE * _vector(_product(r_goal, back.tolist()))])
    best = math.inf
    for _ in range(STARTS):
        start = np.maximum(lower, -math.pi) + (
            np.minimum(upper, math.pi) - np.maximum(lower, -math.pi)) * rng.uniform(
                0.05, 0.95, chain.n)
        found = least_squares(residual, start, bounds=(lower, upper), xtol=1e-8, ftol=1e-8,
                              gtol=1e-8, max_nfev=60)
        best = min(best, 2.0 * found.cost)
        if best < MISSED:
            break
    return best


def _box(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Limits of SciPy's unknowns; the azimuth has none."""
    low, high = [], []
    for _, limits in places(name):
        if isinstance(limits, tuple):
            low += [0.0, -math.inf, limits[1][0]]
            high += [1.0, math.inf, limits[1][1]]
        else:
            low.append(-limits)
            high.append(limits)
    return np.array(low), np.array(high)


def _product(a: list[float], b: list[float]) -> list[float]:
    """Product of two quaternions."""
    (aw, ax, ay, az), (bw, bx, by, bz) = a, b
    return [aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw]


def _vector(r: list[float]) -> np.ndarray:
    """Rotation vector of a quaternion."""
    sine = math.hypot(*r[1:])
    angle = 2.0 * math.atan2(sine, abs(r[0]))
    return math.copysign(angle / sine if sine > 1e-12 else 2.0, r[0]) * np.array(r[1:])


def _configuration(joints: list[tuple[int, object]], u: np.ndarray) -> np.ndarray:
    """Return the configuration of SciPy's unknowns."""
    q = np.array(u)
    for i, limits in joints:
        if isinstance(limits, tuple):
            part, azimuth, twist = u[i:i + 3].tolist()
            (a, b), _ = limits
            x, y = a * part * math.cos(azimuth), b * part * math.sin(azimuth)
            tilt = math.hypot(x, y)
            factor = math.sin(0.5 * tilt) / tilt if tilt > 1e-12 else 0.5
            q[i:i + 3] = _vector(_product(
                [math.cos(0.5 * tilt), factor * x, factor * y, 0.0],
                [math.cos(0.5 * twist), 0.0, 0.0, math.sin(0.5 * twist)]))
    return q


def random_goal(name: str, rng: np.random.Generator, outside: bool) -> Pose:
    """Draw a pose outside the workspace, or one of a configuration beyond the limits."""
    chain = chain_of(name)
    if outside:
        direction = rng.normal(size=3)
        position = chain.reach_from[0] + (chain.reach[0] * rng.uniform(1.1, 2.0) * direction
                                          / np.linalg.norm(direction))
        quaternion = rng.normal(size=4)
    else:
        x = chain.fk(rng.uniform(-1.8, 1.8, chain.n))
        position, quaternion = x.position, x.quaternion
    return Pose.from_xyz_wxyz(np.round(position, 4), np.round(quaternion, 4))


def write(path: Path) -> None:
    """Draw the goals and write them with their costs: chain, dual quaternion (8), cost."""
    with path.open('w', newline='') as file:
        rows = csv.writer(file)
        for name in CHAINS:
            rng, found = np.random.default_rng(1), 0
            while found < NUMBER:
                goal = random_goal(name, rng, outside=found % 2 == 0)
                cost = least_cost(name, goal, rng)
                if cost > MISSED:
                    rows.writerow([name, *np.round([*goal.real, *goal.dual], 12), f'{cost:.9g}'])
                    file.flush()
                    found += 1


def read() -> list[tuple[str, np.ndarray, float]]:
    """Return chain, goal as a dual quaternion (8,) and least cost of each row of the file."""
    with DATA.open(newline='') as file:
        return [(name, np.array(numbers[:8], float), float(numbers[8]))
                for name, *numbers in csv.reader(file)]


if __name__ == '__main__':
    write(DATA)
