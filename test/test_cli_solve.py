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
"""The command solve: no ROS, a table or JSON."""

import json

from dq_ik.cli.main import main
from dq_ik.robot.urdf import load_robot
import pytest
import ros_robot
import test_ball_angles


@pytest.fixture
def arm(tmp_path):
    """Return a URDF file, the arguments that choose the arm, and its chain."""
    file = tmp_path / 'robot.urdf'
    file.write_text(ros_robot.urdf_text())
    chain = load_robot(file).chain('arm_base', 'flange')
    return ['solve', str(file), '--base', 'arm_base', '--tip', 'flange'], chain


def goal(chain):
    pose = chain.fk(chain.configuration(ros_robot.POSTURE))
    return pose, ['--xyz', *map(str, pose.position), '--rpy', *map(str, pose.rpy)]


def test_json_holds_a_solution(arm, capsys):
    words, chain = arm
    pose, where = goal(chain)
    assert main([*words, *where, '--json', '--seed', 'j1=0.2', 'j2=0.3']) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer['success']
    assert answer['status'] == 'converged'
    assert chain.fk(chain.configuration(answer['joints'])).distance(pose) < (1.1e-5, 1.1e-5)


def test_table_lists_the_joints(arm, capsys):
    words, chain = arm
    assert main([*words, *goal(chain)[1]]) == 0
    out = capsys.readouterr().out
    assert all(out.count(name) == 1 for name in ros_robot.ARM)
    assert 'the goal is reached' in out


def test_best_reach_has_an_exit_code_of_its_own(arm, capsys):
    words, _ = arm
    assert main([*words, '--xyz', '3', '0', '0']) == 2
    assert 'best reach' in capsys.readouterr().out


def test_position_only_leaves_the_rotation_free(arm, capsys):
    words, chain = arm
    pose, where = goal(chain)
    assert main([*words, *where[:4], '--position-only', '--json']) == 0
    answer = json.loads(capsys.readouterr().out)
    assert chain.fk(chain.configuration(answer['joints'])).distance(pose)[0] < 1.1e-5


def test_options_are_read_with_their_types(arm, capsys):
    words, chain = arm
    options = ['--option', 'method=pls', 'max_restarts=3', 'timeout=0.5']
    assert main([*words, *goal(chain)[1], *options]) == 0


def test_lists_are_options_too(arm, capsys):
    words, chain = arm
    rest = ','.join(map(str, chain.neutral))
    assert main([*words, *goal(chain)[1], '--json', '--option', f'rest_posture={rest}',
                 'rest_posture_weight=0.1', '--option', 'locked_joints=j1,j2',
                 '--seed', f'j1={ros_robot.POSTURE["j1"]}', f'j2={ros_robot.POSTURE["j2"]}']) == 0
    joints = json.loads(capsys.readouterr().out)['joints']
    assert {name: joints[name] for name in ('j1', 'j2')} == {
        name: ros_robot.POSTURE[name] for name in ('j1', 'j2')}


def test_all_solutions_are_printed(arm, capsys):
    words, chain = arm
    all_of_them = [*words, *goal(chain)[1], '--option', 'mode=all', 'max_solutions=3']
    assert main(all_of_them) == 0
    out = capsys.readouterr().out
    assert 'solution 3 of 3' in out
    assert all(out.count(name) == 3 for name in ros_robot.ARM)
    assert main([*all_of_them, '--json']) == 0
    solutions = json.loads(capsys.readouterr().out)['solutions']
    pose, _ = goal(chain)
    assert len({tuple(joints.values()) for joints in solutions}) == 3
    for joints in solutions:
        assert chain.fk(chain.configuration(joints)).distance(pose) < (1.1e-5, 1.1e-5)


@pytest.mark.parametrize(('name', 'reason'), [
    ('foo', "there is no joint 'foo'; the joints are 'j1'"), ('j11', "did you mean 'j1'?")])
def test_unknown_joint_of_the_seed_is_refused(arm, capsys, name, reason):
    words, chain = arm
    assert main([*words, *goal(chain)[1], '--seed', f'{name}=1']) == 1
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize(('option', 'reason'), [
    ('speed=9', "no option 'speed'"), ('timeout=fast', 'must be a number'),
    ('method=magic', 'method'), ('timeuot=1', "did you mean 'timeout'?"),
    ('rest_posture=1,x', 'must be a list of numbers'),
    ('locked_joints=j1,foo', "locked_joints names 'foo'")])
def test_bad_option_is_one_line(arm, capsys, option, reason):
    words, chain = arm
    assert main([*words, *goal(chain)[1], '--option', option]) == 1
    assert reason in capsys.readouterr().err


def test_unknown_tip_is_one_line(arm, capsys):
    words, chain = arm
    assert main([*words[:-1], 'nope', *goal(chain)[1]]) == 1
    assert "'nope'" in capsys.readouterr().err


def test_options_name_the_joints_of_a_ball_as_the_urdf_does(tmp_path, capsys):
    """Its joints are locked where they are; a rest posture has their angles."""
    file = tmp_path / 'arm.urdf'
    file.write_text(test_ball_angles.arm())
    ball = 'shoulder=j1,j2,j3:swing=0.8:twist=-0.5,0.6:center=0.2,0.1,-0.1'
    rest = (0.3, 0.2, -0.2, 0.5, 0.1, 0.2, 0.3)
    where = map(str, load_robot(file).chain().fk(rest).position)
    words = ['solve', str(file), '--ball', ball, '--position-only', '--json', '--xyz', *where]
    chosen = ['rest_posture=' + ','.join(map(str, rest)), 'rest_posture_weight=1',
              'posture_iterations=100']

    def shoulder(*more: str) -> list[float]:
        assert main([*words, *more]) == 0
        joints = json.loads(capsys.readouterr().out)['joints']
        return [joints[name] for name in ('j1', 'j2', 'j3')]
    assert shoulder('--option', *chosen) == pytest.approx(rest[:3], abs=1e-3)
    seed = ['--seed', 'j1=0.3', 'j2=0.2', 'j3=-0.2']
    assert shoulder(*seed) != pytest.approx(rest[:3], abs=1e-3)
    locked = shoulder('--option', 'locked_joints=j1,j2,j3', *seed)
    assert locked == pytest.approx(rest[:3], abs=1e-9)
    assert main([*words, '--option', 'locked_joints=j2']) == 1
    assert "'j2' of ball 'shoulder', which is locked as a whole" in capsys.readouterr().err
