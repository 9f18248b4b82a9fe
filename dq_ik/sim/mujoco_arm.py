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

"""An arm in MuJoCo: masses, gravity, motors with limited torque behind position servos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from dq_ik.robot.model import Joint, Mimic, RobotModel
from dq_ik.robot.xml_text import parse_robot
from dq_ik.sim.arm import ArmState, driven_joints, mimic_joints, SimulationError, start_positions
from dq_ik.sim.reference import Reference
import mujoco
import numpy as np

TIMESTEP = 0.002
# Servos settle at this rate [rad/s]: the same for all joints, so that they lag alike and a
# straight path of the tool stays straight; far below what TIMESTEP can follow.
RATE = 40.0
# A servo is at least so stiff that it uses all of its motor's effort at this error [rad or m].
FULL_EFFORT_ERROR = 0.2
# Share of a motor's effort that references may ask for; the rest carries weight and other joints.
EFFORT_SHARE = 0.3
# Inertia of motor and gear [kg m^2 or kg], missing in URDF; steadies light wrists and fingers.
ARMATURE = 0.001
INERTIA_SAMPLES = 32
COMPILER = {
    'discardvisual': 'false', 'fusestatic': 'false', 'balanceinertia': 'true',
    'boundmass': '0.01', 'boundinertia': '0.0001',
}


class MujocoArm:
    """
    Physics from the URDF's inertias, or from its shapes where it has none.

    Each joint has a position servo that stays within the effort limit of its motor, and a
    reference that keeps the velocity limit and accelerates as the motor can. With gravity
    compensation the motors carry the weight of the arm, as on real ones. Links do not collide.
    """

    kind = 'physics by MuJoCo'

    def __init__(
        self,
        model: RobotModel,
        urdf: str,
        start: Mapping[str, float] | None = None,
        gravity_compensation: bool = True,
    ) -> None:
        joints, first = driven_joints(model), start_positions(model, start)
        self._model = _compile(model, joints, urdf, gravity_compensation)
        self._data = mujoco.MjData(self._model)
        self._names = tuple(
            joint.name for joint in (*joints, *(joint for joint, _ in mimic_joints(model))))
        ids = [self._model.joint(name).id for name in self._names]
        self._qpos = self._model.jnt_qposadr[ids]
        self._dof = self._model.jnt_dofadr[ids]
        efforts = np.array([joint.effort or np.inf for joint in joints])
        self._reference = Reference(
            joints, first, EFFORT_SHARE * efforts / _greatest_inertias(self._model, joints))
        self.aim, self.follow = self._reference.aim, self._reference.follow
        self._data.qpos[self._qpos] = [first[name] for name in self._names]
        self._data.ctrl[:] = self._reference.q
        mujoco.mj_forward(self._model, self._data)

    def advance(self, duration: float) -> None:
        """Step the physics through ``duration`` seconds, rounded to whole steps."""
        for _ in range(max(1, round(duration / TIMESTEP))):
            self._data.ctrl[:] = self._reference.advance(TIMESTEP)
            mujoco.mj_step(self._model, self._data)

    def state(self) -> ArmState:
        """Return positions, velocities and motor efforts of all joints, mimics included."""
        data = self._data
        return ArmState(
            self._names, data.qpos[self._qpos], data.qvel[self._dof],
            data.qfrc_actuator[self._dof])


def _compile(
    model: RobotModel, joints: Sequence[Joint], urdf: str, gravity_compensation: bool
) -> mujoco.MjModel:
    """Return the robot as MuJoCo sees it, with a servo on each driven joint."""
    try:
        spec = mujoco.MjSpec.from_string(mujoco_urdf(urdf))
        spec.option.timestep = TIMESTEP
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
        for joint in spec.joints:
            joint.armature = ARMATURE
            joint.actgravcomp = gravity_compensation
        for body in spec.bodies:
            body.gravcomp = float(gravity_compensation)
        for joint, inertia in zip(joints, _greatest_inertias(spec.compile(), joints)):
            _add_servo(spec, joint, inertia)
        for follower, mimic in mimic_joints(model):
            _add_mimic(spec, follower.name, mimic)
        return spec.compile()
    except ValueError as error:
        raise SimulationError(f'MuJoCo cannot simulate {model.name}: {error}') from error


def mujoco_urdf(urdf: str) -> str:
    """
    Return a URDF that MuJoCo can compile without any file beside it.

    Meshes and materials are dropped (nothing collides, nothing is drawn), and joints with several
    axes are held fixed.
    """
    robot = parse_robot(urdf)
    for extension in [*robot.findall('mujoco'), *robot.findall('material')]:
        robot.remove(extension)
    for link in robot.findall('link'):
        for tag in ('visual', 'collision'):
            for element in link.findall(tag):
                element.attrib.pop('name', None)
                if element.find('geometry/mesh') is not None:
                    link.remove(element)
                for material in element.findall('material'):
                    element.remove(material)
    for joint in robot.findall('joint'):
        if joint.get('type') in ('planar', 'floating'):
            joint.set('type', 'fixed')
    ElementTree.SubElement(ElementTree.SubElement(robot, 'mujoco'), 'compiler', COMPILER)
    return ElementTree.tostring(robot, encoding='unicode')


def _greatest_inertias(model: mujoco.MjModel, joints: Sequence[Joint]) -> np.ndarray:
    """Return the greatest inertia that each joint feels in random postures, shape ``(n,)``."""
    data = mujoco.MjData(model)
    ids = [model.joint(joint.name).id for joint in joints]
    dofs = model.jnt_dofadr[ids]
    lower = np.array([max(joint.lower, -np.pi) for joint in joints])
    upper = np.array([min(joint.upper, np.pi) for joint in joints])
    rng = np.random.default_rng(0)
    greatest = np.zeros(len(ids))
    row = np.zeros(model.nv)
    for _ in range(INERTIA_SAMPLES):
        data.qpos[model.jnt_qposadr[ids]] = rng.uniform(lower, upper)
        mujoco.mj_forward(model, data)
        for index, dof in enumerate(dofs):
            mujoco.mj_mulM(model, data, row, np.eye(1, model.nv, dof)[0])
            greatest[index] = max(greatest[index], row[dof])
    return greatest


def _add_servo(spec: mujoco.MjSpec, joint: Joint, inertia: float) -> None:
    """Add a servo that is critically damped or slower at the greatest inertia."""
    effort = joint.effort if np.isfinite(joint.effort) else 0.0
    stiffness = max(inertia * RATE ** 2, effort / FULL_EFFORT_ERROR)
    servo = spec.add_actuator(
        name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    servo.set_to_position(kp=stiffness, kv=2.0 * stiffness / RATE)


def _add_mimic(spec: mujoco.MjSpec, name: str, mimic: Mimic) -> None:
    coefficients = np.zeros(mujoco.mjNEQDATA)
    coefficients[:2] = mimic.offset, mimic.multiplier
    spec.add_equality(
        type=mujoco.mjtEq.mjEQ_JOINT, objtype=mujoco.mjtObj.mjOBJ_JOINT, name1=name,
        name2=mimic.joint, data=coefficients)
