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
"""
The mathematics of the four documents as small NumPy functions, for reading and for comparison.

Two or three files for each document: [Kenwright2022] ``kenwright`` and ``kenwright_sweeps``,
[ProjectedLineSearch] ``projected_line_search`` and ``line_search_steps``, [Rotations]
``rotations``, ``rotations_algorithms`` and ``screw_joints``, [Recipe] ``recipe``,
``recipe_skeleton`` and ``recipe_trim``. The solvers of the documents are in ``kernels``, in the
form that is compiled.

Nothing else here is fast and nothing in the solvers needs it: the tests hold these functions
against each other, against finite differences, against the kernels and against Pinocchio. A
docstring says "differs from" where a document has a misprint. Tags like [Recipe] are in
docs/references.md.
"""
