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
"""The exceptions of dq_ik: one base, and one child per kind of bad input."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import difflib
import reprlib
from typing import Any

import numpy as np


class DqIkError(ValueError):
    """Base of all errors that dq_ik raises; the message says what to change."""


class PoseError(DqIkError):
    """A pose, rotation or twist is not finite or not a rigid motion."""


class UrdfError(DqIkError):
    """A robot description cannot be read, or describes no valid robot."""


class ChainError(DqIkError):
    """A chain was asked for with a link or joint that does not fit the robot."""


class GoalError(DqIkError):
    """A goal is malformed, or names a tip that the chain does not have."""


class OptionError(DqIkError):
    """A solver option is unknown or out of its range."""


class SeedError(DqIkError):
    """A joint vector has the wrong size or contains values that are not finite."""


class CollisionError(DqIkError):
    """Bodies of a robot or of the world around it are bad, or named wrongly."""


def why(error: Exception) -> str:
    """Return in words why a file cannot be read or written."""
    if isinstance(error, UnicodeDecodeError):
        return 'it is no UTF-8 text'
    return getattr(error, 'strerror', None) or str(error)


def array_of(values: Any, error: type[DqIkError], what: str) -> np.ndarray:
    """Return an array of floats, or raise an error that says ``what`` was needed."""
    try:
        return np.asarray(values, dtype=float)
    except (OverflowError, TypeError, ValueError):
        raise error(f'{what}, got {reprlib.repr(values)}') from None


def listing(names: Iterable[str], limit: int = 40) -> str:
    """
    Join names for an error message: ``'a', 'b', 'c'``.

    :param names: what exists.
    :param limit: how many names to print before ``and 12 more``.
    """
    names = [f"'{name}'" for name in names]
    if not names:
        return '(none)'
    text = ', '.join(names[:limit])
    return text if len(names) <= limit else f'{text} and {len(names) - limit} more'


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the question whether a similar name was meant, if there is one."""
    found = _most_like(name, list(known), 0.6)
    return f" (did you mean '{found}'?)" if found else ''


def unknown(what: str, names: Sequence[str], known: Sequence[str]) -> str:
    """
    Return the sentence about names that do not exist, with the known one nearest to the first.

    :param what: was named: ``joint``
    """
    near = _most_like(names[0], known, 0.0)
    hint = f"; did you mean '{near}'?" if near else '.'
    return f'there is no {what} {listing(names)}{hint} There are {listing(known)}'


def _most_like(name: str, known: Sequence[str], least: float) -> str | None:
    """Return the shortest name that begins with this one, else the most similar one."""
    start = name.lower()
    longer = [other for other in known if len(name) > 1 and other.lower().startswith(start)]
    return min(longer, key=len, default=None) or next(
        iter(difflib.get_close_matches(name, known, 1, least)), None)
