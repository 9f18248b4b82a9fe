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
"""Random robots: trees of all kinds of joints, and URDF text that was changed at random."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
import math
from pathlib import Path
from random import Random
from xml.etree import ElementTree

from dq_ik.robot.balls import Ball

ROOT = Path(__file__).parents[2]
KINDS = ('revolute', 'revolute', 'revolute', 'continuous', 'prismatic', 'fixed', 'planar',
         'floating', 'ball')
ODD = ('nan', 'inf', '-inf', '1e308', '-1e308', '1e-320', '-0', '', ' ', '1 2', '1 2 3 4', 'x',
       '0x10', '1_000', '\u0661', '\u00e9\u4e2d', 'a' * 300, '0', '1', '-1', '1e9',
       '3.14159265358979')
NAMES = ('joint', 'link', 'limit', 'origin', 'axis', 'mimic', 'parent', 'child', 'robot', 'name',
         'type', 'xyz', 'rpy', 'lower', 'upper', 'transmission', 'p.x', '\u00fc')


@dataclass
class Description:
    """The text of a robot, and the joints that become balls."""

    text: str
    balls: dict[str, Ball] = field(default_factory=dict)


def random_description(r: Random) -> Description:
    """Draw a robot: half are trees, the others are files, as they are or changed."""
    kind = r.random()
    if kind < 0.5:
        return random_tree(r)
    if kind < 0.65:
        return mutated(r, random_tree(r).text)
    texts = file_texts()
    if kind < 0.9:
        return mutated(r, texts[r.randrange(min(10, len(texts)))])
    text = texts[r.randrange(len(texts))]
    return Description(text) if r.random() < 0.5 else mutated(r, text)


@cache
def file_texts() -> list[str]:
    """Return our robots and those of example-robot-data, where that is installed; small first."""
    files = list((ROOT / 'urdf').glob('*.urdf'))
    for module in ('cmeel', 'pinocchio', 'example_robot_data'):
        found = find_spec(module)
        if found and found.origin:
            for folder in Path(found.origin).parents[:4]:
                files += (folder / 'share' / 'example-robot-data').rglob('*.urdf')
                files += (folder / 'cmeel.prefix/share/example-robot-data').rglob('*.urdf')
    texts = {path.read_text(encoding='utf-8', errors='replace') for path in files}
    return sorted(texts, key=lambda text: (len(text), text))


# --- trees ---------------------------------------------------------------------------------------

def random_tree(r: Random) -> Description:
    """Draw a tree of joints of all kinds, of any size from a millimetre to a kilometre."""
    size = 1.0 if r.random() < 0.5 else 10.0 ** r.uniform(-3.0, 3.0)
    count = r.choice((0, 1, 2, 3, 4, 5, 6, 6, 7, 7, 8, 10, 12, 25))
    branches = r.choice((0.0, 0.0, 0.1, 0.5))
    made = Description('')
    links, single, parts = ['l0'], [], []
    for number in range(count):
        parent = links[-1] if r.random() >= branches else r.choice(links)
        kind, name, child = r.choice(KINDS), f'j{number}', f'l{number + 1}'
        if kind == 'ball':
            made.balls[name] = Ball(
                tuple(f'{name}_{k}' for k in range(3)), swing=r.uniform(0.0, 3.1))
            parts += _ball(r, name, parent, child, size)
        else:
            parts.append(_joint(name, kind, parent, child, _origin(r, size),
                                _inside(r, kind, size, single)))
            if kind in ('revolute', 'continuous', 'prismatic'):
                single.append(name)
        links.append(child)
    links += [f'{name}_{k}' for name in made.balls for k in range(2)]
    r.shuffle(parts)
    body = ''.join(f'<link name="{link}"/>' for link in links)
    made.text = f'<robot name="tree">{body}{"".join(parts)}</robot>'
    return made


def _joint(name: str, kind: str, parent: str, child: str, origin: str, inside: str) -> str:
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/>'
            f'<child link="{child}"/>{origin}{inside}</joint>')


def _ball(r: Random, name: str, parent: str, child: str, size: float) -> list[str]:
    """Return three joints about x, y and z in one point."""
    links = (parent, f'{name}_0', f'{name}_1', child)
    return [_joint(f'{name}_{k}', 'revolute', links[k], links[k + 1],
                   _origin(r, size) if k == 0 else '',
                   f'<axis xyz="{axis}"/><limit lower="{-r.uniform(0.0, 3.1)!r}" '
                   f'upper="{r.choice((0.0, r.uniform(0.0, 3.1)))!r}"/>')
            for k, axis in enumerate(('1 0 0', '0 1 0', '0 0 1'))]


def _origin(r: Random, size: float) -> str:
    """Return an origin: none, along an axis, or anywhere."""
    kind = r.randrange(4)
    if kind == 0:
        return ''
    xyz = [size * r.uniform(-0.5, 0.5) for _ in range(3)]
    rpy = [r.uniform(-math.pi, math.pi) for _ in range(3)]
    if kind == 1:
        keep = r.randrange(3)
        xyz = [value if k == keep else 0.0 for k, value in enumerate(xyz)]
        rpy = [r.choice((0.0, math.pi / 2, -math.pi / 2, math.pi)) for _ in range(3)]
    return f'<origin xyz="{_words(xyz)}" rpy="{_words(rpy)}"/>'


def _inside(r: Random, kind: str, size: float, single: list[str]) -> str:
    """Return axis, limits and mimic of a joint."""
    axis = r.choice(('1 0 0', '0 1 0', '0 0 1', '0 0 -1', _words(r.gauss(0, 1) for _ in 'xyz')))
    text = '' if kind in ('fixed', 'floating') else f'<axis xyz="{axis}"/>'
    if kind in ('revolute', 'prismatic'):
        text += _limit(r, size if kind == 'prismatic' else 1.0)
        if single and r.random() < 0.15:
            multiplier = r.choice((1.0, -1.0, 0.5, 2.0, 0.0, 1e-6, 1e3))
            offset = r.choice((0.0, 0.0, 0.3, -1.0))
            text += (f'<mimic joint="{r.choice(single)}" multiplier="{multiplier}" '
                     f'offset="{offset}"/>')
    return text


def _limit(r: Random, size: float) -> str:
    """Return limits: usual, none at all, a point, tiny, huge, far from zero, open to one side."""
    a, b = sorted(size * r.uniform(-3.1, 3.1) for _ in 'ab')
    lower, upper = r.choice((
        (a, b), (a, b), (a, b), (min(a, 0.0), max(b, 0.0)), (a, a), (a, a + 1e-9 * size),
        (0.0, 0.0), (-1e6 * size, 1e6 * size), (a + 50.0 * size, b + 50.0 * size),
        (a, math.inf), (-math.inf, b), (-math.inf, math.inf), (-0.0, b if b > 0 else 0.0)))
    return f'<limit lower="{lower!r}" upper="{upper!r}" velocity="{r.choice((0, 1, 2.5))}"/>'


def _words(numbers: object) -> str:
    return ' '.join(map(repr, numbers))  # type: ignore[call-overload]


# --- changed text --------------------------------------------------------------------------------

def mutated(r: Random, text: str) -> Description:
    """Change the structure of a text one to four times, and seldom its characters."""
    try:
        root = ElementTree.fromstring(text.encode())
    except ElementTree.ParseError:
        return Description(text)
    for _ in range(r.choice((1, 1, 2, 4))):
        _change(r, root)
    text = ElementTree.tostring(root, encoding='unicode')
    if r.random() < 0.1:
        at = r.randrange(len(text) + 1)
        text = r.choice((text[:at], text[:at] + r.choice('<>&"\'\0\ud7ff\ufeff') + text[at:],
                         '<!DOCTYPE robot [<!ENTITY a "b">]>' + text, text + text,
                         f'<?xml version="1.0" encoding="latin-1"?>{text}'))
    return Description(text)


def _change(r: Random, root: ElementTree.Element) -> None:
    """Change one element that kinematics depends on: drop, copy, move, rename, or a value."""
    tags = ('joint', 'link', 'origin', 'axis', 'limit', 'mimic', 'parent', 'child')
    pairs = [(parent, child) for parent in root.iter() for child in parent if child.tag in tags]
    if not pairs:
        return
    parent, child = r.choice(pairs)
    what = r.randrange(8)
    if what == 0:
        parent.remove(child)
    elif what == 1:
        parent.insert(r.randrange(len(parent) + 1), deepcopy(child))
    elif what == 2:
        r.choice(pairs)[1].append(deepcopy(child))
    elif what == 3:
        child.tag = r.choice(NAMES)
    elif child.attrib:
        name = r.choice(sorted(child.attrib))
        if what == 4:
            del child.attrib[name]
        elif what == 5:
            child.set(name, _odd_part(r, child.get(name, '')))
        elif what == 6:
            child.set(name, r.choice(pairs)[1].get(name, r.choice(NAMES)))
        else:
            child.set(name, r.choice(ODD))


def _odd_part(r: Random, value: str) -> str:
    """Replace one word of a value."""
    words = value.split() or ['']
    words[r.randrange(len(words))] = r.choice(ODD)
    return ' '.join(words)
