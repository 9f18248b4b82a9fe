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

"""Which bodies of a robot are kept apart: pairs that can collide, and can be free."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from threading import Lock

from dq_ik.collision.bodies import bodies_digest, Body
from dq_ik.collision.cache import cached, digest
from dq_ik.collision.scene_block import Placed, scene_block
from dq_ik.native.load import door
from dq_ik.native.parallel import on_all_cores
from dq_ik.robot.chain import Chain
from dq_ik.robot.model import JointKind, RobotModel
from dq_ik.robot.xml_text import parse_robot, SRDF
import numpy as np

FEW, MANY = 2_000, 100_000  # samples for pairs that collide often, and for those that never do
TOUCH = 1e-6  # distance that counts as a collision of samples [m]

Pair = tuple[str, str]


@dataclass(frozen=True)
class Pairs:
    """
    Pairs of links.

    :param kept: that are to be kept apart
    :param dropped: the others, with the reason: adjacent, always, never, disabled
    :param shares: of the pairs that an SRDF disables though they collide: in which part of
        random configurations
    """

    kept: tuple[Pair, ...]
    dropped: Mapping[Pair, str] = field(default_factory=dict)
    shares: Mapping[Pair, float] = field(default_factory=dict)

    def warnings(self) -> list[str]:
        """Say which pairs an SRDF disables though they collide."""
        return [f'the SRDF lets {a} and {b} collide, which they do in {share:.1%} of random '
                'configurations' for (a, b), share in self.shares.items()]


def find_pairs(model: RobotModel, bodies: Mapping[str, Body], srdf: str = '') -> Pairs:
    """
    Find the pairs to keep apart; random configurations tell which collide always and never.

    :param srdf: text whose ``disable_collisions`` are obeyed
    :raises UrdfError: if the text is no SRDF
    """
    disabled = _disabled(srdf)
    if len(bodies) < 2:
        return Pairs(())
    adjacent = set(_adjacent(model, bodies))
    candidates = [pair for pair in combinations(bodies, 2) if pair not in adjacent]
    name = digest(bodies_digest(bodies), repr(model.joints))
    counts = cached(name, lambda: [_counts(model, bodies, candidates)])[0]
    reasons = dict.fromkeys(adjacent, 'adjacent')
    shares = {}
    for pair, share in zip(candidates, counts.tolist()):
        if share in (0.0, 1.0):
            reasons[pair] = 'always' if share else 'never'
        elif frozenset(pair) in disabled:
            reasons[pair] = 'disabled'
            shares[pair] = share
    kept = tuple(pair for pair in candidates if pair not in reasons)
    return Pairs(kept, reasons, shares)


def moved_by(model: RobotModel, link: str, chain: Chain) -> frozenset[str]:
    """Return the joints of the way to a link that a chain moves, mimics included."""
    names = {variable.joint for variable in chain.variables}
    return frozenset(
        joint.name for joint in model.joint_path(model.root, link)
        if (joint.mimic.joint if joint.mimic else joint.name) in names)


def _adjacent(model: RobotModel, bodies: Mapping[str, Body]) -> Iterable[Pair]:
    """Yield bodies next to each other on the way from the root, and those that are one."""
    order = list(bodies)
    for link in bodies:
        joint, fixed = model.parent_joint(link), True
        while joint is not None:
            above = joint.parent
            fixed = fixed and joint.kind is JointKind.FIXED
            if above in bodies:
                yield _sorted((above, link), order)
                if not fixed:
                    break
            joint = model.parent_joint(above)
    rigid = {link: rigid_root(model, link) for link in bodies}
    yield from (pair for pair in combinations(bodies, 2) if rigid[pair[0]] == rigid[pair[1]])


def rigid_root(model: RobotModel, link: str) -> str:
    """Return the first link of those that are rigidly one with a link."""
    joint = model.parent_joint(link)
    while joint is not None and joint.kind is JointKind.FIXED:
        link = joint.parent
        joint = model.parent_joint(link)
    return link


def _sorted(pair: Pair, order: list[str]) -> Pair:
    a, b = sorted(pair, key=order.index)
    return a, b


def _disabled(srdf: str) -> set[frozenset[str]]:
    """Return the pairs that an SRDF lets collide."""
    if not srdf:
        return set()
    return {frozenset((element.get('link1', ''), element.get('link2', '')))
            for element in parse_robot(srdf, SRDF).iter('disable_collisions')}


def _counts(model: RobotModel, bodies: Mapping[str, Body],
            pairs: list[Pair]) -> np.ndarray:
    """Return in which part of random configurations of the whole robot each pair collides."""
    chain = Chain(model, None, tuple(bodies))
    counts = _count(chain, bodies, pairs, FEW) / FEW
    rare = [number for number, share in enumerate(counts.tolist()) if share == 0.0]
    if chain.n:
        counts[rare] = _count(chain, bodies, [pairs[number] for number in rare], MANY) / MANY
    return counts


def _count(chain: Chain, bodies: Mapping[str, Body], pairs: list[Pair], rows: int) -> np.ndarray:
    """Count the collisions of pairs in random configurations."""
    order = {link: number for number, link in enumerate(bodies)}
    block = scene_block(
        chain.n, range(chain.n), chain.neutral, len(bodies),
        [Placed(link, number, bodies[link].pieces) for link, number in order.items()],
        [(order[a], order[b]) for a, b in pairs], TOUCH)
    samples = chain.spread(np.random.default_rng(rows).random((rows, chain.n)))
    entries, total, lock = door().entries, np.zeros(len(pairs)), Lock()
    words = entries['scene_memory_size'](chain.block, block)

    def work(part: slice) -> None:
        counts = np.zeros(len(pairs))
        entries['count_contacts'](chain.block, block, samples[part], len(samples[part]), counts,
                                  np.empty(words))
        with lock:
            np.add(total, counts, out=total)
    on_all_cores(rows, work)
    return total
