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

"""Where the bodies of a scene are: links and spheres at once, capsules when they are needed."""

from dq_ik.core.algebra import quaternion, triple
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics.tree import forward_kinematics, tip_frame
from dq_ik.core.memory.scene_layout import (
    BODY_FIRST,
    BODY_LINK,
    BODY_STOP,
    CAPSULE_END,
    CAPSULE_START,
)


@routine
def place(links, scene, placing, q):
    """
    Place the links and the spheres of all bodies.

    :param links: the robot whose tips are the links that carry bodies
    :param q: ``(n,)`` of the chain
    """
    for i in range(scene.n_variables):
        source = scene.source[i]
        placing.q[i] = scene.value[i] if source < 0 else q[source]
    forward_kinematics(links, placing.q, placing.turns, placing.world, placing.screw)
    for k in range(scene.n_links):
        _place_link(tip_frame(links, k, placing.world), placing.link[k])
    for body in range(scene.n_bodies):
        frame = placing.link[scene.body[body, BODY_LINK]]
        triple.put(triple.transform(frame, triple.at(scene.ball[body], 0)),
                   placing.centre[body], 0)
        placing.placed[body] = 0


@kernel
def _place_link(x, row_out):
    """Write a pose as a matrix and a place."""
    rows = quaternion.to_matrix(x[0])
    for i in range(3):
        triple.put(rows[i], row_out, 3 * i)
    triple.put(x[1], row_out, 9)


@routine
def place_capsules(scene, placing, body):
    """Place the capsules of a body, if they are not yet."""
    if placing.placed[body] != 0:
        return
    frame = placing.link[scene.body[body, BODY_LINK]]
    for piece in range(scene.body[body, BODY_FIRST], scene.body[body, BODY_STOP]):
        capsule = scene.capsule[piece]
        for end in (CAPSULE_START, CAPSULE_END):
            triple.put(triple.transform(frame, triple.at(capsule, end)), placing.capsule[piece],
                       end)
    placing.placed[body] = 1
