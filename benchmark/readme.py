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

"""The short table of the README, between two markers, from the numbers of one run."""

from __future__ import annotations

from pathlib import Path
import re

from .bars import rate
from .markdown import number, percent, table

START, STOP = '<!-- benchmark: begin -->', '<!-- benchmark: end -->'
SHOWN = 12  # solvers


def write(results: dict, readme: Path) -> None:
    """Replace the table between the markers; a run without the case 'mid' leaves it alone."""
    rows = [row for row in results['rows'] if row['case'] == 'mid']
    text = readme.read_text(encoding='utf-8')
    if rows and START in text:
        fresh = f'{START}\n{_overview(rows, results["meta"])}\n{STOP}'
        pattern = re.escape(START) + '.*?' + re.escape(STOP)
        readme.write_text(re.sub(pattern, lambda _: fresh, text, flags=re.S), encoding='utf-8')


def _overview(rows: list[dict], meta: dict) -> str:
    """Solved share and mean time over all robots that a solver was asked about, fastest first."""
    lines = []
    for name in dict.fromkeys(row['solver'] for row in rows):
        mine = [row for row in rows if row['solver'] == name]
        solved = sum(rate(row) for row in mine) / len(mine)
        lines.append((sum(row['mean_us'] for row in mine) / len(mine), name, len(mine), solved))
    body = [(name, robots, percent(solved), number(mean))
            for mean, name, robots, solved in sorted(lines) if solved > 0.5][:SHOWN]
    return '\n\n'.join([
        table(('solver', 'robots', 'solved [%]', 'mean time [us]'), body),
        f"`{meta['command']}` at commit `{meta['commit']}`, {meta['processor']}."])
