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
"""A short-lived client for the shell and for tests: one node, spun in one background thread."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from queue import Empty, SimpleQueue
import threading
import time
from typing import Any

from dq_ik.ros.running import ends_in, LONGEST_END, SpinThread
import rclpy
from rclpy.context import Context

# Seconds without an answer after which a message is sent again.
RESEND = 1.0
LONGEST_WAY = 60.0  # for a last answer, while others come [s]
INTERRUPTED = 130  # exit code after Ctrl-C, as shells have it


class Client:
    """A node in a context of its own; leaving the ``with`` block shuts it down in order."""

    def __init__(self, name: str) -> None:
        """Start to spin."""
        self._context = Context()
        rclpy.init(context=self._context)
        self.node = rclpy.create_node(name, context=self._context)
        self._spinning = SpinThread(self.node)

    def __enter__(self) -> Client:
        """Return the client."""
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """
        Leave the graph in order, so that no stale participant delays the next client.

        Who presses Ctrl-C does not wait for a participant that hangs: the process ends then.
        """
        with ends_in(LONGEST_END, INTERRUPTED) if kind is KeyboardInterrupt else nullcontext():
            self._spinning.close()
            self._context.try_shutdown()

    def call(self, kind: Any, service: str, request: Any, timeout: float = 5.0) -> Any:
        """Return the response of a service, or None if there is none in time."""
        client = self.node.create_client(kind, service)
        try:
            if not client.wait_for_service(timeout):
                return None
            done = threading.Event()
            future = client.call_async(request)
            future.add_done_callback(lambda _: done.set())
            return future.result() if done.wait(timeout) else None
        finally:
            self.node.destroy_client(client)

    def publish_and_wait(self, kind: Any, topic: str, msg: Any, answer_kind: Any,
                         answer_topic: str, timeout: float = 5.0,
                         is_last: Callable[[Any], bool] = lambda answer: True) -> Any:
        """
        Publish when somebody listens; return the last message on the other topic, or None.

        A message that meets a subscription just being replaced is lost, so it is sent again.

        :param timeout: longest wait for the first answer, and then for each further one [s]
        :param is_last: tells whether an answer is the last one; the newest will do after a minute
        """
        answers: SimpleQueue[Any] = SimpleQueue()
        publisher = self.node.create_publisher(kind, topic, 1)
        subscription = self.node.create_subscription(answer_kind, answer_topic, answers.put, 10)
        try:
            answer = self._first_answer(publisher, subscription, msg, answers, timeout)
            end = time.monotonic() + LONGEST_WAY
            while answer is not None and not is_last(answer) and time.monotonic() < end:
                answer = answers.get(timeout=timeout)
        except Empty:
            pass
        finally:
            self.node.destroy_subscription(subscription)
            self.node.destroy_publisher(publisher)
        return answer

    def _first_answer(self, publisher: Any, subscription: Any, msg: Any,
                      answers: SimpleQueue[Any], timeout: float) -> Any:
        """Send a message until it is answered; return None if it is not in time."""
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0.0:
            if publisher.get_subscription_count() and subscription.get_publisher_count():
                publisher.publish(msg)
                with suppress(Empty):
                    return answers.get(timeout=min(RESEND, left))
            else:
                time.sleep(0.01)
        return None
