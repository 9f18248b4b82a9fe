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
Make the virtual environment of this checkout, or bring it up to date: ``python3 tools/setup``.

This file uses old syntax on purpose, so that an old Python can read it and say what is missing.
"""

import argparse
import fcntl
import os
from pathlib import Path
import sys

OLDEST = (3, 10)
ROOT = Path(__file__).resolve().parents[2]


def parse_arguments(arguments=None):
    """Return the wanted extras and the folder of the environment."""
    parser = argparse.ArgumentParser(prog='tools/setup', description='Set up the environment.')
    parser.add_argument('extras', nargs='*', help='extras of setup.py to install beside "ros"')
    parser.add_argument('--venv', type=Path, default=ROOT / '.venv', help='default: .venv')
    return parser.parse_args(arguments)


def main():
    """Set up, and turn every foreseen failure into one sentence."""
    if sys.version_info < OLDEST:
        found = '.'.join(map(str, sys.version_info[:3]))
        return f'dq_ik needs Python 3.10 or newer; this is {found}. Try: make PYTHON=python3.12'
    options = parse_arguments()
    from environment import set_up
    from report import SetupError

    handle = os.open(str(ROOT), os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        print('Waiting for another set-up of this checkout to finish.', flush=True)
        fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        extras = ['build', 'ros', 'interfaces', *options.extras]
        set_up(ROOT, Path(os.path.abspath(options.venv)), extras)
    except SetupError as error:
        return str(error)
    except KeyboardInterrupt:
        return '\nSet-up was interrupted; the next run will finish it.'
    return 0


if __name__ == '__main__':
    sys.exit(main())
