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
"""``dq_ik info`` prints robots and chains."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from dq_ik.cli import info
from dq_ik.errors import ChainError
from dq_ik.robot.urdf import load_robot
import pytest

PANDA = str(Path(__file__).parent.parent / 'urdf' / 'panda.urdf')


def run(*words):
    parser = ArgumentParser()
    info.add_arguments(parser)
    return info.run(parser.parse_args([PANDA, *words]))


def test_a_robot_is_printed_as_plain_text(capsys):
    assert run() == 0
    out = capsys.readouterr().out
    assert out.startswith(load_robot(PANDA).describe())
    assert out.endswith('leaves: panda_hand_tcp\n')


def test_a_robot_is_printed_in_a_frame_on_a_terminal(capsys, monkeypatch):
    pytest.importorskip('rich')
    monkeypatch.setattr('sys.stdout.isatty', lambda: True)
    monkeypatch.setenv('COLUMNS', '250')
    monkeypatch.setenv('TERM', 'xterm')  # a dumb one has 80 columns, whatever COLUMNS says
    assert run() == 0
    out = capsys.readouterr().out
    assert all(joint.name in out for joint in load_robot(PANDA).joints)
    assert '│' in out


def test_a_chain_is_printed_with_its_tip_at_neutral(capsys):
    assert run('--base', 'panda_link0', '--tip', 'panda_link4') == 0
    out = capsys.readouterr().out
    assert 'panda_joint4' in out
    assert 'panda_joint5' not in out
    assert 'panda_link4 at home: xyz 0.0825 0.0000 0.6490' in out


def test_unknown_links_are_refused():
    with pytest.raises(ChainError, match="no link 'x'"):
        run('--tip', 'x')
