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
Mixed load on one node for a while: ``make soak ARGS="--minutes 30"``.

Goals at 500 Hz, eight clients of the services, and changes of parameters, each from a process of
its own over DDS. ``--with page marker controller`` adds the web page with a visitor, the marker of
RViz and a stand-in of a controller; ``--only stream`` leaves out other load. The table at the end
has lost goals, unanswered calls, latencies, memory, threads, descriptors, and the gaps between
commands beside those of a bare timer in the same run.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import json
import os
from pathlib import Path
import subprocess
import sys
import time
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / 'test')]

import ros_processes  # noqa: E402
import ros_robot  # noqa: E402
from tools.fuzz.patience import waits_of  # noqa: E402
from tools.soak_partners import PARTNERS, TRAJECTORIES  # noqa: E402
from tools.soak_parts import PARTS  # noqa: E402

GROWTH = 5.0  # MB that the node may grow
STEADY = 2  # threads and files that DDS may open and close for partners
GAP = 0.020  # seconds that a gap may exceed those of the bare timer
ARM = {'base_link': 'arm_base', 'tip_links': ['flange'], 'group': 'arm'}


def resources(pid: int) -> tuple[float, int, int]:
    """Return the memory [MB], the threads and the open files of a process."""
    lines = dict(line.split(':', 1) for line in
                 Path(f'/proc/{pid}/status').read_text().splitlines() if ':' in line)
    return (int(lines['VmRSS'].split()[0]) / 1024.0, int(lines['Threads']),
            len(os.listdir(f'/proc/{pid}/fd')))


def soak(seconds: float, parts: Sequence[str] = tuple(PARTS),
         partners: Sequence[str] = ()) -> dict[str, Any]:
    """Run parts and partners beside a node; return what was measured."""
    from dq_ik.ros.client import Client
    from moveit_msgs.srv import GetPositionIK
    ros_processes.use_own_domain()
    topic = {'trajectory_topic': TRAJECTORIES} if 'controller' in partners else {}
    with ros_processes.run_node(robot_description=ros_robot.urdf_text(), **ARM, **topic) as node:
        with Client('soak') as client:
            ready = client.node.create_client(GetPositionIK, '/dq_ik/compute_ik')
            while not ready.wait_for_service(1.0):
                if not node.alive:
                    raise SystemExit(node.log)
        files = {**dict.fromkeys(partners, 'soak_partners.py'),  # they are there first
                 **dict.fromkeys(parts, 'soak_parts.py')}
        runs = {name: subprocess.Popen(
            [sys.executable, str(ROOT / 'tools' / file), name, str(seconds)],
            stdout=subprocess.PIPE, text=True) for name, file in files.items()}
        samples, held = [], [0.0]
        waits = waits_of(node.process.pid)
        while any(run.poll() is None for run in runs.values()) and node.alive:
            time.sleep(1.0)
            if node.alive:
                samples.append(resources(node.process.pid))
                before, waits = waits, waits_of(node.process.pid)
                held.append(max((waits[k] - before.get(k, waits[k]) for k in waits), default=0.0))
        found: dict[str, Any] = {'alive': node.alive, 'traceback': 'Traceback' in node.log,
                                 'held up': {'share': sum(held) / len(held), 'worst': max(held)}}
        for name, run in runs.items():
            text = run.communicate(timeout=60)[0] if node.alive else '{}'
            if not text.strip():
                raise SystemExit(f'the part {name} failed with exit code {run.returncode}')
            found[name] = json.loads(text.strip().splitlines()[-1])
    settled = samples[len(samples) // 4:-2] or samples  # the parts come and go at the ends
    for k, name in enumerate(('memory', 'threads', 'files')):
        found[name] = {'first': settled[0][k], 'last': settled[-1][k],
                       'most': max(sample[k] for sample in settled)}
    return found


def table(found: dict[str, Any]) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Return rows of what was measured beside its bar, and the bars that are missed."""
    part = found['stream']
    calls = found.get('clients', {'calls': 0, 'unanswered': 0,
                                  'latency': {'median': 0.0, 'worst': 0.0}})
    changes = found.get('parameters', {'changes': 0, 'unanswered': 0})
    bare, own = found['timer']['gaps']['worst'], part['stamp gaps']['worst']
    sender = part['gaps']['worst']
    grown = found['memory']['last'] - found['memory']['first']
    unanswered = calls['unanswered'] + changes['unanswered']
    replaced = part['sent'] - part['commands'] - part['unanswered']
    ms = 1e3
    judged = (
        ('node', 'lives' if found['alive'] else 'died', 'lives', found['alive']),
        ('goals sent', f"{part['sent']:,}", '', True),
        ('goals replaced by newer ones', f'{replaced:,}', '', True),
        ('goals lost', f"{part['unanswered']:,}", '0', part['unanswered'] == 0),
        ('calls', f"{calls['calls']:,}", '', True),
        ('parameter changes', f"{changes['changes']:,}", '', True),
        ('unanswered', f'{unanswered:,}', '0', unanswered == 0),
        ('goal to command, median [ms]', f"{ms * part['latency']['median']:.2f}", '', True),
        ('goal to command, worst [ms]', f"{ms * part['latency']['worst']:.1f}", '', True),
        ('call, median [ms]', f"{ms * calls['latency']['median']:.2f}", '', True),
        ('call, worst [ms]', f"{ms * calls['latency']['worst']:.1f}", '', True),
        ('gap of a bare timer, worst [ms]', f'{ms * bare:.1f}', '', True),
        ('gap of the sender, worst [ms]', f'{ms * sender:.1f}', '', True),
        ('gap of the stamps, worst [ms]', f'{ms * own:.1f}',
         f'{ms * (max(bare, sender) + GAP):.1f}', own <= max(bare, sender) + GAP),
        ('node held up by other processes', f"{found['held up']['share']:.0%}", '', True),
        ('the same, in the worst second', f"{found['held up']['worst']:.0%}", '', True),
        ('memory, growth [MB]', f'{grown:.2f}', f'{GROWTH}', grown < GROWTH),
        ('threads', f"{found['threads']['first']} to {found['threads']['last']}", 'same',
         found['threads']['last'] <= found['threads']['first'] + STEADY),
        ('files', f"{found['files']['first']} to {found['files']['last']}", 'same',
         found['files']['last'] <= found['files']['first'] + STEADY),
        *partner_rows(found))
    return [row[:3] for row in judged], [row[0] for row in judged if not row[3]]


def partner_rows(found: dict[str, Any]) -> list[tuple[str, str, str, bool]]:
    """Return what the partners received."""
    rows = []
    for name, what in (('page', 'messages'), ('marker', 'updates'),
                       ('controller', 'trajectories'), ('controller', 'bad')):
        if name in found:
            count, none = found[name][what], what == 'bad'
            rows.append((f'{name}: {what}', f'{count:,}', '0' if none else 'some',
                         none == (count == 0)))
    return rows


def main() -> int:
    """Soak as the arguments say; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(prog='soak', description=__doc__)
    parser.add_argument('--minutes', type=float, default=1.0)
    parser.add_argument('--folder', type=Path, default=ROOT / '.artifacts')
    parser.add_argument('--with', nargs='+', default=[], choices=list(PARTNERS), dest='partners',
                        metavar='PARTNER', help=f'any of {", ".join(PARTNERS)}')
    parser.add_argument('--only', nargs='+', default=list(PARTS), choices=list(PARTS),
                        metavar='PART', help=f'of the load, any of {", ".join(PARTS)}')
    given = parser.parse_args()
    parts = dict.fromkeys(['timer', 'stream', *given.only])  # what the table is made of
    found = soak(60.0 * given.minutes, tuple(parts), given.partners)
    rows, missed = table(found)
    for what, measured, bar in rows:
        print(f'{what:36} {measured:>14} {bar:>10}')
    for what in missed:
        print(f'missed: {what}')
    given.folder.mkdir(parents=True, exist_ok=True)
    (given.folder / 'soak.json').write_text(json.dumps(found, indent=1))
    return 1 if missed else 0


if __name__ == '__main__':
    sys.exit(main())
