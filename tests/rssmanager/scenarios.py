"""Entries of the sample publishers by scenario, for assertions of end-to-end tests.

Most scenarios are derived from the publishers' files (copies, revisions, late arrivals, problems …). Those that need a
reading of the texts, such as two papers covering one event, are declared in `scenarios.yaml`.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from rssmanager.demo.publishers import FIRST_GENERATION, Article, Publisher, load_publishers

DERIVED_KINDS = ("syndicated", "retitled", "two_feeds", "revision", "arrival", "trouble")
DECLARED_KINDS = (
    "event",
    "look_alike",
    "prefixed",
    "recurring",
    "evergreen",
    "opinion",
    "correction",
)


@dataclass(frozen=True, slots=True)
class Scenario:
    """Entries that form one scenario.

    Kinds: `syndicated` one text in several papers, the original first · `retitled` such copies under another title,
    the original first · `two_feeds` one article in two feeds of its publisher · `revision` changes in generation 2 ·
    `arrival` appears in the generation that `name` gives · `trouble` entries of the feed whose trouble `name` is ·
    `event` one happening in different words · `look_alike` similar titles that must *not* be joined · `prefixed`
    titles such as "Breaking: …" · `recurring` one title, different pieces · `evergreen`, `opinion`, `correction`.
    """

    kind: str
    name: str
    entries: tuple[str, ...]


def load_scenarios() -> tuple[Scenario, ...]:
    """All scenarios, derived ones first. Raises ValueError if one names an unknown entry."""
    publishers = load_publishers()
    scenarios = (*_derived(publishers), *_declared())
    known = {article.entry_id for publisher in publishers for article in publisher.articles}
    for scenario in scenarios:
        if unknown := set(scenario.entries) - known:
            raise ValueError(f"{scenario.kind} {scenario.name!r} names unknown entries: {sorted(unknown)}")
    return scenarios


def _declared() -> Iterator[Scenario]:
    document = yaml.safe_load(Path(__file__).with_name("scenarios.yaml").read_text(encoding="utf-8"))
    for kind, groups in document.items():
        if kind not in DECLARED_KINDS:
            raise ValueError(f"{kind!r} is not a kind of scenario that is declared")
        for name, entries in groups.items():
            yield Scenario(kind, name, tuple(entries))


def _derived(publishers: Iterable[Publisher]) -> Iterator[Scenario]:
    articles = [article for publisher in publishers for article in publisher.articles]
    yield from _copies(articles)
    for article in articles:
        if len(article.feeds) > 1:
            yield Scenario("two_feeds", article.entry_id, (article.entry_id,))
        if article.revised is not None:
            yield Scenario("revision", article.entry_id, (article.entry_id,))
    for generation in sorted({article.since for article in articles} - {FIRST_GENERATION}):
        yield Scenario("arrival", str(generation), tuple(a.entry_id for a in articles if a.since == generation))
    for publisher in publishers:
        for feed in publisher.feeds:
            if feed.trouble:
                yield Scenario("trouble", feed.trouble, tuple(a.entry_id for a in publisher.articles))


def _copies(articles: Iterable[Article]) -> Iterator[Scenario]:
    by_id = {article.entry_id: article for article in articles}
    groups: dict[str, list[Article]] = defaultdict(list)
    for article in by_id.values():
        if article.copy_of is not None:
            groups[article.copy_of].append(article)
    for original, copies in groups.items():
        yield Scenario("syndicated", original, (original, *(copy.entry_id for copy in copies)))
        retitled = [copy.entry_id for copy in copies if copy.first.title != by_id[original].first.title]
        if retitled:
            yield Scenario("retitled", original, (original, *retitled))
