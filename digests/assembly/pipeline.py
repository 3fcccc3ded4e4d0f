"""Assembles an edition from a window of articles. Reads the database, writes nothing.

    window → topics with trends → selection → labels → summaries → feed report → checks

Only what is shown is labelled and summed up, and only its texts are read whole, so that a window of 20,000 articles
costs little more than cluster it does.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User

from digests.assembly.checks import Proof, Score, check_edition
from digests.assembly.grouping import ClusteredWindow, cluster_window
from digests.assembly.llm_summaries import Writer
from digests.assembly.repeats import EarlierDigest
from digests.assembly.selection import Place, TopicCluster, choose
from digests.assembly.window import Window, feed_report, load_window, names_in, polled_feeds
from digests.assembly.write import rewritten, written_topics
from digests.edition.candidates import Candidate
from digests.edition.document import Edition, Movement, Topic
from digests.edition.kinds import RULES, Kind, Words
from digests.labels import Member, TopicText, label_topics
from digests.schedule.period import local_day
from digests.summaries import count

MAX_LABEL_MEMBERS = 30  # of a topic: the lead and the most important

Names = Mapping[int, Mapping[str, tuple[str, ...]]]
Stage = Callable[[str], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class DigestRequest:
    """Which digest to make. `n_topics` is a requested number of topics; `shown` is the last digest, whose topics are
    only repeated if something changed.
    """

    user: User
    kind: Kind
    window: Window
    zone: ZoneInfo
    n_topics: int | None = None
    shown: EarlierDigest = field(default_factory=EarlierDigest)


def _untimed(name: str) -> AbstractContextManager[None]:
    return nullcontext()


def assemble(request: DigestRequest, *, writer: Writer | None = None, stage: Stage = _untimed) -> Edition:
    """The checked edition. `writer` writes summaries of top stories if it can; `stage` is entered with the name of each
    step, for profiling.
    """
    user, window, rules = request.user, request.window, RULES[request.kind]
    with stage("window"):
        current = load_window(user, window)
        before = load_window(user, window.before)
    with stage("topics"):
        clustered = cluster_window(
            current.candidates,
            before.candidates,
            n_topics=request.n_topics,
            polled_before=polled_feeds(user, window.before),
        )
        places, left_out = choose(clustered.clusters, rules.sizes, request.shown)
    with stage("labels"):
        movers = clustered.movers()
        named = list({cluster.key: cluster for cluster in (*(place.cluster for place in places), *movers)}.values())
        names = names_in({member.article_id for cluster in named for member in _labelled(cluster)})
        labels = dict(zip([cluster.key for cluster in named], _labels(named, clustered, names), strict=True))
    with stage("summaries"):
        own = [labels[place.cluster.key] for place in places]
        topics = written_topics(places, own, clustered, rules.words, writer)
    with stage("report"):
        movements = tuple(
            Movement(labels[mover.key], mover.trend, mover.n_now, mover.n_before) for mover in movers if mover.trend
        )
        report = replace(feed_report(user, window), movements=movements)
    edition = Edition(
        kind=request.kind,
        day=local_day(window.ends_at, request.zone),
        time_zone=request.zone.key,
        begins_at=window.begins_at,
        ends_at=window.ends_at,
        made_at=window.ends_at,
        n_articles=current.n_articles,
        n_feeds=current.n_feeds,
        n_duplicates=current.n_duplicates,
        topics=topics,
        report=report,
        left_out=left_out,
    )
    with stage("checks"):
        return check_edition(edition, _proofs(places, clustered), count, _rewriter(places, clustered, rules.words))


def _labelled(cluster: TopicCluster) -> list[Candidate]:
    """The members used for its label, the lead first."""
    others = [member for member in cluster.members if member is not cluster.lead]
    return [cluster.lead, *others[: MAX_LABEL_MEMBERS - 1]]


def _labels(clusters: Sequence[TopicCluster], clustered: ClusteredWindow, names: Names) -> list[str]:
    texts = [
        TopicText([_member(member, names) for member in _labelled(cluster)], clustered.terms_of(cluster))
        for cluster in clusters
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


def _proofs(places: Sequence[Place], clustered: ClusteredWindow) -> list[Proof]:
    """The facts about each topic, computed again."""
    trends = clustered.recompute_trends({place.cluster.number for place in places})
    return [
        Proof(
            trends[place.cluster.number],
            {
                article.article_id: Score(article.parts, article.tier)
                for article in (*place.cluster.members, *place.cluster.copies)
            },
        )
        for place in places
    ]


def _rewriter(places: Sequence[Place], clustered: ClusteredWindow, words: Words) -> Callable[[Topic], Topic]:
    """Rewrites a topic of these places after it lost articles."""
    of_article = {
        article.article_id: place for place in places for article in (*place.cluster.members, *place.cluster.copies)
    }
    return lambda topic: rewritten(topic, of_article[topic.lead.article_id or 0], clustered, words)
