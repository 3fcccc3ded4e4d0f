"""Writes the topics of a digest: leads, related articles, sources, summaries. Reads texts only.

A summary is made of the lead's text. If that gives less than half of what is wanted, because it is an excerpt or its
sentences are too long, the first article of its story that gives enough supplies it, and is named.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from digests.assembly.grouping import ClusteredWindow
from digests.assembly.llm_summaries import Writer
from digests.assembly.selection import Place, TopicCluster
from digests.assembly.window import texts_of
from digests.edition.candidates import Candidate
from digests.edition.document import MAX_RELATED, Entry, SectionName, SummaryBy, Topic
from digests.edition.kinds import Words
from digests.summaries import count, one_line, summarize
from digests.summaries.language import language_of

MAX_OTHER_TEXTS = 5  # articles of a story whose text may replace the lead's


def written_topics(
    places: Sequence[Place],
    labels: Sequence[str],
    clustered: ClusteredWindow,
    words: Words,
    writer: Writer | None = None,
) -> tuple[Topic, ...]:
    """A topic for each place. `writer` may write summaries of top stories; otherwise they are extractive."""
    articles = {
        place.cluster.number: _texts_in_order(place.cluster.lead, place.cluster)
        for place in places
        if place.section is not SectionName.ALSO and not place.is_unchanged
    }
    texts = texts_of([article.article_id for tried in articles.values() for article in tried])
    return tuple(
        _topic(place, label, *_summary(place, articles.get(place.cluster.number, ()), texts, clustered, words, writer))
        for place, label in zip(places, labels, strict=True)
    )


def rewritten(topic: Topic, place: Place, clustered: ClusteredWindow, words: Words) -> Topic:
    """A topic that lost articles, with its category, its sources and, if another article leads now, its summary."""
    cluster = place.cluster
    by_id = {article.article_id: article for article in (*cluster.members, *cluster.copies)}
    lead, *others = (by_id[entry.article_id] for entry in topic.entries if entry.article_id is not None)
    topic = replace(topic, sources=_sources(lead, others), category=lead.category)
    if lead == cluster.lead or place.is_unchanged:
        return topic
    articles = _texts_in_order(lead, cluster)
    texts = texts_of([article.article_id for article in articles])
    summary, by, source = _summary(place, articles, texts, clustered, words, None)
    return replace(topic, summary=summary, summary_by=by, summary_from=source)


def _texts_in_order(lead: Candidate, cluster: TopicCluster) -> list[Candidate]:
    """The articles whose texts may give the summary: the lead, then those of its story in its language that would lead
    next."""
    others = [
        article
        for article in (*cluster.members, *cluster.copies)
        if article.story_id is not None
        and (article.story_id, article.language) == (lead.story_id, lead.language)
        and article is not lead
    ]
    others.sort(key=lambda article: (article.position, article.article_id))
    return [lead, *others[:MAX_OTHER_TEXTS]]


def _summary(
    place: Place,
    articles: Sequence[Candidate],
    texts: Mapping[int, str],
    clustered: ClusteredWindow,
    words: Words,
    writer: Writer | None,
) -> tuple[str, SummaryBy | None, str]:
    """The summary of a topic, who wrote that of a top story, and its source if it isn't the lead's.

    `articles` in the order in which they are tried.
    """
    if not articles or place.section is SectionName.ALSO:
        return "", None, ""
    lead = articles[0]
    if place.section is SectionName.NOTEWORTHY:
        for article in articles:
            if line := one_line(article.title, texts.get(article.article_id, ""), article.language):
                return line, None, _other_source(article, lead)
        return "", None, ""
    if writer is not None:
        written = writer.write(lead.title, texts.get(lead.article_id, ""), lead.language, words)
        if written is not None:
            return written, SummaryBy.MODEL, ""
    extract, article = _extract(articles, texts, dict(clustered.terms_of(place.cluster)), words)
    return extract, SummaryBy.EXTRACT if extract else None, _other_source(article, lead)


def _other_source(article: Candidate, lead: Candidate) -> str:
    return article.source if article.source != lead.source else ""


def _extract(
    articles: Sequence[Candidate], texts: Mapping[int, str], terms: Mapping[str, float], words: Words
) -> tuple[str, Candidate]:
    """The first extract that is long enough, else the longest, and its article. The first article is the lead."""
    extracts: list[tuple[int, str, Candidate]] = []
    lead = f"{articles[0].title}\n{texts.get(articles[0].article_id, '')}"
    for n, article in enumerate(articles):
        text = texts.get(article.article_id, "")
        extract = summarize(
            article.title, text, article.language, words=words, topic_terms=terms, about=lead if n else ""
        )
        n_words = count(extract, language_of(text, article.language))
        if n_words >= (words.least if n else words.least / 2):
            return extract, article
        extracts.append((n_words, extract, article))
    _n_words, extract, article = max(extracts, key=lambda found: found[0])
    return extract, article


def _topic(place: Place, label: str, summary: str, by: SummaryBy | None, summary_from: str) -> Topic:
    cluster = place.cluster
    others = [article for article in (*cluster.members, *cluster.copies) if article is not cluster.lead]
    return Topic(
        section=place.section,
        label=label,
        lead=_entry(cluster.lead),
        importance=cluster.importance,
        related=tuple(_entry(other) for other in others[:MAX_RELATED]),
        sources=_sources(cluster.lead, others),
        trend=cluster.trend,
        category=cluster.lead.category,
        summary=summary,
        summary_by=by,
        summary_from=summary_from,
        moved=place.moved,
        is_unchanged=place.is_unchanged,
        n_unlisted=max(0, len(others) - MAX_RELATED),
    )


def _sources(lead: Candidate, others: Iterable[Candidate]) -> tuple[str, ...]:
    """The names of other sources in the order of their articles; other feeds with the lead come last.

    A publisher with several feeds ("World", "Top stories") is named once.
    """
    names: list[str] = []
    publishers = {lead.publisher}
    for other in others:
        if not other.publisher or other.publisher not in publishers:
            publishers.add(other.publisher)
            names.append(other.source)
        names += other.also_in
    return tuple(name for name in dict.fromkeys([*names, *lead.also_in]) if name != lead.source)


def _entry(candidate: Candidate) -> Entry:
    return Entry(
        article_id=candidate.article_id,
        title=candidate.title,
        url=candidate.url,
        source=candidate.source,
        tier=candidate.tier,
        published_at=candidate.published_at,
        importance=candidate.importance,
        language=candidate.language,
        date_uncertain=candidate.date_uncertain,
        story_id=candidate.story_id,
        is_copy=candidate.copy_of is not None,
    )
