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
Write ``config/dq_ik.yaml``: every parameter of the node, explained, at its default.

Run ``python tools/make_config.py`` after a change of IkOptions or NodeSettings; a test compares.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import Field, fields
from pathlib import Path
import textwrap
from typing import Any

from dq_ik.options import IkOptions
from dq_ik.ros.parameters import ros_value
from dq_ik.ros.settings import NodeSettings

CONFIG = Path(__file__).parents[1] / 'config' / 'dq_ik.yaml'
INDENT = '    '
HEAD = """\
# Every parameter of the node at its default. Run with:
#   ros2 run dq_ik ik_node --ros-args --params-file dq_ik.yaml
/**:
  ros__parameters:"""


def lines() -> Iterator[str]:
    """Return the file line by line."""
    yield HEAD
    for title, kind in (('The node', NodeSettings), ('The solver', IkOptions)):
        yield f'{INDENT}# --- {title} ---'
        for item in fields(kind):
            yield from (f'{INDENT}# {line}' for line in textwrap.wrap(explanation(item), 92))
            yield f'{INDENT}{item.name}: {yaml(ros_value(item))}'


def explanation(item: Field) -> str:
    """Return description, range and choices of a parameter as sentences."""
    about = item.metadata
    text = about['description'].rstrip('.')
    if '_' not in text.split()[0]:
        text = text[0].upper() + text[1:]
    sentences = [text]
    if about['choices']:
        sentences.append(f'One of: {", ".join(about["choices"])}')
    elif about['minimum'] is not None:
        sentences.append(f'Range {about["minimum"]:g} to {about["maximum"]:g}')
    if about['read_only']:
        sentences.append('Only at start')
    return '. '.join(sentences) + '.'


def yaml(value: Any) -> str:
    """Return a value as YAML; floats keep a dot, without which ROS would read an integer."""
    if isinstance(value, list):
        return f'[{", ".join(map(yaml, value))}]'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        text = repr(value)
        return text if '.' in text else text.replace('e', '.0e')
    return repr(value)


if __name__ == '__main__':
    CONFIG.write_text('\n'.join(lines()) + '\n')
