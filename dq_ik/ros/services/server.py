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
"""The wiring of ``~/compute_ik``, ``~/compute_fk`` and ``~/reseed``."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future as SolveFuture
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYetSolved
import os
import traceback
from typing import Any

from dq_ik.pose import Pose
from dq_ik.ros.description import CurrentState
from dq_ik.ros.follow.follower import Follower
from dq_ik.ros.follow.prepared import Prepared
from dq_ik.ros.running import WARN_PERIOD
from dq_ik.ros.services.collisions import Collisions
from dq_ik.ros.services.compute_fk import compute_fk
from dq_ik.ros.services.object_topics import ObjectTopics
from dq_ik.ros.services.requests import ErrorCode, fill_error, RequestError
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.task import Future
from std_srvs.srv import Trigger

# Requests that may wait: rclpy's 10 are fewer than some clients send at once, and others are lost.
REQUESTS = QoSProfile(depth=1000)
# A request may keep the goals waiting this long [s].
QUICK = 1e-3
HOW_TO_GET_MOVEIT_MSGS = (
    'moveit_msgs is not installed, so ~/compute_ik and ~/compute_fk are not served; topics are. '
    f'Get it with: sudo apt install ros-{os.environ.get("ROS_DISTRO", "<distro>")}-moveit-msgs '
    '(without a ROS installation: make setup, in a checkout of dq_ik)')


class Services:
    """
    Serves requests; each is solved once, in a worker thread.

    The executor waits for a solve up to ``QUICK`` seconds, as long as most take: that is cheaper
    than to be woken for it. A longer solve goes on beside the stream: kernels release the GIL.
    """

    def __init__(self, node: Node, follower: Follower, state: CurrentState,
                 collisions: Collisions) -> None:
        """Announce the services."""
        self._node = node
        self._follower = follower
        self._state = state
        self._world = collisions.world
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix='compute_ik')
        self._group = ReentrantCallbackGroup()
        self._create(Trigger, '~/reseed', self.on_reseed)
        try:
            from moveit_msgs.srv import GetPositionFK, GetPositionIK
        except ImportError:
            node.get_logger().warning(HOW_TO_GET_MOVEIT_MSGS)
            return
        self._create(GetPositionIK, '~/compute_ik', self.on_compute_ik)
        self._create(GetPositionFK, '~/compute_fk', self.on_compute_fk)
        ObjectTopics(node, self._world, self._worker, state,
                     lambda: self._prepared.robot.model, self._place)

    def use(self, prepared: Prepared) -> None:
        """Answer for this robot and these settings from now on."""
        self._prepared = prepared

    def close(self, wait: bool) -> None:
        """End the worker; it finishes what it has begun."""
        self._worker.shutdown(wait, cancel_futures=True)

    async def on_compute_ik(self, request: Any, response: Any) -> Any:
        """Answer a ``GetPositionIK`` request; never raises."""
        self._follower.counters.ik_calls += 1
        server = self._prepared.server
        try:
            query = server.query(request.ik_request, self._state.positions)
            solving = self._worker.submit(server.solve, query)
            try:
                result = solving.result(QUICK)
            except NotYetSolved:
                await self._end_of(solving)
                result = solving.result()
            server.fill(response, query, result)
            if result.contact:
                self._node.get_logger().info(f'compute_ik: {result.message}',
                                             throttle_duration_sec=WARN_PERIOD)
        except RequestError as refusal:
            fill_error(response.error_code, refusal.code, str(refusal))
        except Exception:
            self._fail(response)
        self._follower.counters.ik_failures += response.error_code.val != ErrorCode.SUCCESS
        return response

    def on_compute_fk(self, request: Any, response: Any) -> Any:
        """Answer a ``GetPositionFK`` request; never raises."""
        self._follower.counters.fk_calls += 1
        try:
            compute_fk(request, response, self._prepared.robot, self._prepared.root_frames,
                       self._state.positions, self._node.get_clock().now().to_msg())
        except Exception:
            self._fail(response)
        return response

    def on_reseed(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Let the stream start anew from the current joint states."""
        response.success, response.message = True, self._follower.reseed()
        return response

    def _place(self, frame: str) -> Pose:
        """Return the pose of a frame in the root frame, now."""
        return self._prepared.root_frames.pose(frame, self._state.positions)

    def _end_of(self, solving: SolveFuture) -> Future:
        """Return a future for the executor, which ends when a solve does."""
        executor: Any = self._node.executor
        ended = Future(executor=executor)

        def wake(_: SolveFuture) -> None:
            ended.set_result(None)
            executor.wake()
        solving.add_done_callback(wake)
        return ended

    def _fail(self, response: Any) -> None:
        trace = traceback.format_exc()
        self._node.get_logger().error(f'a request failed; please report this:\n{trace}')
        fill_error(response.error_code, ErrorCode.FAILURE, trace.strip().splitlines()[-1])

    def _create(self, kind: Any, name: str, callback: Callable[..., Any]) -> None:
        self._node.create_service(
            kind, name, callback, qos_profile=REQUESTS, callback_group=self._group)
