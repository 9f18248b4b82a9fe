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

"""The blocks of a scene: views of it and of the memory in which it is placed."""

from dq_ik.core.algebra.vector import fill
from dq_ik.core.compile import kernel
from dq_ik.core.memory.blocks import view_robot
from dq_ik.core.memory.scene_layout import GUARD, PLACING, SCENE
from dq_ik.core.memory.views import begin, size, view

view_scene, view_placing = view(SCENE), view(PLACING)
begin_placing, size_of_placing = begin(PLACING), size(PLACING)
size_of_scene = size(SCENE)
view_guard, begin_guard, size_of_guard = view(GUARD), begin(GUARD), size(GUARD)


@kernel
def placing_size(links, scene):
    """Words of the memory in which a scene is placed."""
    return size_of_placing(links.n, links.n_elements, links.n_screws, scene.n_links,
                           scene.n_bodies, scene.n_pieces)


@kernel
def prepare_placing(links, scene, placing_out):
    """Write the head of that memory, the zeros that pad the sines, and the frame at rest."""
    begin_placing(placing_out, links.n, links.n_elements, links.n_screws, scene.n_links,
                  scene.n_bodies, scene.n_pieces)
    placing = view_placing(placing_out)
    for row in range(3):
        fill(0.0, placing.turns[row])
    still = placing.link[scene.n_links]
    fill(0.0, still)
    still[0] = still[4] = still[8] = 1.0


@kernel
def open_placing(links, scene, memory):
    """Return views of the robot of the bodies, of the scene, and of a placing that is ready."""
    tree, seen = view_robot(links), view_scene(scene)
    prepare_placing(tree, seen, memory)
    return tree, seen, view_placing(memory)
