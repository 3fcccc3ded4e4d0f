"""Self-checks before a digest is stored: problems are repaired and recorded. Pure.

Source: SPEC §13; strategy.md step 6, SELF-CHECK. Each check returns the corrected topics and what it found. The order
of checks is such that no repair undoes an earlier one.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from digests.edition.document import Edition, Finding, SectionName, Topic, Trend, section_of
from digests.edition.kinds import RULES, Sizes
from feeds.normalizing.text import shorten
from reader.scoring.importance import Parts
from reader.scoring.self_check import Scored, check_top

_LABEL_LENGTH = 60  # characters of a title used as a label


@dataclass(frozen=True, slots=True)
class Proof:
    """What a topic is checked against, computed again: its trend, and its best article's importance, parts and tier."""

    trend: Trend | None
    importance: float
    parts: Parts
    tier: int


Proofs = Mapping[int | None, Proof]  # by the id of a topic's lead


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The corrected topics, with repairs and unrepaired problems as parts of a sentence."""

    topics: tuple[Topic, ...]
    repaired: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def check_edition(edition: Edition, proofs: Proofs, count_words: Callable[[str, str], int]) -> Edition:
    """The corrected edition with the findings of all checks; `count_words` counts a text in a language.

    Proofs are by lead; topics without one aren't checked against it.
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
    problems = f"{'; '.join(outcome.problems).capitalize()}." if outcome.problems else ""
    text = " ".join(filter(None, (repaired, problems))) or good
    return Finding(name, is_good=not outcome.problems, text=text, was_repaired=bool(outcome.repaired))


def _attribution(topics: Sequence[Topic], proofs: Proofs, edition: Edition) -> _Outcome:
    """Every article has a source and a URL."""
    checked, repaired = [], []
    for topic in topics:
        related = tuple(entry for entry in topic.related if _is_attributed(entry.source, entry.url))
        lead = topic.lead
        if not _is_attributed(lead.source, lead.url):
            if not related:
                repaired.append(_("“%(title)s” has no URL or source and was removed") % {"title": _short(lead.title)})
                continue
            message = _("“%(title)s” has no URL or source and was replaced as the lead")
            repaired.append(message % {"title": _short(lead.title)})
            lead, related = related[0], related[1:]
            topic = replace(topic, lead=lead, summary="", summary_by=None)
        elif len(related) < len(topic.related):
            repaired.append(_n_unattributed(len(topic.related) - len(related)))
        checked.append(replace(topic, related=related))
    return _Outcome(tuple(checked), tuple(repaired))


def _n_unattributed(n: int) -> str:
    return ngettext(
        "%(n)s related article without URL or source removed",
        "%(n)s related articles without URL or source removed",
        n,
    ) % {"n": n}


def _is_attributed(source: str, url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return bool(source.strip()) and parts.scheme in ("http", "https") and bool(parts.netloc)


def _once(topics: Sequence[Topic], proofs: Proofs, edition: Edition) -> _Outcome:
    """No article appears twice."""
    used_ids: set[int] = set()
    checked, n_duplicates = [], 0
    for topic in topics:
        own = [entry for entry in topic.entries if entry.article_id is None or entry.article_id not in used_ids]
        unique = list({entry.article_id or -place: entry for place, entry in enumerate(own, start=1)}.values())
        n_duplicates += len(topic.entries) - len(unique)
        if not unique or unique[0] is not topic.lead:
            continue
        used_ids.update(entry.article_id for entry in unique if entry.article_id is not None)
        checked.append(replace(topic, related=tuple(unique[1:])))
    removed = ngettext("%(n)s duplicate article removed", "%(n)s duplicate articles removed", n_duplicates)
    return _Outcome(tuple(checked), (removed % {"n": n_duplicates},) if n_duplicates else ())


def _sections(topics: Sequence[Topic], proofs: Proofs, edition: Edition) -> _Outcome:
    """Each topic is in the section of its best article, in their order."""
    checked, repaired = [], []
    for topic in topics:
        proof = proofs.get(topic.lead.article_id)
        importance = topic.importance if proof is None else proof.importance
        section = section_of(importance)
        if section is None:
            message = _("“%(topic)s” scores too low (%(importance)s) and was removed")
            repaired.append(message % {"topic": topic.label, "importance": number_format(importance, decimal_pos=1)})
            continue
        if section != topic.section or importance != topic.importance:
            repaired.append(
                _("“%(topic)s” was moved to “%(section)s”") % {"topic": topic.label, "section": section.label}
            )
        checked.append(replace(topic, section=section, importance=importance))
    ordered = sorted(checked, key=lambda topic: -topic.importance)
    if [id(topic) for topic in ordered] != [id(topic) for topic in checked]:
        repaired.append(_("topics were sorted by their best article"))
    return _Outcome(tuple(ordered), tuple(repaired))


def _sizes(topics: Sequence[Topic], proofs: Proofs, edition: Edition) -> _Outcome:
    """No section exceeds its size."""
    most = _most(RULES[edition.kind].sizes)
    counts: Counter[SectionName] = Counter()
    checked = []
    for topic in topics:
        counts[topic.section] += 1
        if counts[topic.section] <= most[topic.section]:
            checked.append(topic)
    n_cut = len(topics) - len(checked)
    message = ngettext("%(n)s excess topic was removed", "%(n)s excess topics were removed", n_cut)
    return _Outcome(tuple(checked), (message % {"n": n_cut},) if n_cut else ())


def _most(sizes: Sizes) -> dict[SectionName, int]:
    return {SectionName.TOP: sizes.top, SectionName.NOTEWORTHY: sizes.noteworthy, SectionName.ALSO: sizes.also}


def _labels(topics: Sequence[Topic], proofs: Proofs, edition: Edition) -> _Outcome:
    """Every topic has a unique label; titles replace missing and duplicate ones."""
    used_labels: set[str] = set()
    checked, repaired = [], []
    for topic in topics:
        label = topic.label.strip()
        if not label or label.casefold() in used_labels:
            label = _new_label(topic, used_labels)
            message = {"before": topic.label or _("a topic without a label"), "label": label}
            repaired.append(_("“%(before)s” was relabeled “%(label)s”") % message)
        used_labels.add(label.casefold())
        checked.append(replace(topic, label=label))
    return _Outcome(tuple(checked), tuple(repaired))


def _new_label(topic: Topic, used_labels: set[str]) -> str:
    title = _short(topic.lead.title) or topic.lead.source
    candidates = (title, *(f"{title} ({number})" for number in range(2, len(used_labels) + 3)))
    return next(candidate for candidate in candidates if candidate.casefold() not in used_labels)


def _trends(topics: Sequence[Topic], proofs: Proofs, edition: Edition) -> _Outcome:
    """Trends are equal when computed again."""
    checked, repaired = [], []
    for topic in topics:
        proof = proofs.get(topic.lead.article_id)
        if proof is not None and proof.trend != topic.trend:
            trend = proof.trend.label.lower() if proof.trend else _("without a trend")
            repaired.append(_("“%(topic)s” is %(trend)s") % {"topic": topic.label, "trend": trend})
            topic = replace(topic, trend=proof.trend)
        checked.append(topic)
    return _Outcome(tuple(checked), tuple(repaired))


def _summaries(topics: Sequence[Topic], edition: Edition, count_words: Callable[[str, str], int]) -> Finding:
    """Summaries of top stories are within the limits. Nothing to repair: short texts give short summaries."""
    words = RULES[edition.kind].words
    counts = [count_words(topic.summary, topic.lead.language) for topic in topics if topic.summary_by is not None]
    n_long, n_short = sum(n > words.most for n in counts), sum(n < words.least for n in counts)
    n_none = sum(topic.section is SectionName.TOP and topic.summary_by is None for topic in topics)
    counted = (
        (n_long, ngettext("%(n)s is longer", "%(n)s are longer", n_long)),
        (
            n_short,
            ngettext(
                "%(n)s is shorter because its text is short",
                "%(n)s are shorter because their texts are short",
                n_short,
            ),
        ),
        (
            n_none,
            ngettext(
                "%(n)s is missing because its text has no sentences",
                "%(n)s are missing because their texts have no sentences",
                n_none,
            ),
        ),
    )
    message = {"least": words.least, "most": words.most, "n": len(counts)}
    if not (wrong := [what % {"n": n} for n, what in counted if n]):
        good = ngettext(
            "The only summary is between %(least)s and %(most)s words.",
            "All %(n)s are between %(least)s and %(most)s words.",
            len(counts),
        )
        return Finding(_("Summaries"), is_good=True, text=good % message if counts else _("There are no summaries."))
    text = _("Not all are between %(least)s and %(most)s words: %(wrong)s.") % {**message, "wrong": ", ".join(wrong)}
    return Finding(_("Summaries"), is_good=not n_long, text=text)


def _sources(topics: Sequence[Topic], proofs: Proofs) -> Finding:
    """Why an unverified source has the highest score, if one has (SPEC §8)."""
    scored = [
        Scored(topic.lead.article_id or 0, topic.lead.title, proof.tier, proof.parts)
        for topic in topics
        if (proof := proofs.get(topic.lead.article_id)) is not None
    ]
    anomaly = check_top(scored)
    text = _("The highest score isn't from an unverified source.") if anomaly is None else anomaly.sentence
    return Finding(_("Top source"), is_good=anomaly is None, text=text)


def _short(title: str) -> str:
    return shorten(" ".join(title.split()), _LABEL_LENGTH)


_CHECKS = (
    (gettext_lazy("Attribution"), gettext_lazy("Every article has a source and a URL."), _attribution),
    (gettext_lazy("Duplicates"), gettext_lazy("No article appears twice."), _once),
    (gettext_lazy("Sections"), gettext_lazy("Every topic is in the section of its score."), _sections),
    (gettext_lazy("Sizes"), gettext_lazy("No section is too long."), _sizes),
    (gettext_lazy("Labels"), gettext_lazy("Every topic has a unique label."), _labels),
    (gettext_lazy("Trends"), gettext_lazy("Trends are consistent."), _trends),
)
