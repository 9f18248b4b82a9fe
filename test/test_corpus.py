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
"""Odd descriptions, one idea each: ``corpus/expected.tsv`` has the sentence, or that it loads."""

from __future__ import annotations

from pathlib import Path

from dq_ik.errors import DqIkError
from dq_ik.robot.urdf import load_robot
from dq_ik.ros.groups import read_srdf
import numpy as np
import pytest

CORPUS = Path(__file__).parent / 'corpus'
LINES = (CORPUS / 'expected.tsv').read_text(encoding='utf-8').splitlines()
EXPECTED = dict(line.split('\t') for line in LINES)
# The robot of the SRDFs: a -j- b -k- c -m- d -fixed- e
ROBOT = '<robot name="odd">' + ''.join(f'<link name="{link}"/>' for link in 'abcde') + ''.join(
    f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
    '<origin xyz="0 0 1"/><axis xyz="0 1 0"/><limit lower="-1" upper="1"/></joint>'
    for name, kind, parent, child in (
        ('j', 'revolute', 'a', 'b'), ('k', 'revolute', 'b', 'c'), ('m', 'revolute', 'c', 'd'),
        ('f', 'fixed', 'd', 'e'))) + '</robot>'


def complaint(path: Path) -> str:
    """Return what is said about a description, '' for nothing; a robot that loads also solves."""
    try:
        if path.suffix == '.srdf':
            _, refused = read_srdf(path.read_text(encoding='utf-8'), load_robot(ROBOT))
            return '; '.join(refused.values())
        model = load_robot(path)
        chain = model.chain(tips=model.leaves[0])
        result = chain.solve(chain.fk(chain.neutral), chain.neutral)
    except DqIkError as error:
        return '' if type(error) is DqIkError else str(error)  # each kind of fault has a class
    assert result.success
    assert np.isfinite(result.q).all()
    assert chain.within_limits(result.q)
    return ''


def test_every_file_has_its_sentence():
    assert {path.name for path in CORPUS.glob('*.?rdf')} == set(EXPECTED)
    assert len(EXPECTED) >= 60


@pytest.mark.parametrize('name', EXPECTED)
def test_description(name):
    said = complaint(CORPUS / name)
    if EXPECTED[name] == 'loads':
        assert said == ''
    else:
        assert EXPECTED[name] in said
