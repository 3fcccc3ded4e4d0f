"""The articles a user got within a time, and how their feeds did. Reads only.

An article belongs to a window if it was published in it, or published up to `LATE` before and first seen or revised in
it, so feeds that are polled rarely or date their entries back lose nothing. Older articles are the archive of a new
subscription.

Near-duplicates are listed under the article they repeat and form no topics. All counts cover what the user follows.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db.models import Count, Q
from django.db.models.functions import Left

from digests.edition.candidates import READ_CHARACTERS, Candidate
from digests.edition.document import ALSO_FROM, FeedReport, UnhealthyFeed
from feeds.models import Article, Condition, Disposition, FeedStatus, Link, Poll, PollOutcome, Sketch
from feeds.models.article import link_of
from feeds.models.feed import SUCCESSES
from feeds.normalizing.plain_text import plain_text
from feeds.publishers.attribution import ARTICLE_COLUMNS, attribute, attribution_of_feed
from feeds.stored_text import reason_text
from feeds.stories.lead_positions import lead_positions
from reader.models import Delivery, Quiet, Separation, Subscription
from reader.scoring.importance import corroboration, hours_between
from reader.scoring.rating import Rates, parts_of, rates_of

LATE = timedelta(days=2)  # how long before the window an article may have been published
MAX_UNHEALTHY = 20  # feeds named in the report
CHUNK = 1000  # articles read at a time
OTHERS = "Other"  # the category of articles without one
PROBLEMS = (Condition.UNHEALTHY, Condition.DEAD)
_FIGURE = re.compile(r"<(figure|figcaption)\b[^>]*>.{0,20000}?</\1\s*>", re.IGNORECASE | re.DOTALL)
_NO_CATEGORIES = frozenset(("uncategorized", "uncategorised", "no category", "none", "default"))

_ARTICLE = (
    "pk", "title", "language", "url", "canonical_url", "feed__site_url", "published_at",
    "date_uncertain", "first_seen_at", "revised_at", "story_id", "word_count", "categories", *ARTICLE_COLUMNS,
)  # fmt: skip
_PARTS = ("authority", "depth")
_ASSESSMENT = (*_PARTS, "tier")


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
class WindowContent:
    """The candidates of a window by id; how many articles there were in all, from how many feeds; how many duplicates
    were removed: the same article in another feed, and near-duplicates.
    """

    candidates: tuple[Candidate, ...]
    n_articles: int
    n_feeds: int
    n_duplicates: int


class _Delivered(NamedTuple):
    article_id: int
    subscription_id: int
    relevance: float | None
    n_publishers: int
    n_tiers: int


class _Followed(NamedTuple):
    """A subscription: its feed and that feed's site and publisher, its name as a source, and the user's category or
    folder for it, "" without one."""

    feed_id: int
    site_url: str
    publisher: str
    source: str
    category: str


def load_window(user: User, window: Window, *, least: float = ALSO_FROM) -> WindowContent:
    """The user's articles of the window with an importance of `least` or more at its end."""
    followed = _followed(user)
    delivered = {
        article: several
        for article, rows in _deliveries(user, window).items()
        if (several := [row for row in rows if row.subscription_id in followed])
    }
    rates = rates_of(user)
    candidates: list[Candidate] = []
    used: list[_Delivered] = []
    for rows in _articles(list(delivered), window):
        for row in rows:
            used += delivered[row["pk"]]
            candidate = _candidate(row, delivered[row["pk"]], followed, window.ends_at, rates)
            candidates.extend([candidate] if candidate is not None else [])
    candidates.sort(key=lambda candidate: candidate.article_id)
    candidates = _with_copies(_with_positions(_without_separated(user, candidates)))
    n_articles = len({candidate.article_id for candidate in used})
    n_copies = sum(candidate.copy_of is not None for candidate in candidates)
    worthy = _important(candidates, least)
    return WindowContent(
        candidates=worthy,
        n_articles=n_articles,
        n_feeds=len({candidate.subscription_id for candidate in used}),
        n_duplicates=len(used) - n_articles + n_copies,
    )


def names_in(article_ids: Collection[int]) -> dict[int, dict[str, tuple[str, ...]]]:
    """The names in these articles by kind, where known."""
    rows = Sketch.objects.filter(article__in=article_ids).values_list("article_id", "names")
    return {pk: {kind: tuple(names) for kind, names in names_by_kind.items()} for pk, names_by_kind in rows}


def texts_of(article_ids: Collection[int]) -> dict[int, str]:
    """The whole texts of these articles without figures: of the page if it was fetched and says more, else of the
    feed."""
    rows = Article.objects.filter(pk__in=article_ids)
    of_page = ("full_text__text", "full_text__markup")
    return {
        pk: max(_without_figures(*of_feed), _without_figures(page_text or "", page_markup or ""), key=len)
        for pk, *of_feed, page_text, page_markup in rows.values_list("pk", "text", "markup", *of_page)
    }


def _without_figures(text: str, markup: str) -> str:
    """A text without the captions and credits in its markup."""
    return plain_text(_FIGURE.sub(" ", markup)) if _FIGURE.search(markup) else text


def feed_report(user: User, window: Window) -> FeedReport:
    """How polling the user's feeds went in the window, and which problems began in it; three queries.

    A problem is reported once, when it begins or changes; a feed that publishes rarely has none.
    """
    mine = Subscription.objects.filter(user=user)
    polls = Poll.objects.filter(
        feed__in=mine.values("feed"), started_at__gte=window.begins_at, started_at__lt=window.ends_at
    ).exclude(outcome=PollOutcome.OUTAGE)
    counted = polls.aggregate(
        n_polls=Count("pk"), n_successes=Count("pk", Q(outcome__in=SUCCESSES)), n_polled=Count("feed", distinct=True)
    )
    unhealthy = (
        mine.filter(feed__condition__in=PROBLEMS, feed__condition_changed_at__gte=window.begins_at)
        .filter(feed__condition_changed_at__lt=window.ends_at)
        .select_related("feed")
        .order_by("-feed__condition_changed_at", "pk")[:MAX_UNHEALTHY]
    )
    return FeedReport(
        **counted,
        unhealthy=tuple(
            UnhealthyFeed(
                subscription.shown_title,
                reason_text(subscription.feed.condition_reason) or str(subscription.feed.get_condition_display()),
            )
            for subscription in unhealthy
        ),
    )


def _deliveries(user: User, window: Window) -> dict[int, list[_Delivered]]:
    """Deliveries around the window by article. Filters by all leading columns of the index of the user's list."""
    rows = Delivery.objects.filter(
        user=user,
        is_folded__in=(False, True),
        is_read__in=(False, True),
        quiet__in=(Quiet.NOT, Quiet.DIGEST),
        published_at__gte=window.begins_at - LATE,
        published_at__lte=window.ends_at,
    ).order_by("pk")
    delivered: defaultdict[int, list[_Delivered]] = defaultdict(list)
    for row in rows.values_list(*_Delivered._fields).iterator():
        delivered[row[0]].append(_Delivered(*row))
    return delivered


def _followed(user: User) -> dict[int, _Followed]:
    """The user's subscriptions by id, without their saved pages."""
    subscriptions = (
        Subscription.objects.filter(user=user)
        .exclude(feed__status=FeedStatus.SAVED)  # no news: the user has seen the page
        .select_related("feed__publisher", "folder")
    )
    return {
        each.pk: _Followed(
            each.feed_id,
            each.feed.site_url,
            attribution_of_feed(each.feed).publisher,
            each.source_name,
            _category((each.category, str(each.folder or ""))),
        )
        for each in subscriptions
    }


def _articles(ids: Sequence[int], window: Window) -> Iterator[list[dict[str, Any]]]:
    """The articles of the window with their assessments, in chunks."""
    begins, ends = window.begins_at, window.ends_at
    is_inside = Q(first_seen_at__lt=ends) & (
        Q(published_at__gte=begins) | Q(first_seen_at__gte=begins) | Q(revised_at__gte=begins, revised_at__lt=ends)
    )
    for start in range(0, len(ids), CHUNK):
        chosen = Article.objects.filter(is_inside, pk__in=ids[start : start + CHUNK])
        beginning = Left("text", READ_CHARACTERS)
        yield list(chosen.values(*_ARTICLE, *(f"assessment__{column}" for column in _ASSESSMENT), beginning=beginning))


def _candidate(
    row: Mapping[str, Any],
    delivered: Sequence[_Delivered],
    followed: Mapping[int, _Followed],
    now: datetime,
    rates: Rates,
) -> Candidate | None:
    """The article as the user sees it; None if it isn't assessed, or the subscription was deleted in the meantime."""
    several = [followed[one.subscription_id] for one in delivered if one.subscription_id in followed]
    mine = {each.feed_id: each for each in several}
    if row["assessment__tier"] is None or not mine:
        return None
    chosen = mine.get(row["feed_id"]) or next(iter(mine.values()))
    parts = parts_of(
        **{name: row[f"assessment__{name}"] for name in _PARTS},
        corroboration=corroboration(delivered[0].n_publishers, delivered[0].n_tiers),
        relevance=delivered[0].relevance,
        age_hours=hours_between(row["published_at"], now),
        date_uncertain=row["date_uncertain"],
        rates=rates,
    )
    publisher = attribute(*(row[column] for column in ARTICLE_COLUMNS)).publisher
    others = (each.source for each in mine.values() if each.publisher != publisher)
    source, *other_sources = dict.fromkeys((chosen.source, *others))
    return Candidate(
        article_id=row["pk"],
        title=row["title"],
        text=row["beginning"],
        language=row["language"],
        source=source,
        publisher=publisher,
        url=link_of(row["url"], row["canonical_url"]) or row["feed__site_url"] or chosen.site_url,
        tier=row["assessment__tier"],
        published_at=row["published_at"],
        date_uncertain=row["date_uncertain"],
        first_seen_at=row["first_seen_at"],
        revised_at=row["revised_at"],
        parts=parts,
        story_id=row["story_id"],
        n_words=row["word_count"],
        category=chosen.category or _of_publisher(row["categories"]) or OTHERS,
        feed_ids=frozenset(mine),
        also_in=tuple(other_sources),
    )


def _category(names: Iterable[object]) -> str:
    """The first category that says something, "" if none does."""
    return next(filter(_is_telling, map(str, names)), "")


def _of_publisher(names: Iterable[object]) -> str:
    """Like `_category`, up to a comma: `Politics, Latin America` is a list, `Trump, Donald J` an entry of an index."""
    return _category(str(name).partition(",")[0].strip() for name in names)


def _is_telling(category: str) -> bool:
    """Whether a category is no number, single letter or "Uncategorized" (SPEC §13)."""
    name = category.strip()
    letters = sum(map(str.isalpha, name))
    is_short = letters == 0 or (letters == 1 and len(name) == 1 and name.isascii())
    return not is_short and name.casefold() not in _NO_CATEGORIES


def polled_feeds(user: User, window: Window) -> frozenset[int]:
    """The user's feeds that were polled in the window."""
    mine = Subscription.objects.filter(user=user).values("feed")
    polls = Poll.objects.filter(feed__in=mine, started_at__gte=window.begins_at, started_at__lt=window.ends_at)
    return frozenset(polls.order_by().values_list("feed", flat=True).distinct())


def _without_separated(user: User, candidates: Iterable[Candidate]) -> list[Candidate]:
    """Articles that the user separated from their story have none."""
    separated = set(Separation.objects.filter(user=user).values_list("article_id", flat=True))
    return [
        replace(candidate, story_id=None) if candidate.article_id in separated else candidate
        for candidate in candidates
    ]


def _with_positions(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates with their positions among the articles that may lead their stories."""
    stories = sorted({candidate.story_id for candidate in candidates if candidate.story_id is not None})
    positions: dict[int, int] = {}
    for start in range(0, len(stories), CHUNK):
        positions |= lead_positions(stories[start : start + CHUNK])
    return [replace(candidate, position=positions.get(candidate.article_id, 0)) for candidate in candidates]


def _with_copies(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Mark near-duplicates within a story as copies of the one that would lead it."""
    in_stories = {candidate.article_id: candidate for candidate in candidates if candidate.story_id is not None}
    copy_of = {}
    for tied in _near_duplicate_sets(in_stories):
        chosen = min(tied, key=lambda pk: (in_stories[pk].position, pk))
        copy_of.update({pk: chosen for pk in tied if pk != chosen})
    return [
        replace(candidate, copy_of=copy_of[candidate.article_id]) if candidate.article_id in copy_of else candidate
        for candidate in candidates
    ]


def _near_duplicate_sets(in_stories: Mapping[int, Candidate]) -> list[set[int]]:
    """The sets of articles of one story connected by near-duplicate links."""
    links = Link.objects.filter(disposition=Disposition.NEAR_DUPLICATE)
    sets: dict[int, set[int]] = {}
    ids = sorted(in_stories)
    for start in range(0, len(ids), CHUNK):
        pairs = links.filter(one__in=ids[start : start + CHUNK]).values_list("one_id", "other_id")
        for one, other in pairs:
            if other not in in_stories or in_stories[one].story_id != in_stories[other].story_id:
                continue
            joined = sets.get(one, {one}) | sets.get(other, {other})
            sets.update(dict.fromkeys(joined, joined))
    return list({id(set_): set_ for set_ in sets.values()}.values())


def _important(candidates: Sequence[Candidate], least: float) -> tuple[Candidate, ...]:
    """Candidates with an importance of `least` or more, and their copies."""
    chosen = {
        candidate.article_id for candidate in candidates if candidate.copy_of is None and candidate.importance >= least
    }
    return tuple(candidate for candidate in candidates if (candidate.copy_of or candidate.article_id) in chosen)
