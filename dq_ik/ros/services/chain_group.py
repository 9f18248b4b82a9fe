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

"""A group as requests need it: its tips and frames, and solvers prepared when first asked for."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import cached_property

from dq_ik.collision.scene import Scene
from dq_ik.collision.world import World
from dq_ik.options import IkOptions
from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
from dq_ik.robot.model import RobotModel
from dq_ik.ros.frames import Frames, Lookup, rigid_body
from dq_ik.solver import Solver

# chain -> its scene, or why there is none
MakeScene = Callable[[Chain], Scene | str]


def shared(options: IkOptions) -> IkOptions:
    """Return the options without those that name or count the joints of one group."""
    return replace(options, rest_posture=(), joint_weights=(), locked_joints=())


class Group:
    """What a group needs to understand goals."""

    def __init__(self, chain: Chain, model: RobotModel, options: IkOptions,
                 lookup: Lookup | None, scene: MakeScene | None) -> None:
        """Take a group of a robot, of which the model is that of the URDF."""
        self.chain = chain
        self._make_scene = scene
        self.options = options
        self.joints = frozenset(chain.angles.names)
        self.frames = Frames(model, chain.base, lookup)
        # link -> (tip, pose of the tip in the link), for all links rigidly attached to a tip
        self.tip_of: dict[str, tuple[str, Pose]] = {}
        for tip in chain.tips:
            for link, x_tip_link in rigid_body(model, tip).items():
                self.tip_of.setdefault(link, (tip, x_tip_link.inverse()))
        for tip in chain.tips:
            self.tip_of[tip] = (tip, Pose.identity())

    @cached_property
    def scene(self) -> Scene | str:
        """Return the bodies that must not collide; a text: why there are none."""
        return 'no robot description' if self._make_scene is None else self._make_scene(self.chain)

    def among(self, world: World) -> Group:
        """Return this group in another world, with solvers of its own; it must have a scene."""
        assert isinstance(self.scene, Scene)
        other, scene = copy(self), self.scene
        other.__dict__ = {name: value for name, value in vars(self).items()
                          if name not in ('free_solver', 'free_finder')}
        other.scene = Scene(self.chain, scene.bodies, scene.pairs, world=world,
                            margin=scene.margin)
        return other

    def solvers(self, avoid: bool) -> tuple[Solver, Callable[[], Solver]]:
        """Return a solver, and what makes one for several solutions."""
        if avoid and isinstance(self.scene, Scene):
            return self.free_solver, lambda: self.free_finder
        return self.solver, lambda: self.finder

    @cached_property
    def free_solver(self) -> Solver:
        """Return a solver whose answers are free of collisions."""
        assert isinstance(self.scene, Scene)
        return Solver(self.chain, self.options, collision=self.scene)

    @cached_property
    def free_finder(self) -> Solver:
        """Return one of several solutions, all of them free."""
        return Solver(self.chain, replace(self.options, mode='all'),
                      collision=self.free_solver.collision)

    @cached_property
    def solver(self) -> Solver:
        """Return a prepared solver."""
        return Solver(self.chain, self.options)

    @cached_property
    def finder(self) -> Solver:
        """Return a solver for several solutions, to select from."""
        return Solver(self.chain, replace(self.options, mode='all'))

    @cached_property
    def stayer(self) -> Solver:
        """Return a solver that stays at a seed which is a solution."""
        return Solver(self.chain, replace(
            self.options, mode='speed', posture_iterations=0, max_restarts=0))
