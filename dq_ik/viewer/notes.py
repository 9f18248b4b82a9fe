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
"""Sentences to the users of a page: what they asked for and cannot be seen, or was refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dq_ik.errors import DqIkError
import viser

SHOWN = 8.0  # time for which a sentence is shown [s]


class Notes:
    """Shows sentences for a while, in all browsers; ``last`` is the newest."""

    def __init__(self, server: viser.ViserServer) -> None:
        """Say nothing."""
        self._server = server
        self.last = ''

    def say(self, sentence: str) -> None:
        """Show a sentence."""
        self.last = sentence
        for client in self._server.get_clients().values():
            client.add_notification('', sentence, auto_close_seconds=SHOWN)

    def told(self, action: Callable[..., None]) -> Callable[..., None]:
        """Return an action whose refusal is told to the users."""
        def attempt(*args: Any) -> None:
            try:
                action(*args)
            except DqIkError as error:
                self.say(str(error))
        return attempt
