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

"""Solves whose answers are free of collisions, judged by coal on the original meshes."""

from __future__ import annotations

from pathlib import Path
import pickle
import re

from collision_judge import Judge
from collision_robots import chain_of, clutter, ENDS, scene_of
import dq_ik
from dq_ik import CollisionError, Pose, Solver, Status
from dq_ik.collision.scene import Scene
from dq_ik.collision.world import Box, HalfSpace, Sphere
from dq_ik.core.memory.layout import ANSWER
from dq_ik.core.memory.scene_layout import NEAREST
from dq_ik.core.memory.views import read
from dq_ik.native.load import door
from dq_ik.robot.bundled import example_robots
import numpy as np
import pytest
from test_door import doors

COUNT = 500
SOLVED = 0.99  # of goals that have a free posture; the benchmark has 99.9 %

each_robot = pytest.mark.parametrize('name', ENDS)


def goals_with_a_free_posture(scene: Scene, judge: Judge, count: int) -> np.ndarray:
    """Return poses of configurations that are free, by both."""
    q = scene.chain.spread(np.random.default_rng(3).random((4 * count, scene.chain.n)))
    free = [row for row in q[scene.free(q)] if not judge.collides(row)][:count]
    return scene.chain.fk_batch(np.array(free))[:, 0]


def test_the_page_runs(capsys):
    text = (Path(__file__).parents[1] / 'docs' / 'collision.md').read_text()
    blocks = re.findall(r'```python\n(.*?)```', text, re.DOTALL)
    exec(compile('\n'.join(blocks), 'docs/collision.md', 'exec'), {})
    decided, listed, near, solved, refused = capsys.readouterr().out.splitlines()
    assert decided.startswith('False panda_')
    assert listed == "['table', 'pillar']"
    assert 'apart' in near
    assert solved.startswith('the goal is reached [')
    assert refused.startswith('COLLIDING')
    assert refused.endswith('and block overlap')


@each_robot
@pytest.mark.parametrize('around', ['itself', 'things'])
def test_answers_are_free_and_found(name, around):
    scene = scene_of(name, world=clutter(5) if around == 'things' else None)
    judge = Judge(example_robots()[name], scene.chain, scene.snapshot().names,
                  scene.world.snapshot()[1])
    goals = goals_with_a_free_posture(scene, judge, COUNT)
    blind = Solver(scene.chain).solve_batch(goals)
    assert any(judge.collides(q) for q in blind.q)
    found = Solver(scene.chain, collision=scene, timeout=1.0).solve_batch(goals)
    assert found.success.mean() >= SOLVED
    assert not any(judge.collides(q) for q in found.q[found.success])
    for k in np.flatnonzero(~found.success):
        assert found[int(k)].status is Status.COLLIDING
        assert found[int(k)].contact is not None


@each_robot
def test_single_solves_are_those_of_a_batch(name):
    scene = scene_of(name, world=clutter(5))
    solver = Solver(scene.chain, collision=scene, timeout=1.0)
    goals = scene.chain.fk_batch(scene.chain.spread(
        np.random.default_rng(8).random((20, scene.chain.n))))[:, 0]
    for row, goal in zip(solver.solve_batch(goals), goals):
        one = solver.solve(goal)
        assert (one.q == row.q).all()
        assert (one.status, one.contact) == (row.status, row.contact)


def test_the_doors_refuse_what_is_no_scene_and_answer_alike():
    """In C and over ctypes."""
    scene = scene_of('panda')
    solver, now = Solver(scene.chain, collision=scene), scene.snapshot()
    goal = scene.chain.fk(scene.chain.spread(np.full((1, 7), 0.4))[0]).matrix
    said = []
    for door_ in doors():
        ask = door_.Solver(solver._robot, solver._requests.template).solve
        answer, contact = np.zeros(solver._answer_size), np.zeros(NEAREST.width)
        for links, block in ((now.links[:-1], now.block), (now.links, now.block[:-1]),
                             (now.block, now.links), (now.links, np.zeros(3))):
            with pytest.raises(ValueError, match='no scene of this version'):
                ask(goal, None, 0.0, answer, links.copy(), block.copy(), contact)
        status = ask(goal, None, 0.0, answer, now.links, now.block, contact)
        said.append((status, read(ANSWER, answer).q.tolist(), contact[0]))
    assert all(each == said[0] for each in said)
    assert said[0][0] == Status.CONVERGED
    if len(said) > 1:  # the door in C checks what it writes
        with pytest.raises(ValueError, match='another size'):
            door().Solver(solver._robot, solver._requests.template).solve(
                goal, None, 0.0, answer, now.links, now.block, contact[:-1].copy())


@pytest.mark.parametrize('mode', ['distance', 'distance_max', 'manipulability', 'all'])
def test_every_mode_chooses_among_free_answers(mode):
    scene = scene_of('ur5_robot', world=clutter(5))
    judge = Judge(example_robots()['ur5_robot'], scene.chain, scene.snapshot().names,
                  scene.world.snapshot()[1])
    goals = goals_with_a_free_posture(scene, judge, 20)
    solver = Solver(scene.chain, collision=scene, timeout=1.0, mode=mode)
    for goal in goals:
        result = solver.solve(goal, scene.chain.neutral)
        if result.success:
            assert not any(judge.collides(q) for q in result.solutions)


@pytest.mark.parametrize('options', [
    {'method': 'pls'}, {'method': 'dls'}, {'center_joints_weight': 0.1},
    {'rest_posture_weight': 0.5}], ids=str)
def test_every_method_and_posture_gives_free_answers(options):
    scene = scene_of('panda', world=clutter(5))
    judge = Judge(example_robots()['panda'], scene.chain, scene.snapshot().names,
                  scene.world.snapshot()[1])
    goals = goals_with_a_free_posture(scene, judge, 40)
    found = Solver(scene.chain, collision=scene, timeout=1.0, **options).solve_batch(goals)
    assert found.success.mean() > 0.9
    assert not any(judge.collides(q) for q in found.q[found.success])


def test_a_goal_inside_a_thing_is_reached_in_collision_only_and_the_pair_is_named():
    scene = scene_of('panda')
    goal = scene.chain.fk(scene.chain.spread(np.full((1, 7), 0.4))[0])
    scene.world.add('block', Box((0.3, 0.3, 0.3)), goal)
    solver = Solver(scene.chain, collision=scene, timeout=1.0)
    result = solver.solve(goal)
    assert result.status is Status.COLLIDING
    assert not result.success
    assert result.position_error[0] < 1e-5
    assert 'block' in (result.contact.first, result.contact.second)
    assert result.contact.distance == 0.0
    assert 'reached in collision only' in result.message
    assert 'and block overlap' in result.message
    scene.world.remove('block')
    assert solver.solve(goal).success


def test_a_goal_out_of_reach_is_told_as_ever():
    scene = scene_of('panda')
    far = Pose.from_xyz_wxyz((3.0, 0, 0), (1, 0, 0, 0))
    free, blind = (Solver(scene.chain, collision=s).solve(far) for s in (scene, None))
    assert free.status is blind.status
    assert free.beyond_reach == pytest.approx(blind.beyond_reach)


def test_without_restarts_the_seed_decides():
    """A stream's solve keeps to its seed: it does not jump to another posture."""
    scene = scene_of('panda')
    q = scene.chain.spread(np.full((1, 7), 0.45))[0]
    goal = scene.chain.fk(q)
    scene.world.add('ball', Sphere(0.05), Pose(goal.real, goal.dual))
    result = Solver(scene.chain, collision=scene, max_restarts=0).solve(goal, q)
    assert result.status is Status.COLLIDING
    assert np.abs(result.q - q).max() < 1e-3


def test_a_floor_keeps_all_answers_above_it():
    scene = scene_of('ur5_robot')
    scene.world.add('floor', HalfSpace(), Pose.from_xyz_wxyz((0, 0, 0.01), (1, 0, 0, 0)),
                    touching=('base_link', 'shoulder_link'))
    some = scene.chain.spread(np.random.default_rng(0).random((50, 6)))
    goal = scene.chain.fk(some[scene.free(some)][0])
    found = Solver(scene.chain, collision=scene, mode='all', timeout=1.0).solve(goal).solutions
    links = [link for link in scene.bodies if link not in ('base_link', 'shoulder_link')]
    whole = scene.chain.model.chain('base_link', links)
    assert len(found)
    for q in found:
        poses = whole.fk_all(q)
        for link in links:
            for piece in scene.bodies[link].pieces:
                assert piece.moved(poses[link]).vertices[:, 2].min() > 0.01


def test_a_scene_of_another_chain_is_refused():
    with pytest.raises(CollisionError, match='another chain'):
        Solver(chain_of('panda'), collision=scene_of('ur5_robot'))


def test_the_chain_takes_a_scene_too_and_results_can_be_pickled():
    scene = scene_of('panda')
    goal = scene.chain.fk(scene.chain.neutral + 0.1)
    result = scene.chain.solve(goal, collision=scene)
    assert (pickle.loads(pickle.dumps(result)).q == result.q).all()
    with pytest.raises(CollisionError, match='cannot be pickled'):
        pickle.dumps(Solver(scene.chain, collision=scene))


def test_robots_of_primitives_and_two_arms_keep_apart():
    """Two sliders of one robot: each chain minds the other, where it is held."""
    text = '<robot name="two"><link name="base"/>' + ''.join(
        f'<link name="{side}"><collision><geometry><sphere radius="0.1"/></geometry></collision>'
        f'</link><joint name="{side}_x" type="prismatic"><parent link="base"/>'
        f'<child link="{side}"/><axis xyz="1 0 0"/>'
        '<limit lower="-1" upper="1" velocity="1" effort="1"/></joint>'
        for side in ('left', 'right')) + '</robot>'
    chain = dq_ik.load_robot(text).chain('base', 'left')
    scene = Scene.load(chain, text)
    assert scene.collides([0.1])
    scene.hold({'right_x': 0.5})
    assert not scene.collides([0.1])
    assert scene.collides([0.4])
