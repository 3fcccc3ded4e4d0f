"""The last look at a digest before it leaves: what is wrong is repaired, and both are recorded. Pure.

Source: SPEC §13; strategy.md step 6, SELF-CHECK. Each check returns the edition as it should be and what it found. They
run in an order in which no repair undoes an earlier one. The two that only report are told so in their finding.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from digests.edition import Edition, Finding, SectionName, Topic, Trend, section_of
from digests.kinds import RULES, Sizes
from feeds.normalizing.text import shorten
from reader.scoring.importance import Parts
from reader.scoring.self_check import Scored, check_top

_LABEL_LENGTH = 60  # characters of a title that stands for a label


@dataclass(frozen=True, slots=True)
class Proof:
    """What a topic is checked against, found anew: its trend, the importance of its best article, and its best
    article's parts.

    """

    trend: Trend | None
    importance: float
    parts: Parts
    tier: int


Proofs = Mapping[int | None, Proof]  # by the id of a topic's lead


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The topics as they should be, and what was done, as parts of a sentence; `told`: what cannot be repaired."""

    topics: tuple[Topic, ...]
    repaired: tuple[str, ...] = ()
    told: tuple[str, ...] = ()


def checked(edition: Edition, proofs: Proofs, count_words: Callable[[str, str], int]) -> Edition:
    """The edition after all checks, with a finding of each; `count_words` counts a text in a language.

    Proofs are by lead: a topic without one is taken as it is.
    """
    findings = []
    topics = edition.topics
    for name, good, check in _CHECKS:
        outcome = check(topics, proofs, edition)
        topics = outcome.topics
        findings.append(_finding(str(name), str(good), outcome))
    findings.append(_summaries(topics, edition, count_words))
    findings.append(_sources(topics, proofs))
    return replace(edition, topics=topics, findings=tuple(findings))


def _finding(name: str, good: str, outcome: _Outcome) -> Finding:
    repaired = _("Repaired: %(what)s.") % {"what": "; ".join(outcome.repaired)} if outcome.repaired else ""
    told = f"{'; '.join(outcome.told).capitalize()}." if outcome.told else ""
    text = " ".join(filter(None, (repaired, told))) or good
    return Finding(name, is_good=not outcome.told, text=text, was_repaired=bool(outcome.repaired))


def _attribution(topics: Sequence[Topic], proofs: Proofs, edition: Edition) -> _Outcome:
    """Every article has the name of its source and an address; what has none cannot be shown as somebody's."""
    kept, repaired = [], []
    for topic in topics:
        related = tuple(each for each in topic.related if _is_attributed(each.source, each.url))
        lead = topic.lead
        if not _is_attributed(lead.source, lead.url):
            if not related:
                repaired.append(
                    _("“%(title)s” has no address or source and was left out") % {"title": _short(lead.title)}
                )
                continue
            told = _("“%(title)s” has no address or source and does not lead its topic")
            repaired.append(told % {"title": _short(lead.title)})
            lead, related = related[0], related[1:]
            topic = replace(topic, lead=lead, summary="", summary_by=None)
        elif len(related) < len(topic.related):
            repaired.append(_n_unattributed(len(topic.related) - len(related)))
        kept.append(replace(topic, related=related))
    return _Outcome(tuple(kept), tuple(repaired))


def _n_unattributed(n: int) -> str:
    return ngettext(
        "%(n)s related articles without address or source left out",
        "%(n)s related articles without address or source left out",
        n,
    ) % {"n": n}


def _is_attributed(source: str, url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return bool(source.strip()) and parts.scheme in ("http", "https") and bool(parts.netloc)


def _once(topics: Sequence[Topic], proofs: Proofs, edition: Edition) -> _Outcome:
    """No article stands in two places."""
    seen: set[int] = set()
    kept, n_doubles = [], 0
    for topic in topics:
        own = [each for each in topic.entries if each.article_id is None or each.article_id not in seen]
        unique = list({each.article_id or -place: each for place, each in enumerate(own, start=1)}.values())
        n_doubles += len(topic.entries) - len(unique)
        if not unique or unique[0] is not topic.lead:
            continue
        seen.update(each.article_id for each in unique if each.article_id is not None)
        kept.append(replace(topic, related=tuple(unique[1:])))
    removed = ngettext("%(n)s doubled article removed", "%(n)s doubled articles removed", n_doubles)
    return _Outcome(tuple(kept), (removed % {"n": n_doubles},) if n_doubles else ())


def _sections(topics: Sequence[Topic], proofs: Proofs, edition: Edition) -> _Outcome:
    """Each topic stands in the section of its best article, and in the order of these."""
    kept, repaired = [], []
    for topic in topics:
        proof = proofs.get(topic.lead.article_id)
        importance = topic.importance if proof is None else proof.importance
        section = section_of(importance)
        if section is None:
            told = _("“%(topic)s” is worth too little (%(importance)s) and was left out")
            repaired.append(told % {"topic": topic.label, "importance": number_format(importance, decimal_pos=1)})
            continue
        if section != topic.section or importance != topic.importance:
            repaired.append(
                _("“%(topic)s” belongs into “%(section)s”") % {"topic": topic.label, "section": section.label}
            )
        kept.append(replace(topic, section=section, importance=importance))
    ordered = sorted(kept, key=lambda topic: -topic.importance)
    if [id(each) for each in ordered] != [id(each) for each in kept]:
        repaired.append(_("topics were brought into the order of their best article"))
    return _Outcome(tuple(ordered), tuple(repaired))


def _sizes(topics: Sequence[Topic], proofs: Proofs, edition: Edition) -> _Outcome:
    """No section is longer than its kind allows."""
    most = _most(RULES[edition.kind].sizes)
    counts: Counter[SectionName] = Counter()
    kept = []
    for topic in topics:
        counts[topic.section] += 1
        if counts[topic.section] <= most[topic.section]:
            kept.append(topic)
    n_cut = len(topics) - len(kept)
    told = ngettext("%(n)s topics too many were cut", "%(n)s topics too many were cut", n_cut)
    return _Outcome(tuple(kept), (told % {"n": n_cut},) if n_cut else ())


def _most(sizes: Sizes) -> dict[SectionName, int]:
    return {SectionName.TOP: sizes.top, SectionName.NOTEWORTHY: sizes.noteworthy, SectionName.ALSO: sizes.also}


def _labels(topics: Sequence[Topic], proofs: Proofs, edition: Edition) -> _Outcome:
    """Every topic has a label, and no two the same; a title stands in for what is missing."""
    taken: set[str] = set()
    kept, repaired = [], []
    for topic in topics:
        label = topic.label.strip()
        if not label or label.casefold() in taken:
            label = _new_label(topic, taken)
            told = {"before": topic.label or _("a topic without label"), "label": label}
            repaired.append(_("“%(before)s” is called “%(label)s” now") % told)
        taken.add(label.casefold())
        kept.append(replace(topic, label=label))
    return _Outcome(tuple(kept), tuple(repaired))


def _new_label(topic: Topic, taken: set[str]) -> str:
    title = _short(topic.lead.title) or topic.lead.source
    candidates = (title, *(f"{title} ({number})" for number in range(2, len(taken) + 3)))
    return next(each for each in candidates if each.casefold() not in taken)


def _trends(topics: Sequence[Topic], proofs: Proofs, edition: Edition) -> _Outcome:
    """Trends found anew are the same."""
    kept, repaired = [], []
    for topic in topics:
        proof = proofs.get(topic.lead.article_id)
        if proof is not None and proof.trend != topic.trend:
            trend = proof.trend.label.lower() if proof.trend else _("neither up nor down")
            repaired.append(_("“%(topic)s” is %(trend)s") % {"topic": topic.label, "trend": trend})
            topic = replace(topic, trend=proof.trend)
        kept.append(topic)
    return _Outcome(tuple(kept), tuple(repaired))


def _summaries(topics: Sequence[Topic], edition: Edition, count_words: Callable[[str, str], int]) -> Finding:
    """Summaries of top stories are within the limits. A short text cannot fill one, so this reports only."""
    words = RULES[edition.kind].words
    counts = [count_words(each.summary, each.lead.language) for each in topics if each.summary_by is not None]
    n_long, n_short = sum(n > words.most for n in counts), sum(n < words.least for n in counts)
    n_none = sum(topic.section is SectionName.TOP and topic.summary_by is None for topic in topics)
    found = (
        (n_long, ngettext("%(n)s is longer", "%(n)s are longer", n_long)),
        (
            n_short,
            ngettext(
                "%(n)s is shorter, for their texts have no more",
                "%(n)s are shorter, for their texts have no more",
                n_short,
            ),
        ),
        (
            n_none,
            ngettext(
                "%(n)s is missing, for their texts have none", "%(n)s are missing, for their texts have none", n_none
            ),
        ),
    )
    told = {"least": words.least, "most": words.most, "n": len(counts)}
    if not (wrong := [what % {"n": n} for n, what in found if n]):
        good = ngettext(
            "All %(n)s are between %(least)s and %(most)s words.",
            "All %(n)s are between %(least)s and %(most)s words.",
            len(counts),
        )
        return Finding(_("Summaries"), is_good=True, text=good % told if counts else _("There are none."))
    text = _("Not all are between %(least)s and %(most)s words: %(wrong)s.") % {**told, "wrong": ", ".join(wrong)}
    return Finding(_("Summaries"), is_good=not n_long, text=text)


def _sources(topics: Sequence[Topic], proofs: Proofs) -> Finding:
    """What carried an unverified source to the top, if one is there (SPEC §8)."""
    scored = [
        Scored(topic.lead.article_id or 0, topic.lead.title, proof.tier, proof.parts)
        for topic in topics
        if (proof := proofs.get(topic.lead.article_id)) is not None
    ]
    anomaly = check_top(scored)
    text = _("The highest score is not an unverified source's.") if anomaly is None else anomaly.sentence
    return Finding(_("Top source"), is_good=anomaly is None, text=text)


def _short(title: str) -> str:
    return shorten(" ".join(title.split()), _LABEL_LENGTH)


_CHECKS = (
    (gettext_lazy("Attribution"), gettext_lazy("Every article has its source and address."), _attribution),
    (gettext_lazy("Once"), gettext_lazy("No article stands twice."), _once),
    (gettext_lazy("Sections"), gettext_lazy("Every topic stands where its score says."), _sections),
    (gettext_lazy("Sizes"), gettext_lazy("No section is longer than it may be."), _sizes),
    (gettext_lazy("Labels"), gettext_lazy("Every topic has a label of its own."), _labels),
    (gettext_lazy("Trends"), gettext_lazy("Found again, they are the same."), _trends),
)
