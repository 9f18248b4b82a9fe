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
"""URDF text or file -> RobotModel: read safely, parse with urdf_parser_py, check, build."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import contextlib
from dataclasses import replace
import io
import logging
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from dq_ik.errors import listing, PoseError, UrdfError, why
from dq_ik.pose import Pose
from dq_ik.robot.balls import Ball, group_balls
from dq_ik.robot.build import build_model
from dq_ik.robot.bundled import find_robot
from dq_ik.robot.checks import check_numbers
from dq_ik.robot.model import Joint, JointKind, Mimic, RobotModel
from dq_ik.robot.xml_text import check_length, parse_robot

if TYPE_CHECKING:
    from urdf_parser_py import urdf as parser

log = logging.getLogger(__name__)

# What a joint's kinematics consist of; all else in the file may be anything.
_RATES = ('acceleration', 'jerk')
_JOINT_PARTS = ('origin', 'axis', 'parent', 'child', 'limit', 'safety_controller', 'mimic')
_KINDS = tuple(kind.value for kind in JointKind if kind is not JointKind.BALL)


def load_robot(source: str | os.PathLike, *, soft_limits: bool = False,
               balls: Mapping[str, Ball | Sequence[str]] | None = None) -> RobotModel:
    """
    Read a robot description.

    :param source: name of a robot ('panda'), path of a URDF or xacro file, or the XML text itself.
        Nothing but that file is read, no mesh either.
    :param soft_limits: narrow the limits to those of ``<safety_controller>`` where it is given.
    :param balls: groups of three revolute joints that become one ball joint each:
        ``{'hip': ('hip_yaw', 'hip_roll', 'hip_pitch')}`` or ``{'hip': Ball(..., swing=1.0)}``.
    :raises UrdfError: if the description cannot be read or describes no valid robot.
    """
    text = read_source(source)
    root = parse_robot(text)
    robot = _parse_reflected(_kinematics_of(root))
    rates = _rates_of(root)
    joints = [_joint(joint, soft_limits, rates) for joint in robot.joints]
    links = [link.name for link in robot.links]
    if balls:
        joints, links = group_balls(joints, links, balls)
    folder = '' if source is text else str(find_robot(source).resolve().parent)
    return replace(build_model(robot.name, joints, links), source=(text, folder))


def read_source(source: str | os.PathLike) -> str:
    """
    Return the XML text of a robot description.

    :param source: name of a robot or path of a file (:func:`dq_ik.robot.bundled.find_robot`), or
        the text itself, which has a ``<``; xacro expands a file that ends in ``.xacro``
    """
    if isinstance(source, str) and '<' in source:
        return source
    if not isinstance(source, (str, os.PathLike)):
        raise UrdfError('a robot is a name, a path or XML text, got an object of the type '
                        f'{type(source).__name__}')
    if not str(source).strip():
        raise UrdfError('the robot description is empty; give a path or XML text')
    path = find_robot(source)
    if not path.is_file():
        what = 'it is a folder' if path.is_dir() else 'and it is no XML text either'
        raise UrdfError(f"there is no file '{path}', {what}")
    if path.suffix == '.xacro':
        return _expand_xacro(path)
    try:
        check_length(path.stat().st_size)
        text = path.read_text(encoding='utf-8-sig')
    except (OSError, UnicodeDecodeError) as error:
        raise UrdfError(f"cannot read '{path}': {why(error)}") from error
    if '<' in text:
        return text
    what = 'is no robot description: there is no XML in it' if text.strip() else 'is empty'
    raise UrdfError(f"'{path}' {what}")


def _expand_xacro(path: Path) -> str:
    try:
        import xacro
    except ImportError:
        raise UrdfError(f"'{path}' is a xacro file and the xacro package is not installed; "
                        'pip install xacro, or expand the file to URDF first') from None
    try:
        return xacro.process_file(str(path)).toxml()
    except Exception as error:  # xacro raises many kinds; each is about this file
        raise UrdfError(f"xacro cannot expand '{path}': {error}") from error


def _kinematics_of(root: ElementTree.Element) -> ElementTree.Element:
    """Return a copy with link names and joints only: fast to parse, deaf to errors elsewhere."""
    robot = ElementTree.Element('robot', name=root.get('name') or 'robot')
    for element in root:
        name = element.get('name')
        if element.tag not in ('link', 'joint'):
            continue
        if not name:
            raise UrdfError(f'the robot description has a <{element.tag}> without a name')
        if element.tag == 'link':
            ElementTree.SubElement(robot, 'link', name=name)
        else:
            robot.append(_kinematics_of_joint(element))
    return robot


def _kinematics_of_joint(element: ElementTree.Element) -> ElementTree.Element:
    """Return a copy of a joint's kinematics; absent speed and effort limits are infinite."""
    name, kind = element.get('name', ''), element.get('type', '')
    if kind not in _KINDS:
        raise UrdfError(f"joint '{name}' has the type '{kind}'; supported are {listing(_KINDS)}")
    joint = ElementTree.Element('joint', name=name, type=kind)
    for part in element:
        if part.tag not in _JOINT_PARTS or joint.find(part.tag) is not None:
            continue
        check_numbers(name, part.tag, part.attrib)
        copy = ElementTree.SubElement(joint, part.tag, part.attrib)
        if part.tag == 'limit':
            for what in _RATES:  # urdf_parser_py does not know them
                copy.attrib.pop(what, None)
            copy.attrib.setdefault('velocity', 'inf')
            copy.attrib.setdefault('effort', 'inf')
        if part.tag == 'safety_controller':
            copy.attrib.setdefault('k_velocity', '0')
            copy.attrib.setdefault('soft_lower_limit', '-inf')
            copy.attrib.setdefault('soft_upper_limit', 'inf')
    for tag in ('parent', 'child'):
        end = joint.find(tag)
        if end is None or not end.get('link'):
            raise UrdfError(f"joint '{name}' has no <{tag} link='...'/>")
    return joint


def _parse_reflected(root: ElementTree.Element) -> parser.URDF:
    """Hand checked XML to urdf_parser_py; what it would print on stderr goes to the debug log."""
    from urdf_parser_py import urdf as parser

    complaints = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaints):
            return parser.URDF.from_xml_string(ElementTree.tostring(root, encoding='unicode'))
    except Exception as error:  # the parser raises asserts, bare exceptions and its own error
        reason = ' '.join(str(error).split())
        raise UrdfError(f'the robot description is not valid URDF: {reason}') from error
    finally:
        for line in complaints.getvalue().splitlines():
            log.debug('urdf_parser_py: %s', line)


def _rates_of(root: ElementTree.Element) -> dict[str, dict[str, float]]:
    """Return limits of acceleration and jerk, which URDF 1.2 has; as for speeds, 0 is none."""
    rates: dict[str, dict[str, float]] = {}
    for element in root.iterfind('joint'):
        name, limit = element.get('name', ''), element.find('limit')
        rates[name] = {}
        for what in _RATES:
            rates[name][what] = float('0' if limit is None else limit.get(what, '0')) or math.inf
    return rates


def _joint(joint: parser.Joint, soft_limits: bool,
           rates: Mapping[str, Mapping[str, float]]) -> Joint:
    """Translate one joint and check what only URDF can get wrong."""
    kind = JointKind(joint.type)
    lower, upper = _limits(joint, kind, soft_limits)
    has_axis = joint.axis and kind not in (JointKind.FIXED, JointKind.FLOATING)
    return Joint(
        joint.name, kind, joint.parent, joint.child, _origin(joint),
        axis=tuple(joint.axis) if has_axis else (1.0, 0.0, 0.0), lower=lower, upper=upper,
        velocity=_bound(joint, 'velocity'), effort=_bound(joint, 'effort'),
        mimic=_mimic(joint, kind), acceleration=rates[joint.name]['acceleration'],
        jerk=rates[joint.name]['jerk'])


def _origin(joint: parser.Joint) -> Pose:
    if joint.origin is None:
        return Pose.identity()
    try:
        return Pose.from_xyz_rpy(joint.origin.xyz or (0, 0, 0), joint.origin.rpy or (0, 0, 0))
    except PoseError as error:
        raise UrdfError(f"joint '{joint.name}' has a bad <origin>: {error}") from None


def _mimic(joint: parser.Joint, kind: JointKind) -> Mimic | None:
    """Return whom the joint follows; exported models keep the tag on joints that they froze."""
    if joint.mimic is None or kind is JointKind.FIXED:
        return None
    multiplier = 1.0 if joint.mimic.multiplier is None else joint.mimic.multiplier
    return Mimic(joint.mimic.joint, multiplier, joint.mimic.offset or 0.0)


def _bound(joint: parser.Joint, what: str) -> float:
    """Return the speed or effort limit; many files write 0 where nothing is known."""
    return (joint.limit and getattr(joint.limit, what)) or math.inf


def _limits(joint: parser.Joint, kind: JointKind, soft_limits: bool) -> tuple[float, float]:
    """Return the position limits; only revolute and prismatic joints have them."""
    if kind not in (JointKind.REVOLUTE, JointKind.PRISMATIC):
        return -math.inf, math.inf
    if joint.limit is None:
        other = ', or make the joint continuous' if kind is JointKind.REVOLUTE else ''
        raise UrdfError(f"{kind} joint '{joint.name}' has no limits; write "
                        f"<limit lower='-1' upper='1' velocity='1' effort='1'/>{other}")
    lower, upper = joint.limit.lower, joint.limit.upper
    if soft_limits and joint.safety_controller:
        lower = max(lower, joint.safety_controller.soft_lower_limit)
        upper = min(upper, joint.safety_controller.soft_upper_limit)
    return lower, upper
