"""Translations: complete, compiled, in step with the source, and with the placeholders and tags of the English text."""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import pytest
from babel.messages import Catalog, Message
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

from rssmanager.env import PROJECT
from rssmanager.languages import LOCALE

NAMES = sorted(path.name for path in LOCALE.iterdir())
FILE = Path("LC_MESSAGES") / "django.po"
_HOLES = re.compile(r"%\(\w+\)s|%[sd]|\{\w*\}|</?\w+")


@cache
def catalogue(name: str) -> Catalog:
    with (LOCALE / name / FILE).open("rb") as file:
        return read_po(file)


def texts(of: str | Sequence[str] | None) -> tuple[str, ...]:
    return (of,) if isinstance(of, str) else tuple(of or ())


def messages(name: str) -> list[Message]:
    return [message for message in catalogue(name) if message.id]


def by_text(messages: Iterable[Message]) -> dict[tuple[str | None, tuple[str, ...]], tuple[str, ...]]:
    """The translations by context and English text. Compiled files give contexts as bytes."""
    by_text = {}
    for message in messages:
        context = message.context.decode() if isinstance(message.context, bytes) else message.context
        if message.id:
            by_text[context, texts(message.id)] = texts(message.string)
    return by_text


def test_languages() -> None:
    assert NAMES == ["de", "fr", "ja", "zh_Hans"]


@pytest.mark.parametrize("name", NAMES)
def test_everything_is_translated(name: str) -> None:
    assert [message.id for message in messages(name) if message.fuzzy or not all(texts(message.string))] == [], (
        "translate these, then run make messages"
    )


@pytest.mark.parametrize("name", NAMES)
def test_translations_keep_placeholders_and_tags(name: str) -> None:
    """A plural form for one thing may leave the number out."""
    wrong = []
    for message in messages(name):
        expected = [Counter(_HOLES.findall(text)) for text in texts(message.id)]
        for n, text in enumerate(filter(None, texts(message.string))):
            found = Counter(_HOLES.findall(text))
            is_one = len(expected) > 1 and n == 0
            if found not in expected and not (is_one and found <= expected[-1]):
                wrong.append((message.id, text))
    assert wrong == []


@pytest.mark.parametrize("name", NAMES)
def test_compiled_catalogue_is_up_to_date(name: str) -> None:
    with (LOCALE / name / FILE).with_suffix(".mo").open("rb") as file:
        compiled = by_text(read_mo(file))
    assert compiled == by_text(messages(name)), "run make messages"


@pytest.mark.skipif(not shutil.which("xgettext"), reason="gettext is not installed")
def test_catalogues_hold_every_text_of_the_source(tmp_path: Path) -> None:
    copy = tmp_path / "rssmanager"
    for room in ("digests", "feeds", "reader", "rssmanager", "templates"):
        shutil.copytree(
            PROJECT / room,
            copy / room,
            ignore=shutil.ignore_patterns("__pycache__", "migrations", "evaluation", "demo"),
        )
    shutil.rmtree(copy / "rssmanager" / "locale")
    folder = copy / "locale"
    folder.mkdir()
    command = [sys.executable, "-m", "django", "makemessages", "--locale=de"]
    subprocess.run(command, cwd=copy, env={"PATH": os.environ["PATH"]}, check=True, capture_output=True)
    with (folder / "de" / FILE).open("rb") as file:
        source = by_text(read_po(file)).keys()
    for name in NAMES:
        known = by_text(messages(name)).keys()
        assert source - known == set(), f"{name} lacks these: run make messages"
        assert known - source == set(), f"{name} has these in vain: run make messages"
