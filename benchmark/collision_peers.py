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
Compare answers and streams that are free of collisions with peers.

``python -m benchmark.collision_peers`` prints two tables. Of the first, goals are 4x4 arrays,
poses of free configurations. A peer solves from one random seed after the other, until coal
finds an answer free on the original meshes: what people do whose solver knows of no collisions.
Of the second, goals move straight through obstacles, and Pink and mink avoid them by their own
means.
Times are those that a caller sees, in one process; the solvers take turns.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
import sys
from tempfile import TemporaryDirectory
from time import perf_counter
from xml.etree import ElementTree

import dq_ik
from dq_ik.collision.scene import Scene
from dq_ik.robot.bundled import example_robots
from dq_ik.stream.guard import DISTANCE
from dq_ik.stream.steps import Steps
import numpy as np

from .collision import judged, rms
from .protocol import Settings
from .robots import cut, Robot

PEERS = {'TRAC-IK': 'trac_ik', 'toolbox LM Chan': 'toolbox'}
TRIES = 48  # seeds of a goal at most
TURN = 50  # goals that a solver gets in a row

Solve = Callable[[np.ndarray], 'np.ndarray | None']


def entrants(scene: Scene, robot: Robot, collides: Callable[[np.ndarray], bool]
             ) -> Iterator[tuple[str, Solve]]:
    """Yield names and functions from a goal to an answer, of peers that are installed."""
    yield 'dq_ik', ours(dq_ik.Solver(scene.chain, collision=scene, timeout=1.0))
    order = [robot.joints.index(name) for name in scene.chain.joint_names]
    for name, module in PEERS.items():
        try:
            peer = import_module(f'.peers.{module}', __package__).SOLVERS[name](robot, Settings())
        except ImportError as reason:
            print(f'skipped: {name}: {reason}', file=sys.stderr)
            continue
        yield f'{name} + coal', filtered(peer, robot, order, collides)


def ours(solver: dq_ik.Solver) -> Solve:
    """Return a function that asks a solver with a scene once."""
    def solve(goal: np.ndarray) -> np.ndarray | None:
        result = solver.solve(goal)
        return result.q if result.success else None

    return solve


def filtered(peer, robot: Robot, order: list[int], collides: Callable[[np.ndarray], bool]
             ) -> Solve:
    """Return a function that asks a peer until an answer is free."""
    rng, lower, upper = np.random.default_rng(4), np.array(robot.lower), np.array(robot.upper)

    def solve(goal: np.ndarray) -> np.ndarray | None:
        told = peer.translate(goal[None])
        for number in range(TRIES):
            seed = rng.uniform(lower, upper) if number else 0.5 * (lower + upper)
            q, solved = peer.solve(told, seed)
            if solved and not collides(free := np.asarray(q)[order]):
                return free
        return None

    return solve


def robot_of(name: str, scene: Scene, folder: Path) -> Robot:
    """Return the chain of a scene as peers get it."""
    chain, urdf = scene.chain, example_robots()[name.partition(',')[0]]
    return cut(ElementTree.parse(urdf).getroot(), chain.model.name, name, chain.base, chain.tips,
               folder)


def compare(name: str, scene: Scene, judge, goals: int, robot: Robot) -> None:
    """Print the rows of a robot."""
    chain = scene.chain
    q = chain.spread(np.random.default_rng(7).random((6 * goals, chain.n)))
    free = [row for row in q[scene.free(q)][:2 * goals] if not judge.collides(row)][:goals]
    poses = [chain.fk(row).matrix for row in free]
    entered = dict(entrants(scene, robot, judge.collides))
    times = {entrant: [] for entrant in entered}
    answers: dict[str, list] = {entrant: [] for entrant in entered}
    for first in range(0, len(poses), TURN):
        for entrant, solve in entered.items():
            for pose in poses[first:first + TURN]:
                start = perf_counter()
                answer = solve(pose)
                times[entrant].append(perf_counter() - start)
                answers[entrant].append(answer)
    for entrant in entered:
        found = [answer for answer in answers[entrant] if answer is not None]
        mean, high = np.mean(times[entrant]), np.percentile(times[entrant], 99)
        print(f'| {name} | {entrant} | {100 * len(found) / len(poses):.2f} % | '
              f'{sum(map(judge.collides, found))} | {1e6 * mean:.1f} us | {1e6 * high:.0f} us | '
              f'{mean / np.mean(times["dq_ik"]):.0f} |', flush=True)


class Ours:
    """A stream that looks at collisions."""

    def __init__(self, scene: Scene) -> None:
        """Note the scene."""
        self._scene = scene

    def begin(self, q: np.ndarray) -> None:
        """Start at a posture."""
        self._steps = Steps(self._scene.chain, q, self._scene.chain.velocity, scene=self._scene)

    def step(self, pose: np.ndarray, dt: float) -> np.ndarray:
        """Answer one goal."""
        return self._steps.step(dq_ik.Pose.from_matrix(pose), dt).q


def compare_streams(name: str, scene: Scene, judge, count: int, robot: Robot) -> None:
    """Print the rows of a robot."""
    from collision_judge import shape_of
    from random_streams import DT, random_streams

    from .collision_stream_peers import PEERS as STREAM_PEERS

    entered = {'dq_ik': Ours(scene)} | {
        peer: make(scene, robot, np.array(scene.chain.velocity), DISTANCE, shape_of)
        for peer, make in STREAM_PEERS.items()}
    rows: dict[str, list[tuple]] = {entrant: [] for entrant in entered}
    for start, poses, _ in random_streams(scene, count):
        for entrant, stream in entered.items():
            stream.begin(start.copy())
            before = perf_counter()
            q = [stream.step(pose, DT).copy() for pose in poses]
            spent = (perf_counter() - before) / len(poses)
            rows[entrant].append((len(q), sum(map(judge.collides, q)),
                                  rms(start, np.array(q), DT), spent))
    for entrant, found in rows.items():
        ticks, hits, accelerations, times = map(np.array, zip(*found))
        print(f'| {name} | {entrant} | {ticks.sum()} | {hits.sum()} | '
              f'{(hits > 0).sum()} of {count} | '
              f'{accelerations.max():.0f} rad/s^2 | {1e6 * times.mean():.0f} us |', flush=True)


def main() -> int:
    """Print the tables."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument('--goals', type=int, default=1000)
    parser.add_argument('--streams', type=int, default=20)
    args = parser.parse_args()
    print('| robot | solver | solved | colliding answers | mean | 99 % | times dq_ik |')
    print('| --- | --- | --- | --- | --- | --- | --- |')
    with TemporaryDirectory() as folder:
        for name, scene, judge in judged():
            compare(name, scene, judge, args.goals, robot_of(name, scene, Path(folder)))
        print()
        print('| robot | solver | commands | colliding | streams that collide | largest rms '
              'acceleration | mean per command |')
        print('| --- | --- | --- | --- | --- | --- | --- |')
        for name, scene, judge in judged():
            if len(scene.world):
                compare_streams(name, scene, judge, args.streams,
                                robot_of(name, scene, Path(folder)))
    return 0


if __name__ == '__main__':
    sys.exit(main())
