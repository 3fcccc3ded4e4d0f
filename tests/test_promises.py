"""The page of promises is what the table says, and every promise has its test."""

from rssmanager.env import PROJECT
from tests.promises import PAGE, PROMISES, missing, page


def test_every_promise_has_its_tests() -> None:
    assert missing() == []
    assert all(promise.shown_by for promises in PROMISES.values() for promise in promises)


def test_the_page_is_what_the_table_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tests.promises --write"


def test_the_readme_leads_to_it() -> None:
    assert "(tests/promises.md)" in (PROJECT / "README.md").read_text(encoding="utf-8")
