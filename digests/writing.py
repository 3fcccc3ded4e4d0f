"""The topics that a digest shows, written out: leads, related articles, sources, summaries. Reads texts, no more."""

from collections.abc import Iterable, Mapping, Sequence

from digests.choosing import Place
from digests.edition import MOST_RELATED, Entry, SectionName, SummaryBy, Topic
from digests.gathering import GatheredWindow
from digests.kinds import Words
from digests.material import Candidate
from digests.summaries import one_line, summarize
from digests.summary_writing import Writer
from digests.window import texts_of

Names = Mapping[int, Mapping[str, tuple[str, ...]]]


def written_topics(
    places: Sequence[Place],
    labels: Sequence[str],
    gathered: GatheredWindow,
    names: Names,
    words: Words,
    writer: Writer | None = None,
) -> tuple[Topic, ...]:
    """A topic for each place. `writer` is asked for the summaries of top stories; where it gives none, the article's
    own sentences stand in.
    """
    told = [place for place in places if place.section is not SectionName.ALSO]
    texts = texts_of([place.gathering.lead.article_id for place in told])
    topics = []
    for place, label in zip(places, labels, strict=True):
        lead = place.gathering.lead
        text = texts.get(lead.article_id, "")
        if place.section is SectionName.TOP:
            terms = dict(gathered.terms_of(place.gathering))
            summary, by = _summary(lead, text, words, terms, names.get(lead.article_id, {}), writer)
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
    names: Mapping[str, tuple[str, ...]],
    writer: Writer | None,
) -> tuple[str, SummaryBy | None]:
    if writer is not None:
        written = writer.write(lead.title, text, lead.language, words)
        if written is not None:
            return written, SummaryBy.MODEL
    extract = summarize(lead.title, text, lead.language, words=words, topic_terms=terms, names=names)
    return extract, SummaryBy.EXTRACT if extract else None


def _topic(place: Place, label: str, summary: str, by: SummaryBy | None) -> Topic:
    gathering = place.gathering
    others = [each for each in (*gathering.members, *gathering.copies) if each is not gathering.lead]
    return Topic(
        section=place.section,
        label=label,
        lead=_entry(gathering.lead),
        importance=gathering.importance,
        related=tuple(_entry(each) for each in others[:MOST_RELATED]),
        sources=_sources(gathering.lead, others),
        trend=gathering.trend,
        category=gathering.lead.category,
        summary=summary,
        summary_by=by,
        moved=place.moved,
        n_unlisted=max(0, len(others) - MOST_RELATED),
    )


def _sources(lead: Candidate, others: Iterable[Candidate]) -> tuple[str, ...]:
    """Who tells beside the lead's source, in the order of what they tell; feeds that carry the lead, too, come last."""
    names = [name for each in others for name in (each.source, *each.also_in)]
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
