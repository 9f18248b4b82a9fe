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
"""Random questions to a chain: options at and between their bounds, goals of all kinds, seeds."""

from __future__ import annotations

import math
from random import Random
from typing import Any

from dq_ik import Goal, Pose
from dq_ik.options import METHODS, MODES
from dq_ik.robot.chain import Chain
from dq_ik.robot.model import RobotModel
import numpy as np

OBJECTIVES = ('center_joints_weight', 'minimal_displacement_weight', 'rest_posture_weight',
              'avoid_joint_limits_weight')


def random_chain(r: Random, model: RobotModel) -> Chain:
    """Draw a base and one to three tips."""
    links = model.links
    base = None if r.random() < 0.8 else r.choice(links)
    pool = model.leaves if r.random() < 0.8 else links
    tips = r.sample(pool, min(len(pool), r.choice((1, 1, 1, 2, 3))))
    tool = Pose.from_xyz_rpy((0.1, 0.0, 0.2), (0.0, 1.0, 0.0)) if r.random() < 0.1 else None
    return model.chain(base, tips, tool)


def random_options(r: Random, chain: Chain) -> dict[str, Any]:
    """Draw options; most solves take less than some milliseconds."""
    method = r.choice(('pgs', 'pgs', 'pls', r.choice(METHODS)))
    strong = method in ('pgs', 'pls')
    options: dict[str, Any] = {
        'method': method, 'mode': r.choice(('speed', 'speed', r.choice(MODES))),
        'timeout': r.choice((0.01, 0.002, 0.001, 0.001, 3e-4, 3e-4, 3e-4, 1e-6)),
        'max_restarts': r.choice((0, 0, 1, 3, 10, r.choice((100, 10000)))),
        'max_iterations': r.choice((0, 0, 1, 2, 30) if strong else (1, 10, 30)),
        'random_seed': r.choice((0, 0, 1, 2**31 - 1)),
        'position_tolerance': r.choice((1e-5, 1e-5, 1e-3, 1e-9, 1e-12, 1.0)),
        'rotation_tolerance': r.choice((1e-5, 1e-5, 1e-3, 1e-9, 1e-12, math.pi)),
        'rotation_scale': r.choice((0.0, 0.0, 1e-3, 100.0)),
        'max_joint_step': r.choice((0.0, 0.0, 0.0, 1e-9, 0.1, 1e6)),
        'max_solutions': r.choice((1, 16, 1000)), 'trace': r.choice((0, 0, 0, 1, 50))}
    for name in OBJECTIVES:
        if r.random() < 0.08:
            options[name] = r.choice((1e-3, 1.0))
    if r.random() < 0.1:
        options['rest_posture'] = configuration(r, chain).tolist()
    if r.random() < 0.1:
        options['joint_weights'] = [r.choice((1.0, 0.5, 0.0, 1e-3, 10.0)) for _ in range(chain.n)]
    if chain.n and r.random() < 0.1:
        options['locked_joints'] = r.sample(chain.joint_names, r.randrange(chain.n) + 1)
    return options


def configuration(r: Random, chain: Chain) -> np.ndarray:
    """Draw a configuration: anywhere within the limits, or with joints on them."""
    q = chain.spread(np.array([r.random() for _ in range(chain.n)]))
    kind = r.randrange(4)
    if kind == 0:
        for i in range(chain.n):
            end = r.choice((q[i], chain.lower[i], chain.upper[i]))
            q[i] = end if math.isfinite(end) else q[i]
    return q


def random_seed(r: Random, chain: Chain, near: np.ndarray) -> np.ndarray | None:
    """Draw a start: none, near an answer, at it, within the limits, far beyond them."""
    kind = r.randrange(8)
    if kind == 0:
        return None
    if kind == 1:
        return near
    if kind == 2:
        return near + np.array([r.uniform(-0.1, 0.1) for _ in range(chain.n)])
    if kind == 3:
        size = 10.0 ** r.choice((1, 3, 6, 11, 100, 300))
        return np.array([r.uniform(-size, size) for _ in range(chain.n)])
    if kind == 4:
        return chain.neutral
    return configuration(r, chain)


def random_bounds(r: Random, seed: np.ndarray | None) -> Any:
    """Draw limits of one call: mostly none."""
    if r.random() < 0.95 or seed is None or np.abs(seed).max(initial=0.0) > 1e90:
        return None
    width = r.choice((0.0, 0.1, 1.0, math.inf))
    return seed - width, seed + width


def random_pose(r: Random, chain: Chain, q: np.ndarray, tip: str) -> Pose:
    """Draw a pose: reached at q, beside it, half a turn away, anywhere, huge or tiny."""
    kind = r.randrange(9)
    there = chain.fk(q, tip)
    if kind < 4:
        return there
    w = [r.gauss(0.0, 1.0) for _ in range(3)]
    if kind == 4:
        axis = r.choice(([math.pi, 0, 0], [0, math.pi, 0], [0, 0, math.pi]))
        return there @ Pose.exp((0, 0, 0, *axis))
    if kind == 5:
        return Pose.exp((*(r.gauss(0, 0.01) for _ in 'xyz'), 0, 0, 0)) @ there
    size = 10.0 ** r.choice((-300, -3, -1, 0, 0, 0.5, 1, 3, 9, 30, 100, 154, 300))
    place = [size * r.uniform(-1.0, 1.0) for _ in range(3)]
    return Pose.exp((*place, 0, 0, 0)) @ Pose.exp((0, 0, 0, *w))


def random_goal(r: Random, chain: Chain, q: np.ndarray, tip: str) -> Any:
    """Draw a goal of a tip, of any kind."""
    pose = random_pose(r, chain, q, tip)
    kind = r.randrange(12)
    if kind < 5:
        return pose
    fields: dict[str, Any] = {'tip': tip, 'frame': r.choice(('base', 'goal'))}
    if kind == 5:
        fields['rotation_weight'] = 0.0
    elif kind == 6:
        fields['position_weight'] = 0.0
    elif kind in (7, 8):
        for name in ('position_weight', 'rotation_weight'):
            fields[name] = [r.choice((0.0, 1.0, 1.0, 0.3, 1e-6, 1e3)) for _ in 'xyz']
    elif kind == 9:
        fields['axis'] = r.choice(((0, 0, 1), (1, 0, 0), (0, -1, 0), (0.3, 0.4, 0.5)))
        if r.random() < 0.5:
            fields['position_weight'] = 0.0
    elif kind == 10:
        point = (pose @ np.array((0.0, 0.0, 1.0))).tolist()
        return Goal(look_at=r.choice((point, pose.position.tolist(), (0.0, 0.0, 0.0))), tip=tip)
    others = [name for name in chain.tips if name != tip]
    if kind == 11 and others:
        fields['relative_to'] = r.choice(others)
        fields['frame'] = 'goal'
        pose = chain.fk(q, fields['relative_to']).inverse() @ pose
    if r.random() < 0.3:
        for name in ('position_tolerance', 'rotation_tolerance'):
            fields[name] = r.choice((0.01, 1e-12, (0.1, 0.0, 0.01), (math.inf, 0.0, 0.0),
                                     (1.0, 1.0, 1.0)))
    return Goal(pose, **fields)


def random_goals(r: Random, chain: Chain, q: np.ndarray) -> Any:
    """Draw goals for all tips, or for some."""
    if len(chain.tips) == 1:
        return random_goal(r, chain, q, chain.tips[0])
    goals = {tip: random_goal(r, chain, q, tip) for tip in chain.tips}
    if r.random() < 0.3:
        del goals[r.choice(chain.tips)]
        return goals
    return goals if r.random() < 0.5 else list(goals.values())
