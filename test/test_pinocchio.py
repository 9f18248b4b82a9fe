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
"""Every URDF that example-robot-data ships: poses and Jacobians agree with Pinocchio."""

from __future__ import annotations

from pathlib import Path

from dq_ik.errors import UrdfError
from dq_ik.papers import recipe
from dq_ik.robot.urdf import load_robot
from helpers import close
import numpy as np
import pinocchio
import pytest

CONFIGURATIONS = 3
# Files that are wrong by themselves, and what we say about them.
BROKEN = {
    'alex_psyonic_hands': "mimics the unknown joint 'index_q1'",
    'ur3': 'has no link',
}

# Robots without mimics and continuous joints, for which Pinocchio's columns are ours, reordered.
TEXTBOOK = ('ur5_robot', 'xarm7', 'centauro', 'g1_29dof_rev_1_0')


def _robots() -> list[Path]:
    """List the files: the package installs them into the share folder above Pinocchio's own."""
    for root in Path(pinocchio.__file__).parents:
        robots = root / 'share' / 'example-robot-data' / 'robots'
        if robots.is_dir():
            return sorted(robots.rglob('*.urdf'))
    return []


ROBOTS = _robots()
WHOLE = [path for path in ROBOTS if path.stem not in BROKEN]


def test_there_are_at_least_forty_robots():
    if not ROBOTS:
        pytest.skip('pip install example-robot-data')
    assert len(WHOLE) >= 40


def _reference_vector(model, positions):
    """Return Pinocchio's configuration: continuous joints are stored as cosine and sine there."""
    q = pinocchio.neutral(model)
    for i, name in enumerate(model.names[1:], start=1):
        start, size, value = model.idx_qs[i], model.nqs[i], positions[name]
        q[start:start + size] = value if size == 1 else (np.cos(value), np.sin(value))
    return q


def _reference_jacobian(reference, data, frame, robot, chain):
    """Return Pinocchio's world-aligned Jacobian, mimic columns added to those of their masters."""
    full = pinocchio.getFrameJacobian(reference, data, frame, pinocchio.LOCAL_WORLD_ALIGNED)
    J = np.zeros((6, chain.n))
    for i, name in enumerate(reference.names[1:], start=1):
        mimic = robot.joint(name).mimic
        column = chain.joint_names.index(mimic.joint if mimic else name)
        J[:, column] += (mimic.multiplier if mimic else 1.0) * full[:, reference.idx_vs[i]]
    return J


@pytest.mark.parametrize('path', WHOLE, ids=lambda path: path.stem)
def test_agrees_with_pinocchio(path):
    robot = load_robot(path)
    chain = robot.whole
    reference = pinocchio.buildModelFromUrdf(str(path))
    data = reference.createData()
    rng = np.random.default_rng(7)
    frames = {link: reference.getFrameId(link, pinocchio.BODY) for link in robot.links}
    for _ in range(CONFIGURATIONS):
        q = chain.random(rng)
        positions = chain.joint_positions(q)
        pinocchio.computeJointJacobians(reference, data, _reference_vector(reference, positions))
        pinocchio.updateFramePlacements(reference, data)
        poses = chain.fk_all(q)
        reach = max(1.0, *(np.linalg.norm(data.oMf[f].translation) for f in frames.values()))
        for link, frame in frames.items():
            close(poses[link].matrix, data.oMf[frame].homogeneous, 1e-12 * reach)
        for link in robot.leaves if chain.n else ():  # Pinocchio crashes on robots without joints
            expected = _reference_jacobian(reference, data, frames[link], robot, chain)
            close(chain.jacobian(q, link), expected, 1e-10 * reach)


@pytest.mark.parametrize('path', [p for p in WHOLE if p.stem in TEXTBOOK], ids=lambda p: p.stem)
def test_textbook_functions_agree_with_pinocchio(path):
    chain = load_robot(path).whole
    reference = pinocchio.buildModelFromUrdf(str(path))
    data = reference.createData()
    rng = np.random.default_rng(3)
    q, tip = chain.random(rng), chain.tips[-1]
    qdot = rng.uniform(-1, 1, chain.n)
    order = [chain.joint_names.index(name) for name in reference.names[1:]]
    pinocchio.computeJointJacobiansTimeVariation(reference, data, q[order], qdot[order])
    pinocchio.updateFramePlacements(reference, data)
    frame = reference.getFrameId(tip, pinocchio.BODY)
    local, aligned = pinocchio.LOCAL, pinocchio.LOCAL_WORLD_ALIGNED
    close(recipe.body_jacobian(chain, q, tip)[:, order],
          pinocchio.getFrameJacobian(reference, data, frame, local), 1e-12)
    close(recipe.world_jacobian(chain, q, tip)[:, order],
          pinocchio.getFrameJacobian(reference, data, frame, aligned), 1e-12)
    close(recipe.body_jacobian_rate(chain, q, qdot, tip)[:, order],
          pinocchio.getFrameJacobianTimeVariation(reference, data, frame, local), 1e-12)


@pytest.mark.parametrize('path', [p for p in ROBOTS if p.stem in BROKEN], ids=lambda p: p.stem)
def test_broken_files_are_refused_with_the_reason(path):
    with pytest.raises(UrdfError, match=BROKEN[path.stem]):
        load_robot(path)
