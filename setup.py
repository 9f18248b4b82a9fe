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
"""One description for pip and colcon: entry points, share files, optional dependencies."""

from pathlib import Path

from setuptools import find_packages, setup

PACKAGE = 'dq_ik'
NODES = ('ik_node', 'viewer_node', 'sim_node', 'goal_marker', 'path_node')

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

EXTRAS = {
    'ros': ['ros-rclpy[fastrtps]==7.1.6', *(f'ros-jazzy-{name}' for name in JAZZY_MESSAGES)],
    'interfaces': [
        'catkin-pkg', 'cmake', 'ninja', 'setuptools',
        *(f'ros-jazzy-{name}' for name in JAZZY_GENERATORS),
    ],
    'viewer': ['pycollada', 'trimesh', 'viser==1.1.1'],
    'sim': ['mujoco'],
    'lint': ['mypy', 'ruff', 'types-setuptools'],
    'test': [
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
        'pillow',
        'pin',
        'playwright',
        'pytest',
        'pytest-timeout',
        'pyyaml',
        'setuptools<80',
        'transforms3d',
    ],
    'bench': ['example-robot-data', 'matplotlib', 'pin'],
}


def files(folder: str, pattern: str = '*') -> list[str]:
    """Return the files of a folder of the checkout, relative to it."""
    return sorted(str(path) for path in Path(folder).glob(pattern) if path.is_file())


setup(
    name=PACKAGE,
    version='0.1.0',
    description='Inverse kinematics for ROS 2 by projected Gauss-Seidel on dual quaternions',
    maintainer='The dq_ik Authors',
    maintainer_email='dq_ik@users.noreply.github.com',
    license='Apache-2.0',
    python_requires='>=3.10',
    packages=find_packages(include=[PACKAGE, f'{PACKAGE}.*']),
    package_data={PACKAGE: ['py.typed']},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{PACKAGE}']),
        (f'share/{PACKAGE}', ['package.xml']),
        (f'share/{PACKAGE}/config', files('config')),
        (f'share/{PACKAGE}/launch', files('launch', '*.launch.py')),
        (f'share/{PACKAGE}/rviz', files('rviz')),
        (f'share/{PACKAGE}/urdf', files('urdf')),
        (f'lib/{PACKAGE}', [f'scripts/{name}' for name in NODES]),
    ],
    install_requires=['numba', 'numpy', 'rich', 'scipy', 'setuptools', 'urdf_parser_py'],
    extras_require=EXTRAS,
    zip_safe=False,
    entry_points={'console_scripts': [f'{PACKAGE} = {PACKAGE}.cli.main:main']},
)
