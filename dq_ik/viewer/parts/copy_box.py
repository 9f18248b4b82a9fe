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
"""A text with a button that copies it, in a panel of viser."""

from __future__ import annotations

from html import escape

import viser

# Browsers give the clipboard to pages of this machine and to https only; elsewhere the text is
# selected and copied in the old way.
COPY = (
    "const text = this.parentNode.querySelector('pre');"
    'const done = () => { this.textContent = `Copied`;'
    ' setTimeout(() => { this.textContent = `Copy`; }, 1500); };'
    'const select = () => { const range = document.createRange();'
    ' range.selectNodeContents(text); const chosen = getSelection();'
    ' chosen.removeAllRanges(); chosen.addRange(range);'
    ' document.execCommand(`copy`); done(); };'
    'if (navigator.clipboard) navigator.clipboard.writeText(text.textContent).then(done, select);'
    'else select();'
)
BOX = (
    '<div style="display:flex;gap:0.5em;align-items:flex-start;padding:0.2em 0.9em;'
    'font-size:0.8em"><pre data-copy="{name}" style="flex:1;margin:0;padding:0.4em;'
    'max-height:9em;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;'
    'border-radius:0.3em;background:rgba(128,128,128,0.18)" tabindex="0">{text}</pre>'
    '<button type="button" aria-label="Copy {name}" style="padding:0.35em 0.7em;cursor:pointer;'
    'border:1px solid currentColor;border-radius:0.3em;background:none;color:inherit" '
    'onclick="{copy}">Copy</button></div>')


class CopyBox:
    """Shows a text and copies it to the clipboard of the browser."""

    def __init__(self, gui: viser.GuiApi, name: str) -> None:
        """
        Show an empty text.

        :param name: what the text is, for those who hear the page
        """
        self._name, self.text = name, ''
        self._html = gui.add_html('')
        self.show('')

    def show(self, text: str) -> None:
        """Show another text."""
        if text != self.text or not self._html.content:
            self.text = text
            self._html.content = BOX.format(
                name=escape(self._name), text=escape(text), copy=escape(COPY))
