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

"""``python write_c.py FOLDER LEVEL...`` writes the generated C files of the library."""

from __future__ import annotations

import os
from pathlib import Path
import re
import sys
from types import ModuleType

PACKAGE = Path(__file__).resolve().parents[1]


def main() -> None:
    """Write the header, the door's entries and the choice of levels."""
    package = ModuleType('dq_ik')  # the core alone, without what the rest of the package needs
    package.__path__ = [str(PACKAGE)]
    sys.modules['dq_ik'] = package
    from dq_ik.native import files, header
    folder, wanted = Path(sys.argv[1]), sys.argv[2:]
    digest = files.digest(os.environ.get('DQ_IK_CHECKED') == '1')
    version = re.search(r"__version__ = '([^']+)'", (PACKAGE / '__init__.py').read_text())
    (folder / 'dq_ik.h').write_text(header.header(digest, version.group(1) if version else ''))
    (folder / 'entries.h').write_text(header.door_entries())
    (folder / 'choose.c').write_text(header.choice(wanted))


if __name__ == '__main__':
    main()
