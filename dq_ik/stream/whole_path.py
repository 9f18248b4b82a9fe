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

"""Follow a whole path that is known beforehand: no jump, no lost pose where that is possible."""

from __future__ import annotations

from dataclasses import dataclass
import math
from time import perf_counter
from typing import Any

from dq_ik.errors import ChainError, GoalError, listing, OptionError, SeedError
from dq_ik.pose import frozen, Pose
from dq_ik.pose_forms import as_pose
from dq_ik.robot.chain import Chain
from dq_ik.stream.path_plan import Plan
from dq_ik.stream.path_postures import Postures
import numpy as np
from numpy.typing import ArrayLike

REACH = 0.16  # rad or m that a joint may move from one slice of the path to the next
LEVELS = ((1, 600), (2, 1000), (4, 1600))  # parts of a slice, and postures kept at each


@dataclass(frozen=True)
class PathResult:
    """
    Joints for each pose of a path.

    :param q: joint vectors, shape (N, n)
    :param lost: which poses are missed, shape (N,) of bool
    :param largest_step: of a joint from one frame to the next, as a share of its limit
    :param time: that the search took [s]
    """

    q: np.ndarray
    lost: np.ndarray
    largest_step: float
    time: float

    @property
    def success(self) -> bool:
        """Whether every pose is met."""
        return not self.lost.any()

    def __bool__(self) -> bool:
        """Whether every pose is met, as :attr:`success`."""
        return self.success

    @property
    def message(self) -> str:
        """Return a sentence: how many poses are met, and how fast the joints move."""
        count, lost = len(self.lost), int(self.lost.sum())
        if lost == 0:
            text = f'all {count} poses are followed'
        elif lost == count:
            text = f'none of the {count} poses is reached'
        else:
            text = f'{lost} of {count} poses are lost, the first is {int(self.lost.argmax())}'
        return f'{text}; the largest joint step is {self.largest_step:.3f} of its limit'


def follow_path(chain: Chain, poses: Any, dt: float, *, start: ArrayLike | None = None,
                velocity: ArrayLike | None = None, order: str | None = None,
                tolerance: float = 1e-5, random_seed: int = 0) -> PathResult:
    """
    Find a joint motion through all poses of a path without a jump.

    :param chain: with one tip and joints of one variable each
    :param poses: N poses at constant distance in time: a sequence as for :meth:`Solver.solve`,
        or an array of (N, 4, 4) matrices, (N, 8) dual quaternions, or (N, 7) with ``order``
    :param dt: time from one pose to the next [s]
    :param start: joints at the first pose; None: the best are chosen
    :param velocity: largest speed of the joints [rad/s or m/s], one or n; None: the URDF's
    :param order: of the quaternions of (N, 7): 'wxyz' or 'xyzw'
    :param tolerance: distance [m] and angle [rad] that count as reached
    :param random_seed: the same number gives the same motion
    """
    began = perf_counter()
    _check_chain(chain)
    rows, step = _rows(poses, order), _step(chain, velocity, dt)
    postures = Postures(chain, tolerance, random_seed)
    first = None if start is None else _start(postures, rows[0], start, step)
    best: tuple[np.ndarray, np.ndarray] | None = None
    for size, postures.most in _levels(step):
        q = Plan(postures, rows, step, size).follow(first)
        if q is None:
            continue
        lost = ~postures.judged(rows, q)
        if best is None or lost.sum() < best[1].sum():
            best = q, lost
        if not lost.any():
            break
    if best is None:
        hold = chain.neutral if first is None else first
        best = np.tile(hold, (len(rows), 1)), np.ones(len(rows), bool)
    q, lost = best
    largest = float((np.abs(np.diff(q, axis=0)) / step).max(initial=0.0))
    return PathResult(frozen(q), lost, largest, perf_counter() - began)


def _check_chain(chain: Chain) -> None:
    if len(chain.tips) != 1:
        raise ChainError(f'a path is for one tip; this chain has {listing(chain.tips)}')
    names = [variable.joint for variable in chain.variables]
    several = sorted({name for name in names if names.count(name) > 1})
    if several or not names:
        raise ChainError('a path needs joints of one variable each; ' + (
            f'these have several: {listing(several)}' if several else 'this chain has none'))


def _rows(poses: Any, order: str | None) -> np.ndarray:
    """Return poses as dual quaternions (N, 8), or raise GoalError."""
    if hasattr(poses, 'as_matrix'):  # SciPy's RigidTransform of many
        poses = poses.as_matrix()
    makers = {'wxyz': Pose.from_xyz_wxyz, 'xyzw': Pose.from_xyz_xyzw}
    if order is not None and order not in makers:
        raise GoalError(f"order is 'wxyz' or 'xyzw', got {order!r}")
    seven = isinstance(poses, np.ndarray) and poses.ndim == 2 and poses.shape[1] == 7
    if seven and order is None:
        raise GoalError("poses (N, 7) need order='wxyz' or order='xyzw'")
    if not hasattr(poses, '__iter__'):
        raise GoalError(f'poses are a sequence of poses, got {poses!r}')
    rows = []
    for number, pose in enumerate(poses):
        try:
            x = makers[order](pose[:3], pose[3:]) if seven and order else as_pose(pose)
            rows.append(x.numbers())
        except ValueError as error:
            raise GoalError(f'pose {number} of the path: {error}') from error
    if not rows:
        raise GoalError('a path has at least one pose, got none')
    return np.array(rows)


def _step(chain: Chain, velocity: ArrayLike | None, dt: float) -> np.ndarray:
    """Return the largest step of each joint from frame to frame, or raise OptionError."""
    if not (isinstance(dt, (int, float, np.number)) and 0.0 < dt < math.inf):
        raise OptionError(f'dt is the time between two poses, above 0 s, got {dt!r}')
    speeds = np.array(chain.velocity if velocity is None else velocity, dtype=float)
    if speeds.shape not in ((), (chain.n,)):
        raise OptionError(f'velocity is one number or {chain.n} numbers, for '
                          f'{listing(chain.joint_names)}; got shape {speeds.shape}')
    speeds = np.broadcast_to(speeds, (chain.n,))
    bad = [name for name, speed in zip(chain.joint_names, speeds)
           if not 0.0 < speed < math.inf]
    if bad:
        raise OptionError(f'a path needs a speed limit above 0 for {listing(bad)}; '
                          f'give velocity, got {speeds.tolist()}')
    return speeds * float(dt)


def _start(postures: Postures, pose: np.ndarray, start: ArrayLike,
           step: np.ndarray) -> np.ndarray:
    """Return joints at the first pose that one step from the start reaches."""
    q = postures.chain.checked(start)
    if not postures.chain.within_limits(q, 1e-9):
        raise SeedError(f'the start is outside the joint limits: {q.tolist()}')
    q = postures.chain.clamp(q)
    found, good = postures.solve(pose, q[None], (q - step)[None], (q + step)[None])
    if not good[0]:
        away = Pose(pose[:4], pose[4:]).position - postures.chain.fk(q).position
        raise SeedError('the start is not at the first pose of the path: the tip is '
                        f'{1e3 * np.linalg.norm(away):.3g} mm away, more than one step')
    return found[0]


def _levels(step: np.ndarray) -> list[tuple[int, int]]:
    """Return frames from one slice to the next, and postures kept: coarse first, then finer."""
    size = max(1, round(REACH / float(np.median(step))))
    return [(size // parts, most) for parts, most in LEVELS if size >= parts]
