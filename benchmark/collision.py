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
Judge decisions and solves by coal on the original meshes: ``python -m benchmark.collision``.

Prints three tables, a row for each robot alone and among twelve things: collisions that a decision
missed, free configurations called colliding, and its time; goals that have a free posture and were
solved, answers that collide, and the time of a solve; streams straight through things, commands
that collide, the clearance that is kept, the acceleration, and the time of a command. ``--rows``,
``--goals`` and ``--streams`` say how many.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
import sys
from time import perf_counter
from typing import Any

import dq_ik
from dq_ik.collision.scene import Scene
from dq_ik.core.memory.scene_layout import NEAREST
from dq_ik.native.load import door
from dq_ik.robot.bundled import example_robots
from dq_ik.stream.guard import DISTANCE
from dq_ik.stream.steps import Steps
import numpy as np

ROOT = Path(__file__).parents[1]
REPEATS = 5
NEAREST_TICKS = 20  # of a stream, whose distances coal measures


def judged() -> Iterator[tuple[str, Scene, Any]]:
    """Yield a name, a scene and its judge for each row of the tables."""
    sys.path.insert(0, str(ROOT / 'test'))
    from collision_judge import Judge
    from collision_robots import clutter, ENDS, scene_of
    for name in ENDS:
        for things in (0, 12):
            scene = scene_of(name, world=clutter(5, things) if things else None)
            around = f'{things} things, floor' if things else 'alone'
            yield f'{name}, {around}', scene, Judge(
                example_robots()[name], scene.chain, scene.snapshot().names,
                scene.world.snapshot()[1])


def decisions(rows: int) -> int:
    """Print the table of decisions; return the number of collisions missed."""
    print('| robot | colliding | missed | free called colliding | decision | coal |')
    print('| --- | --- | --- | --- | --- | --- |')
    missed = 0
    for name, scene, judge in judged():
        now, chain = scene.snapshot(), scene.chain
        q = chain.spread(np.random.default_rng(2).random((rows, chain.n)))
        pairs, memory, times = np.empty(rows), np.empty(now.memory_size), []
        for _ in range(REPEATS):
            start = perf_counter()
            door().entries['decide'](now.links, now.block, q, rows, pairs, memory)
            times.append((perf_counter() - start) / rows)
        start = perf_counter()
        truth = np.array([judge.collides(row) for row in q])
        judging = (perf_counter() - start) / rows
        hit = pairs >= 0.0
        own = int((truth & ~hit).sum())
        missed += own
        false = (hit & ~truth).sum() / (~truth).sum()
        print(f'| {name} | {truth.sum()} | {own} | {100 * false:.2f} % | '
              f'{1e6 * min(times):.1f} us | {1e6 * judging:.0f} us |', flush=True)
    return missed


def solves(goals: int) -> int:
    """Print the table of solves; return the number of answers that collide."""
    print('| robot | goals | first answer free | solved | colliding answers | median | 99 % |')
    print('| --- | --- | --- | --- | --- | --- | --- |')
    colliding = 0
    for name, scene, judge in judged():
        chain = scene.chain
        q = chain.spread(np.random.default_rng(3).random((6 * goals, chain.n)))
        free = [row for row in q[scene.free(q)][:2 * goals] if not judge.collides(row)][:goals]
        poses = chain.fk_batch(np.array(free))[:, 0]
        blind = scene.free(dq_ik.Solver(chain).solve_batch(poses).q)
        found = dq_ik.Solver(chain, collision=scene, timeout=1.0).solve_batch(poses)
        own = sum(judge.collides(row) for row in found.q[found.success])
        colliding += own
        median, high = np.percentile(1e6 * found.time, (50, 99))
        print(f'| {name} | {len(free)} | {100 * blind.mean():.1f} % | '
              f'{100 * found.success.mean():.2f} % | {own} | {median:.1f} us | {high:.0f} us |',
              flush=True)
    return colliding


def rms(start: np.ndarray, q: np.ndarray, dt: float) -> float:
    """Return the root of the mean squared acceleration of all joints, from rest [rad/s^2]."""
    accelerations = np.diff(np.vstack([start, start, q]), 2, axis=0) / dt**2
    return float(np.sqrt(np.mean(accelerations**2)))


def kept(scene: Scene, judge: Any, q: np.ndarray) -> float:
    """Return coal's distance where ours, which is no larger, is least [m]."""
    now, rows = scene.snapshot(), np.empty((len(q), NEAREST.width))
    door().entries['clearance'](now.links, now.block, np.ascontiguousarray(q), len(q), 1.0, rows,
                                np.empty(now.memory_size))
    return min(judge.distance(q[k]) for k in np.argsort(rows[:, 1])[:NEAREST_TICKS])


def streams(count: int) -> int:
    """Print the table of streams; return the number of commands that collide."""
    sys.path.insert(0, str(ROOT / 'test'))
    from random_streams import DT, random_streams
    print('| robot | commands | colliding | clearance kept | rms acceleration: median, largest | '
          'mean | without a scene: colliding, largest rms, mean |')
    print('| --- | --- | --- | --- | --- | --- | --- |')
    colliding = 0
    for name, scene, judge in judged():
        if not len(scene.world):
            continue
        rows = []
        for start, poses, plain in random_streams(scene, count):
            steps = Steps(scene.chain, start, scene.chain.velocity, scene=scene)
            found = steps.run(poses, DT)
            blind = Steps(scene.chain, start, scene.chain.velocity).run(poses, DT)
            rows.append((len(poses), sum(map(judge.collides, found.q)),
                         kept(scene, judge, found.q) / DISTANCE, rms(start, found.q, DT),
                         found.time.mean(), sum(map(judge.collides, plain)) > 0,
                         rms(start, plain, DT), blind.time.mean()))
        ticks, hits, share, own, times, others, jerks, before = map(np.array, zip(*rows))
        colliding += int(hits.sum())
        print(f'| {name} | {ticks.sum()} | {hits.sum()} | {100 * share.min():.0f} % | '
              f'{np.median(own):.0f}, {own.max():.0f} rad/s^2 | {1e6 * times.mean():.1f} us | '
              f'{others.sum()} of {count}, {jerks.max():.0f} rad/s^2, '
              f'{1e6 * before.mean():.1f} us |', flush=True)
    return colliding


def main() -> int:
    """Print the tables; 1 if a collision was missed or an answer collides."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument('--rows', type=int, default=100_000)
    parser.add_argument('--goals', type=int, default=10_000)
    parser.add_argument('--streams', type=int, default=100)
    args = parser.parse_args()
    return int(decisions(args.rows) + solves(args.goals) + streams(args.streams) > 0)


if __name__ == '__main__':
    sys.exit(main())
