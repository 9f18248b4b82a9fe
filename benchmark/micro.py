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
"""Forward kinematics and Jacobians: many at once, and one by one from Python beside Pinocchio."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import os
from pathlib import Path
import tempfile

import numpy as np

from . import robots
from .timing import interleaved

NAMES = ('panda', 'humanoid')
MANY = 4000  # configurations in one call
FEW = 200  # calls from Python in a round


def measure(progress=lambda text: None) -> list[dict]:
    """Return the medians [us] of every operation on a 7-joint arm and on the 71-DoF tree."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, one_core():
        for name in NAMES:
            progress(f'kinematics · {name}')
            robot = robots.load(name, Path(folder))
            times = interleaved(_ours(robot) | _pinocchio(robot))
            medians = {key: float(np.median(values)) for key, values in times.items()}
            rows.append({'robot': robot.label, **fastest(medians)})
    return rows


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process on one core for a while."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def fastest(times: dict[str, float]) -> dict[str, float]:
    """Keep the fastest of several ways to the same; they are named ``what: way``."""
    found: dict[str, float] = {}
    for name, value in times.items():
        what = name.split(':')[0]
        found[what] = min(value, found.get(what, value))
    return found


def _ours(robot: robots.Robot) -> dict:
    from dq_ik import load_robot
    chain = load_robot(robot.urdf).chain(robot.base, robot.tips)
    many = np.array([chain.random(np.random.default_rng(i)) for i in range(MANY)])
    tip = robot.tips[0]

    def fk():
        for q in many[:FEW]:
            chain.fk(q, tip)

    def jacobian():
        for q in many[:FEW]:
            chain.jacobian(q, tip)

    return {'kernel_fk': (MANY, lambda: chain.fk_batch(many)),
            'kernel_fk_jacobian': (MANY, lambda: chain.jacobian_batch(many, tip)),
            'python_fk': (FEW, fk),
            'python_jacobian': (FEW, jacobian)}


def _pinocchio(robot: robots.Robot) -> dict:
    """Return the ways that Pinocchio offers to the pose and to the Jacobian of one frame."""
    import pinocchio as pin
    model = pin.buildModelFromUrdf(str(robot.urdf))
    data = model.createData()
    tip = model.getFrameId(robot.tips[0])
    rng = np.random.default_rng(0)
    few = rng.uniform(model.lowerPositionLimit, model.upperPositionLimit, size=(FEW, model.nq))

    def one_frame():
        for q in few:
            pin.forwardKinematics(model, data, q)
            pin.updateFramePlacement(model, data, tip)

    def all_frames():
        for q in few:
            pin.framesForwardKinematics(model, data, q)
            data.oMf[tip]

    def one_jacobian():
        for q in few:
            pin.computeFrameJacobian(model, data, q, tip, pin.LOCAL_WORLD_ALIGNED)

    def all_jacobians():
        for q in few:
            pin.computeJointJacobians(model, data, q)
            pin.updateFramePlacement(model, data, tip)
            pin.getFrameJacobian(model, data, tip, pin.LOCAL_WORLD_ALIGNED)

    return {'pinocchio_fk: one frame': (FEW, one_frame),
            'pinocchio_fk: all frames': (FEW, all_frames),
            'pinocchio_jacobian: one frame': (FEW, one_jacobian),
            'pinocchio_jacobian: all joints': (FEW, all_jacobians)}
