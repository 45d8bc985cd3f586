"""The page in a real browser, in each language: what is shown is translated, fits, and can change.

What it takes, and what is skipped without it, is told in `browsing`.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from peer.languages import CHINESE, FRENCH, RUSSIAN, Language
from peer.page.words import MESSAGES
from peer.speech import speaking, trc
from tests.page.browsing import CHROMIUM, PATIENCE, needs_browser, watch, whitby

PHONE: Final = {"width": 360, "height": 740}
NEXT: Final = {FRENCH: RUSSIAN, RUSSIAN: CHINESE, CHINESE: FRENCH}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with needs_browser().sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


def word(language: Language, key: str) -> str:
    with speaking(language):
        return trc(key, str(MESSAGES[key]))


def check(page: Any, language: Language) -> None:
    """The page speaks `language`, shows no key in the place of a text, and nothing sticks out."""
    page.wait_for_selector(".ask.mine .answers .answer")
    assert page.evaluate("document.documentElement.lang") == language.code
    assert page.inner_text(".moment") == word(language, "moment.mine")
    shown = page.inner_text("body")
    labels = page.eval_on_selector_all(
        "[aria-label]", "all => all.map((one) => one.getAttribute('aria-label'))"
    )
    keys = {key for key in MESSAGES if "." in key}
    assert not keys & {*re.findall(r"[\w.-]+", shown), *labels}
    assert not re.search(r"\{\w+\}", shown + "".join(labels))
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.parametrize("language", [FRENCH, RUSSIAN, CHINESE], ids=lambda one: one.code)
def test_the_page_in_each_language(chromium: Any, language: Language, tmp_path: Path) -> None:
    with whitby(tmp_path / "home", "play", "--page", "--seat", "dracula") as running:
        context = chromium.new_context(
            viewport=PHONE, reduced_motion="reduce", locale=language.code
        )
        try:
            page = context.new_page()
            page.set_default_timeout(PATIENCE)
            wrong = watch(page)
            page.goto(running.address)
            check(page, language)
            for tool in ("fair", "games", "more", "help", "settings"):
                page.get_by_role("button", name=word(language, f"tool.{tool}"), exact=True).click()
                if tool == "games":
                    page.go_back()
                elif tool != "settings":
                    page.keyboard.press("Escape")
            page.click(f"input[name=lang][value={NEXT[language].code}]")
            page.wait_for_selector(f"html[lang='{NEXT[language].code}']")
            check(page, NEXT[language])
            page.reload()
            check(page, NEXT[language])
            assert wrong == []
        finally:
            context.close()
