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

"""dq_ik: inverse kinematics with dual quaternions under hard joint limits."""

from dq_ik.display import show
from dq_ik.errors import (
    ChainError,
    CollisionError,
    DqIkError,
    GoalError,
    OptionError,
    PoseError,
    SeedError,
    UrdfError,
)
from dq_ik.goal import Goal
from dq_ik.options import IkOptions
from dq_ik.pose import Pose
from dq_ik.result import BatchResult, IkResult, Status
from dq_ik.robot.chain import Chain
from dq_ik.robot.model import Joint, JointKind, Mimic, RobotModel
from dq_ik.robot.urdf import load_robot
from dq_ik.solver import solve, solve_batch, Solver

__version__ = '0.2.0'

__all__ = [
    'BatchResult',
    'Chain',
    'ChainError',
    'CollisionError',
    'DqIkError',
    'Goal',
    'GoalError',
    'IkOptions',
    'IkResult',
    'Joint',
    'JointKind',
    'Mimic',
    'OptionError',
    'Pose',
    'PoseError',
    'RobotModel',
    'SeedError',
    'Solver',
    'Status',
    'UrdfError',
    'load_robot',
    'show',
    'solve',
    'solve_batch',
]
