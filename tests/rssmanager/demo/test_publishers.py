"""Content of the sample publishers: amount, dates, and uniqueness of texts."""

import re
from collections import defaultdict
from datetime import UTC, datetime
from http import HTTPStatus
from itertools import pairwise
from pathlib import Path

import pytest

from rssmanager.demo import publishers
from rssmanager.demo.publishers import FORMATS, LAST_GENERATION, TROUBLES, Article, Publisher, load_publishers
from rssmanager.demo.responses import answer
from rssmanager.demo.templating import Edition, body_html, lead_text, plain_text
from tests.rssmanager.scenarios import DECLARED_KINDS, DERIVED_KINDS, load_scenarios

NOW = datetime(2026, 3, 4, 9, 30, tzinfo=UTC)  # a Wednesday
SPAN_HOURS = 8 * 24
SHARED_WORDS = 8  # a sentence with more words than this may occur in only one text
SHARED_CHARACTERS = 16  # the same for languages without spaces
UNDIVIDED = ("zh", "ja")
BLOCK_END = re.compile(r"</(?:p|li|td|th|tr|pre|figcaption|h\d|blockquote)>")
SENTENCE_END = re.compile(r"(?<=[.!?…])[\"”»’]*\s+|(?<=[。！？])|\n")


def every_article() -> list[tuple[Publisher, Article]]:
    return [(publisher, article) for publisher in load_publishers() for article in publisher.articles]


def edition(generation: int = LAST_GENERATION, *, now: datetime = NOW) -> Edition:
    return Edition(now=now, generation=generation, base_url="http://paper.example")


def article_named(entry_id: str) -> Article:
    key, slug = entry_id.split("/")
    return next(publisher for publisher in load_publishers() if publisher.key == key).article(slug)


def long_sentences(publisher: Publisher, article: Article) -> set[str]:
    blocks = BLOCK_END.sub("\n", body_html(publisher, article, edition()))
    sentences = {plain_text(part) for part in SENTENCE_END.split(re.sub(r"<[^>]*>", " ", blocks))}
    if publisher.language in UNDIVIDED:
        return {sentence for sentence in sentences if len(sentence) > SHARED_CHARACTERS}
    return {sentence for sentence in sentences if len(sentence.split()) > SHARED_WORDS}


def test_has_fourteen_good_feeds_in_four_languages() -> None:
    good = [(p.language, feed) for p in load_publishers() for feed in p.feeds if not feed.trouble]
    assert len(good) >= 14
    assert {"en", "zh", "ja", "de"} <= {language for language, _ in good}


def test_good_feeds_come_in_every_format() -> None:
    formats = {feed.format for publisher in load_publishers() for feed in publisher.feeds if not feed.trouble}
    assert formats == set(FORMATS)


def test_every_problem_has_a_feed() -> None:
    assert {feed.trouble for publisher in load_publishers() for feed in publisher.feeds} == set(TROUBLES)


def test_delivers_250_entries() -> None:
    silent = ("gone", "limited")
    delivered = [
        len(publisher.delivered(feed, LAST_GENERATION))
        for publisher in load_publishers()
        for feed in publisher.feeds
        if feed.trouble not in silent
    ]
    assert sum(delivered) >= 250


def test_names_and_addresses_are_unique() -> None:
    papers = load_publishers()
    assert len({publisher.key for publisher in papers}) == len(papers)
    assert len({publisher.number for publisher in papers}) == len(papers)
    assert all(1 <= publisher.number <= 254 and 1 <= publisher.tier <= 5 for publisher in papers)
    entry_ids = [article.entry_id for _, article in every_article()]
    assert len(set(entry_ids)) == len(entry_ids)
    for publisher in papers:
        paths = [feed.path for feed in publisher.feeds]
        assert len(set(paths)) == len(paths), publisher.key


def test_articles_name_feeds_of_their_publisher() -> None:
    for publisher, article in every_article():
        assert article.feeds, article.entry_id
        assert set(article.feeds) <= {feed.key for feed in publisher.feeds}, article.entry_id
        assert article.since in range(1, LAST_GENERATION + 1), article.entry_id


def test_articles_are_at_most_eight_days_old() -> None:
    for _, article in every_article():
        assert 0 < article.hours_ago <= SPAN_HOURS, article.entry_id
        assert 0 <= (NOW - edition().updated_at(article)).total_seconds() <= SPAN_HOURS * 3600, article.entry_id


def test_entries_of_a_feed_have_distinct_times() -> None:
    for publisher in load_publishers():
        for feed in publisher.feeds:
            moments = [edition().published_at(article) for article in publisher.delivered(feed, LAST_GENERATION)]
            assert all(newer > older for newer, older in pairwise(moments)), publisher.key


def test_late_arrivals_are_the_newest_of_their_feeds() -> None:
    for publisher, article in every_article():
        if article.since > 1:
            assert article.hours_ago < 1, publisher.key


def test_contains_no_placeholders() -> None:
    for publisher, article in every_article():
        for generation in range(1, LAST_GENERATION + 1):
            assert not re.search(r"[{}]", body_html(publisher, article, edition(generation))), article.entry_id


def test_texts_differ_unless_they_are_copies() -> None:
    owners: dict[str, str] = {}
    for publisher, article in every_article():
        if article.copy_of is None:
            text = plain_text(body_html(publisher, article, edition()))
            assert owners.setdefault(text, article.entry_id) == article.entry_id


def test_no_long_sentence_is_repeated() -> None:
    owners: dict[str, set[str]] = defaultdict(set)
    for publisher, article in every_article():
        if article.copy_of is None:
            for sentence in long_sentences(publisher, article):
                owners[sentence].add(article.entry_id)
    assert [(sentence, ids) for sentence, ids in owners.items() if len(ids) > 1] == []


def test_finds_long_sentences() -> None:
    publisher = next(p for p in load_publishers() if p.key == "old-mill-echo")
    assert long_sentences(publisher, publisher.article("last-issue")) == {
        "After 312 numbers the Echo lays down its stapler.",
        "Thank you to the folders, the walkers of the paper round and the gentleman who corrected our Latin.",
        "The whist results will hang in the porch from now on.",
    }


def test_copies_are_later_and_by_another_publisher() -> None:
    copies = [article for _, article in every_article() if article.copy_of]
    assert len(copies) >= 10
    for copy in copies:
        original = article_named(copy.copy_of or "")
        assert original.copy_of is None, copy.entry_id
        assert original.publisher != copy.publisher, copy.entry_id
        assert copy.hours_ago < original.hours_ago, copy.entry_id
        assert copy.dateline_hours_ago == original.hours_ago, copy.entry_id


def test_copies_equal_the_original_except_edits() -> None:
    untouched = article_named("circuit-ledger/cape-verde-desalination-plant")
    edited = article_named("circuit-ledger/tonga-cable-spliced")
    original = article_named("meridian-wire/tonga-cable-repaired")
    assert untouched.first == article_named("meridian-wire/cape-verde-desalination-plant").first
    assert edited.first.body == original.first.body.replace("NUKU'ALOFA – Tonga's", "Tonga's")
    assert edited.first.title == "How Tonga got its bandwidth back"


def test_revisions_reword_from_the_second_generation() -> None:
    revised = [article for _, article in every_article() if article.revised]
    assert len(revised) >= 5
    for article in revised:
        assert article.wording(1) == article.first, article.entry_id
        assert article.wording(2) == article.wording(3) != article.first, article.entry_id


@pytest.mark.parametrize(
    ("language", "source", "expected"),
    [
        pytest.param("en", "on {day}, {day-1} and {day+6}", "on Wednesday, Tuesday and Tuesday", id="english"),
        pytest.param("de", "am {day}", "am Mittwoch", id="german"),
        pytest.param("ja", "{day}に", "水曜日に", id="japanese"),
        pytest.param("zh", "{day+3}起", "星期六起", id="chinese"),
    ],
)
def test_names_weekdays_in_the_publishers_language(language: str, source: str, expected: str) -> None:
    publisher = next(publisher for publisher in load_publishers() if publisher.language == language)
    article = _article(source, hours_ago=8)
    assert body_html(publisher, article, edition()).endswith(f"<p>{expected}</p>")


def test_an_illustrated_publisher_has_a_picture_before_each_article() -> None:
    publisher = next(publisher for publisher in load_publishers() if publisher.is_illustrated)
    html = body_html(publisher, _article("On Monday", hours_ago=8), edition())
    [picture] = re.findall(r'<figure><img src="http://paper.example(/[^"]+)"', html)
    assert answer(publisher, picture, edition()).content_type == "image/png"
    assert lead_text(html) == "On Monday"


def test_every_image_sound_and_own_link_exists() -> None:
    for publisher, article in every_article():
        for path in re.findall(r"[\"']\{site\}(/[^\"']*)", article.wording(LAST_GENERATION).body):
            assert answer(publisher, path, edition()).status == HTTPStatus.OK, (article.entry_id, path)
        if article.audio:
            assert answer(publisher, f"/audio/{article.audio}.mp3", edition()).content_type == "audio/mpeg"


def test_leads_are_plain_text() -> None:
    for publisher, article in every_article():
        lead = lead_text(body_html(publisher, article, edition()))
        assert lead, article.entry_id
        assert "<" not in lead, article.entry_id


def test_hostile_bodies_contain_markup_to_remove() -> None:
    hostile = "".join(a.first.body for _, a in every_article() if a.publisher == "lanternfish")
    for weapon in ("<script", "<iframe", "onclick=", "onerror=", 'href="javascript:', 'width="1" height="1"', "<form"):
        assert weapon in hostile, weapon
    others = "".join(a.first.body for _, a in every_article() if a.publisher != "lanternfish")
    assert not re.search(r"<script|<iframe|\son\w+=|javascript:", others)


def test_has_every_kind_of_scenario() -> None:
    scenarios = load_scenarios()
    assert {scenario.kind for scenario in scenarios} == {*DERIVED_KINDS, *DECLARED_KINDS}
    assert {s.name for s in scenarios if s.kind == "trouble"} == set(TROUBLES) - {""}
    assert {s.name for s in scenarios if s.kind == "arrival"} == {"2", "3"}


def test_grouped_scenarios_have_several_entries() -> None:
    plural = ("syndicated", "retitled", "event", "look_alike", "recurring")
    for scenario in load_scenarios():
        assert len(set(scenario.entries)) == len(scenario.entries), scenario
        if scenario.kind in plural:
            assert len(scenario.entries) >= 2, scenario


def test_similar_texts_cover_different_events() -> None:
    scenarios = load_scenarios()
    events = [set(scenario.entries) for scenario in scenarios if scenario.kind == "event"]
    for scenario in scenarios:
        if scenario.kind == "look_alike":
            assert all(len(event & set(scenario.entries)) <= 1 for event in events), scenario


def test_recurring_entries_share_only_a_title() -> None:
    for scenario in load_scenarios():
        if scenario.kind == "recurring":
            articles = [article_named(entry_id) for entry_id in scenario.entries]
            assert len({article.first.title for article in articles}) == 1, scenario
            assert len({article.first.body for article in articles}) == len(articles), scenario


def test_shared_events_are_covered_in_several_languages() -> None:
    languages = {publisher.key: publisher.language for publisher in load_publishers()}
    events = {s.name: s.entries for s in load_scenarios() if s.kind == "event"}
    for prefix in ("drought-fund", "kestrel"):
        tellings = {a.entry_id for _, a in every_article() if a.slug.startswith(prefix) and a.copy_of is None}
        event = next(entries for entries in events.values() if tellings & set(entries))
        assert tellings <= set(event)
        assert len({languages[entry_id.split("/")[0]] for entry_id in event}) >= 4


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        pytest.param("title: One", "title: Two", None, id="sound"),
        pytest.param("format: rss2", "format: rss3", "'rss3'", id="unknown-format"),
        pytest.param("trouble: ''", "trouble: cursed", "'cursed'", id="unknown-trouble"),
        pytest.param("[[river, lake]]", "[[pond, lake]]", "'pond' is not in the body", id="edit-that-finds-nothing"),
    ],
)
def test_refuses_broken_data(
    old: str, new: str, error: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = """
        {key: a, name: A, tagline: t, folder: f, tier: 3, language: en, number: 1,
         feeds: [{path: /x, format: rss2, trouble: ''}],
         articles: [{slug: s, title: One, ago: 1, body: A river.,
                     revised: {edits: [[river, lake]]}}]}
    """
    assert old in source
    (tmp_path / "publishers").mkdir()
    (tmp_path / "publishers" / "a.yaml").write_text(source.replace(old, new), encoding="utf-8")
    monkeypatch.setattr(publishers, "DATA_DIRECTORY", tmp_path)
    if error is None:
        (publisher,) = load_publishers.__wrapped__()
        assert publisher.articles[0].wording(2).body == "A lake."
    else:
        with pytest.raises(ValueError, match=error):
            load_publishers.__wrapped__()


def _article(body: str, *, hours_ago: float) -> Article:
    return Article(
        publisher="any",
        slug="any",
        first=publishers.Wording(title="Any", body=body),
        revised=None,
        author="",
        hours_ago=hours_ago,
        dateline_hours_ago=hours_ago,
        tags=(),
        feeds=("all",),
        since=1,
        copy_of=None,
        audio=None,
    )
