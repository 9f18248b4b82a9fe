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
"""Robot descriptions that shall exhaust a machine are refused soon, in one sentence."""

from __future__ import annotations

from functools import partial
import time

from dq_ik.errors import UrdfError
from dq_ik.robot.urdf import load_robot
from dq_ik.robot.xml_text import parse_robot, SRDF
import pytest

LAUGHS = ''.join(f"<!ENTITY {b} '{f'&{a};' * 10}'>" for a, b in zip('abcdefgh', 'bcdefghi'))


@pytest.mark.parametrize(('text', 'words'), [
    (f"<!DOCTYPE r [<!ENTITY a 'ha'>{LAUGHS}]><robot name='&i;'/>", 'DOCTYPE or an entity'),
    ("<!DOCTYPE r [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><robot>&a;</robot>", 'DOCTYPE'),
    ("<!DOCTYPE robot SYSTEM 'http://localhost/x.dtd'><robot/>", 'DOCTYPE'),
    (f"<robot name='r'>{'<x>' * 101}{'</x>' * 101}</robot>", 'nested more than 100 deep, at <x>'),
    ('<x>' * 1_000_000, 'nested more than 100 deep'),
    (f"<robot name='r'>{'<x/>' * 200_000}</robot>", 'more than 200000 elements'),
    (f"<robot name='r'>{'x' * 5_000_000}</robot>", 'has 5000024 characters; at most 5000000'),
    (f"<robot name='{'x' * 5_000_000}'/>", 'at most 5000000 are read'),
    ("<robot name='\ud800'/>", 'not well-formed XML'),
], ids=['laughs', 'file', 'dtd', 'deep', 'open', 'many', 'long', 'name', 'surrogate'])
@pytest.mark.parametrize('read', [load_robot, partial(parse_robot, kind=SRDF)])
def test_hostile_xml_is_refused_soon_and_in_one_sentence(text, words, read):
    start = time.process_time()  # a busy machine counts for nothing
    with pytest.raises(UrdfError, match=words) as refused:
        read(text)
    assert time.process_time() - start < 5.0
    assert len(str(refused.value)) < 200


def test_huge_file_is_not_read(tmp_path):
    path = tmp_path / 'r.urdf'
    with path.open('wb') as file:
        file.truncate(1 << 40)  # a hole: it takes no room on the disk
    with pytest.raises(UrdfError, match='has 1099511627776 characters; at most'):
        load_robot(path)
