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
"""The robots of the benchmark: chains cut out of URDF files, so that all solvers see the same."""
from __future__ import annotations

from dataclasses import dataclass
from math import pi
from pathlib import Path
import sysconfig
from xml.etree import ElementTree

OWN = Path(__file__).parents[1] / 'urdf'
EXAMPLES = Path(sysconfig.get_path('purelib'), 'cmeel.prefix/share/example-robot-data/robots')
FULL_TURN = 2.0 * pi


@dataclass(frozen=True)
class Source:
    """Where a robot comes from: a URDF file and the part of it that moves."""

    file: Path
    base: str
    tips: tuple[str, ...]
    label: str


@dataclass(frozen=True)
class Robot:
    """A chain or tree as a small URDF file of its own, without meshes or side branches."""

    name: str
    label: str
    urdf: Path
    base: str
    tips: tuple[str, ...]
    joints: tuple[str, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]

    @property
    def dof(self) -> int:
        """Return the number of joint variables."""
        return len(self.joints)


def _arm(file: Path, base: str, tip: str, label: str) -> Source:
    return Source(file, base, (tip,), label)


SOURCES = {
    'panda': _arm(OWN / 'panda.urdf', 'panda_link0', 'panda_hand_tcp', 'Panda (7)'),
    'ur5': _arm(EXAMPLES / 'ur_description/urdf/ur5_robot.urdf', 'base_link', 'tool0', 'UR5 (6)'),
    'ur10': _arm(EXAMPLES / 'ur_description/urdf/ur10_robot.urdf', 'base_link', 'tool0',
                 'UR10 (6)'),
    'iiwa': _arm(Path(__file__).with_name('iiwa14.urdf'), 'base_link', 'tool0',
                 'KUKA iiwa 14 (7)'),
    'kinova': _arm(EXAMPLES / 'kinova_description/robots/kinova.urdf', 'base',
                   'j2s6s200_end_effector', 'Kinova Jaco2 (6)'),
    'xarm7': _arm(EXAMPLES / 'xarm_description/urdf/xarm7.urdf', 'link_base', 'link_eef',
                  'xArm7 (7)'),
    'tiago': _arm(EXAMPLES / 'tiago_description/robots/tiago.urdf', 'torso_fixed_link',
                  'arm_tool_link', 'TIAGo torso+arm (8)'),
    'talos': _arm(EXAMPLES / 'talos_data/robots/talos_full_v2.urdf', 'base_link',
                  'gripper_left_base_link', 'Talos torso+arm (9)'),
    'baxter': _arm(EXAMPLES / 'baxter_description/urdf/baxter.urdf', 'torso', 'left_gripper',
                   'Baxter arm (7)'),
    'pr2': _arm(EXAMPLES / 'pr2_description/urdf/pr2.urdf', 'torso_lift_link',
                'r_gripper_tool_frame', 'PR2 arm (7)'),
    'arm5': _arm(OWN / 'arm5.urdf', 'base_link', 'tool', '5-joint arm (5)'),
    'so_arm': _arm(EXAMPLES / 'so_arm_description/urdf/so101.urdf', 'base_link',
                   'gripper_frame_link', 'SO-101 (5)'),
    'arm6': _arm(OWN / 'arm6.urdf', 'base_link', 'tool0', 'industrial arm (6)'),
    'two_arms': Source(OWN / 'two_arms.urdf', 'base_link', ('left_tool', 'right_tool'),
                       'two arms (15)'),
    'hand': Source(OWN / 'hand.urdf', 'forearm',
                   ('thumb_tip', 'index_tip', 'middle_tip', 'ring_tip', 'little_tip'),
                   'hand (22)'),
    'humanoid': Source(OWN / 'humanoid.urdf', 'world',
                       ('left_hand', 'right_hand', 'left_foot', 'right_foot', 'pelvis', 'head'),
                       'humanoid (71)'),
}
ARMS = ('panda', 'ur5', 'ur10', 'iiwa', 'kinova', 'xarm7', 'tiago', 'talos', 'baxter', 'pr2')


def load(name: str, folder: Path) -> Robot:
    """Cut the named robot out of its source and write it to ``folder``."""
    source = SOURCES[name]
    return cut(ElementTree.parse(source.file).getroot(), name, source.label, source.base,
               source.tips, folder)


def snake(n_joints: int, folder: Path) -> Robot:
    """Return a chain of ``n_joints`` turning about z, y, x in turn; 2 m long at any count."""
    root = ElementTree.Element('robot')
    length = 2.0 / n_joints
    for i in range(n_joints):
        axis = ('0 0 1', '0 1 0', '1 0 0')[i % 3]
        _add_joint(root, f'joint_{i}', f'link_{i}', f'link_{i + 1}', length if i else 0.0, axis)
    return cut(root, f'snake_{n_joints}', f'snake ({n_joints})', 'link_0', (f'link_{n_joints}',),
               folder)


def star(n_tips: int, folder: Path) -> Robot:
    """Return a trunk of three joints with ``n_tips`` branches of six."""
    root = ElementTree.Element('robot')
    for i, axis in enumerate(('0 0 1', '0 1 0', '1 0 0')):
        _add_joint(root, f'trunk_{i}', f'trunk_link_{i}', f'trunk_link_{i + 1}', 0.2, axis)
    for tip in range(n_tips):
        parent = 'trunk_link_3'
        for i, axis in enumerate(('0 0 1', '0 1 0', '1 0 0', '0 1 0', '0 0 1', '0 1 0')):
            child = f'tip_{tip}' if i == 5 else f'branch_{tip}_{i}'
            _add_joint(root, f'joint_{tip}_{i}', parent, child, 0.15, axis)
            parent = child
    tips = tuple(f'tip_{tip}' for tip in range(n_tips))
    return cut(root, f'star_{n_tips}', f'tree of {n_tips} tips ({3 + 6 * n_tips})',
               'trunk_link_0', tips, folder)


def _add_joint(root, name: str, parent: str, child: str, length: float, axis: str) -> None:
    joint = ElementTree.SubElement(root, 'joint', name=name, type='revolute')
    ElementTree.SubElement(joint, 'origin', xyz=f'{length} 0 0', rpy='0 0 0')
    ElementTree.SubElement(joint, 'parent', link=parent)
    ElementTree.SubElement(joint, 'child', link=child)
    ElementTree.SubElement(joint, 'axis', xyz=axis)
    ElementTree.SubElement(joint, 'limit', lower='-2', upper='2', velocity='3', effort='100')


def cut(root, name: str, label: str, base: str, tips: tuple[str, ...], folder: Path) -> Robot:
    """
    Write the joints between ``base`` and ``tips`` as a URDF of their own.

    Joints without end stops get a range of one turn either way, as vendors' limited models do:
    peers disagree about unlimited joints, and this way all of them solve the same problem.
    """
    joints = _joints_between(root, base, tips)
    robot = ElementTree.Element('robot', name=name)
    ElementTree.SubElement(robot, 'link', name=base)  # KDL wants a root without mass
    for joint in joints:
        _add_link(robot, joint.find('child').get('link'))
    moving = [_add_copy(robot, joint) for joint in joints]
    moving = [joint for joint in moving if joint is not None]
    file = folder / f'{name}.urdf'
    ElementTree.indent(robot)
    file.write_text(ElementTree.tostring(robot, 'unicode'), encoding='utf-8')
    limits = [joint.find('limit') for joint in moving]
    return Robot(name, label, file, base, tips, tuple(joint.get('name') for joint in moving),
                 tuple(float(limit.get('lower')) for limit in limits),
                 tuple(float(limit.get('upper')) for limit in limits))


def _joints_between(root, base: str, tips: tuple[str, ...]) -> list:
    """Return the joints on the paths from the base to the tips, parents first."""
    above = {joint.find('child').get('link'): joint for joint in root.findall('joint')}
    ordered: list = []
    for tip in tips:
        path, link = [], tip
        while link != base:
            path.append(above[link])
            link = above[link].find('parent').get('link')
        ordered += [joint for joint in reversed(path) if joint not in ordered]
    return ordered


def _add_link(robot, name: str) -> None:
    link = ElementTree.SubElement(robot, 'link', name=name)
    inertial = ElementTree.SubElement(link, 'inertial')
    ElementTree.SubElement(inertial, 'mass', value='1')
    ElementTree.SubElement(inertial, 'inertia', ixx='0.01', iyy='0.01', izz='0.01', ixy='0',
                           ixz='0', iyz='0')


def _add_copy(robot, joint):
    """Copy a joint; return the copy if it moves."""
    kind = joint.get('type')
    copy = ElementTree.SubElement(robot, 'joint', name=joint.get('name'),
                                  type='revolute' if kind == 'continuous' else kind)
    for tag in ('origin', 'parent', 'child'):
        if joint.find(tag) is not None:
            ElementTree.SubElement(copy, tag, dict(joint.find(tag).attrib))
    if kind == 'fixed':
        return None
    copy.append(joint.find('axis'))
    limit = joint.find('limit')
    lower, upper = (-FULL_TURN, FULL_TURN) if kind == 'continuous' else (
        float(limit.get('lower')), float(limit.get('upper')))
    ElementTree.SubElement(copy, 'limit', lower=repr(lower), upper=repr(upper),
                           velocity=limit.get('velocity'), effort=limit.get('effort'))
    return copy
