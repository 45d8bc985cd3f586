"""What the tests of the page in a real browser share: a whitby that serves it, and people.

Skipped where Playwright or Chromium is missing: `pip install -e '.[browser]'` and a Chromium of
the system are what it takes.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).parent.parent.parent
CHROMIUM: Final = shutil.which("chromium") or shutil.which("chromium-browser")
PATIENCE: Final = 30_000
"""Milliseconds for anything to appear: machines that test are slow at times."""


class Whitby:
    """A whitby in a process of its own, which serves a page."""

    def __init__(self, home: Path, *arguments: str, stdin: str = "") -> None:
        self.home = home
        self.process = subprocess.Popen(
            [sys.executable, "-m", "peer", *arguments],
            cwd=ROOT,
            env={**os.environ, "WHITBY_HOME": str(home), "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.said: list[str] = []
        self.address = self.wait_for(r"http://127\.0\.0\.1:\d+/\S+")

    def wait_for(self, pattern: str) -> str:
        """The first match in what it prints; fails if it ends before."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line)
            if match := re.search(pattern, line):
                return match[0]
        raise AssertionError(f"it ended and never said {pattern}: {''.join(self.said)}")

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(20)
        assert self.process.stdout is not None
        self.process.stdout.close()


@contextmanager
def whitby(home: Path, *arguments: str) -> Iterator[Whitby]:
    running = Whitby(home, *arguments)
    try:
        yield running
    finally:
        running.stop()


def watch(page: Any) -> list[str]:
    """Everything that goes wrong in a page from now on: errors, and what the policy stops."""
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "console",
        lambda message: wrong.append(message.text) if message.type == "error" else None,
    )
    return wrong


def needs_browser() -> Any:
    """Playwright, or a skip with its reason."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this computer")
    return pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")


def click_on(page: Any, how: str = "buttons") -> bool:
    """One step of somebody who plays to get to the end; False when the game is over.

    They call and end rounds where they can, and otherwise take what comes first.
    """
    return bool(page.evaluate(_STEP, how))


_STEP: Final = """how => {
  const seen = (one) => one && one.offsetParent !== null;
  const result = document.querySelector('.result');
  if (seen(result)) return false;
  const next = [...document.querySelectorAll('.walk .answers button')].at(-1);
  if (seen(next)) { next.click(); return true; }
  const answers = [...document.querySelectorAll('.ask .answers button')].filter(seen);
  const ends = answers.find((one) =>
    one.classList.contains('k-call') || one.textContent.includes('end the round'));
  const cards = [...document.querySelectorAll('.card.can, .token.can')].filter(seen);
  const isFree = (one) =>
    !one.classList.contains('picked') && one.getAttribute('aria-pressed') !== 'true';
  const pressed = ends ?? (how === 'cards' ? cards : answers).find(isFree);
  pressed?.click();
  return true;
}"""


def play_to_the_end(page: Any, how: str = "buttons", seconds: float = 120) -> None:
    """Play until the result is there."""
    deadline = time.monotonic() + seconds
    while click_on(page, how):
        assert time.monotonic() < deadline, "the game doesn't end"
        page.wait_for_timeout(25)
