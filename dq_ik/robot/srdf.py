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

"""SRDF texts: checked before anything is read from them."""

from __future__ import annotations

from xml.etree import ElementTree

from dq_ik.errors import UrdfError


def check_srdf(text: str) -> ElementTree.Element:
    """Return the root of an SRDF document; raises UrdfError if the text is none."""
    if '<!DOCTYPE' in text or '<!ENTITY' in text:
        raise UrdfError('an SRDF must not declare a document type or entities')
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise UrdfError(f'the SRDF is not XML: {error}') from None
    if root.tag != 'robot':
        raise UrdfError(f'an SRDF begins with <robot>, not with <{root.tag}>')
    return root
