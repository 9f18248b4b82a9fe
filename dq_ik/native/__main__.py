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

"""Build the native library by hand: ``python -m dq_ik.native``, or ``python dq_ik/native``."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
import platform
import sys
import time
from types import ModuleType

if 'dq_ik' not in sys.modules:  # run by its path: the rest of the package is not needed
    package = ModuleType('dq_ik')
    package.__path__ = [str(Path(__file__).resolve().parents[1])]
    sys.modules['dq_ik'] = package

from dq_ik.native import build, files, levels


def main() -> int:
    """Build, or generate the files from which gcc alone builds; say how long it took."""
    if sys.argv[1:2] == ['--step']:  # of a build, in a process of its own
        module, function = sys.argv[2].split('.')
        getattr(import_module(f'dq_ik.native.{module}'), function)(*sys.argv[3:])
        return 0
    given = parse_arguments()
    wanted = given.levels or [levels.own_level()]
    if 'all' in wanted:
        wanted = levels.levels_of(platform.machine())
    start = time.monotonic()

    def say(text: str) -> None:
        print(f'dq_ik: {time.monotonic() - start:4.0f} s  {text}', flush=True)

    try:
        if not given.anew and is_fresh(given, wanted):
            say(f'up to date: {given.output}')
            return 0
        given.output.mkdir(parents=True, exist_ok=True)
        make = build.generate if given.generate else build.build
        make(given.output, wanted, checked=given.checked, say=say)
    except build.BuildError as error:
        print(f'dq_ik: {error}', file=sys.stderr)
        return 1
    say(f'done: {given.output}')
    return 0


def is_fresh(given: argparse.Namespace, wanted: list[str]) -> bool:
    """Tell whether what is asked for is there already."""
    if given.generate:
        return build.archived(files.digest(given.checked), wanted, given.output) is not None
    return build.ready(given.output, wanted, given.checked)


def parse_arguments() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog='dq_ik.native', description=(
        'Build the native library from the Python kernels. Needs gcc, and numba '
        f'{files.NUMBA}, which is installed into a private environment if it is not there. '
        'What is up to date is left as it is.'))
    parser.add_argument('levels', nargs='*', choices=[*levels.LEVELS, 'all', []], help=(
        'kinds of processors; "all": all of this architecture; none: this processor only'))
    parser.add_argument('--output', type=Path, default=files.BUILT, help='default: %(default)s')
    parser.add_argument('--generate', action='store_true',
                        help='only write the assembly and the C files, for any architecture')
    parser.add_argument('--checked', action='store_true',
                        help='an index out of range ends a call with a status; for tests')
    parser.add_argument('--anew', action='store_true', help='build even what is up to date')
    return parser.parse_args()


if __name__ == '__main__':
    sys.exit(main())
