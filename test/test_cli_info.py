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
from dq_ik.errors import ChainError, CollisionError
from dq_ik.robot.bundled import example_robots
from dq_ik.robot.urdf import load_robot
import pytest

PANDA = str(Path(__file__).parent.parent / 'urdf' / 'panda.urdf')


def run(*words):
    parser = ArgumentParser()
    info.add_arguments(parser)
    return info.run(parser.parse_args([PANDA, *words]))


def test_collisions_are_printed_with_what_an_srdf_hides(capsys):
    file = example_robots()['ur5_robot']
    parser = ArgumentParser()
    info.add_arguments(parser)
    srdf = str(file.parents[1] / 'srdf' / 'ur5.srdf')
    assert info.run(parser.parse_args([str(file), '--collisions', '--srdf', srdf])) == 0
    out = capsys.readouterr().out
    assert '8 bodies:' in out
    assert 'upper_arm_link' in out
    assert '15 pairs kept apart:' in out
    assert 'warning: the SRDF lets base_link and upper_arm_link collide' in out
    assert 'at home: ' in out
    assert info.run(parser.parse_args([PANDA, '--collisions'])) == 0
    assert 'has no <collision> shapes' in capsys.readouterr().out
    with pytest.raises(CollisionError, match='cannot read'):
        info.run(parser.parse_args([str(file), '--collisions', '--srdf', '/nowhere']))


def test_the_clearance_is_that_among_objects(capsys, tmp_path):
    world = tmp_path / 'w.yaml'
    world.write_text('- {name: post, sphere: {radius: 0.1}, xyz: [0.08, 0, 0.85]}\n'
                     '- {name: floor, half_space: {}, xyz: [0, 0, -1]}\n'
                     '- {name: held, sphere: {radius: 0.01}, link: panda_link0}')
    words = ('--collisions', '--solid-visuals', '--tip', 'panda_link4')
    assert run(*words) == 0
    before = capsys.readouterr().out
    assert 'objects' not in before
    assert run(*words, '--world', str(world)) == 0
    out = capsys.readouterr().out
    assert '3 objects:' in out
    assert 'post  1 convex pieces' in out
    assert 'floor  no convex pieces, a half-space' in out
    assert 'carried by panda_link0' in out
    assert 'post' in out.splitlines()[-1]
    with pytest.raises(CollisionError, match='no world'):
        run('--collisions', '--world', 'tabel')


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
