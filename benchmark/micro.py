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
"""Forward kinematics and Jacobians: inside a kernel, and called from Python, beside Pinocchio."""
from __future__ import annotations

from pathlib import Path
import tempfile
from time import perf_counter

import numpy as np

from . import robots

ROUNDS = 15
NAMES = ('panda', 'humanoid')


def measure(progress=lambda text: None) -> list[dict]:
    """Return the medians [us] of every operation on a 7-joint arm and on the 71-DoF tree."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            progress(f'kinematics · {name}')
            robot = robots.load(name, Path(folder))
            operations = _ours(robot) | _pinocchio(robot)
            times = _interleave(operations)
            rows.append({'robot': robot.label, **times})
    return rows


def _interleave(operations: dict) -> dict[str, float]:
    """Run the operations in turn, ``ROUNDS`` times, and return the median time of each [us]."""
    samples: dict[str, list[float]] = {name: [] for name in operations}
    for _, operation in operations.values():
        operation()
    for _ in range(ROUNDS):
        for name, (count, operation) in operations.items():
            started = perf_counter()
            operation()
            samples[name].append((perf_counter() - started) / count * 1e6)
    return {name: float(np.median(values)) for name, values in samples.items()}


def _ours(robot: robots.Robot) -> dict:
    from dq_ik import load_robot
    from dq_ik.core.jacobian import jacobian
    chain = load_robot(robot.urdf).chain(robot.base, robot.tips)
    q = np.array([chain.random(np.random.default_rng(i)) for i in range(200)])
    fk_loop, jacobian_loop = _loops()
    tip = robot.tips[0]

    poses, block, origin = np.empty((1, 8)), np.empty((1, 6, chain.n)), np.zeros(3)

    def on_arrays():
        for i in range(len(q)):
            jacobian(*chain.packed, q[i:i + 1], 0, origin, False, poses, block)

    def through_chain():
        for row in q:
            chain.fk(row, tip)
            chain.jacobian(row, tip)

    return {'kernel_fk': (len(q), lambda: fk_loop(*chain.packed, q)),
            'kernel_fk_jacobian': (len(q), lambda: jacobian_loop(*chain.packed, q)),
            'python_arrays': (len(q), on_arrays),
            'python_batch': (len(q), lambda: chain.jacobian_batch(q, tip)),
            'python_chain': (len(q), through_chain)}


def _pinocchio(robot: robots.Robot) -> dict:
    import pinocchio
    model = pinocchio.buildModelFromUrdf(str(robot.urdf))
    data = model.createData()
    tip = model.getFrameId(robot.tips[0])
    rng = np.random.default_rng(0)
    q = rng.uniform(model.lowerPositionLimit, model.upperPositionLimit, size=(200, model.nq))

    def from_python():
        for row in q:
            pinocchio.forwardKinematics(model, data, row)
            pinocchio.computeJointJacobians(model, data)
            pinocchio.updateFramePlacement(model, data, tip)
            pinocchio.getFrameJacobian(model, data, tip, pinocchio.LOCAL_WORLD_ALIGNED)

    return {'pinocchio_python': (len(q), from_python)}


def _loops():
    """Return loops over configurations that stay inside compiled code."""
    import numba

    from dq_ik.core import frame
    from dq_ik.core.compile import FAST_MATH
    from dq_ik.core.jacobian import columns, UNWEIGHTED
    from dq_ik.core.tree import forward_kinematics, n_screws, new_turns, tip_frame, unpack

    compiled = numba.njit(error_model='numpy', fastmath=FAST_MATH)

    @compiled
    def fk_loop(numbers, indices, q):
        tree = unpack(numbers, indices)
        turns = new_turns(tree.index.shape[0])
        world = np.empty((tree.index.shape[0], frame.WIDTH))
        screw = np.empty((n_screws(tree), 6))
        total = 0.0
        for row in range(q.shape[0]):
            forward_kinematics(tree, q[row], turns, world, screw)
            for k in range(tree.tip.shape[0]):
                total += tip_frame(tree, k, world)[0][0]
        return total

    @compiled
    def jacobian_loop(numbers, indices, q):
        tree = unpack(numbers, indices)
        turns = new_turns(tree.index.shape[0])
        world = np.empty((tree.index.shape[0], frame.WIDTH))
        screw = np.empty((n_screws(tree), 6))
        column = np.empty((tree.slot.shape[0], 6))
        total = 0.0
        for row in range(q.shape[0]):
            forward_kinematics(tree, q[row], turns, world, screw)
            for k in range(tree.tip.shape[0]):
                columns(tree, k, tip_frame(tree, k, world)[1], UNWEIGHTED, screw, column)
            total += column[0, 0]
        return total

    return fk_loop, jacobian_loop
