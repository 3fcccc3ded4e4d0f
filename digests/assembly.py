"""From a window of articles to an edition: the stages in their order. Reads the database, writes nothing.

    window → topics with trends → choice → labels → summaries → feed report → checks

Only what is shown is labelled and summed up, and only its texts are read whole, so that a window of 20,000 articles
costs little more than gathering it does.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User

from digests.checks import Proof, checked
from digests.choosing import Gathering, choose
from digests.edition import Edition, Movement
from digests.gathering import GatheredWindow, gathered_from
from digests.kinds import RULES, Kind
from digests.labels import Member, TopicText, label_topics
from digests.material import Candidate
from digests.period import local_day
from digests.repeats import Shown
from digests.summaries import count
from digests.summary_writing import Writer
from digests.window import Window, feed_report, found_in, names_in
from digests.writing import Names, written_topics

MOST_LABELLED = 30  # members that a topic's label is made of: the lead and the most important

Stage = Callable[[str], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class Commission:
    """What is to be made: for whom, which kind, of which window; `n_topics` when so many are asked for. `shown` is the
    last digest, whose topics are not repeated unless they moved.
    """

    user: User
    kind: Kind
    window: Window
    zone: ZoneInfo
    n_topics: int | None = None
    shown: Shown = field(default_factory=Shown)


def _untimed(name: str) -> AbstractContextManager[None]:
    return nullcontext()


def assemble(commission: Commission, *, writer: Writer | None = None, stage: Stage = _untimed) -> Edition:
    """The edition, checked. `writer` writes the summaries of top stories where it can; `stage` is entered with the name
    of each step, for who measures.
    """
    user, window, rules = commission.user, commission.window, RULES[commission.kind]
    with stage("window"):
        found = found_in(user, window)
        before = found_in(user, window.before)
    with stage("topics"):
        gathered = gathered_from(found.candidates, before.candidates, n_topics=commission.n_topics)
        places, left_out = choose(gathered.gatherings, rules.sizes, commission.shown)
    with stage("labels"):
        movers = gathered.movers()
        named = list({each.key: each for each in (*(place.gathering for place in places), *movers)}.values())
        names = names_in({member.article_id for each in named for member in _labelled(each)})
        labels = dict(zip([each.key for each in named], _labels(named, gathered, names), strict=True))
    with stage("summaries"):
        own = [labels[place.gathering.key] for place in places]
        topics = written_topics(places, own, gathered, names, rules.words, writer)
    with stage("report"):
        movements = tuple(
            Movement(labels[each.key], each.trend, each.n_now, each.n_before) for each in movers if each.trend
        )
        report = replace(feed_report(user, window), movements=movements)
    edition = Edition(
        kind=commission.kind,
        day=local_day(window.ends_at, commission.zone),
        time_zone=commission.zone.key,
        begins_at=window.begins_at,
        ends_at=window.ends_at,
        made_at=window.ends_at,
        n_articles=found.n_articles,
        n_feeds=found.n_feeds,
        n_duplicates=found.n_duplicates,
        topics=topics,
        report=report,
        left_out=left_out,
    )
    with stage("checks"):
        return checked(edition, _proofs([place.gathering for place in places], gathered), count)


def _labelled(gathering: Gathering) -> list[Candidate]:
    """The members that its label is made of, the lead first."""
    others = [each for each in gathering.members if each is not gathering.lead]
    return [gathering.lead, *others[: MOST_LABELLED - 1]]


def _labels(gatherings: Sequence[Gathering], gathered: GatheredWindow, names: Names) -> list[str]:
    texts = [
        TopicText([_member(each, names) for each in _labelled(gathering)], gathered.terms_of(gathering))
        for gathering in gatherings
    ]
    return label_topics(texts)


def _member(candidate: Candidate, names: Names) -> Member:
    return Member(
        title=candidate.title,
        text=candidate.text,
        language=candidate.language,
        source=candidate.source,
        publisher=candidate.publisher,
        names=names.get(candidate.article_id, {}),
    )


def _proofs(gatherings: Sequence[Gathering], gathered: GatheredWindow) -> dict[int | None, Proof]:
    """What was found of each topic, found anew, by its lead."""
    trends = gathered.trends_again()
    proofs: dict[int | None, Proof] = {}
    for each in gatherings:
        best = max(each.members, key=lambda member: member.importance)
        proofs[each.lead.article_id] = Proof(trends[each.number], best.importance, best.parts, best.tier)
    return proofs
