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
List the licences of the distributions in this environment: ``make licences``.

A distribution is listed with what it says of itself: the expression of its metadata, else the
classifiers, else the field, else the ``package.xml`` of its ROS package, else the heading of its
licence file. Those that say nothing are listed last.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import Distribution, distributions
from pathlib import Path
import re
import sys

PREFIX = 'License :: '
SILENT = 'not stated'


def licence(distribution: Distribution) -> str:
    """Return the licence of a distribution in a few words."""
    metadata = distribution.metadata
    if 'License-Expression' in metadata:
        return metadata['License-Expression']
    classified = [line.split(' :: ')[-1] for line in metadata.get_all('Classifier', [])
                  if line.startswith(PREFIX) and line != f'{PREFIX}OSI Approved']
    if classified:
        return ', '.join(classified)
    stated = (metadata.get('License') or '').strip() or ros_licence(metadata['Name'])
    for file in distribution.files or () if not stated else ():
        if file.name.upper().startswith(('LICENSE', 'LICENCE', 'COPYING')):
            stated = stated or file.read_text().strip()
    return stated.splitlines()[0].strip() if stated else SILENT


def ros_licence(name: str) -> str:
    """Return the licence in the manifest of a ROS package; its wheel has a prefix to its name."""
    package = re.sub('^ros[-_](jazzy[-_])?', '', name).replace('-', '_')
    manifest = Path(sys.prefix, 'share', package, 'package.xml')
    if not manifest.is_file():
        return ''
    return ', '.join(re.findall(r'<license[^>]*>\s*([^<]*?)\s*</license>', manifest.read_text()))


def rows(found: Iterable[Distribution]) -> list[tuple[str, str, str]]:
    """Return name, version and licence of each distribution; those without a licence last."""
    unique = {(item.metadata['Name'], item.version): licence(item) for item in found}
    return sorted(((name, version, text) for (name, version), text in unique.items()),
                  key=lambda row: (row[2] == SILENT, row[0].lower()))


def main() -> None:
    """Print the table."""
    table = rows(distributions())
    widths = [max(len(row[column]) for row in table) for column in range(2)]
    for name, version, text in table:
        print(f'{name:<{widths[0]}}  {version:<{widths[1]}}  {text}')
    silent = sum(text == SILENT for *_, text in table)
    print(f'{len(table)} distributions, {silent} of them without a word on their licence')


if __name__ == '__main__':
    main()
