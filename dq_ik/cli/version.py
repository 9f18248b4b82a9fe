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
"""``--version``: which dq_ik this is, and how its kernels run here."""

from __future__ import annotations

import argparse
from typing import Any


class Version(argparse.Action):
    """Print the version and end; the library is loaded only when it is asked for."""

    def __init__(self, option_strings: list[str], dest: str, **options: Any) -> None:
        """Take no value."""
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0,
                         help='print the version and how the kernels run here')

    def __call__(self, parser: argparse.ArgumentParser, *given: Any) -> None:
        """Print and end."""
        from dq_ik import __version__
        from dq_ik.native.load import describe
        print(f'dq_ik {__version__}: {describe()}')
        parser.exit()
