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
"""Key poses: named postures with the goals of their tips, in an order; saved as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
import json
import math
from typing import Any

from dq_ik.errors import DqIkError, listing, unknown
from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
import numpy as np

MOST_CHARACTERS = 5_000_000  # of a file, far above any


class KeyPoseError(DqIkError):
    """A key pose is not there, or a file holds none for this robot."""


@dataclass(frozen=True)
class KeyPose:
    """
    A posture with a name.

    :param joints: position of each joint of the URDF that the chain moves [rad or m]
    :param goals: pose of each tip that has a goal, in the frame of the chain's base
    """

    name: str
    joints: Mapping[str, float]
    goals: Mapping[str, Pose]

    @classmethod
    def at(cls, name: str, chain: Chain, q: np.ndarray,
           goals: Mapping[str, Pose] | None = None) -> KeyPose:
        """Return the posture ``q``; without goals the tips shall be where they are at ``q``."""
        angles = chain.angles.of(chain.checked(q)).tolist()
        return cls(name, dict(zip(chain.angles.names, angles)),
                   dict(chain.fk_all(q) if goals is None else goals))

    def q(self, chain: Chain) -> np.ndarray:
        """Return the posture as a joint vector within the limits."""
        return chain.clamp(chain.configuration(self.joints, strict=False))


class KeyPoses:
    """Key poses in the order in which they are played; names are unique."""

    def __init__(self) -> None:
        """Hold none."""
        self._poses: list[KeyPose] = []

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._poses)

    def __iter__(self) -> Iterator[KeyPose]:
        """Go through them in order."""
        return iter(tuple(self._poses))

    @property
    def names(self) -> tuple[str, ...]:
        """Names in order."""
        return tuple(pose.name for pose in self._poses)

    def __getitem__(self, name: str) -> KeyPose:
        """Return the key pose of that name."""
        return self._poses[self._index(name)]

    def free_name(self) -> str:
        """Return a name that is not taken: the next number."""
        number = len(self._poses) + 1
        while f'pose {number}' in self.names:
            number += 1
        return f'pose {number}'

    def save(self, pose: KeyPose) -> None:
        """Append a key pose, or replace that of the same name."""
        if not pose.name.strip():
            raise KeyPoseError('a key pose needs a name')
        if pose.name in self.names:
            self._poses[self._index(pose.name)] = pose
        else:
            self._poses.append(pose)

    def rename(self, name: str, new: str) -> None:
        """Give a key pose another name."""
        index = self._index(name)
        if not new.strip() or (new != name and new in self.names):
            raise KeyPoseError(f'{new!r} is taken; there are {listing(self.names)}'
                               if new.strip() else 'a key pose needs a name')
        self._poses[index] = replace(self._poses[index], name=new)

    def delete(self, name: str) -> None:
        """Forget a key pose."""
        del self._poses[self._index(name)]

    def move(self, name: str, by: int) -> None:
        """Move a key pose to an earlier (``by`` < 0) or a later place, at most to an end."""
        index = self._index(name)
        pose = self._poses.pop(index)
        self._poses.insert(max(0, index + by), pose)

    def to_json(self, chain: Chain) -> str:
        """Return all of them as the text of a file."""
        poses = [{
            'name': pose.name, 'joints': dict(pose.joints),
            'goals': {tip: {'position': goal.position.tolist(),
                            'quaternion_wxyz': goal.quaternion.tolist()}
                      for tip, goal in pose.goals.items()}} for pose in self._poses]
        return json.dumps({'robot': chain.model.name, 'base': chain.base, 'poses': poses},
                          indent=1)

    def load(self, text: str, chain: Chain) -> int:
        """
        Add the key poses of a file, which replace those of the same names; return how many.

        :raises DqIkError: if the text is no such file, or of another robot; nothing is added then
        """
        poses = [_read_pose(item, chain) for item in _items(text)]
        for pose in poses:
            self.save(pose)
        return len(poses)

    def _index(self, name: str) -> int:
        if not self.names:
            raise KeyPoseError('there are no key poses yet; save one first')
        if name not in self.names:
            raise KeyPoseError(f'there is no key pose {name!r}; there are {listing(self.names)}')
        return self.names.index(name)


def _items(text: str) -> list[Any]:
    """Return what a file says about each key pose, unread."""
    if len(text) > MOST_CHARACTERS:
        raise KeyPoseError(f'the file has {len(text)} characters; at most {MOST_CHARACTERS} '
                           'are read')
    try:
        items = json.loads(text)['poses']
    except (ValueError, TypeError, KeyError, RecursionError):
        items = None
    if not isinstance(items, list):
        raise KeyPoseError('this file holds no key poses; wanted: JSON as the page exports it, '
                           '{"poses": [{"name": ..., "joints": {...}}]}')
    return items


def _read_pose(item: Any, chain: Chain) -> KeyPose:
    """Return one key pose of a file, checked against the robot."""
    try:
        name, joints = str(item['name']), {str(k): float(v) for k, v in item['joints'].items()}
        goals = {tip: Pose.from_xyz_wxyz(goal['position'], goal['quaternion_wxyz'])
                 for tip, goal in item.get('goals', {}).items()}
    except DqIkError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
        raise KeyPoseError('a key pose has a "name", numbers by the names of "joints", and may '
                           f'have "goals"; got {str(item)[:80]}') from None
    if not name.strip() or not all(map(math.isfinite, joints.values())):
        raise KeyPoseError(f'the key pose {name!r} has no name, or joints that are not finite')
    strangers = [joint for joint in joints if joint not in chain.model.position_names]
    if strangers:
        raise KeyPoseError(f'the key pose {name!r} is not of this robot: '
                           f'{unknown("joint", strangers, chain.joint_names)}')
    for tip in goals:
        chain.tip_number(tip)
    q = chain.clamp(chain.configuration(joints))
    return KeyPose.at(name, chain, q, goals or None)
