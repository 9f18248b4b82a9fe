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
"""Write every robot: ``python -m tools.make_robots [FOLDER]``, by default to ``urdf/``."""
from __future__ import annotations

from pathlib import Path
import sys

from . import arms, figures, small

ROBOTS = (arms.arm5, arms.arm6, arms.panda, arms.two_arms, figures.hand, figures.humanoid,
          small.mimic, small.planar_2r, small.planar_3r, small.prismatic)


def main(folder: Path) -> None:
    """Write all robots."""
    folder.mkdir(parents=True, exist_ok=True)
    for make in ROBOTS:
        (folder / f'{make.__name__}.urdf').write_text(make().xml(), encoding='utf-8')


if __name__ == '__main__':
    main(Path(sys.argv[1] if len(sys.argv) > 1 else 'urdf'))
