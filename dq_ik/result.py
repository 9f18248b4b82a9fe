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

"""IkResult: what a solve found, read from the answer of the kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TYPE_CHECKING

from dq_ik.contact import Contact
from dq_ik.core.solve.verdict import Status
from dq_ik.pose import frozen
from dq_ik.robot import notebook
import numpy as np

if TYPE_CHECKING:
    from dq_ik.robot.chain import Chain


class Layout:
    """What the answers of a solver are about, and where they keep it."""

    def __init__(self, chain: Chain, places: Mapping[str, slice]) -> None:
        """
        Note where things are.

        :param places: of the fields of :data:`dq_ik.core.memory.layout.ANSWER`
        """
        self.chain, self.places = chain, places
        self.q = np.arange(places['q'].start, places['q'].stop)

    def __reduce__(self) -> tuple:
        """Pickle by what was given."""
        return Layout, (self.chain, self.places)

    def numbers(self, answers: np.ndarray, name: str) -> np.ndarray:
        """Return a field of one answer or of many."""
        return answers[..., self.places[name]]

    def integers(self, answers: np.ndarray, name: str) -> np.ndarray:
        """Return a field of whole numbers of one answer or of many."""
        return answers[..., self.places[name]].view(np.int64)

    def errors(self, answers: np.ndarray) -> np.ndarray:
        """Return distances and angles, (..., n_tips, 2)."""
        errors = self.numbers(answers, 'error')
        return errors.reshape(*errors.shape[:-1], len(self.chain.tips), 2)


class IkResult:
    """
    The answer of a solve; never changes.

    ``q`` is inside the limits, and ``status`` was judged by forward kinematics on that very ``q``.
    """

    __slots__ = ('_answer', '_layout', '_status', 'contact')

    def __init__(self, layout: Layout, answer: np.ndarray, status: int,
                 contact: Contact | None = None) -> None:
        """
        Wrap an answer of the kernels.

        :param contact: bodies that collide in an answer that is none
        """
        self.contact = contact
        self._layout = layout
        self._answer = answer
        self._status = status

    @property
    def q(self) -> np.ndarray:
        """Joint vector (n,), a copy."""
        return self._answer[self._layout.q]  # indices copy in half the time of a slice

    @property
    def joints(self) -> dict[str, float]:
        """Joint positions by URDF name [rad or m], those of mimic joints included."""
        return self._layout.chain.joint_positions(self.q)

    @property
    def status(self) -> Status:
        """How the solve ended."""
        return Status(self._status)

    @property
    def success(self) -> bool:
        """Whether every goal is met within its tolerance."""
        return self._status == 0

    def __bool__(self) -> bool:
        """Whether every goal is met, as :attr:`success`."""
        return self.success

    @property
    def message(self) -> str:
        """Return a sentence: what happened, which joints are in the way, how far the goal is."""
        status = self.status
        text = status.sentence
        if status is Status.BEST_REACH_LIMITS:
            text += f" ({', '.join(self.limited_joints)})"
        elif self.contact:
            text += f' ({self.contact})'
        elif self.beyond_reach.any():
            text = f'{text.split(":")[0]}: {self._distance()}'
        errors = '; '.join(
            f'{tip}: {1e3 * p:.3g} mm, {r:.3g} rad' for tip, (p, r) in zip(
                self._layout.chain.tips, self._errors.tolist()))
        return f'{text} [{errors}]'

    @property
    def _errors(self) -> np.ndarray:
        return frozen(self._layout.errors(self._answer))

    @property
    def position_error(self) -> np.ndarray:
        """Distance of each tip from its goal [m], along the axes that have a weight."""
        return self._errors[:, 0]

    @property
    def rotation_error(self) -> np.ndarray:
        """Angle of each tip from its goal [rad], about the axes that have a weight."""
        return self._errors[:, 1]

    @property
    def beyond_reach(self) -> np.ndarray:
        """Distance of each goal beyond the reach of its tip [m]; 0 where it is not beyond."""
        if self.success:
            return np.zeros(len(self._layout.chain.tips))
        return frozen(self._layout.numbers(self._answer, 'beyond'))

    def _distance(self) -> str:
        """Say how far the farthest goal is out of reach."""
        chain, beyond = self._layout.chain, self.beyond_reach
        k = int(beyond.argmax())
        whose = 'the goal' if len(chain.tips) == 1 else f"the goal of '{chain.tips[k]}'"
        return (f'{whose} is out of reach, {beyond[k]:.3g} m beyond the reach of '
                f'{chain.reach[k]:.3g} m')

    @property
    def cost(self) -> float:
        """Sum of the weighted squared errors."""
        return float(self._layout.numbers(self._answer, 'cost')[0])

    @property
    def limited_joints(self) -> tuple[str, ...]:
        """Names of the joints pressed against their limits; none where the goal is met."""
        chain = self._layout.chain
        if self.success:
            return ()
        pressed = self._layout.integers(self._answer, 'pressed').tolist()
        return tuple(variable.joint for variable, side in zip(chain.variables, pressed) if side)

    @property
    def iterations(self) -> int:
        """Return the iterations of all attempts together."""
        return int(self._layout.integers(self._answer, 'iterations')[0])

    @property
    def restarts(self) -> int:
        """Return the number of the last start: 0 is the seed, then follow the stored ones."""
        return int(self._layout.integers(self._answer, 'restarts')[0])

    @property
    def time(self) -> float:
        """Duration in the kernel [s]."""
        return float(self._layout.numbers(self._answer, 'time')[0])

    @property
    def solutions(self) -> np.ndarray:
        """Return the distinct answers of mode 'all', as rows; other modes give one."""
        n = self._layout.chain.n
        count = int(self._layout.integers(self._answer, 'n_solutions')[0])
        if count == 0:
            return frozen(self.q[None] if self.success else np.empty((0, n)))
        kept = self._layout.numbers(self._answer, 'solutions')[:count * n]
        return frozen(kept.reshape(count, n))

    @property
    def trace(self) -> np.ndarray:
        """Every iterate of every attempt (k, n), in order, as far as option ``trace`` asks."""
        n = self._layout.chain.n
        count = int(self._layout.integers(self._answer, 'n_trace')[0])
        return frozen(self._layout.numbers(self._answer, 'trace')[:count * n].reshape(count, n))

    def __reduce__(self) -> tuple:
        """Pickle by what was given."""
        return IkResult, (self._layout, self._answer, self._status, self.contact)

    def __repr__(self) -> str:
        """Return the status and the errors."""
        return f'IkResult({self.status.name}: {self.message})'

    def _repr_html_(self) -> str:
        """Return a table of the joints, each as a bar between its limits, for notebooks."""
        return notebook.result_table(self._layout.chain, self.q, self.message)

    def show(self, **options: Any) -> Any:
        """Open the page with the arm at this answer; see :func:`dq_ik.display.show`."""
        return self._layout.chain.show(q=self.q, **options)


class BatchResult:
    """The answers of many solves as arrays, one row each; ``batch[i]`` is an :class:`IkResult`."""

    def __init__(self, layout: Layout, answers: np.ndarray,
                 contacts: Sequence[Contact | None] = ()) -> None:
        """
        Wrap the answers of the kernels, one per row.

        :param contacts: of each row, where collisions were looked at
        """
        self._contacts = contacts
        answers.flags.writeable = False
        self._layout = layout
        self._answers = answers

    def __reduce__(self) -> tuple:
        """Pickle by what was given."""
        return BatchResult, (self._layout, self._answers, self._contacts)

    def __len__(self) -> int:
        """Return the number of solves."""
        return len(self._answers)

    def __bool__(self) -> bool:
        """Refuse: many answers are not one."""
        raise TypeError('a BatchResult has no truth value; ask batch.success.all() or '
                        'batch.success.any()')

    def __repr__(self) -> str:
        """Return how many goals are met."""
        return f'BatchResult({np.count_nonzero(self.success)} of {len(self)} goals are reached)'

    def __getitem__(self, row: int) -> IkResult:
        """Return one answer."""
        answer = self._answers[row]
        return IkResult(self._layout, answer, int(self._layout.integers(answer, 'status')[0]),
                        self._contacts[row] if len(self._contacts) else None)

    def __iter__(self) -> Iterator[IkResult]:
        """Go through the answers."""
        return (self[row] for row in range(len(self)))

    @property
    def q(self) -> np.ndarray:
        """Joint vectors (N, n)."""
        return self._layout.numbers(self._answers, 'q')

    @property
    def success(self) -> np.ndarray:
        """Which goals are met, (N,) of bool."""
        return self._layout.integers(self._answers, 'status')[:, 0] == 0

    @property
    def status(self) -> np.ndarray:
        """How each solve ended, (N,) values of Status."""
        return self._layout.integers(self._answers, 'status')[:, 0]

    @property
    def _errors(self) -> np.ndarray:
        return self._layout.errors(self._answers)

    @property
    def position_error(self) -> np.ndarray:
        """Distances of the tips from their goals (N, n_tips) [m]."""
        return self._errors[:, :, 0]

    @property
    def rotation_error(self) -> np.ndarray:
        """Angles of the tips from their goals (N, n_tips) [rad]."""
        return self._errors[:, :, 1]

    @property
    def iterations(self) -> np.ndarray:
        """Return the iterations of each solve (N,)."""
        return self._layout.integers(self._answers, 'iterations')[:, 0]

    @property
    def restarts(self) -> np.ndarray:
        """Numbers of the last starts (N,): 0 is the first."""
        return self._layout.integers(self._answers, 'restarts')[:, 0]

    @property
    def time(self) -> np.ndarray:
        """Durations in the kernel (N,) [s]."""
        return self._layout.numbers(self._answers, 'time')[:, 0]
