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

"""What ``dq_ik info --collisions`` tells: bodies, pairs, and the clearance at home."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dq_ik.cli.words import say_json
from dq_ik.collision.bodies import load_bodies
from dq_ik.collision.pairs import find_pairs
from dq_ik.collision.scene import Scene
from dq_ik.collision.world import World
from dq_ik.collision.world_file import check_links, load_world
from dq_ik.errors import CollisionError, why
from dq_ik.robot.chain import Chain
from dq_ik.robot.model import RobotModel

REASONS = ('adjacent', 'always', 'never', 'disabled')


def print_collisions(model: RobotModel, chain: Chain | None, file: Path,
                     srdf: Path | None, world: str | None = None,
                     of_visuals: bool = False, as_json: bool = False) -> None:
    """
    Print the bodies of a robot and the pairs of them that are kept apart.

    :param chain: whose clearance at home is told; None: that of the whole robot
    :param srdf: file whose ``disable_collisions`` are obeyed
    :param world: file or name of the objects around the robot
    :param of_visuals: a link without ``<collision>`` is as solid as its visual
    :param as_json: print JSON
    """
    around = load_world(world) if world else World()
    check_links(around, model)
    try:
        text = srdf.read_text(encoding='utf-8') if srdf else ''
    except (OSError, UnicodeDecodeError) as error:
        raise CollisionError(f"cannot read '{srdf}': {why(error)}") from None
    bodies = load_bodies(file, of_visuals=of_visuals)
    if not bodies:
        said = (f"robot '{model.name}' has no <collision> shapes: collisions cannot be checked; "
                '--solid-visuals takes the visual ones')
        say_json({'bodies': {}, 'warnings': [said]}) if as_json else print(said)
        return
    moved = Chain(model, None, tuple(bodies)) if chain is None else chain
    scene = Scene(moved, bodies, find_pairs(model, bodies, text), world=around)
    say_json(_as_dict(scene)) if as_json else print('\n'.join(_lines(scene)))


def _as_dict(scene: Scene) -> dict[str, Any]:
    nearest = scene.clearance(scene.chain.neutral)
    return {
        'bodies': {link: len(body.pieces) for link, body in scene.bodies.items()},
        'objects': {thing.name: thing.link for thing in scene.world.snapshot()[1]},
        'pairs': scene.pairs.kept,
        'left_out': {reason: _pairs_out(scene, reason) for reason in REASONS},
        'warnings': list(scene.pairs.warnings()),
        'clearance': nearest and {'pair': nearest[:2], 'distance': nearest.distance}}


def _pairs_out(scene: Scene, reason: str) -> list[tuple[str, str]]:
    return [pair for pair, cause in scene.pairs.dropped.items() if cause == reason]


def _lines(scene: Scene) -> Iterator[str]:
    width = max(map(len, scene.bodies))
    yield f'{len(scene.bodies)} bodies:'
    for link, body in scene.bodies.items():
        count = sum(len(piece.vertices) for piece in body.pieces)
        yield f'  {link:<{width}}  {len(body.pieces)} convex pieces, {count} vertices'
    things = scene.world.snapshot()[1]
    if things:
        yield f'{len(things)} objects:'
    for thing in things:
        carrier = f', carried by {thing.link}' if thing.link else ''
        yield (f'  {thing.name}  {len(thing.pieces) or "no"} convex pieces'
               f'{"" if thing.pieces else ", a half-space"}{carrier}')
    yield f'{len(scene.pairs.kept)} pairs kept apart:'
    yield from (f'  {a} - {b}' for a, b in scene.pairs.kept)
    for reason in REASONS:
        if pairs := [f'{a} - {b}' for a, b in _pairs_out(scene, reason)]:
            yield f'{len(pairs)} pairs left out, {reason}: {", ".join(pairs)}'
    yield from (f'warning: {line}' for line in scene.pairs.warnings())
    yield f'at home: {scene.clearance(scene.chain.neutral) or "nothing is near"}'
