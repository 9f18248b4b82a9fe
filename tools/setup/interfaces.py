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
"""Generate, compile and install the interface packages that the ROS wheels lack."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
import re
import shutil
import subprocess

from report import Report, SetupError

# In the order of their dependencies; beside each, a type that only the complete package has.
PACKAGES = {'object_recognition_msgs': 'RecognizedObject', 'moveit_msgs': 'MotionPlanRequest',
            'control_msgs': 'JointTolerance'}
COMPILERS = ('cc', 'c++')

_PROBE = (
    'from moveit_msgs.srv import GetPositionFK, GetPositionIK; '
    'GetPositionFK.__class__.__import_type_support__(); '
    'GetPositionIK.__class__.__import_type_support__(); '
    'from control_msgs.msg import JointJog; JointJog.__class__.__import_type_support__()'
)
_INCLUDES = (
    'import numpy, pathlib, sysconfig; '
    "print(sysconfig.get_path('include')); print(numpy.get_include()); "
    "print(pathlib.Path(sysconfig.get_path('include'), 'Python.h').exists())"
)


def digest(source: Path) -> str:
    """Return a fingerprint of all definitions below ``source``."""
    files = sorted(path for path in source.rglob('*') if path.is_file())
    text = b''.join(str(p.relative_to(source)).encode() + p.read_bytes() for p in files)
    return hashlib.sha256(text).hexdigest()[:16]


def importable(python: Path) -> bool:
    """Tell whether this Python has the services of ``moveit_msgs`` and ``JointJog`` already."""
    probe = subprocess.run(
        [python, '-c', _PROBE], env=clean_environment(python), capture_output=True, check=False
    )
    return probe.returncode == 0


def complete(python: Path, *packages: str) -> bool:
    """
    Tell whether this Python has all of some packages, and not our parts of them.

    :param packages: names in :data:`PACKAGES`; none: all of them
    """
    wanted = '; '.join(f'from {name}.msg import {PACKAGES[name]}' for name in packages or PACKAGES)
    probe = subprocess.run([python, '-c', wanted], env=clean_environment(python),
                           capture_output=True, check=False)
    return probe.returncode == 0


def clean_environment(python: Path) -> dict[str, str]:
    """
    Return the environment in which the build tools see this virtual environment alone.

    The guard of the ROS wheels' bootstrapper is dropped, since it belongs to another Python.
    """
    prefix = python.parent.parent
    dropped = ('PYTHONPATH', 'PYTHONHOME', 'LD_LIBRARY_PATH', '_ROS_WHEELS_BOOTSTRAP_COMPLETE')
    environment = {key: value for key, value in os.environ.items() if key not in dropped}
    environment['PATH'] = f'{python.parent}{os.pathsep}{environment.get("PATH", os.defpath)}'
    environment['AMENT_PREFIX_PATH'] = environment['CMAKE_PREFIX_PATH'] = str(prefix)
    environment['VIRTUAL_ENV'] = str(prefix)
    return environment


def missing_tool(python: Path) -> str | None:
    """Return one sentence about what the build lacks on this machine, or nothing."""
    absent = [name for name in COMPILERS if shutil.which(name) is None]
    if absent:
        return (
            f'No compiler ({", ".join(absent)}) was found: install gcc and g++ '
            '(on Debian or Ubuntu: build-essential).'
        )
    if _includes(python)[2] != 'True':
        return 'The headers of Python were not found: install python3-dev.'
    return None


def build(python: Path, source: Path, work: Path, report: Report) -> None:
    """
    Build every package of ``source`` that is not there and install it beside the wheels.

    :param python: interpreter of the virtual environment, where the result is installed
    :param source: folder with one ament_cmake package per name in :data:`PACKAGES`
    :param work: scratch folder, emptied first
    :raises SetupError: when a build step fails
    """
    shutil.rmtree(work, ignore_errors=True)
    repair_exports(python)
    for package in PACKAGES:
        if not complete(python, package):
            _build_package(python, source / package, work / package, report)
    shutil.rmtree(work, ignore_errors=True)
    if not importable(python):
        raise SetupError('moveit_msgs and control_msgs were built but cannot be imported.')


def repair_exports(python: Path) -> int:
    """
    Point the wheels' CMake exports at this Python and this numpy.

    They name the include folders of the machine that built them, and CMake refuses paths that
    do not exist.

    :returns: number of files that were changed
    """
    include, numpy_include, _ = _includes(python)
    changed = 0
    for path in python.parent.parent.glob('share/*/cmake/*rosidl_generator_pyExport.cmake'):
        text = path.read_text()
        fixed = re.sub(r'[^";\s]*/include/python3[^";/]*(?=[";])', lambda _: include, text)
        fixed = re.sub(r'[^";\s]*/numpy/_?core/include(?=[";])', lambda _: numpy_include, fixed)
        if fixed != text:
            path.write_text(fixed)
            changed += 1
    return changed


def _includes(python: Path) -> list[str]:
    """Return the include folders of Python and numpy, and whether Python's exists."""
    return subprocess.run(
        [python, '-c', _INCLUDES],
        env=clean_environment(python),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()


def _build_package(python: Path, source: Path, work: Path, report: Report) -> None:
    """Configure, compile and install one package."""
    environment = clean_environment(python)
    cmake = python.parent / 'cmake'
    configure = [
        cmake, '-S', source, '-B', work, '-G', 'Ninja',
        f'-DCMAKE_INSTALL_PREFIX={python.parent.parent}',
        f'-DPython3_EXECUTABLE={python}',
        '-DBUILD_TESTING=OFF',
        '-DCMAKE_BUILD_TYPE=Release',
    ]  # fmt: skip
    for command in (configure, [cmake, '--build', work, '--target', 'install']):
        report.run(command, environment, f'Building {source.name} failed')
