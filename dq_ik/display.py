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
"""``chain.show()``: the page on any chain, in this process, without ROS."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

from dq_ik.errors import DqIkError
from dq_ik.result import IkResult
from dq_ik.robot.chain import Chain

HOW_TO_GET_VISER = "the page needs viser, which is not installed: pip install 'viser==1.1.1'"


def show(chain: Chain, q: Any = None, *, goal: Any = None, port: int = 8080,
         host: str = '127.0.0.1', open_browser: bool = True, block: bool = True,
         world: Any = None, robots: Mapping[str, Callable[[], Chain]] | None = None) -> Any:
    """
    Open a page with the arm, whose goal can be dragged; nothing but this process is needed.

    :param q: where the arm stands: a joint vector or an :class:`dq_ik.IkResult`; None: at home
    :param goal: where its goal is; None: at the tip
    :param port: of the page; the next free one if it is busy
    :param host: address that the page is served at; the usual one is this machine alone
    :param open_browser: open the page in the browser, where there is a screen
    :param block: return when the user ends it by Ctrl-C; else at once
    :param world: objects around the arm: a :class:`dq_ik.collision.world.World`, or the file or
        name of one
    :param robots: what makes the chains that may be chosen on the page instead, by name
    :raises DqIkError: if viser is not installed
    """
    if find_spec('viser') is None:
        raise DqIkError(HOW_TO_GET_VISER)
    from dq_ik.viewer.alone import show as serve
    return serve(chain, goal=goal, q=q.q if isinstance(q, IkResult) else q, port=port, host=host,
                 open_browser=open_browser, block=block, world=world, robots=robots)


Chain.show = show
