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
"""Orocos KDL through ``PyKDL``, of ROS or Debian: Newton-Raphson within limits."""
from __future__ import annotations

from importlib import import_module
import sys
from xml.etree import ElementTree

import numpy as np

from .common import one_tip, Restarts
from ..install import SYSTEM

sys.path.append(str(SYSTEM))  # after all others
kdl = import_module('PyKDL')

PACKAGE = 'PyKDL'
ITERATIONS = 100


def chain_of(robot) -> kdl.Chain:
    """Return the chain of a URDF that holds nothing else."""
    chain = kdl.Chain()
    for joint in ElementTree.parse(robot.urdf).getroot().findall('joint'):
        origin = joint.find('origin')
        values = {} if origin is None else origin.attrib
        xyz = [float(v) for v in values.get('xyz', '0 0 0').split()]
        rpy = [float(v) for v in values.get('rpy', '0 0 0').split()]
        frame = kdl.Frame(kdl.Rotation.RPY(*rpy), kdl.Vector(*xyz))
        moving = kdl.Joint(joint.get('name'), kdl.Joint.Fixed)
        if joint.get('type') != 'fixed':
            axis = kdl.Vector(*(float(v) for v in joint.find('axis').get('xyz').split()))
            kind = kdl.Joint.TransAxis if joint.get('type') == 'prismatic' else kdl.Joint.RotAxis
            moving = kdl.Joint(joint.get('name'), frame.p, frame.M * axis, kind)
        chain.addSegment(kdl.Segment(joint.find('child').get('link'), moving, frame))
    return chain


def array(values) -> kdl.JntArray:
    """Return KDL's vector type."""
    out = kdl.JntArray(len(values))
    for i, value in enumerate(values):
        out[i] = value
    return out


def matrix(frame: kdl.Frame) -> np.ndarray:
    """Return a frame as an array of one matrix."""
    return np.array([[[frame[i, j] for j in range(4)] for i in range(3)] + [[0.0, 0.0, 0.0, 1.0]]])


class Newton:
    """``ChainIkSolverPos_NR_JL`` with random restarts (KDL-RR in TRAC-IK's tables)."""

    def __init__(self, robot, settings):
        """Build the solver chain."""
        one_tip(robot)
        self._chain, self._n = chain_of(robot), robot.dof
        self._fk = kdl.ChainFkSolverPos_recursive(self._chain)
        self._velocity = kdl.ChainIkSolverVel_pinv(self._chain)
        tolerance = 0.57 * min(settings.position_tolerance, settings.rotation_tolerance)
        self._solver = kdl.ChainIkSolverPos_NR_JL(
            self._chain, array(robot.lower), array(robot.upper), self._fk, self._velocity,
            ITERATIONS, tolerance)
        self._restarts = Restarts(robot, settings)

    def translate(self, goals):
        """Return a frame."""
        rotation = kdl.Rotation(*goals[0, :3, :3].ravel().tolist())
        return kdl.Frame(rotation, kdl.Vector(*goals[0, :3, 3].tolist()))

    def solve(self, goals, seed):
        """Return the first success."""
        out = kdl.JntArray(self._n)

        def attempt(q, deadline):
            code = self._solver.CartToJnt(array(q), goals, out)
            return np.array([out[i] for i in range(self._n)]), code >= 0

        return self._restarts.search(attempt, seed, lambda: matrix(goals))


SOLVERS = {'KDL': Newton}
