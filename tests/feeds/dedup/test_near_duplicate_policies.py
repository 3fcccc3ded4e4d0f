"""Which articles match under each policy: the matrix of SPEC §6 row by row, and its exceptions."""

from datetime import UTC, datetime, timedelta
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeds.dedup.comparable import Match, Subject, publisher_of, subject_of, versions_of
from feeds.dedup.near_duplicate_policies import POLICIES, policies
from tests.tables import table

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
LONG = (
    "The harbour office said on Tuesday that the two oldest cranes will be taken down before the autumn storms, since "
    "an inspection found rust in the main bearings. The work is to begin in August and will close the eastern quay "
    "for six weeks. Shipping companies were told to use the western quay, where a mobile crane has been hired."
)
EDITED = LONG.replace("taken down", "dismantled").replace("six weeks", "about six weeks")
OTHER = (
    "Readers queued from early morning when the rebuilt town library opened its doors for the first time since a "
    "fire. The mayor cut a ribbon, a brass band played in the rain, and by noon four hundred new cards had been made "
    "for people from all over the county, who praised the light reading rooms and the garden on the roof above them."
)
PAGE = "https://one.example/news/old-cranes-to-go"
CRANES = "Harbour office to take down its two oldest cranes before autumn"


def subject(title: str, text: str = "", *, domain: str = "one.example", hours: float = 0, url: str = "") -> Subject:
    return subject_of(
        title=title,
        text=text,
        language="en",
        publisher=domain,
        source_names=(),
        published_at=NOON + timedelta(hours=hours),
        versions=versions_of(url),
    )


def match(policy: str, ours: Subject, theirs: Subject) -> Match | None:
    result = POLICIES[policy].compare(ours, theirs)
    assert result == POLICIES[policy].compare(theirs, ours)
    return result


def kind(match: Match | None) -> tuple[str, str, bool] | None:
    return None if match is None else (match.disposition, match.layer, match.joins)


NEAR_TEXT = ("near_duplicate", "content", True)
NEAR_TITLE = ("near_duplicate", "title", True)
VERSION = ("revision", "title", True)
FLAG = ("revision", "title", False)


@table(
    ("ours", "theirs", "expected"),
    [
        pytest.param(subject(CRANES, LONG), subject(CRANES, LONG, domain="b.example"), NEAR_TEXT, id="title and text"),
        pytest.param(
            subject(CRANES, LONG), subject("Old cranes come down", EDITED, domain="b.example"), NEAR_TEXT, id="text"
        ),
        pytest.param(
            subject(CRANES, LONG), subject(CRANES, OTHER, domain="b.example"), NEAR_TITLE, id="title, other text"
        ),
        pytest.param(
            subject(CRANES, LONG), subject(CRANES, domain="b.example"), NEAR_TITLE, id="title, one without text"
        ),
        pytest.param(subject(CRANES), subject(CRANES, domain="b.example"), NEAR_TITLE, id="title, both without text"),
        pytest.param(
            subject(CRANES, LONG), subject(CRANES, LONG + " " + OTHER), NEAR_TEXT, id="same publisher, a longer version"
        ),
        pytest.param(
            subject(CRANES, LONG),
            subject(CRANES, LONG.partition(".")[0] + ". " + OTHER),
            VERSION,
            id="same publisher, rewritten but for the first sentence",
        ),
        pytest.param(subject(CRANES, LONG), subject(CRANES, OTHER), None, id="same publisher, another text"),
        pytest.param(
            subject(CRANES, LONG, url=PAGE),
            subject(CRANES, OTHER, url=PAGE + "?v=2"),
            FLAG,
            id="same path, another text",
        ),
        pytest.param(subject(CRANES), subject(CRANES), None, id="same publisher, no text, particular title"),
        pytest.param(subject(CRANES, url=PAGE), subject(CRANES, url=PAGE + "?v=2"), VERSION, id="same path, no text"),
        pytest.param(
            subject(CRANES, url="https://one.example/article.php?id=1"),
            subject(CRANES, url="https://one.example/article.php?id=2"),
            None,
            id="a path that many pages share",
        ),
        pytest.param(
            subject(CRANES + ": 12 hurt", url=PAGE),
            subject(CRANES + ": hurt", url=PAGE + "?v=2"),
            None,
            id="same path, a number in one title",
        ),
        pytest.param(
            subject("The morning news in two minutes"),
            subject("The morning news in two minutes", hours=24),
            None,
            id="same publisher, a series",
        ),
        pytest.param(subject("Weekly update", LONG), subject("Weekly update", OTHER), None, id="short, same publisher"),
        pytest.param(
            subject("What to know this week", LONG),
            subject("What to know this week", OTHER, domain="b.example"),
            None,
            id="anybody's headline",
        ),
        pytest.param(
            subject("Weekly open thread on Friday", LONG),
            subject("Weekly open thread on Friday", OTHER, domain="b.example"),
            None,
            id="the headline of a column",
        ),
        pytest.param(
            subject("Episode with a fisherman", LONG), subject("Talking to the baker", LONG), None, id="boilerplate"
        ),
        pytest.param(
            subject("Quay Talk: a fisherman", f"{LONG} His boat is older than he is and leaks only in the rain."),
            subject("Quay Talk: a baker", f"{LONG} She sells out by eight and then goes rowing with the dog."),
            None,
            id="a series with a repeated introduction",
        ),
        pytest.param(
            subject("Quay Talk: a fisherman", f"{LONG} {OTHER}"),
            subject("The baker at the quay", f"{LONG} {OTHER[::-1]}", domain="b.example"),
            None,
            id="the introduction of two publishers",
        ),
        pytest.param(
            subject(CRANES, LONG),
            subject("Rust brings down oldest harbour cranes for good", f"{LONG} {OTHER}"),
            NEAR_TEXT,
            id="same publisher, another headline over the same text and more",
        ),
        pytest.param(
            subject("Belmont Steel reports second quarter profit", LONG),
            subject("Belmont Steel reports third quarter profit", LONG),
            None,
            id="template, same publisher",
        ),
        pytest.param(
            subject("At least 12 hurt as crane falls in harbour", LONG),
            subject("At least 15 hurt as crane falls in harbour", LONG, domain="b.example"),
            NEAR_TEXT,
            id="one text, the count has changed",
        ),
        pytest.param(
            subject(CRANES), subject(CRANES, domain="b.example", hours=73), None, id="title, more than 72 hours apart"
        ),
        pytest.param(
            subject(CRANES, LONG),
            subject(CRANES, LONG, domain="b.example", hours=24 * 20),
            NEAR_TEXT,
            id="text, three weeks apart",
        ),
        pytest.param(subject(CRANES, LONG), subject("Library opens", OTHER, domain="b.example"), None, id="nothing"),
    ],
)
def test_layered(ours: Subject, theirs: Subject, expected: tuple[str, str, bool] | None) -> None:
    assert kind(match("layered", ours, theirs)) == expected


def test_evidence_is_in_words() -> None:
    result = match("layered", subject(CRANES, LONG), subject(CRANES, LONG, domain="b.example"))
    assert result is not None
    assert (result.measure, result.evidence) == (0, "SimHash distance 0")
    result = match("layered", subject(CRANES), subject(CRANES, domain="b.example"))
    assert result is not None
    assert (result.measure, result.evidence) == (1.0, "titles 100% the same")


@pytest.mark.parametrize(
    ("ours", "theirs", "is_match"),
    [
        ("Old cranes to come down before autumn", "Old cranes to come down before the autumn", True),
        ("Ferrous 1.84 released", "Ferrous 1.83 released", False),
        ("Go 1.24 released", "Go 1.24.0 released", True),
        ("Old cranes to come down", "Library opens after fire", False),
    ],
)
def test_three_tier(ours: str, theirs: str, is_match: bool) -> None:
    assert (match("three_tier", subject(ours), subject(theirs, domain="b.example")) is not None) is is_match


@pytest.mark.parametrize(
    ("theirs", "is_match"),
    [
        (subject(CRANES + " storms"), True),
        (subject(CRANES + " storms", domain="b.example"), False),
        (subject("Harbour office to take down cranes"), False),
    ],
    ids=["same publisher", "other publisher", "less than 90 %"],
)
def test_newest(theirs: Subject, is_match: bool) -> None:
    assert (match("newest", subject(CRANES), theirs) is not None) is is_match


@pytest.mark.parametrize(("retention_days", "days"), [(0, 14), (7, 14), (14, 14), (30, 30)])
def test_three_tier_compares_for_as_long_as_articles_are_kept(retention_days: int, days: int) -> None:
    chosen = policies(retention_days=retention_days)["three_tier"]
    assert chosen.window == timedelta(days=days)
    assert {key.window for key in chosen.keys(subject(CRANES))} == {timedelta(days=days)}


def test_windows_are_those_of_the_documents() -> None:
    windows = [policy.window for policy in POLICIES.values()]
    assert windows == [timedelta(days=30), timedelta(days=14), timedelta(hours=72)]
    assert [policy.names_events for policy in POLICIES.values()] == [True, False, False]


_WORDS = ("old", "new", "harbour", "crane", "town", "library", "opens", "shuts", "before", "two", "three", "mayor")


@pytest.mark.parametrize("policy", ["layered", "newest"])
@given(titles=st.lists(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=14), min_size=2, max_size=8))
def test_titles_that_match_share_a_key(policy: str, titles: list[list[str]]) -> None:
    chosen = POLICIES[policy]
    subjects = [subject(" ".join(words), domain="a.example") for words in titles]
    keys = [{key.value for key in chosen.keys(article)} for article in subjects]
    for a, b in combinations(range(len(subjects)), 2):
        if chosen.compare(subjects[a], subjects[b]) is not None:
            assert keys[a] & keys[b]


@pytest.mark.parametrize(
    ("url", "domain", "name", "expected"),
    [
        ("https://paper.example/a", "paper.example", "The Paper", "paper.example"),
        ("", "feedhost.example", "The Paper", "The Paper"),
        ("", "feedhost.example", "", "feedhost.example"),
        ("", "", "", ""),
    ],
)
def test_publisher_is_the_domain_or_the_name_without_links(url: str, domain: str, name: str, expected: str) -> None:
    assert publisher_of(url=url, domain=domain, name=name) == expected


@pytest.mark.parametrize(
    ("url", "guids", "expected"),
    [
        ("https://a.example/2026/old-cranes-to-go/?v=2", (), {"path:/2026/old-cranes-to-go"}),
        ("https://a.example/news/123456", (), {"path:/news/123456"}),
        ("https://a.example/?p=123456", (), set()),
        ("https://a.example/news/today", ("tag:1#2", "17"), {"guid:tag:1"}),
        ("https://a.example/cranes-to", (), set()),
        ("https://a.example/-cranes--to-", (), set()),
        ("https://a.example/a-b-c/today", (), set()),
        ("https://a.example/12345/today", (), set()),
        ("https://a.example/a_b+c", (), {"path:/a_b+c"}),
        ("https://a.example/" + "-" * 10_000 + "/x", (), set()),  # took n⁵ steps
        ("https://a.example/" + "a-" * 10_000 + "/x", (), set()),
    ],
)
def test_versions_of_one_item(url: str, guids: tuple[str, ...], expected: set[str]) -> None:
    assert versions_of(url, guids) == expected
