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
What every test needs, set before anything of dq_ik is imported.

Where numba is, tests of kernels run them compiled too. The library is the checkout's own; it is
built at its first use if it is not there. ROS stays on this machine, in a domain of its own.
Property tests draw the same examples in every run; ``--hypothesis-profile=fuzz`` draws others each
time.
"""

import atexit
from importlib.util import find_spec
import os
from pathlib import Path
import shutil
import sys
import tempfile

from domains import reserve
from hypothesis import settings
import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRATCH = Path(tempfile.mkdtemp(prefix='dq_ik_test_'))
atexit.register(shutil.rmtree, SCRATCH, ignore_errors=True)


def prepend(variable: str, folder: object) -> None:
    """Put a folder in front of a search path."""
    known = [item for item in os.environ.get(variable, '').split(os.pathsep) if item]
    others = [item for item in known if item != str(folder)]
    os.environ[variable] = os.pathsep.join([str(folder), *others])


# The matrices of the tests are small. With threads, an exponential of a 3x3 matrix by SciPy takes
# 0.5 to 1.2 ms instead of 0.1: they wait for each other, and longer on a busy machine.
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')
if find_spec('numba') and os.environ.get('DQ_IK_NATIVE') != 'plain':
    os.environ['DQ_IK_KERNELS'] = 'numba'
os.environ['ROS_LOG_DIR'] = str(SCRATCH / 'log')
os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
os.environ['ROS_DOMAIN_ID'] = str(reserve())
prepend('AMENT_PREFIX_PATH', sys.prefix)
prepend('PYTHONPATH', ROOT)

#: what not every installation has, beside messages of ROS
OPTIONAL = ('ament_index_python', 'interactive_markers', 'launch', 'launch_ros', 'matplotlib',
            'mujoco', 'pinocchio', 'rclpy', 'tf2_ros', 'trimesh', 'viser')


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Skip a file of tests that imports what this installation does not have."""
    report = yield
    cause = report.call.excinfo and report.call.excinfo.value.__cause__
    if isinstance(cause, ImportError) and cause.path is None:  # not one that lacks a name
        package = str(cause.name).partition('.')[0]
        if package in OPTIONAL or package.endswith(('_msgs', '_interfaces')):
            report.outcome = 'skipped'
            report.longrepr = str(collector.path), 1, f'Skipped: there is no {package}'
    return report


#: tests that share work (a file, or one test of it) -> the name of the work
SHARED = {
    **dict.fromkeys(('test_the_example_runs_on_aarch64', 'test_packaged_library.py',
                     'test_packaging.py', 'test_colcon.py'), 'packages'),
    **dict.fromkeys(('test_demo.py', 'test_setup.py'), 'the environment of the checkout')}
#: what takes longest, and begins first, so that all processes end at about the same time
LONG = ('packages', 'test_checked_build.py', 'test_browser.py')


def group(nodeid: str) -> str:
    """Return what a test has in common with others: some work, or their file."""
    file, _, name = nodeid.removeprefix('test/').partition('::')
    return SHARED.get(name) or SHARED.get(file, file)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Keep a group of tests in one process."""
    from xdist.scheduler import LoadScopeScheduling

    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = group
    return scheduler


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest groups."""
    order = {name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: order.get(group(item.nodeid), len(LONG)))


settings.register_profile('repeatable', derandomize=True)
settings.register_profile('fuzz', derandomize=False)
settings.load_profile('repeatable')


@pytest.fixture(scope='module')
def bench(request):
    """Open the DOMAIN of a file of tests, with a node that plays the rest of the world."""
    from ros_bench import ros_bench

    with ros_bench(request.module.DOMAIN) as opened:
        yield opened


@pytest.fixture
def pictures(tmp_path) -> Path:
    """Return the folder for screenshots: DQ_IK_TEST_ARTIFACTS, else one that pytest removes."""
    return Path(os.environ.get('DQ_IK_TEST_ARTIFACTS') or tmp_path)
