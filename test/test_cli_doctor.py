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
"""``dq_ik doctor``: five checks, each with what to do."""

from __future__ import annotations

import json
import sys

from domains import reserve
from dq_ik.cli import doctor
from dq_ik.cli.main import main
import pytest

NAMES = ['native library', 'ROS 2', 'messages', 'browser', 'nodes']
DOMAIN = reserve()


@pytest.fixture(autouse=True)
def domain(monkeypatch):
    monkeypatch.setenv('ROS_DOMAIN_ID', str(DOMAIN))
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')


def found(capsys, *words) -> tuple[int, dict]:
    code = main(['doctor', '--json', '--timeout', '0.5', *words])
    findings = json.loads(capsys.readouterr().out)
    assert [finding['name'] for finding in findings] == NAMES
    return code, {finding['name']: finding for finding in findings}


def test_here_nothing_is_broken(capsys):
    pytest.importorskip('rclpy')
    code, findings = found(capsys)
    assert code == 0
    assert findings['ROS 2']['state'] == findings['nodes']['state'] == 'good'
    assert f'domain {DOMAIN}' in findings['ROS 2']['text']
    assert all(finding['remedy'] for finding in findings.values() if finding['state'] != 'good')


def test_without_ros_the_rest_is_checked(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, 'rclpy', None)
    code, findings = found(capsys)
    assert code == 0
    assert findings['native library']['state'] == 'good'
    assert "pip install 'dq_ik[ros]'" in findings['ROS 2']['remedy']
    assert findings['nodes']['state'] == 'advice'


def test_what_is_missing_is_named_with_its_remedy(monkeypatch, capsys):
    monkeypatch.setattr(doctor, 'find_spec', lambda name: None)
    monkeypatch.setenv('ROS_DISTRO', 'humble')
    _, findings = found(capsys)
    assert 'pip install' in findings['browser']['remedy']
    if findings['ROS 2']['state'] == 'good':
        assert 'ros-humble-moveit-msgs' in findings['messages']['remedy']
        monkeypatch.delenv('ROS_DISTRO')  # ROS of wheels: there are no packages of apt
        assert found(capsys)[1]['messages']['remedy'].startswith('make setup')


def test_plain_python_is_broken(monkeypatch, capsys):
    import types
    monkeypatch.setattr(doctor, 'door', lambda: types.SimpleNamespace(kind='plain Python'))
    code, findings = found(capsys)
    assert code == 1
    assert 'dq_ik.native' in findings['native library']['remedy']


def test_two_nodes_of_one_name_are_found(capsys):
    rclpy = pytest.importorskip('rclpy')
    from rclpy.context import Context
    contexts = [Context(), Context()]
    for context in contexts:
        rclpy.init(context=context, domain_id=DOMAIN)
    nodes = [rclpy.create_node('dq_ik', context=context) for context in contexts]
    try:
        code, findings = found(capsys, '--timeout', '3')
        assert code == 1
        assert '2 nodes have the name /dq_ik' in findings['nodes']['text']
        nodes.pop().destroy_node()
        code, findings = found(capsys, '--timeout', '3')
        assert (code, findings['nodes']['text']) == (0, '/dq_ik runs')
    finally:
        for node in nodes:
            node.destroy_node()
        for context in contexts:
            rclpy.shutdown(context=context)


def test_people_get_lines(capsys):
    assert main(['doctor', '--timeout', '0.1']) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in NAMES)
