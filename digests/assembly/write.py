"""Writes the topics of a digest: leads, related articles, sources, summaries. Reads texts only."""

from collections.abc import Iterable, Mapping, Sequence

from digests.assembly.grouping import ClusteredWindow
from digests.assembly.llm_summaries import Writer
from digests.assembly.selection import Place
from digests.assembly.window import texts_of
from digests.edition.candidates import Candidate
from digests.edition.document import MAX_RELATED, Entry, SectionName, SummaryBy, Topic
from digests.edition.kinds import Words
from digests.summaries import one_line, summarize


def written_topics(
    places: Sequence[Place],
    labels: Sequence[str],
    clustered: ClusteredWindow,
    words: Words,
    writer: Writer | None = None,
) -> tuple[Topic, ...]:
    """A topic for each place. `writer` may write summaries of top stories; otherwise they are extractive."""
    with_text = [place for place in places if place.section is not SectionName.ALSO]
    texts = texts_of([place.cluster.lead.article_id for place in with_text])
    topics = []
    for place, label in zip(places, labels, strict=True):
        lead = place.cluster.lead
        text = texts.get(lead.article_id, "")
        if place.section is SectionName.TOP:
            terms = dict(clustered.terms_of(place.cluster))
            summary, by = _summary(lead, text, words, terms, writer)
        elif place.section is SectionName.NOTEWORTHY:
            summary, by = one_line(lead.title, text, lead.language), None
        else:
            summary, by = "", None
        topics.append(_topic(place, label, summary, by))
    return tuple(topics)


def _summary(
    lead: Candidate,
    text: str,
    words: Words,
    terms: Mapping[str, float],
    writer: Writer | None,
) -> tuple[str, SummaryBy | None]:
    if writer is not None:
        written = writer.write(lead.title, text, lead.language, words)
        if written is not None:
            return written, SummaryBy.MODEL
    extract = summarize(lead.title, text, lead.language, words=words, topic_terms=terms)
    return extract, SummaryBy.EXTRACT if extract else None


def _topic(place: Place, label: str, summary: str, by: SummaryBy | None) -> Topic:
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
        moved=place.moved,
        n_unlisted=max(0, len(others) - MAX_RELATED),
    )


def _sources(lead: Candidate, others: Iterable[Candidate]) -> tuple[str, ...]:
    """The names of other sources in the order of their articles; other feeds with the lead come last."""
    names = [name for other in others for name in (other.source, *other.also_in)]
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
