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
"""Make sure that the browser tests find a Chromium: install it as root, else say what to do."""

import os
import shutil
import subprocess
import sys

NAMES = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')
ADVICE = (
    'The browser tests need Chromium, and it is not installed. Install it, for instance with\n'
    '    sudo apt-get install chromium\n'
    'or run the other tests alone: make test ARGS="-m \'not browser\'"'
)


def main() -> int:
    """Return 0 when there is a browser."""
    if any(map(shutil.which, NAMES)):
        return 0
    if os.geteuid() != 0 or shutil.which('apt-get') is None:
        print(ADVICE, file=sys.stderr)
        return 1
    print('Installing Chromium for the browser tests ...', flush=True)
    environment = {**os.environ, 'DEBIAN_FRONTEND': 'noninteractive'}
    for command in (
        ['apt-get', 'update'],
        ['apt-get', 'install', '--yes', '--no-install-recommends', 'chromium'],
    ):
        result = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False
        )
    if result.returncode != 0:
        print(f'{result.stderr.strip().splitlines()[-1]}\n{ADVICE}', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
