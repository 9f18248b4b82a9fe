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

"""The guard of a stream: it keeps the steps away from bodies."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from dq_ik.contact import Contact
from dq_ik.core.memory.scene_layout import GUARD, MOST_ROWS, NEAREST
from dq_ik.core.memory.views import read
from dq_ik.errors import CollisionError, DqIkError
from dq_ik.native.load import door, fault_of
import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from dq_ik.collision.scene import Scene, Snapshot

DISTANCE = 0.002  # clearance that is wanted [m]
INFLUENCE = 0.03  # distance from which bodies count [m]
APPROACH = 0.3  # speed at which they may approach each other there [m/s]


class Guard:
    """
    Knows a scene, and what the last step met in it.

    The world may change between two steps; each step sees it as it is then.
    """

    def __init__(self, scene: Scene, distance: float = DISTANCE) -> None:
        """
        Be at rest.

        :param distance: clearance that is wanted [m]
        """
        least = scene.margin
        if not least < distance < INFLUENCE:
            raise CollisionError(f'the distance to keep is {distance} m; it must be above the '
                                 f'margin of the scene, {least:g} m, and below {INFLUENCE:g} m')
        self.scene, self.distance = scene, float(distance)
        self._now: Snapshot | None = None
        self._seen: Snapshot | None = None  # by the last step
        now = scene.snapshot()
        self._acceleration: ArrayLike = np.inf
        self._block = np.zeros(door().entries['guard_size'](now.links, now.block))
        self.rest()

    def rest(self) -> None:
        """Forget the last step."""
        now = self.now()
        status = door().entries['guard_begin'](
            now.links, now.block, self.distance, INFLUENCE, APPROACH, self._block)
        if status < 0:
            raise DqIkError(f'the guard failed: {fault_of(status)}')
        self.state = read(GUARD, self._block)
        self.state.acceleration[:] = self._acceleration

    def brake(self, acceleration: ArrayLike) -> None:
        """Take the accelerations with which joints can brake, one for all or (n,) [rad/s^2]."""
        self._acceleration = acceleration
        self.state.acceleration[:] = acceleration

    def copy(self) -> Guard:
        """Return one that goes on from here."""
        other = copy(self)
        other._block = self._block.copy()
        other.state = read(GUARD, other._block)
        other._memory = np.empty_like(self._memory)
        return other

    def now(self) -> Snapshot:
        """Return the scene as it is now; there is memory for it."""
        now = self.scene.snapshot()
        if now is not self._now:
            self._now, self._memory = now, np.empty(now.memory_size)
        return now

    @property
    def arguments(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return links, scene, guard and work memory, as entries take them."""
        now = self.now()
        return now.links, now.block, self._block, self._memory

    def look(self) -> None:
        """Note that a step sees the scene as it is now."""
        self._seen = self.now()

    @property
    def stirred(self) -> bool:
        """Whether no step has seen the scene as it is now, or an object is too near."""
        return bool(self.state.crowded[0]) or self.scene.snapshot() is not self._seen

    @property
    def guarding(self) -> bool:
        """Whether the stream slides along bodies, or comes back from there."""
        return bool(self.state.guarding[0])

    @property
    def active(self) -> bool:
        """Whether a body held the last step back."""
        return bool(self.state.active[0] or self.state.cut[0])

    def contact(self, row: np.ndarray) -> Contact | None:
        """Return what a row of the kernels says, of the scene that the last step saw."""
        return None if self._now is None else self._now.contact(row)

    def lead(self, q: np.ndarray, q_wanted: np.ndarray, dt: float, *,
             slow: bool) -> tuple[np.ndarray, float]:
        """
        Go from q towards another configuration, as far as the straight way is free.

        :param dt: time of the way [s]
        :param slow: approach bodies slowly, and keep the distance; else only do not collide
        :returns: the end, and which share of the way it is at
        """
        links, scene, block, memory = self.arguments
        q_out, share = np.empty(len(q)), np.empty(1)
        status = door().entries['free_step'](
            links, scene, block, np.ascontiguousarray(q, float),
            np.ascontiguousarray(q_wanted, float), dt, int(slow), q_out, share, memory)
        if status < 0:
            raise DqIkError(f'the step failed: {fault_of(status)}')
        return (q_wanted, 1.0) if share[0] == 1.0 else (q_out, float(share[0]))

    def gaps(self, q: ArrayLike, reach: float = INFLUENCE) -> tuple[list[Contact], np.ndarray]:
        """
        Return the pieces that are near each other, and how the joints change their gaps.

        :param reach: the largest gap that counts [m]
        :returns: contacts, one for each two pieces, and the derivatives of their gaps (k, n)
        """
        links, scene, block, memory = self.arguments
        n = self.scene.chain.n
        rows, derivatives = np.empty((MOST_ROWS, NEAREST.width)), np.empty((MOST_ROWS, n))
        count = door().entries['gaps'](links, scene, block.copy(), self.scene.chain.checked(q),
                                       reach, rows, derivatives, memory)
        if count < 0:
            raise DqIkError(f'the gaps failed: {fault_of(count)}')
        found = [contact for contact in map(self.now().contact, rows[:count]) if contact]
        return found, derivatives[:count].copy()
