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
Goals out of reach, and the least cost that SciPy finds for each: ``test/data/best_reach.csv``.

Half of the goals lie outside the workspace, half are poses of configurations beyond the limits.
The cost is ``|p|^2 + (SCALE angle)^2``, the least of many bounded ``scipy.optimize.least_squares``
from random starts: a slow, independent judge of the solver's best reach.
Run ``python test/optimum.py`` to write the file anew (about a quarter of an hour).
"""

from __future__ import annotations

import csv
from pathlib import Path

from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
from dq_ik.robot.urdf import load_robot
import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

ROOT = Path(__file__).parent.parent
DATA = ROOT / 'test' / 'data' / 'best_reach.csv'
SCALE = 0.25  # metres that weigh as much as a radian
STARTS = 8
MISSED = 1e-6  # least cost that counts as out of reach: a millimetre
NUMBERS = {'panda': 400, 'arm6': 300, 'arm5': 300}
TIPS = {'panda': 'panda_hand_tcp', 'arm6': 'tool0', 'arm5': 'tool'}


def chain_of(robot: str) -> Chain:
    """Return the arm of a robot of this repository."""
    return load_robot(ROOT / 'urdf' / f'{robot}.urdf').chain(tips=TIPS[robot])


def least_cost(chain: Chain, goal: Pose, rng: np.random.Generator, starts: int = STARTS) -> float:
    """
    Return the least cost within the limits that bounded least squares finds from random starts.

    It stops at once where the goal is within reach.
    """
    turn = Rotation.from_quat(goal.quaternion, scalar_first=True)

    def residual(q: np.ndarray) -> np.ndarray:
        x = chain.fk(q)
        error = turn * Rotation.from_quat(x.quaternion, scalar_first=True).inv()
        return np.concatenate([goal.position - x.position, SCALE * error.as_rotvec()])

    def derivative(q: np.ndarray) -> np.ndarray:
        J = chain.jacobian(q)
        return -np.vstack([J[:3], _falling(residual(q)[3:] / SCALE) @ J[3:] * SCALE])

    best = np.inf
    for _ in range(starts):
        start = chain.lower + (chain.upper - chain.lower) * rng.uniform(0.01, 0.99, chain.n)
        found = least_squares(residual, start, derivative, (chain.lower, chain.upper),
                              xtol=1e-8, ftol=1e-8, gtol=1e-8, max_nfev=80)
        best = min(best, 2.0 * found.cost)
        if best < MISSED:
            break
    return best


def _falling(e: np.ndarray) -> np.ndarray:
    """Matrix that maps an angular velocity to the rate at which the rotation vector e falls."""
    angle = np.linalg.norm(e)
    S = np.cross(np.eye(3), -e)
    c = (1.0 - 0.5 * angle / np.tan(0.5 * angle)) / angle**2 if angle > 1e-4 else 1.0 / 12.0
    return np.eye(3) + 0.5 * S + c * S @ S


def random_goal(chain: Chain, rng: np.random.Generator, outside: bool) -> Pose:
    """Draw a pose outside the workspace, or one of a configuration beyond the limits."""
    if outside:
        direction = rng.normal(size=3)
        distance = chain.reach[0] * rng.uniform(1.1, 2.0)
        position, quaternion = distance * direction / np.linalg.norm(direction), rng.normal(size=4)
    else:
        x = chain.fk(chain.lower + (chain.upper - chain.lower) * rng.uniform(-0.3, 1.3, chain.n))
        position, quaternion = x.position, x.quaternion
    return Pose.from_xyz_wxyz(np.round(position, 4), np.round(quaternion, 4))


def write(path: Path) -> None:
    """Draw the goals and write them with their costs: robot, dual quaternion (8), cost."""
    rng = np.random.default_rng(1)
    with path.open('w', newline='') as file:
        rows = csv.writer(file)
        for robot, number in NUMBERS.items():
            chain = chain_of(robot)
            found = 0
            while found < number:
                goal = random_goal(chain, rng, outside=found % 2 == 0)
                cost = least_cost(chain, goal, rng)
                if cost > MISSED:
                    rows.writerow([robot, *np.round([*goal.real, *goal.dual], 12), f'{cost:.9g}'])
                    file.flush()
                    found += 1


def read() -> list[tuple[str, np.ndarray, float]]:
    """Return robot, goal as a dual quaternion (8,) and least cost of each row of the file."""
    with DATA.open(newline='') as file:
        return [(robot, np.array(numbers[:8], float), float(numbers[8]))
                for robot, *numbers in csv.reader(file)]


if __name__ == '__main__':
    write(DATA)
