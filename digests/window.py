"""What came to a person within a time: the articles a digest is made of, and how their feeds did. Reads only.

An article belongs to a window when it was published in it, or published up to `LATE` before and first seen or revised
in it: a feed that is polled every few hours, or dates its entries back, loses nothing. What is older than that is an
archive that a new subscription brought, and no news.

A near-duplicate stands under the article it repeats: it is a candidate that no topic is made of. All counts are of what
the person follows.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db.models import Count, Q
from django.db.models.functions import Left
from django.utils.translation import ngettext

from digests.edition import ALSO_FROM, FeedReport, UnwellFeed
from digests.material import READ_CHARACTERS, Candidate
from feeds.models import Article, Condition, Disposition, Link, Poll, Sketch, Story
from feeds.models.feed import SUCCESSES
from reader.models import Assessment, Delivery, Quiet, Separation, Subscription
from reader.rates import rates_of
from reader.ratings import Rates, rating_of
from reader.sidebar import needing_attention

LATE = timedelta(days=2)  # by which an article may have been published before the window it is first seen in
AHEAD = timedelta(hours=24)  # by which a date may lie in the future; SPEC §5
MOST_UNWELL = 20  # feeds named in the report
CHUNK = 1000  # articles read at a time
OTHERS = "Other"  # the category of what has none

_ARTICLE = (
    "pk", "title", "language", "url", "canonical_url", "feed_id", "feed__site_url", "source__domain", "published_at",
    "date_uncertain", "first_seen_at", "revised_at", "story_id", "categories",
)  # fmt: skip
_ASSESSMENT = ("authority", "corroboration", "depth", "sensitivity", "tier")


@dataclass(frozen=True, slots=True)
class Window:
    """From `begins_at` up to `ends_at`, both aware."""

    begins_at: datetime
    ends_at: datetime

    @property
    def before(self) -> "Window":
        """The window of the same length that ends where this one begins."""
        return Window(self.begins_at - (self.ends_at - self.begins_at), self.begins_at)


@dataclass(frozen=True, slots=True)
class Found:
    """The candidates of a window, by id; how many articles came in all, from how many feeds; how many duplicates were
    removed: the same article brought by a further feed, and near-duplicates.
    """

    candidates: tuple[Candidate, ...]
    n_articles: int
    n_feeds: int
    n_duplicates: int


class _Brought(NamedTuple):
    article_id: int
    subscription_id: int
    relevance: float | None
    sensitivity: int | None


def found_in(user: User, window: Window, *, least: float = ALSO_FROM) -> Found:
    """What came to `user` in the window and is worth `least` or more at its end."""
    brought = _brought(user, window)
    subscriptions = Subscription.objects.filter(user=user).select_related("feed__source", "folder").in_bulk()
    rates = rates_of(user)
    candidates: list[Candidate] = []
    used: list[_Brought] = []
    for rows in _articles(list(brought), window):
        for row in rows:
            used += brought[row["pk"]]
            candidate = _candidate(row, brought[row["pk"]], subscriptions, window.ends_at, rates)
            candidates.extend([candidate] if candidate is not None else [])
    candidates.sort(key=lambda each: each.article_id)
    candidates = _with_copies(_without_separated(user, candidates))
    n_articles = len({each.article_id for each in used})
    n_copies = sum(each.copy_of is not None for each in candidates)
    worthy = _worthy(candidates, least)
    return Found(
        candidates=worthy,
        n_articles=n_articles,
        n_feeds=len({each.subscription_id for each in used}),
        n_duplicates=len(used) - n_articles + n_copies,
    )


def names_in(article_ids: Collection[int]) -> dict[int, dict[str, tuple[str, ...]]]:
    """Who and what these articles name, by kind, as far as anybody looked and it was kept."""
    kept = Sketch.objects.filter(article__in=article_ids).values_list("article_id", "names")
    return {pk: {kind: tuple(names) for kind, names in found.items()} for pk, found in kept}


def texts_of(article_ids: Collection[int]) -> dict[int, str]:
    """The whole texts of these articles."""
    return dict(Article.objects.filter(pk__in=article_ids).values_list("pk", "text"))


def feed_report(user: User, window: Window) -> FeedReport:
    """How the user's feeds did in the window, and which need attention at its end; four queries."""
    mine = Subscription.objects.filter(user=user)
    polls = Poll.objects.filter(
        feed__in=mine.values("feed"), started_at__gte=window.begins_at, started_at__lt=window.ends_at
    )
    counted = polls.aggregate(
        n_polls=Count("pk"), n_successes=Count("pk", Q(outcome__in=SUCCESSES)), n_polled=Count("feed", distinct=True)
    )
    unwell = needing_attention(mine).select_related("feed").order_by("-feed__condition_changed_at", "pk")[:MOST_UNWELL]
    return FeedReport(**counted, unwell=tuple(UnwellFeed(each.shown_title, _why_unwell(each)) for each in unwell))


def _why_unwell(subscription: Subscription) -> str:
    feed = subscription.feed
    if feed.condition != Condition.WELL and feed.condition_reason:
        return feed.condition_reason
    if feed.failures_running:
        told = ngettext("the last poll failed", "the last %(n)s polls failed", feed.failures_running)
        return told % {"n": feed.failures_running}
    return str(feed.get_status_display())


def _brought(user: User, window: Window) -> dict[int, list[_Brought]]:
    """What was delivered of about that time, by article. Asked for by all that leads the index of the user's list."""
    rows = Delivery.objects.filter(
        user=user,
        is_folded__in=(False, True),
        is_read__in=(False, True),
        quiet__in=(Quiet.NOT, Quiet.DIGEST),
        published_at__gte=window.begins_at - LATE,
        published_at__lt=window.ends_at + AHEAD,
    ).order_by("pk")
    brought: defaultdict[int, list[_Brought]] = defaultdict(list)
    for row in rows.values_list("article_id", "subscription_id", "relevance", "sensitivity").iterator():
        brought[row[0]].append(_Brought(*row))
    return brought


def _articles(ids: Sequence[int], window: Window) -> Iterator[list[dict[str, Any]]]:
    """Those of the articles that belong to the window, with their assessments, a chunk at a time."""
    begins, ends = window.begins_at, window.ends_at
    is_inside = Q(first_seen_at__lt=ends) & (
        Q(published_at__gte=begins) | Q(first_seen_at__gte=begins) | Q(revised_at__gte=begins, revised_at__lt=ends)
    )
    for start in range(0, len(ids), CHUNK):
        chosen = Article.objects.filter(is_inside, pk__in=ids[start : start + CHUNK])
        beginning = Left("text", READ_CHARACTERS)
        yield list(chosen.values(*_ARTICLE, *(f"assessment__{each}" for each in _ASSESSMENT), beginning=beginning))


def _candidate(
    row: Mapping[str, Any],
    brought: Sequence[_Brought],
    subscriptions: Mapping[int, Subscription],
    now: datetime,
    rates: Rates,
) -> Candidate | None:
    """The article as the user sees it; None where nobody assessed it, or its subscription went meanwhile."""
    mine = {each.feed_id: each for each in (subscriptions.get(one.subscription_id) for one in brought) if each}
    if row["assessment__tier"] is None or not mine:
        return None
    chosen = mine.get(row["feed_id"]) or next(iter(mine.values()))
    rating = rating_of(
        Assessment(**{name: row[f"assessment__{name}"] for name in _ASSESSMENT}),
        relevance=brought[0].relevance,
        sensitivity=brought[0].sensitivity,
        published_at=row["published_at"],
        date_uncertain=row["date_uncertain"],
        now=now,
        rates=rates,
    )
    link = Article(url=row["url"], canonical_url=row["canonical_url"]).link
    return Candidate(
        article_id=row["pk"],
        title=row["title"],
        text=row["beginning"],
        language=row["language"],
        source=chosen.shown_title,
        publisher=row["source__domain"] or chosen.feed.source.domain,
        url=link or row["feed__site_url"] or chosen.feed.site_url,
        tier=row["assessment__tier"],
        published_at=row["published_at"],
        date_uncertain=row["date_uncertain"],
        first_seen_at=row["first_seen_at"],
        revised_at=row["revised_at"],
        parts=rating.parts,
        story_id=row["story_id"],
        category=_category(chosen, row["categories"]),
        also_in=tuple(each.shown_title for each in mine.values() if each is not chosen),
    )


def _category(subscription: Subscription, categories: Sequence[str]) -> str:
    """Where the person put the feed, else what the publisher says of the article."""
    folder = str(subscription.folder or "")
    return subscription.category or folder or (str(categories[0]) if categories else "") or OTHERS


def _without_separated(user: User, candidates: Iterable[Candidate]) -> list[Candidate]:
    """What the user took out of its story stands alone."""
    separated = set(Separation.objects.filter(user=user).values_list("article_id", flat=True))
    return [replace(each, story_id=None) if each.article_id in separated else each for each in candidates]


def _with_copies(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Of those in one story that near-duplicate links tie, all but one stand under that one: the lead of the story if
    it is among them, else the most important."""
    told = {each.article_id: each for each in candidates if each.story_id is not None}
    stories = {each.story_id for each in told.values() if each.story_id is not None}
    leads = set(Story.objects.filter(pk__in=stories).values_list("lead_id", flat=True))
    copy_of = {}
    for tied in _tied(told):
        chosen = min(tied, key=lambda pk: (pk not in leads, -told[pk].importance, pk))
        copy_of.update({pk: chosen for pk in tied if pk != chosen})
    return [replace(each, copy_of=copy_of.get(each.article_id)) for each in candidates]


def _tied(told: Mapping[int, Candidate]) -> list[set[int]]:
    """The sets of articles of one story that near-duplicate links tie, directly or through others."""
    links = Link.objects.filter(disposition=Disposition.NEAR_DUPLICATE)
    sets: dict[int, set[int]] = {}
    ids = sorted(told)
    for start in range(0, len(ids), CHUNK):
        pairs = links.filter(one__in=ids[start : start + CHUNK]).values_list("one_id", "other_id")
        for one, other in pairs:
            if other not in told or told[one].story_id != told[other].story_id:
                continue
            joined = sets.get(one, {one}) | sets.get(other, {other})
            sets.update(dict.fromkeys(joined, joined))
    return list({id(each): each for each in sets.values()}.values())


def _worthy(candidates: Sequence[Candidate], least: float) -> tuple[Candidate, ...]:
    """Those that reach `least`, and the copies of these."""
    chosen = {each.article_id for each in candidates if each.copy_of is None and each.importance >= least}
    return tuple(each for each in candidates if (each.copy_of or each.article_id) in chosen)
