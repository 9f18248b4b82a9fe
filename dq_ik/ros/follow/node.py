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
"""IkNode: the ROS interface of the solver, wired from parameters, follower and services."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
import sys
from time import perf_counter
import traceback
from typing import Any

from dq_ik.errors import DqIkError, listing
from dq_ik.native.load import describe
from dq_ik.options import IkOptions
from dq_ik.robot.xml_text import parse_robot, SRDF
from dq_ik.ros.description import CurrentState, listen_for_description, listen_for_text
from dq_ik.ros.follow.follower import Follower
from dq_ik.ros.follow.prepared import prepare, Prepared
from dq_ik.ros.frames import TfLookup
from dq_ik.ros.goals import check_goal_topics
from dq_ik.ros.parameters import declare, declare_groups, updated, with_numbers
from dq_ik.ros.running import run
from dq_ik.ros.services.collisions import Collisions
from dq_ik.ros.services.server import Services
from dq_ik.ros.settings import NodeSettings
from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter


class IkNode(Node):
    """Goals in, joint states out; answers MoveIt's kinematics services."""

    def __init__(self, **kwargs: Any) -> None:
        """
        Declare the parameters and, if there is a description, get ready.

        :raises DqIkError: if a parameter or the description in ``robot_description`` is bad.
        """
        super().__init__('dq_ik', **kwargs)
        self._settings = declare(self, NodeSettings)
        self._options = declare(self, IkOptions)
        self._named = declare_groups(self, self._settings)
        self._lookup = self._start_tf()
        self._state = CurrentState(self)
        self._collisions = Collisions(self.get_logger(), self._settings.world_file)
        self._prepared: Prepared | None = None
        self._follower: Follower | None = None
        self._kinematics: Services | None = None
        self._heard = self._semantic = ''  # the newest texts of the two topics
        self._pending: tuple[NodeSettings, IkOptions, Prepared | None] | None = None
        listen_for_text(self, 'robot_description_semantic', self.on_semantic)
        listen_for_description(self, self._settings.robot_description, self.on_description)
        self.add_pre_set_parameters_callback(partial(with_numbers, self))
        self.add_on_set_parameters_callback(self.on_set_parameters)
        self.add_post_set_parameters_callback(self.on_parameters_set)

    def destroy_node(self) -> None:
        """End the threads, then the node; at last wait for a solve that is under way."""
        if self._kinematics is not None:
            self._kinematics.close(wait=False)
        if self._follower is not None:
            self._follower.close()
        if self._lookup is not None:
            self._lookup.close()
        super().destroy_node()
        if self._kinematics is not None:
            self._kinematics.close(wait=True)

    # --- callbacks -------------------------------------------------------------------------------

    def on_description(self, text: str) -> None:
        """Swap in the robot of a description; raises if it is bad, and the old robot stays."""
        if text == self._settings.robot_description or not self._settings.robot_description:
            self._heard = text
            self._use(self._prepare(text, self._settings, self._options))

    def on_semantic(self, text: str) -> None:
        """Take the groups of an SRDF, unless the parameter has one; raises if it is bad."""
        parse_robot(text, SRDF)
        self._semantic = text
        description = self._settings.robot_description or self._heard
        if description and not self._settings.robot_description_semantic:
            self._use(self._prepare(description, self._settings, self._options))

    def on_set_parameters(self, parameters: list[Parameter]) -> SetParametersResult:
        """Build what the new values ask for without using it yet, or refuse with the reason."""
        try:
            settings = updated(self._settings, parameters)
            options = updated(self._options, parameters)
            last = self._prepared.description if self._prepared else self._heard
            text = settings.robot_description or last
            prepared = self._prepare(text, settings, options) if text else None
        except DqIkError as error:
            return SetParametersResult(successful=False, reason=str(error))
        except Exception as error:  # else the client would wait for ever
            self.get_logger().error(f'please report this:\n{traceback.format_exc()}')
            return SetParametersResult(successful=False, reason=repr(error))
        self._pending = settings, options, prepared
        return SetParametersResult(successful=True)

    def on_parameters_set(self, _: list[Parameter]) -> None:
        """Use what was built for the new values."""
        if self._pending is None:
            return
        self._settings, self._options, prepared = self._pending
        self._pending = None
        if prepared is not None:
            self._use(prepared)

    # --- parts -----------------------------------------------------------------------------------

    def _prepare(self, text: str, settings: NodeSettings, options: IkOptions) -> Prepared:
        started = perf_counter()
        if not settings.robot_description_semantic:
            settings = replace(settings, robot_description_semantic=self._semantic)
        if self._prepared is None:
            self.get_logger().info('preparing the robot')
        prepared = prepare(text, settings, options, self._named, self._state.positions,
                           self._lookup, self._prepared, self._collisions)
        check_goal_topics(self, '~', prepared.chain.tips)
        if self._prepared is None:
            self.get_logger().info(
                f'ready after {perf_counter() - started:.2f} s: {describe()}')
        return prepared

    def _use(self, prepared: Prepared) -> None:
        """Swap in a robot; topics and services are announced with the first, when it is ready."""
        if self._prepared is None or self._prepared.robot is not prepared.robot:
            self._introduce(prepared)
        if self._follower is None or self._kinematics is None:
            self._follower = Follower(self, prepared.settings, self._state, self._collisions)
            self._kinematics = Services(self, self._follower, self._state, self._collisions)
        self._follower.use(prepared)
        self._kinematics.use(prepared)
        self._prepared = prepared

    def _introduce(self, prepared: Prepared) -> None:
        robot, chain = prepared.robot, prepared.chain
        log = self.get_logger()
        log.info(f"robot '{robot.model.name}': group '{robot.default_group}' from {chain.base} to "
                 f'{", ".join(chain.tips)}, {chain.n} variables; '
                 f'groups: {listing(robot.groups)}')
        for name, reason in robot.refused.items():
            log.warning(f"group '{name}' of the SRDF is not served: {reason}")

    def _start_tf(self) -> TfLookup | None:
        if not self._settings.use_tf:
            return None
        try:
            return TfLookup(self)
        except ImportError:
            self.get_logger().info('no tf2_ros: goals are followed in frames of the robot only')
            return None


def main(args: list[str] | None = None, **kwargs: Any) -> int:
    """
    Run the node until shutdown; the exit code is 1 if it could not start.

    :param kwargs: for the node, such as ``parameter_overrides``.
    """
    return run('dq_ik', lambda: IkNode(**kwargs), args)


if __name__ == '__main__':
    sys.exit(main())
