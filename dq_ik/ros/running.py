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

"""How our nodes run: until shutdown with clear last words, or in a thread; timers in real time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
import signal
import sys
import threading

from dq_ik.errors import DqIkError
import rclpy
from rclpy.clock import Clock, ClockType
from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.exceptions import ParameterException
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.timer import Timer

# Events of a topic tell of partners with another quality of service. The partner says so, too, and
# each event costs the executor some microseconds per turn.
NO_EVENTS_IN = SubscriptionEventCallbacks(use_default_callbacks=False)
NO_EVENTS_OUT = PublisherEventCallbacks(use_default_callbacks=False)


def run(name: str, make_node: Callable[[], Node], args: list[str] | None = None) -> int:
    """
    Spin a node until shutdown, and return the exit code.

    :param name: for messages on stderr
    """
    node = None
    try:
        rclpy.init(args=args)
        executor = SingleThreadedExecutor()  # first: it cannot be made once shutdown has begun
        node = make_node()
        executor.add_node(node)
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except (DqIkError, ParameterException) as error:
        print(f'{name}: {error}', file=sys.stderr)
        return 1
    except Exception:
        if rclpy.ok():  # while shutting down, entities may vanish under our feet
            raise
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it ends already: no second Ctrl-C
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0


class SpinThread:
    """Spins a node in a thread of its own."""

    def __init__(self, node: Node) -> None:
        """Start to spin."""
        self._node = node
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(node)
        self.thread = threading.Thread(target=self._spin, daemon=True)
        self.thread.start()

    def close(self) -> None:
        """Stop, then end the node."""
        self._executor.shutdown()
        self.thread.join(timeout=5.0)
        self._node.destroy_node()

    def _spin(self) -> None:
        with suppress(ExternalShutdownException):
            self._executor.spin()


def steady_timer(node: Node, period: float, callback: Callable[[], None]) -> Timer:
    """Call ``callback`` every ``period`` seconds of real time, also while simulated time stops."""
    return node.create_timer(period, callback, clock=Clock(clock_type=ClockType.STEADY_TIME))
