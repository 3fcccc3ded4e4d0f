"""The page of promises matches its table, and every promise has a test."""

from rssmanager.env import PROJECT
from tests.promises import PAGE, PROMISES, missing, page


def test_every_promise_has_its_tests() -> None:
    assert missing() == []
    assert all(promise.shown_by for promises in PROMISES.values() for promise in promises)


def test_page_matches_the_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tests.promises --write"


def test_readme_links_to_it() -> None:
    assert "(tests/promises.md)" in (PROJECT / "README.md").read_text(encoding="utf-8")
