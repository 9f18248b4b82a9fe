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

"""``dq_ik path``: poses of a file in, joints of a file out."""

from __future__ import annotations

import csv

from dq_ik import load_robot, Pose
from dq_ik.cli.main import main
from dq_ik.robot.bundled import robot_file
import numpy as np
import pytest

TIP = ['--base', 'panda_link0', '--tip', 'panda_hand_tcp', '--rate', '50']
HEAD = 'qw, qx,qy,qz,x,y,z'


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Let files be written to a folder of their own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def seam(count=40, far=0.0):
    """Return poses along a line."""
    return [Pose.from_xyz_rpy((0.5 + far, 0.1 * s, 0.4), (np.pi, 0.0, s))
            for s in np.linspace(0.0, 1.0, count)]


def write(poses, folder):
    """Write poses with the columns in another order."""
    lines = [HEAD, *(','.join(map(repr, [*p.quaternion.tolist(), *p.position.tolist()]))
                     for p in poses), '']
    (folder / 'poses.csv').write_text('\n'.join(lines))


def test_a_file_is_followed(folder, capsys):
    """The joints of each line bring the tip to the pose of the line."""
    write(seam(), folder)
    assert main(['path', 'panda', 'poses.csv', 'out.csv', *TIP]) == 0
    assert capsys.readouterr().out.startswith('all 40 poses are followed')
    chain = load_robot(robot_file('panda')).chain('panda_link0', 'panda_hand_tcp')
    with (folder / 'out.csv').open() as file:
        head, *rows = csv.reader(file)
    assert head == [*chain.joint_names, 'lost']
    assert len(rows) == 40
    for row, pose in zip(rows, seam()):
        assert row[-1] == '0'
        assert max(chain.fk([float(value) for value in row[:-1]]).distance(pose)) < 1e-5


def test_the_start_and_the_speed_can_be_given(folder, capsys):
    """The first line is the start; a path that is too fast has exit code 2."""
    chain = load_robot(robot_file('panda')).chain('panda_link0', 'panda_hand_tcp')
    q = chain.solve(seam()[0]).q
    write(seam(), folder)
    seed = ['--seed', *(f'{name}={value!r}' for name, value in zip(chain.joint_names, q.tolist()))]
    assert main(['path', 'panda', 'poses.csv', 'out.csv', *TIP, *seed]) == 0
    first = (folder / 'out.csv').read_text().splitlines()[1].split(',')
    assert np.allclose([float(value) for value in first[:-1]], q, atol=1e-4)
    assert main(['path', 'panda', 'poses.csv', 'out.csv', *TIP, '--speed', '0.01']) == 2
    assert 'poses are lost' in capsys.readouterr().out


@pytest.mark.parametrize(('text', 'sentence'), [
    ('x,y,z\n1,2,3\n', "no column 'qw', 'qx', 'qy', 'qz'"),
    ('', 'no column'),
    (f'{HEAD}\n1,0,0,0,0.5,0,0.4\n1,0,0,0,here,0,0\n', 'line 3 of poses.csv is no pose'),
    (f'{HEAD}\n', 'at least one pose'),
    (f'{HEAD}\n0,0,0,0,0.5,0,0.4\n', 'is zero'),
])
def test_bad_files_are_refused(folder, capsys, text, sentence):
    """One line on stderr says what is wrong."""
    (folder / 'poses.csv').write_text(text)
    assert main(['path', 'panda', 'poses.csv', 'out.csv', *TIP]) == 1
    assert sentence in capsys.readouterr().err


def test_missing_files_and_bad_rates_are_refused(folder, capsys):
    """Neither a traceback nor a file is left."""
    assert main(['path', 'panda', 'nowhere.csv', 'out.csv', *TIP]) == 1
    assert 'cannot read nowhere.csv' in capsys.readouterr().err
    write(seam(2), folder)
    assert main(['path', 'panda', 'poses.csv', 'out.csv', *TIP[:-1], '-3']) == 1
    assert '--rate is above 0 Hz, got -3.0' in capsys.readouterr().err
    assert main(['path', 'panda', 'poses.csv', 'no/such/out.csv', *TIP]) == 1
    assert 'cannot write no/such/out.csv' in capsys.readouterr().err
