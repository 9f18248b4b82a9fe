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

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
import faulthandler
import os
import signal
import sys
from textwrap import shorten
import threading
import time
from traceback import extract_tb
from typing import Any

from dq_ik.errors import DqIkError, nearest
import rclpy
from rclpy.clock import Clock, ClockType
from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.exceptions import ParameterException
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.subscription import Subscription
from rclpy.timer import Timer

# Events of a topic tell of partners with another quality of service. The partner says so, too, and
# each event costs the executor some microseconds per turn.
NO_EVENTS_IN = SubscriptionEventCallbacks(use_default_callbacks=False)
NO_EVENTS_OUT = PublisherEventCallbacks(use_default_callbacks=False)
# Seconds between two warnings of one kind, and that a node may take to leave the graph.
WARN_PERIOD = 5.0
LONGEST_REASON = 300  # characters of what ROS says when it does not start
LONGEST_END = 1.5
PAUSE = 1e-3  # after a callback that failed [s], lest a lasting failure takes all the time


class StopError(DqIkError):
    """Raised in a callback to end the node, with the reason."""


def run(name: str, make_node: Callable[[], Node], args: list[str] | None = None) -> int:
    """
    Spin a node until shutdown, and return the exit code.

    :param name: for messages on stderr
    """
    code, node, executor = 0, None, None
    try:
        try:
            rclpy.init(args=args)
        except Exception as error:
            raise StopError(f'ROS does not start: {in_short(str(error))}') from None
        executor = SingleThreadedExecutor()  # first: it cannot be made once shutdown has begun
        node = make_node()
        warn_of_typos(node)
        executor.add_node(node)
        spin(executor, node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except (DqIkError, ParameterException) as error:
        print(f'{name}: {error}', file=sys.stderr)
        code = 1
    except Exception:
        if rclpy.ok():  # while shutting down, entities may vanish under our feet
            code = 1
            raise
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it ends already: no second Ctrl-C
        with ends_in(LONGEST_END, code):
            if executor is not None:
                executor.shutdown()
            if node is not None:
                node.destroy_node()
            rclpy.try_shutdown()
    return code


def in_short(reason: str) -> str:
    """Return the beginning of what ROS says, which may hold a whole URDF, and what helps there."""
    text = shorten(reason, LONGEST_REASON)
    if 'robot_description:=' in reason:
        text += " (ROS reads the value as YAML; 'dq_ik node arm.urdf' reads the file as it is)"
    return text


def warn_of_typos(node: Node) -> None:
    """Name parameters that were given and nobody has, if they are like one of the node's."""
    given = getattr(node, '_parameter_overrides', {})  # a file for all nodes has those of others
    for name in given.keys() - node._parameters.keys():
        meant = nearest(name, node._parameters)
        if meant:
            node.get_logger().warning(f"there is no parameter '{name}'{meant}; it is not used")


def spin(executor: SingleThreadedExecutor, node: Node) -> None:
    """
    Execute callbacks until shutdown; what one of them did not expect is logged, and they go on.

    :raises StopError: if a callback raised it.
    """
    while node.context.ok():
        try:
            executor.spin()
            return
        except (StopError, ExternalShutdownException):
            raise
        except Exception as error:
            if not node.context.ok():
                raise
            place = extract_tb(error.__traceback__)[-1]
            node.get_logger().error(
                f'a callback failed, the node goes on: {error} ({type(error).__name__} in '
                f'{place.filename}, line {place.lineno})', throttle_duration_sec=WARN_PERIOD)
            time.sleep(PAUSE)


@contextmanager
def ends_in(patience: float, code: int) -> Iterator[None]:
    """
    End the process with an exit code if the body takes longer than ``patience`` seconds.

    A participant of Fast DDS that leaves while others leave may spin for ever
    (eProsima/Fast-DDS#6513), and then no Python runs: the second watchdog needs none. Its exit
    code is 1.
    """
    watchdog = threading.Timer(patience, _exit, (code,))
    watchdog.daemon = True
    with open(os.devnull, 'w') as nowhere:
        watchdog.start()
        faulthandler.dump_traceback_later(patience + 0.5, exit=True, file=nowhere)
        try:
            yield
        finally:
            watchdog.cancel()
            faulthandler.cancel_dump_traceback_later()


def _exit(code: int) -> None:
    """End at once, without what other threads still do."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


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
        """StopError, then end the node."""
        self._executor.shutdown()
        self.thread.join(timeout=5.0)
        self._node.destroy_node()

    def _spin(self) -> None:
        with suppress(ExternalShutdownException):
            spin(self._executor, self._node)


def steady_timer(node: Node, period: float, callback: Callable[[], None]) -> Timer:
    """Call ``callback`` every ``period`` seconds of real time, also while simulated time stops."""
    return node.create_timer(period, callback, clock=Clock(clock_type=ClockType.STEADY_TIME))


def take_all(subscription: Subscription) -> list[tuple[Any, Mapping[str, Any]]]:
    """Return the messages that wait in a subscription and when they came, the newest last."""
    messages, handle = [], subscription.handle
    with handle:
        while (taken := handle.take_message(subscription.msg_type, subscription.raw)) is not None:
            messages.append(taken)
    return messages
