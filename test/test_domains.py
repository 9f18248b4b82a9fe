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
"""Runs of the tests beside each other have domains of ROS of their own."""

import subprocess
import sys

from domains import COUNT, reserve

OTHER = """
import os, sys
os.getpid = lambda: int(sys.argv[1])
from domains import reserve
print(reserve())
"""


def test_no_other_run_gets_a_domain_that_is_taken():
    """Although it begins to look at that very number."""
    taken = {reserve() for _ in range(3)}
    assert len(taken) == 3
    for number in taken:
        run = subprocess.run([sys.executable, '-c', OTHER, str(number - 1)], text=True, check=True,
                             capture_output=True, env={'PYTHONPATH': __file__.rpartition('/')[0]})
        assert int(run.stdout) not in taken
        assert 0 < int(run.stdout) <= COUNT
