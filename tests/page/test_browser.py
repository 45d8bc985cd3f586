"""The page in a real browser: whole games, by clicks, by keys and by two people.

What it takes, and what is skipped without it, is told in `browsing`.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.page.browsing import (
    CHROMIUM,
    PATIENCE,
    Whitby,
    needs_browser,
    play_to_the_end,
    watch,
    whitby,
)

AXE: Final = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
PHONE: Final = {"width": 360, "height": 740}
WIDE: Final = {"width": 1440, "height": 900}
_NOBODY_ANSWERS: Final = "WebSocket connection to|ERR_CONNECTION"
_DRAWN: Final = 'class="(card|token)'


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    playwright = needs_browser()
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


@pytest.fixture
def person(chromium: Any) -> Iterator[Any]:
    """`person(whitby, ...)`: a page in a browser of its own; nothing may go wrong in it."""
    contexts = []
    wrong: list[list[str]] = []
    asked: list[str] = []

    def come(running: Whitby, *, frames: list[str] | None = None, **options: Any) -> Any:
        context = chromium.new_context(**({"viewport": WIDE, "reduced_motion": "reduce"} | options))
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        wrong.append(watch(page))
        page.on("request", lambda request: asked.append(request.url))
        if frames is not None:
            page.on(
                "websocket", lambda ws: ws.on("framereceived", lambda frame: frames.append(frame))
            )
        page.goto(running.address)
        return page

    yield come
    for context in contexts:
        context.close()
    # When its whitby ends, a page tries in vain to reach it; a browser tells that in its console.
    assert [text for texts in wrong for text in texts if not re.search(_NOBODY_ANSWERS, text)] == []
    assert all(url.startswith("http://127.0.0.1:") for url in asked)


def wait_for_choice(page: Any) -> None:
    page.wait_for_selector(".ask.mine .answers .answer")


def check_axe(page: Any, where: str) -> None:
    """No serious finding of axe-core in what is shown now."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm install --prefix tests/page")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    serious = [
        (rule["id"], node["html"][:200])
        for rule in found["violations"]
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
        # What is drawn on a card is a picture of it, and no label that its name must repeat.
        if rule["id"] != "label-content-name-mismatch" or not re.search(_DRAWN, node["html"])
    ]
    assert serious == [], where


def check_frames(frames: list[str]) -> None:
    """What went over the wire: of what lies hidden from this player, no face was told."""
    scenes = [told for frame in frames if (told := json.loads(frame)["set"].get("scene"))]
    assert len(scenes) > 30
    for scene in scenes:
        me = scene["player"]
        hidden = [card for card in scene["racks"][1 - me] if card["lies"] == "hidden"]
        if scene["top"] and scene["top"]["lies"] == "hidden":
            hidden.append(scene["top"])
        if scene["drawn"] and scene["turn"] != me and scene["drawn"]["lies"] == "hidden":
            hidden.append(scene["drawn"])
        assert all(card["f"] == -1 for card in hidden)


def check_width(page: Any) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# --- whole games ------------------------------------------------------------------------------


def test_a_whole_game_by_clicks(tmp_path: Path, person: Any) -> None:
    with whitby(tmp_path, "play", "--page", "--name", "Ann") as running:
        frames: list[str] = []
        page = person(running, frames=frames)
        wait_for_choice(page)
        play_to_the_end(page, "cards")
        check_frames(frames)
        assert page.locator(".result h2").inner_text() in ("You have won!", "You have lost.")
        page.get_by_text("No, that was it").click()
        page.get_by_text("Kept as game 1.").wait_for()
        page.get_by_label("Is it fair?").first.click()
        page.get_by_text("Verified. The whole record was checked").wait_for()
        page.keyboard.press("Escape")
        page.get_by_text("Look at it again").click()
        page.get_by_role("button", name="All cards open", exact=True).wait_for()
        check_axe(page, "a replay")
        assert page.locator("#archive .card[data-face='-1']").count() <= 1  # the pile
        page.keyboard.press("End")
        page.get_by_role("button", name="As Van Helsing").click()
        page.keyboard.press("Home")
        page.get_by_role("button", name="Round 1", exact=True).click()
        page.locator("#archive").get_by_text("Round 1 of 5 begins").wait_for()
        page.get_by_text("Games played").click()
        page.get_by_text("Your wins by seat").wait_for()
        check_axe(page, "the games")
        page.get_by_text("Back to the table").click()
        page.get_by_text("Close whitby").click()
        assert running.process.wait(20) == 0
    with whitby(tmp_path, "replay", "1", "--page") as running:
        page = person(running, viewport=PHONE)
        page.wait_for_selector("#archive .town .card")
        assert page.locator("#game").is_hidden()
        check_width(page)
        page.close()
        assert running.process.wait(20) == 0


def test_a_whole_game_by_keys_alone(tmp_path: Path, person: Any) -> None:
    with whitby(tmp_path, "play", "--page", "--seat", "dracula") as running:
        page = person(running)
        wait_for_choice(page)
        page.keyboard.press("?")
        page.get_by_text("The rules in short").wait_for()
        page.keyboard.press("Escape")
        page.wait_for_selector(".k-discard")
        page.keyboard.press("ArrowRight")
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
        assert page.evaluate("document.activeElement.matches('.can, .answer')")
        page.keyboard.press("Enter")
        for _ in range(800):
            if page.locator(".result").is_visible():
                break
            key = page.evaluate(_NEXT_KEY)
            if key is None:
                page.wait_for_timeout(20)
            else:
                page.keyboard.press(key)
        assert page.locator(".result h2").is_visible()


_NEXT_KEY: Final = """() => {
  const seen = (one) => one.offsetParent !== null;
  if ([...document.querySelectorAll('.walk button')].some(seen)) return 'Enter';
  const answers = [...document.querySelectorAll('.ask.mine .answers .answer')].filter(seen);
  const ends = answers.find((one) => one.textContent.includes('end the round'));
  const call = answers.find((one) => one.matches('.k-call'));
  const isFree = (one) => one.getAttribute('aria-pressed') !== 'true';
  const wanted = ends ?? call ?? answers.find(isFree);
  return wanted?.querySelector('kbd')?.textContent.toLowerCase() ?? null;
}"""


def test_two_people_play_talk_and_compare(tmp_path: Path, person: Any) -> None:
    with whitby(
        tmp_path / "a", "host", "--page", "--name", "Ann", "--bind", "127.0.0.1"
    ) as hosting:
        ann = person(hosting)
        invitation = ann.get_by_label("The invitation").input_value()
        with whitby(tmp_path / "b", "join", invitation, "--page", "--name", "Bob") as joining:
            bob = person(joining, viewport=PHONE)
            ann.get_by_text("Bob", exact=True).first.wait_for()
            bob.get_by_text("Ann", exact=True).first.wait_for()
            assert not ann.locator(".invitation").is_visible()
            bob.get_by_text("Hello!").click()
            ann.get_by_label("Talk").get_by_text("Hello!").nth(0).wait_for()
            ann.get_by_role("textbox", name="Say something").fill("<b>Good evening</b>")
            ann.keyboard.press("Enter")
            bob.get_by_text("<b>Good evening</b>").first.wait_for()
            for _ in range(4000):
                ended = [click(page) for page in (ann, bob)]
                if not any(ended):
                    break
            heads = []
            for page in (ann, bob):
                page.get_by_text("Verified: every shuffle").wait_for()
                page.get_by_label("Is it fair?").first.click()
                heads.append(page.locator("p.head").inner_text())
                page.keyboard.press("Escape")
            assert heads[0] == heads[1]
            won = [page.locator(".result h2").inner_text() for page in (ann, bob)]
            assert sorted(won) == ["You have lost.", "You have won!"]
            seats = [page.locator(".who.mine b").inner_text() for page in (ann, bob)]
            for page in (ann, bob):
                page.get_by_role("button", name="Play again").click()
            for page in (ann, bob):
                page.wait_for_function("() => document.querySelector('.result').hidden")
                page.wait_for_selector(".who.mine b")
            ann.wait_for_function(
                f"() => document.querySelector('.who.mine b').textContent == {seats[1]!r}"
            )
            bob.wait_for_function(
                f"() => document.querySelector('.who.mine b').textContent == {seats[0]!r}"
            )


def click(page: Any) -> bool:
    from tests.page.browsing import click_on

    going = click_on(page)
    page.wait_for_timeout(15)
    return going


# --- what happens in between ------------------------------------------------------------------


def test_a_reload_and_a_second_tab_show_the_same(tmp_path: Path, person: Any) -> None:
    with whitby(tmp_path, "play", "--page", "--seat", "dracula") as running:
        page = person(running)
        wait_for_choice(page)
        before, story = table(page), page.locator(".log").inner_text()
        page.reload()
        wait_for_choice(page)
        assert table(page) == before
        other = page.context.new_page()
        other.goto(page.url)
        wait_for_choice(other)
        assert table(other) == before
        page.locator(".answer").first.click()
        page.wait_for_function(
            "seen => document.querySelector('.log').innerText != seen", arg=story
        )
        other.wait_for_function(
            "seen => document.querySelector('.log').innerText != seen", arg=story
        )
        stranger = page.context.browser.new_context().new_page()
        assert stranger.goto(running.address).status == 403
        assert stranger.goto(page.url).status == 403
        stranger.context.close()


def table(page: Any) -> Any:
    """All that lies on the table, in words."""
    return page.evaluate("[...document.querySelectorAll('.card')].map((one) => one.ariaLabel)")


def test_a_lost_line_is_shown_calmly_and_mends(tmp_path: Path, person: Any) -> None:
    with whitby(
        tmp_path / "a", "host", "--page", "--bind", "127.0.0.1", "--seat", "dracula"
    ) as host:
        ann = person(host)
        invitation = ann.get_by_label("The invitation").input_value()
        with whitby(tmp_path / "b", "join", invitation, "--page") as guest:
            bob = person(guest)
            wait_for_choice(ann)
            bob.get_by_text("Waiting for").first.wait_for()
            guest.process.kill()
            ann.get_by_text("The line to the other side is down.").wait_for()
            bob.get_by_text("The page has lost whitby").wait_for()
            bob.context.close()
        with whitby(tmp_path / "b", "resume", "--page") as guest:
            bob = person(guest)
            wait_for_choice(ann)
            ann.wait_for_function("() => !document.querySelector('.banner .line')")
            bob.get_by_text("Waiting for").first.wait_for()
            bob.get_by_label("More").first.click()
            bob.get_by_role("button", name="Resign").click()
            bob.get_by_role("button", name="Play on").click()
            bob.get_by_label("More").first.click()
            bob.get_by_role("button", name="Leave").click()
            ann.get_by_text("The other side has left the table.").first.wait_for()


# --- everybody --------------------------------------------------------------------------------


def test_nobody_is_kept_out(tmp_path: Path, person: Any) -> None:
    with whitby(tmp_path, "play", "--page", "--seat", "dracula") as running:
        page = person(running)
        wait_for_choice(page)
        for size, scheme in ((WIDE, "dark"), (PHONE, "light")):
            page.set_viewport_size(size)
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            check_axe(page, f"a choice, {scheme}")
            check_width(page)
            for name in ("Help", "Is it fair?", "Settings", "More"):
                page.get_by_label(name, exact=True).first.click()
                page.wait_for_selector("dialog[open]")
                check_axe(page, f"{name}, {scheme}")
                check_width(page)
                page.keyboard.press("Escape")


def test_fingers_and_drags(tmp_path: Path, person: Any) -> None:
    with whitby(tmp_path, "play", "--page", "--seat", "dracula") as running:
        page = person(running, viewport=PHONE, has_touch=True, is_mobile=True)
        wait_for_choice(page)
        # What a card does is said before it is done: the first tap tells, the second does.
        page.locator(".card.can").first.tap()
        assert re.search("effect [1-8]:", page.locator(".preview").inner_text())
        assert page.locator(".heap .card").count() == 0
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Do it").wait_for(state="detached")
        # A drag to where it means nothing does nothing; the drawn card goes to a district.
        drawn = page.locator(".hand .card").get_attribute("data-face")
        free = page.locator(".slot[data-owner=mine]:has(.card.can)").first
        district = free.get_attribute("data-district")
        lane = page.locator(f".slot[data-owner=mine][data-district='{district}']")
        lane.locator(".card").drag_to(page.locator(".who.theirs"))
        assert page.locator(".heap .card").count() == 0
        if page.locator(".hand .card.can").count():
            page.locator(".hand .card").drag_to(lane)
            page.wait_for_selector(".heap .card")
            assert lane.locator(".card").get_attribute("data-face") == drawn
        else:  # an 8 that must be kept can't be picked up
            lane.locator(".card").tap()
            page.get_by_role("button", name="Do it").tap()
            page.wait_for_selector(".heap .card")
