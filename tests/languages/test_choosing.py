"""Which language is spoken: by option, by environment, by browser; and nothing said does harm."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peer.cli import main
from peer.errors import StoreError
from peer.languages import (
    CHINESE,
    ENGLISH,
    FRENCH,
    LANGUAGES,
    RUSSIAN,
    Language,
    from_browser,
    from_environment,
    language_named,
)
from peer.speech import speak, spoken

HOSTILE = (
    "../../../etc/passwd",
    "fr/../..",
    "\0",
    "\x1b[2J",
    "%s{0}",
    "fr\n",
    "x" * 100_000,
    ":" * 999,
)


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({}, ENGLISH),
        ({"LANG": "fr_CA.UTF-8"}, FRENCH),
        ({"LANG": "ru"}, RUSSIAN),
        ({"LANG": "zh_TW.UTF-8"}, CHINESE),
        ({"LANG": "zh_HK"}, CHINESE),
        ({"LANG": "zh_CN.UTF-8"}, CHINESE),
        ({"LANG": "fr_FR@euro"}, FRENCH),
        ({"LANG": "de_DE.UTF-8"}, ENGLISH),
        ({"LANG": "fr_FR", "LC_MESSAGES": "ru_RU"}, RUSSIAN),
        ({"LANG": "fr_FR", "LC_MESSAGES": "ru_RU", "LC_ALL": "en_GB"}, ENGLISH),
        ({"LANG": "fr_FR", "LC_ALL": ""}, FRENCH),
        ({"LANG": "fr_FR", "LANGUAGE": "de:ru:fr"}, RUSSIAN),
        ({"LANG": "fr_FR", "LANGUAGE": "en:ru"}, ENGLISH),
        ({"LANG": "fr_FR", "LANGUAGE": "de"}, ENGLISH),
        ({"LC_ALL": "C", "LANGUAGE": "ru"}, ENGLISH),
        ({"LC_ALL": "POSIX", "LANG": "fr"}, ENGLISH),
        ({"LANG": "C.UTF-8"}, ENGLISH),
        ({"LANG": "frisian"}, ENGLISH),
    ],
)
def test_the_environment(environ: dict[str, str], language: Language) -> None:
    assert from_environment(environ) is language


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", None),
        ("fr", FRENCH),
        ("de-DE,de;q=0.9", None),
        ("de,ru;q=0.8,en;q=0.9", ENGLISH),
        ("zh-TW,zh;q=0.9,en-US;q=0.8", CHINESE),
        ("en;q=0, ru;q=0.1", RUSSIAN),
        ("RU-ru ; q=1.0", RUSSIAN),
        ("fr;q=nonsense,ru;q=0.2", RUSSIAN),
        ("fr;q=inf,ru;q=0.2", RUSSIAN),
        ("fr;q=-1,en;q=0.2", ENGLISH),
        ("*", None),
        (",,;;q=,", None),
        ("en, fr", ENGLISH),
    ],
)
def test_the_browser(header: str, language: Language | None) -> None:
    assert from_browser(header) is language


@pytest.mark.parametrize("wish", HOSTILE)
def test_a_hostile_wish_does_nothing(wish: str) -> None:
    assert language_named(wish) in (None, FRENCH)
    assert from_environment({"LANG": wish}) in LANGUAGES
    assert from_environment({"LANGUAGE": wish, "LANG": "en"}) in LANGUAGES
    assert from_browser(wish) in (None, FRENCH)


@given(st.text())
def test_any_wish_means_one_of_our_languages_or_none(wish: str) -> None:
    assert language_named(wish) in (None, *LANGUAGES)
    assert from_environment({"LANGUAGE": wish, "LC_ALL": wish}) in LANGUAGES
    assert from_browser(wish) in (None, *LANGUAGES)


def test_every_language_is_known_by_its_own_code() -> None:
    for language in LANGUAGES:
        assert language_named(language.code) is language
        assert from_browser(language.code) is language


# --- the command line -------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["before", "behind"])
def test_the_option_counts_before_and_behind_the_command(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    option = ["--lang", "ru"]
    command = [*option, "games"] if place == "before" else ["games", *option]
    assert main(["--home", str(tmp_path), *command]) == 0
    assert "Партий пока нет" in capsys.readouterr().out
    assert spoken() is RUSSIAN


def test_without_the_option_the_environment_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LANG", "zh_TW.UTF-8")
    assert main(["--home", str(tmp_path), "show", "7"]) == 1
    assert capsys.readouterr().err.startswith("whitby: 沒有第 '7' 局。")


@pytest.mark.parametrize("wish", ["xx", "", *HOSTILE[:4]])
def test_an_unknown_language_is_refused_with_a_list(
    wish: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if wish.startswith("fr"):
        pytest.skip("that is French, whatever follows")
    with pytest.raises(SystemExit) as stop:
        main(["--lang", wish, "games"])
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert "\x1b" not in error
    for language in LANGUAGES:
        assert f"{language.code} ({language.name})" in error


def test_json_is_the_same_in_every_language(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = tmp_path / "nothing"
    record.write_bytes(b"nothing")
    told = set()
    for language in LANGUAGES:
        code = main(["--lang", language.code, "verify", "--json", str(record)])
        told.add((code, capsys.readouterr().out))
    assert len(told) == 1


def test_errors_in_a_log_stay_english() -> None:
    speak(FRENCH)
    error = StoreError("There is no game {game}.", game=3)
    assert str(error) == "Il n'y a pas de partie 3."
    assert error.english == "There is no game 3."
    assert spoken() is FRENCH


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("ascii", "?????? ???? ???."),
        ("latin-1", "?????? ???? ???."),
        ("koi8-r", "Партий пока нет."),
    ],
)
def test_a_terminal_that_lacks_the_letters_gets_question_marks(
    encoding: str, shown: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "peer", "--home", str(tmp_path), "--lang", "ru", "games"],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode(encoding).startswith(shown)
