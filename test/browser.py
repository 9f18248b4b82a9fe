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

"""A headless Chromium on the page: find pixels of 3D points, drag, press, look."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
import shutil
import tempfile
import time

from dq_ik.pose import Pose
import numpy as np
from ros_bench import wait_until
import viser

FLAGS = (
    '--headless=new', '--no-sandbox', '--disable-gpu', '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync',
    '--disable-dev-shm-usage',
)
PATIENCE = 120_000  # milliseconds that a busy machine may need for a click
SIZE = {'width': 1280, 'height': 800}
# Where viser's gizmo can be gripped, as fractions of its scale.
ARROW, PLANE, RING = 0.88, 0.243, 0.65
HELP = ('the browser tests need Chromium and Playwright: apt install chromium, '
        'pip install playwright; -m "not browser" runs the other tests alone')


def chromium_path() -> str | None:
    """Return where Chromium is installed."""
    names = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')
    return next((path for name in names if (path := shutil.which(name))), None)


def unavailable() -> str | None:
    """Return why there is no browser to test with, or None if there is."""
    try:
        import playwright  # noqa: F401
    except ImportError:
        return HELP
    return None if chromium_path() else HELP


@contextmanager
def open_browser(
    server: viser.ViserServer, size: dict[str, int] | None = None
) -> Iterator[Browser]:
    """Show the page of a server, and close the browser at the end."""
    from playwright.sync_api import sync_playwright

    address = f'http://{server.get_host()}:{server.get_port()}/?fixedDpr=1'
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as profile:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=chromium_path(), args=list(FLAGS), headless=False,
            viewport=size or SIZE)
        context.set_default_timeout(PATIENCE)
        page = context.pages[0]
        failed: list[str] = []
        page.on('requestfailed', lambda request: failed.append(request.url))
        page.goto(address)
        browser = Browser(server, page, failed)
        try:
            yield browser
        finally:
            context.close()


class Browser:
    """One page, with the viser client that belongs to it."""

    def __init__(self, server: viser.ViserServer, page, failed: list[str]) -> None:
        self.page = page
        self.failed_requests = failed
        wait_until(lambda: len(server.get_clients()) == 1, 120.0, 'the page connects')
        self.client, = server.get_clients().values()
        page.wait_for_selector('canvas', state='attached')

    def look_at(self, target: np.ndarray, eye: np.ndarray) -> None:
        """Move the camera, and wait until the page has told us so."""
        camera = self.client.camera
        if max(np.linalg.norm(camera.position - eye),
               np.linalg.norm(camera.look_at - target)) < 1e-4:
            return  # the page reports changes only
        before = camera.update_timestamp
        camera.position, camera.look_at = tuple(eye), tuple(target)
        deadline = time.monotonic() + 20.0
        while camera.update_timestamp <= before or np.linalg.norm(camera.position - eye) > 1e-3:
            assert time.monotonic() < deadline, 'the camera did not move'
            self.page.wait_for_timeout(50)
        self.wait(400, frames=3)

    def wait(self, milliseconds: int, frames: int) -> None:
        """Wait for some time and until so many frames are drawn, which a busy machine delays."""
        self.page.wait_for_timeout(milliseconds)
        self.page.evaluate(
            """count => new Promise(done => {
                const next = () => count-- > 0 ? requestAnimationFrame(next) : done();
                next();
            })""", frames)

    def pixel(self, point: np.ndarray) -> tuple[float, float]:
        """Return where a point of the world is seen."""
        camera = self.client.camera
        x_world_camera = Pose.from_xyz_wxyz(camera.position, camera.wxyz)
        x, y, z = x_world_camera.inverse() @ np.asarray(point, float)
        assert z > 0.0, 'the point is behind the camera'
        focal = 0.5 * camera.image_height / np.tan(0.5 * camera.fov)
        box = self.page.locator('canvas').first.bounding_box()
        return (box['x'] + 0.5 * camera.image_width + focal * x / z,
                box['y'] + 0.5 * camera.image_height + focal * y / z)

    def drag(self, grip: np.ndarray, to: np.ndarray, held: Callable[[], bool],
             steps: int = 12) -> None:
        """
        Press the mouse on one point of the world, move to another one, release.

        :param held: whether the server has heard that the handle moves. A busy browser may draw
            the handle after the press, which then takes nothing and is done again.
        """
        mouse = self.page.mouse
        for _ in range(6):
            start, end = self._press(grip, to)
            mouse.move(*(start + (end - start) / steps))
            if self.comes(held, 5.0):
                break
            mouse.up()
        else:
            raise AssertionError(f'the handle at {start} cannot be taken')
        for share in np.linspace(0.0, 1.0, steps + 1)[2:]:
            mouse.move(*(start + share * (end - start)))
            self.page.wait_for_timeout(60)
        self.wait(200, frames=2)
        mouse.up()

    def comes(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Tell whether a condition comes to hold while the page goes on."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                return False
            self.page.wait_for_timeout(20)
        return True

    def _press(self, grip: np.ndarray, to: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Press the mouse on a point of the world; return its pixel and that of another point."""
        start, end = np.array(self.pixel(grip)), np.array(self.pixel(to))
        under = self.page.evaluate(
            '([x, y]) => document.elementFromPoint(x, y).tagName', list(start))
        assert under == 'CANVAS', f'{under} covers the handle at {start}'
        mouse = self.page.mouse
        mouse.move(*start)
        self.wait(300, frames=3)  # the page looks for what is under the mouse when it draws
        mouse.down()
        self.wait(100, frames=2)
        return start, end

    def press(self, label: str) -> None:
        """Press a button."""
        self.page.get_by_role('button', name=label, exact=True).click()
        self._send()

    def choose(self, label: str, option: str) -> None:
        """Choose from a dropdown."""
        self.page.get_by_role('combobox', name=label).click()
        self.page.get_by_role('option', name=option, exact=True).click()
        self._send()

    def tab(self, label: str) -> None:
        """Open a tab of the panel."""
        self.page.get_by_role('tab', name=label, exact=True).click()

    def field(self, label: str):
        """Return the input beside a label: a text, or the number of a slider."""
        return self.page.locator(
            f'xpath=//p[normalize-space()="{label}"]/following::input[not(@type="hidden")][1]')

    def write(self, label: str, text: str) -> None:
        """Type into the input beside a label, instead of what is there, key by key."""
        self.field(label).click()
        self.page.keyboard.press('Control+A')
        self.page.keyboard.type(text)
        self.page.keyboard.press('Tab')
        self._send()

    def switch(self, label: str) -> None:
        """Turn a check box."""
        self.page.get_by_role('checkbox', name=label).click()
        self._send()

    def _send(self) -> None:
        """
        Wait until the page has sent what was done.

        For 50 ms it keeps the last change alone: a change of another control would replace it.
        """
        self.page.evaluate('() => new Promise(done => setTimeout(done, 60))')

    def text(self) -> str:
        """Return all words on the page."""
        return self.page.inner_text('body')

    def screenshot(self, path: Path) -> np.ndarray:
        """Save a picture, and return it as an array of shape ``(height, width, 3)``."""
        from PIL import Image

        path.parent.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=str(path))
        return np.asarray(Image.open(path).convert('RGB'))
