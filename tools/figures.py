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
Draw the figures of docs/how_it_works.md by solving: ``python tools/figures.py [folder]``.

Each function solves a small problem with the library and draws its iterates.
"""

from __future__ import annotations

from pathlib import Path
import sys

from dq_ik import Chain, load_robot
import matplotlib.pyplot as plt
import numpy as np

FOLDER = Path(__file__).resolve().parents[1] / 'docs' / 'images' / 'how'
BLUE, ORANGE, GREEN, GREY = '#0072b2', '#d55e00', '#009e73', '#777777'  # told apart by all eyes
SIZE = (6.4, 3.6)  # inches


def cost(arm: Chain, point: np.ndarray, q: np.ndarray) -> float:
    """Return the squared distance of the tip from a point [m^2]."""
    return float(np.sum((arm.fk(q).position - point) ** 2))


def joints_of(arm: Chain, q: np.ndarray) -> np.ndarray:
    """Return the places of the links in the plane, base first."""
    poses = arm.model.link_poses(arm.joint_positions(q))
    return np.array([pose.position[:2] for pose in poses.values()])


def limit(axes: plt.Axes) -> None:
    """Draw iterates in joint space: the limits are a box, and pgs slides along its edge."""
    arm = load_robot('planar_2r').chain()
    goal = arm.fk((1.2, 1.9)).position
    lower, upper = np.array([-0.4, -0.2]), np.array([1.6, 1.4])
    start = np.array([0.0, 0.2])
    grid = [np.linspace(low, high, 90) for low, high in ((-0.9, 2.2), (-0.6, 2.5))]
    values = [[cost(arm, goal, np.array([a, b])) for a in grid[0]] for b in grid[1]]
    axes.contour(*grid, np.sqrt(values), 14, colors=GREY, linewidths=0.5)
    axes.add_patch(plt.Rectangle(lower, *(upper - lower), fill=False, lw=2, ec='black'))
    for bounds, colour, shape, words in ((None, ORANGE, 's--', 'without these limits'),
                                         ((lower, upper), BLUE, 'o-', 'with these limits')):
        found = arm.solve(goal, start, method='pgs_paper', max_restarts=0, trace=60,
                          bounds=bounds)
        path = np.vstack([start, found.trace])
        falling = np.minimum.accumulate([cost(arm, goal, q) for q in path])
        kept = np.array([cost(arm, goal, q) for q in path]) <= falling
        axes.plot(*path[kept].T, shape, color=colour, ms=4, label=words)
    axes.set(xlabel='first joint [rad]', ylabel='second joint [rad]')
    axes.legend(loc='lower right')


def line_search(axes: plt.Axes) -> None:
    """Draw one step of pls: the cost along it, the Armijo line, the lengths that were tried."""
    arm = load_robot('planar_3r').chain()
    goal, q = np.array([0.75, 0.75, 0.0]), np.array([0.1, 0.2, 0.3])
    slope = -2.0 * arm.jacobian(q)[:3].T @ (goal - arm.fk(q).position)
    step, alpha = -slope, 1e-4
    lengths = np.linspace(0.0, 4.2, 200)

    def along(tau: float) -> float:
        return cost(arm, goal, arm.clamp(q + tau * step))
    axes.plot(lengths, [along(tau) for tau in lengths], color=BLUE, label='cost along the step')
    bound = [cost(arm, goal, q) + alpha * slope @ (arm.clamp(q + tau * step) - q)
             for tau in lengths]
    axes.plot(lengths, bound, '--', color=GREY, label='Armijo: the cost must be below this line')
    tau = 4.0
    while along(tau) >= cost(arm, goal, q) + alpha * slope @ (arm.clamp(q + tau * step) - q):
        axes.plot(tau, along(tau), 'x', color=ORANGE, ms=9, mew=2)
        tau *= 0.5
    axes.plot(tau, along(tau), 'o', color=GREEN, ms=9, label=f'taken: {tau:g}')
    axes.set(xlabel='length of the step', ylabel='squared distance [m$^2$]')
    axes.legend(loc='upper right')


def starts(axes: plt.Axes) -> None:
    """Draw attempts from several starts: some fail, the first that succeeds ends the search."""
    arm = load_robot('panda').chain()
    rng = np.random.default_rng(5)
    goal = arm.fk(arm.random(rng))
    for _ in range(14):
        start = arm.random(rng)
        found = arm.solve(goal, start, max_restarts=0, trace=60)
        errors = [max(sum(arm.fk(q).distance(goal)), 1e-9)
                  for q in np.vstack([start, found.trace])]
        axes.semilogy(errors, 'o-', ms=2.5, lw=1.2, color=BLUE if found.success else ORANGE)
    axes.axhline(2e-5, color=GREY, ls='--')
    axes.plot([], [], color=BLUE, label='reaches the goal')
    axes.plot([], [], color=ORANGE, label='ends at a limit or makes no progress')
    axes.set(xlabel='iteration', ylabel='error [m + rad]')
    axes.legend(loc='upper right')


def best_reach(axes: plt.Axes) -> None:
    """Draw a goal out of reach, to which the arm stretches, and one behind a limit."""
    arm = load_robot('planar_3r').chain()
    narrow = arm.lower.copy(), np.array([0.5, *arm.upper[1:]])  # of the first joint
    narrow[0][0] = -0.5
    for point, bounds, colour in (((1.1, 0.8, 0.0), None, BLUE),
                                  ((-0.5, -0.9, 0.0), narrow, GREEN)):
        found = arm.solve(point, bounds=bounds)
        axes.plot(*joints_of(arm, found.q).T, 'o-', color=colour, lw=3)
        axes.plot(*point[:2], '*', color=colour, ms=14)
        axes.plot(*np.array([point, arm.fk(found.q).position])[:, :2].T, ':', color=GREY)
        words = ', '.join(found.limited_joints) or found.message.split(':')[1].split(',')[0]
        axes.annotate(f'{found.position_error[0]:.2f} m off: {words.strip()}', point[:2],
                      (12, -3), textcoords='offset points', fontsize=8)
    axes.add_patch(plt.Circle((0.0, 0.0), arm.reach[0], fill=False, ls='--', ec=GREY))
    axes.set_aspect('equal')
    axes.set(xlim=(-2.0, 2.6), ylim=(-1.4, 1.4))
    axes.set(xlabel='x [m]', ylabel='y [m]')


FIGURES = (limit, line_search, starts, best_reach)


def main(folder: Path) -> None:
    """Write all figures."""
    plt.switch_backend('Agg')
    folder.mkdir(parents=True, exist_ok=True)
    for draw in FIGURES:
        figure, axes = plt.subplots(figsize=SIZE, layout='constrained')
        draw(axes)
        figure.savefig(folder / f'{draw.__name__}.png', dpi=110)
        plt.close(figure)


if __name__ == '__main__':
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
