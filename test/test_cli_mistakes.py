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

"""What careless words get: one sentence, exit code 1, and valid JSON where JSON was asked for."""

from __future__ import annotations

import json
from pathlib import Path

from dq_ik.cli.main import main
import pytest

PANDA = ('solve', 'panda', '--xyz', '0.4', '0.2', '0.5')


def code_of(*words):
    """Return the exit code of a command."""
    try:
        return main(list(words))
    except SystemExit as end:
        return end.code


@pytest.mark.parametrize(('words', 'reason'), [
    (('solve', 'panda', '--xzy', '1', '2', '3', '--xyz', '1,2,3'),
     "dq_ik solve: there is no option '--xzy' (did you mean '--xyz'?)"),
    ((*PANDA, '0.6'), "dq_ik solve: '0.6' is too much"),
    ((*PANDA, '--quat', '1', 'x', '0', '0'), "'x' is no number"),
    ((*PANDA, '--tool', '0', '0', '90deg'), "'90deg' is no number of metres"),
    ((*PANDA, '--tool', 'nan', '0', '0'), '--tool is finite numbers'),
    ((*PANDA, '--seed', 'panda_joint1=1', 'panda_joint1=2'),
     "joint 'panda_joint1' has two values, 1 and 2"),
    (('bench', 'panda', '--count', 'x'), "'x' is no whole number"),
    (('bench', 'panda', '--random-seed', '-1'), '--random-seed is 0 or more, got -1'),
    (('export', 'panda', 'x.dqik', '--starts', '1.5'), "'1.5' is no whole number"),
    (('info', 'panda', '--world', 'table'), '--world is for --collisions'),
    (('info', 'panda', '--collisions', '--srdf', 'none.srdf'),
     "cannot read 'none.srdf': No such file or directory"),
    (('path', 'panda', 'none.csv', 'out.csv', '--rate', '100'),
     'cannot read none.csv: No such file or directory'),
    (('path', 'panda', 'none.csv', 'out.csv', '--rate', 'x'), "'x' is no number"),
    (('info', '.'), "there is no file '.', it is a folder"),
    (('demo', '--port', 'x'), "'x' is no whole number"),
    (('demo', '--duration', '-1'), "'-1' is no duration; it is a number of seconds from 0"),
    (('demo', '--duration', 'nan'), "'nan' is no duration"),
    (('demo', '--viewer', 'wbe'), "there is no viewer 'wbe' (did you mean 'web'?)"),
    (('demo', '--tool', '1', '2'), '--tool is x y z'),
    (('node', 'panda', '--tool', '1'), '--tool is x y z'),
    (('jog', '--speed', 'x'), "'x' is no number")])
def test_a_mistake_is_one_sentence_with_what_would_be_right(
        words, reason, tmp_path, monkeypatch, capsys):
    """With JSON, the sentence is there too, and the output is valid."""
    monkeypatch.chdir(tmp_path)
    assert code_of(*words) == 1
    out, err = capsys.readouterr()
    assert reason in err
    assert (err.count('\n'), out) == (1, '')
    assert code_of(*words, '--json') == 1
    assert reason.partition(': ')[2] in json.loads(capsys.readouterr().out)['error']


def test_a_text_that_is_no_robot_is_not_repeated(tmp_path, monkeypatch, capsys):
    Path(tmp_path / 'notes.txt').write_text('line one\nline two\n')
    Path(tmp_path / 'raw').write_bytes(b'\xf0\xff')
    monkeypatch.chdir(tmp_path)
    for words in (('info', 'notes.txt'), ('demo', '--urdf', 'notes.txt', '--no-browser')):
        assert main(list(words)) == 1
        assert capsys.readouterr().err.endswith(
            "'notes.txt' is no robot description: there is no XML in it\n")
    assert main(['info', 'raw']) == 1
    assert capsys.readouterr().err.endswith("cannot read 'raw': it is no UTF-8 text\n")


def test_infinite_numbers_are_null_in_json(capsys):
    def refuse(word):
        raise AssertionError(f'{word} is no JSON')

    assert main(['info', 'prismatic', '--json']) == 0
    joints = json.loads(capsys.readouterr().out, parse_constant=refuse)['joints']
    assert None in [joint['upper'] for joint in joints]
    assert main(['solve', 'panda', '--xyz', '1e308', '0', '0', '--json']) == 2
    assert json.loads(capsys.readouterr().out, parse_constant=refuse)


def test_collisions_are_told_as_json(capsys):
    words = ['info', 'panda', '--collisions', '--json']
    assert main(words) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer['bodies'] == {}
    assert 'has no <collision> shapes' in answer['warnings'][0]
    assert main([*words, '--solid-visuals', '--world', 'table']) == 0
    answer = json.loads(capsys.readouterr().out)
    assert 'panda_link4' in answer['bodies']
    assert 'pillar' in answer['objects']
    assert all(len(pair) == 2 for pair in answer['pairs'])
    assert answer['clearance']['distance'] >= 0.0


def test_joints_beyond_their_limits_are_noted(capsys):
    """The poses are those of the given numbers all the same."""
    assert main(['fk', 'panda', 'panda_joint1=9', '--json']) == 0
    out, err = capsys.readouterr()
    assert err == 'note: panda_joint1 is 9, outside of its limits -2.897 .. 2.897\n'
    x, y, _ = json.loads(out)['panda_hand_tcp']['xyz']
    assert main(['fk', 'panda', f'panda_joint1={9 - 6.283185307179586}', '--json']) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)['panda_hand_tcp']['xyz'][:2] == pytest.approx([x, y], abs=1e-12)
    assert err == ''


def test_zero_has_no_sign(capsys):
    assert main(['fk', 'panda', '0,0,0,0,0,0,0']) == 0
    assert '-0.000000' not in capsys.readouterr().out
