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

"""Streams of goals that lead a robot straight through things near it."""

from __future__ import annotations

from collections.abc import Iterator

from dq_ik import Pose
from dq_ik.collision.scene import Scene
from dq_ik.stream.steps import Steps
import numpy as np

DT, SPEED = 0.002, 0.2  # [s, m/s]
LENGTHS = 0.25, 1.2  # of a path [m]
START_CLEARANCE = 0.012  # [m]


def line(start: Pose, end: Pose, dt: float = DT, speed: float = SPEED) -> np.ndarray:
    """Return the poses (N, 4, 4) of a straight way at a constant speed."""
    length = float(np.linalg.norm(end.position - start.position))
    count = max(2, int(length / speed / dt))
    return np.array([start.interpolate(end, k / count).matrix for k in range(1, count + 1)])


def random_streams(scene: Scene, count: int, seed: int = 11
                   ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """
    Yield starts (n,), poses (N, 4, 4) at 500 Hz, and the answers without a scene.

    The start is free by 12 mm. Without a scene all goals are met, and something collides with a
    thing of the world, but no link with another.
    """
    rng, chain = np.random.default_rng(seed), scene.chain
    alone = Scene(chain, scene.bodies, scene.pairs)
    found = 0
    while found < count:
        ends = chain.spread(rng.random((2, chain.n)))
        start, end = (chain.fk(q) for q in ends)
        if not LENGTHS[0] < np.linalg.norm(end.position - start.position) < LENGTHS[1]:
            continue
        nearest = scene.clearance(ends[0])
        if nearest is None or nearest.distance < START_CLEARANCE:
            continue
        poses = line(start, end)
        plain = Steps(chain, ends[0], chain.velocity).run(poses, DT)
        if (not plain.success.all() or scene.free(plain.q[::5]).all()
                or not alone.free(plain.q[::5]).all()):
            continue
        found += 1
        yield ends[0], poses, plain.q
