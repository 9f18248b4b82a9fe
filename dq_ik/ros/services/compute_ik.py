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
The service ``compute_ik`` (``moveit_msgs/GetPositionIK``), as move_group answers it or better.

Requests and responses are read and written by field name; the wiring is in services.py.
:meth:`IkServer.query` checks and converts, :meth:`IkServer.solve` solves (in any thread),
:meth:`IkServer.fill` answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from dq_ik.collision.scene import Scene
from dq_ik.collision.world import World
from dq_ik.errors import DqIkError, listing, nearest
from dq_ik.goal import Goal
from dq_ik.options import IkOptions, METADATA
from dq_ik.pose import Pose
from dq_ik.result import IkResult, Status
from dq_ik.robot.chain import Chain
from dq_ik.ros.conversions import pose_from_msg, RobotStateWriter, seconds
from dq_ik.ros.frames import FrameError, Frames, Lookup
from dq_ik.ros.groups import Robot
from dq_ik.ros.services.chain_group import Group, MakeScene, shared
from dq_ik.ros.services.constraints import broken, link_constraints, LinkConstraint
from dq_ik.ros.services.objects import apply_attached
from dq_ik.ros.services.requests import (
    bounds,
    broken_ranges,
    ErrorCode,
    fill_error,
    joint_ranges,
    JointRange,
    NO_JOINT_STATES,
    requested_state,
    RequestError,
)
from dq_ik.ros.settings import NodeSettings
from dq_ik.stream.commands import single_axis_positions
from dq_ik.stream.goal_mode import goal_maker
from geometry_msgs.msg import Transform
import numpy as np


class Query(NamedTuple):
    """
    A request, checked and in our own terms.

    :param state: positions of all joints that are known: current ones, overlaid by the request.
    :param limits: those of the joint constraints; None: there are no such constraints.
    :param timeout: seconds on the steady clock.
    :param avoid: whether bodies must not collide.
    :param held: ``moveit_msgs/AttachedCollisionObject`` of the request, for it alone.
    :param notes: what the client should know about the answer.
    """

    group: Group
    goals: Goal | Pose | list[Goal | Pose]
    seed: np.ndarray
    state: Mapping[str, float]
    ranges: tuple[JointRange, ...]
    limits: tuple[np.ndarray, np.ndarray] | None
    links: tuple[LinkConstraint, ...]
    timeout: float
    avoid: bool
    held: tuple[Any, ...]
    notes: list[str]


class IkServer:
    """Answers requests for one robot with one set of options; a change makes a new server."""

    def __init__(self, robot: Robot, options: IkOptions, settings: NodeSettings,
                 lookup: Lookup | None = None, scene: MakeScene | None = None) -> None:
        """
        Prepare all groups.

        :param lookup: asks tf2; None where there is none.
        :param scene: makes the scene of a chain; None: collisions are not checked.
        """
        self.robot = robot
        self.options = options
        self.settings = settings
        self._goal = goal_maker(settings)
        self._frames = Frames(robot.model, robot.model.root, lookup)
        self._writer = RobotStateWriter(robot.model, Transform)
        self._groups = {name: Group(chain, robot.model, shared(options), lookup, scene)
                        for name, chain in robot.groups.items()}
        default = self._groups[robot.default_group]
        default.options = options
        default.solver  # noqa: B018 - prepared before the first request

    def query(self, request: Any, current: Mapping[str, float]) -> Query:
        """
        Check and convert a ``moveit_msgs/PositionIKRequest``.

        :param current: joint positions from joint_states, empty before the first.
        :raises RequestError: with the error code to answer.
        """
        group = self._group(request.group_name)
        state = requested_state(request.robot_state, self.robot, current)
        model = self.robot.model
        ranges = joint_ranges(request.constraints, model)
        links = link_constraints(request.constraints, self._frames, model, state)
        chain = group.chain
        seed = chain.configuration(state, strict=False)
        poses = {}
        for link, stamped in _targets(request, chain):
            tip, x_link_tip = self._tip(group, link)
            if tip in poses:
                raise RequestError(ErrorCode.INVALID_LINK_NAME, f"there are two poses for '{tip}'")
            pose = self._pose(group, stamped, state, current)
            poses[tip] = pose if link == tip else pose @ x_link_tip
        if len(chain.tips) > 1:  # tips without a pose keep the one they have
            poses = {**chain.fk_all(seed), **poses}
        goals = [self._goal(poses[tip], tip) for tip in chain.tips]
        limits = bounds(chain, ranges, seed, model) if ranges else None
        return Query(group, goals[0] if len(goals) == 1 else goals, seed, state, ranges, limits,
                     links,
                     _timeout(seconds(request.timeout), group.options.timeout),
                     bool(request.avoid_collisions),
                     tuple(request.robot_state.attached_collision_objects),
                     [] if group.joints <= state.keys() else [NO_JOINT_STATES])

    def solve(self, query: Query) -> IkResult:
        """Solve; deterministic, and safe in any thread."""
        if query.avoid:
            query = query._replace(group=self._holding(query))
            self._prepare_scene(query)
        solver, finder = query.group.solvers(query.avoid)
        goals, limits = query.goals, query.limits
        result = solver.solve(goals, query.seed, bounds=limits, timeout=query.timeout)
        if result.success and self._broken(query, result.q):
            left = max(query.timeout - result.time, METADATA['timeout']['minimum'])
            others = finder().solve(goals, query.seed, bounds=limits, timeout=left).solutions
            kept = next((q for q in others if not self._broken(query, q)), None)
            if kept is not None:
                return query.group.stayer.solve(goals, kept, bounds=limits)
        return result

    def _holding(self, query: Query) -> Group:
        """Return the group among the objects that the state of the request attaches, too."""
        scene = query.group.scene
        if not query.held or not isinstance(scene, Scene):
            return query.group
        world, model, state = World(), self.robot.model, query.state
        world.take(scene.world)
        try:
            for item in query.held:
                apply_attached(world, item, partial(self._frames.pose, state=state), model, state)
        except FrameError as error:
            raise RequestError(ErrorCode.FRAME_TRANSFORM_FAILURE, error) from None
        except DqIkError as error:
            raise RequestError(ErrorCode.INVALID_ROBOT_STATE, error) from None
        return query.group.among(world)

    @staticmethod
    def _prepare_scene(query: Query) -> None:
        """Place the joints beside the group; say so where collisions cannot be checked."""
        scene = query.group.scene
        if isinstance(scene, Scene):
            scene.hold(query.state)
        else:
            query.notes.append(f'collisions not checked: {scene}')

    def fill(self, response: Any, query: Query, result: IkResult) -> Any:
        """Write the answer into a ``GetPositionIK.Response`` and return it."""
        chain = query.group.chain
        positions = {**query.state, **chain.joint_positions(result.q)}
        failed = self._broken(query, result.q)
        text = [result.message, *query.notes]
        if failed:
            text.insert(0, f'{" and ".join(failed)} does not hold')
        near = self.settings.allow_approximate and not result.contact
        good = not failed and (result.success or near)
        if good:
            self._writer.fill(response.solution, positions)
        if good and not result.success:
            text.insert(0, 'approximate solution (best reach)')
        fill_error(response.error_code, self._code(good, result), '; '.join(text))
        return response

    def _broken(self, query: Query, q: np.ndarray) -> list[str]:
        """Return the constraints that do not hold at a solution."""
        if not query.links and not query.ranges:
            return []
        chain = query.group.chain
        positions = {**query.state, **chain.joint_positions(q)}
        failed = broken(query.links, self.robot.model, positions)
        single = single_axis_positions(self.robot.model, positions) if query.ranges else {}
        if joints := broken_ranges(query.ranges, single):
            failed.append(f'the constraint of {listing(joints)}')
        return failed

    def _code(self, good: bool, result: IkResult) -> ErrorCode:
        if good:
            return ErrorCode.SUCCESS
        timed_out = result.status is Status.TIMED_OUT and self.settings.report_timed_out
        return ErrorCode.TIMED_OUT if timed_out else ErrorCode.NO_IK_SOLUTION

    def _group(self, name: str) -> Group:
        if not name and self.settings.accept_empty_group:
            name = self.robot.default_group
        if name not in self._groups:
            raise RequestError(
                ErrorCode.INVALID_GROUP_NAME,
                f"there is no group '{name}'{nearest(name, self._groups)}; the groups are "
                f'{listing(self._groups)}')
        return self._groups[name]

    def _tip(self, group: Group, link: str) -> tuple[str, Pose]:
        link = link.lstrip('/')
        if link in group.tip_of:
            return group.tip_of[link]
        if link not in self.robot.model.links:
            raise RequestError(
                ErrorCode.INVALID_LINK_NAME,
                f"there is no link '{link}'{nearest(link, group.chain.tips)}; the tips are "
                f'{listing(group.chain.tips)}')
        raise RequestError(ErrorCode.NO_IK_SOLUTION,
                           f"link '{link}' is not rigidly attached to one of the tips "
                           f'{listing(group.chain.tips)}')

    @staticmethod
    def _pose(group: Group, stamped: Any, state: Mapping[str, float],
              current: Mapping[str, float]) -> Pose:
        """Return the goal in the base frame; the stamp is ignored, as in MoveIt."""
        try:
            pose, frame = pose_from_msg(stamped.pose), stamped.header.frame_id
            if frame == group.chain.base:
                return pose
            return group.frames.pose(frame, state, current or None) @ pose
        except FrameError as error:
            raise RequestError(ErrorCode.FRAME_TRANSFORM_FAILURE, error) from None
        except DqIkError as error:
            raise RequestError(ErrorCode.INVALID_GOAL_CONSTRAINTS, error) from None


def _targets(request: Any, chain: Chain) -> list[tuple[str, Any]]:
    """Return links and stamped poses as move_group selects them."""
    poses, links = request.pose_stamped_vector, request.ik_link_names
    if not poses:
        poses, links = [request.pose_stamped], [request.ik_link_name]
    elif len(poses) == 1:
        links = links[:1] or ['']
    elif len(poses) != len(links):
        raise RequestError(ErrorCode.INVALID_LINK_NAME,
                           f'{len(poses)} poses but {len(links)} link names')
    if len(chain.tips) > 1 and '' in links:
        raise RequestError(ErrorCode.INVALID_LINK_NAME,
                           f'name the link of each pose: {listing(chain.tips)}')
    return [(link or chain.tips[0], pose) for link, pose in zip(links, poses)]


def _timeout(asked: float, default: float) -> float:
    """Return a timeout that the solver takes; 0 and less mean the default."""
    if asked <= 0:
        return default
    return min(max(asked, METADATA['timeout']['minimum']), METADATA['timeout']['maximum'])
