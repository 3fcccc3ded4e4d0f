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

from digests.edition.document import Edition, Entry, Finding, SectionName, Topic, Trend, section_of
from digests.edition.kinds import RULES, Sizes
from feeds.normalizing.text import shorten
from feeds.wording import join_list
from reader.scoring.importance import Parts
from reader.scoring.self_check import Scored, check_top

_WITH_TREND = {
    Trend.EMERGING: gettext_lazy("“%(topic)s” is emerging"),
    Trend.TRENDING: gettext_lazy("“%(topic)s” is trending"),
    Trend.FADING: gettext_lazy("“%(topic)s” is fading"),
    None: gettext_lazy("“%(topic)s” has no trend"),
}
_SECTIONS = list(SectionName)
_LABEL_LENGTH = 60  # characters of a title used as a label


@dataclass(frozen=True, slots=True)
class Score:
    """The parts of an article's importance, and the tier of its source."""

    parts: Parts
    tier: int


@dataclass(frozen=True, slots=True)
class Proof:
    """What a topic is checked against, computed again: its trend, and the scores of its articles by id."""

    trend: Trend | None
    scores: Mapping[int, Score]

    def best(self, topic: Topic) -> tuple[Entry, Score] | None:
        """The most important article that the topic lists, copies last; None if no score is known."""
        scored = [
            (entry, self.scores[entry.article_id])
            for entry in topic.entries
            if entry.article_id is not None and entry.article_id in self.scores
        ]
        return max(scored, key=lambda pair: (not pair[0].is_copy, pair[1].parts.importance), default=None)

    def importance(self, topic: Topic) -> float | None:
        """The importance of the topic by the articles that it lists, without copies; None if not all are known."""
        if topic.n_unlisted:
            return None
        listed = [entry for entry in topic.entries if not entry.is_copy] or list(topic.entries)
        parts = [
            self.scores[pk].parts for entry in listed if (pk := entry.article_id) is not None and pk in self.scores
        ]
        return Parts.of_story(parts).importance if parts else None


@dataclass(frozen=True, slots=True)
class Checked:
    """A topic with its proof, which stays with it whatever article leads it; None: it isn't checked against one."""

    topic: Topic
    proof: Proof | None = None

    def best(self) -> tuple[Entry, Score] | None:
        return self.proof.best(self.topic) if self.proof else None


Rewrite = Callable[[Topic], Topic]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The corrected topics, with the repairs as parts of a sentence."""

    topics: tuple[Checked, ...]
    repaired: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Context:
    """What checks need besides topics: the sizes of sections, and how a topic that lost articles is rewritten."""

    sizes: Sizes
    rewrite: Rewrite


def check_edition(
    edition: Edition, proofs: Sequence[Proof | None], count_words: Callable[[str, str], int], rewrite: Rewrite
) -> Edition:
    """The corrected edition with the findings of all checks.

    `proofs` are in the order of the topics; `count_words` counts a text in a language; `rewrite` writes the summary and
    the sources of a topic again that lost its lead or other articles.
    """
    findings = []
    context = _Context(RULES[edition.kind].sizes, rewrite)
    checked: tuple[Checked, ...] = tuple(map(Checked, edition.topics, proofs))
    for name, good, check in _CHECKS:
        outcome = check(checked, context)
        checked = outcome.topics
        findings.append(_finding(str(name), str(good), outcome))
    topics = tuple(each.topic for each in checked)
    findings.append(_summaries(topics, edition, count_words))
    findings.append(_sources(checked))
    return replace(edition, topics=topics, findings=tuple(findings))


def _finding(name: str, good: str, outcome: _Outcome) -> Finding:
    text = _("Repaired: %(what)s.") % {"what": join_list(outcome.repaired)} if outcome.repaired else good
    return Finding(name, is_good=True, text=text, was_repaired=bool(outcome.repaired))


def _attribution(given: Sequence[Checked], context: _Context) -> _Outcome:
    """Every article has a source and a URL."""
    checked, repaired = [], []
    for each in given:
        topic = each.topic
        related = tuple(entry for entry in topic.related if _is_attributed(entry.source, entry.url))
        lead = topic.lead
        if not _is_attributed(lead.source, lead.url):
            if not related:
                repaired.append(_("“%(title)s” has no URL or source and was removed") % {"title": _short(lead.title)})
                continue
            message = _("“%(title)s” has no URL or source and was replaced as the lead")
            repaired.append(message % {"title": _short(lead.title)})
            lead, related = related[0], related[1:]
        elif len(related) < len(topic.related):
            repaired.append(_n_unattributed(len(topic.related) - len(related)))
        checked.append(_with_entries(each, lead, related, context))
    return _Outcome(tuple(checked), tuple(repaired))


def _with_entries(checked: Checked, lead: Entry, related: tuple[Entry, ...], context: _Context) -> Checked:
    """The topic with these articles, rewritten if they aren't the same as before."""
    topic = checked.topic
    if (lead, related) == (topic.lead, topic.related):
        return checked
    return replace(checked, topic=context.rewrite(replace(topic, lead=lead, related=related)))


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


def _once(given: Sequence[Checked], context: _Context) -> _Outcome:
    """No article appears twice."""
    used_ids: set[int] = set()
    checked, n_duplicates = [], 0
    for each in given:
        topic = each.topic
        own = [entry for entry in topic.entries if entry.article_id is None or entry.article_id not in used_ids]
        unique = list({entry.article_id or -place: entry for place, entry in enumerate(own, start=1)}.values())
        n_duplicates += len(topic.entries) - len(unique)
        if not unique or unique[0] is not topic.lead:
            continue
        used_ids.update(entry.article_id for entry in unique if entry.article_id is not None)
        checked.append(_with_entries(each, topic.lead, tuple(unique[1:]), context))
    removed = ngettext("%(n)s duplicate article removed", "%(n)s duplicate articles removed", n_duplicates)
    return _Outcome(tuple(checked), (removed % {"n": n_duplicates},) if n_duplicates else ())


def _sections(given: Sequence[Checked], context: _Context) -> _Outcome:
    """Each topic is in the section of its best article, in the order of the sections."""
    checked, repaired = [], []
    for each in given:
        topic = each.topic
        known = each.proof.importance(topic) if each.proof else None
        importance = topic.importance if known is None else known
        section = section_of(importance)
        if section is None:
            message = _("“%(topic)s” scores too low (%(importance)s) and was removed")
            repaired.append(message % {"topic": topic.label, "importance": number_format(importance, decimal_pos=1)})
            continue
        if section != topic.section or importance != topic.importance:
            repaired.append(
                _("“%(topic)s” was moved to “%(section)s”") % {"topic": topic.label, "section": section.label}
            )
        checked.append(replace(each, topic=replace(topic, section=section, importance=importance)))
    ordered = sorted(checked, key=lambda each: _SECTIONS.index(each.topic.section))
    if [id(each) for each in ordered] != [id(each) for each in checked]:
        repaired.append(_("topics were sorted by their best article"))
    return _Outcome(tuple(ordered), tuple(repaired))


def _sizes(given: Sequence[Checked], context: _Context) -> _Outcome:
    """No section exceeds its size; a topic with only a line is in none."""
    most = _most(context.sizes)
    counts: Counter[SectionName] = Counter()
    checked = []
    for each in given:
        counts[each.topic.section] += not each.topic.is_unchanged
        if each.topic.is_unchanged or counts[each.topic.section] <= most[each.topic.section]:
            checked.append(each)
    n_cut = len(given) - len(checked)
    message = ngettext("%(n)s excess topic was removed", "%(n)s excess topics were removed", n_cut)
    return _Outcome(tuple(checked), (message % {"n": n_cut},) if n_cut else ())


def _most(sizes: Sizes) -> dict[SectionName, int]:
    return {SectionName.TOP: sizes.top, SectionName.NOTEWORTHY: sizes.noteworthy, SectionName.ALSO: sizes.also}


def _labels(given: Sequence[Checked], context: _Context) -> _Outcome:
    """Every topic has a unique label; titles replace missing and duplicate ones."""
    used_labels: set[str] = set()
    checked, repaired = [], []
    for each in given:
        topic = each.topic
        label = topic.label.strip()
        if not label or label.casefold() in used_labels:
            label = _new_label(topic, used_labels)
            message = {"before": topic.label or _("a topic without a label"), "label": label}
            repaired.append(_("“%(before)s” was relabeled “%(label)s”") % message)
        used_labels.add(label.casefold())
        checked.append(replace(each, topic=replace(topic, label=label)))
    return _Outcome(tuple(checked), tuple(repaired))


def _new_label(topic: Topic, used_labels: set[str]) -> str:
    title = _short(topic.lead.title) or topic.lead.source
    candidates = (title, *(f"{title} ({number})" for number in range(2, len(used_labels) + 3)))
    return next(candidate for candidate in candidates if candidate.casefold() not in used_labels)


def _trends(given: Sequence[Checked], context: _Context) -> _Outcome:
    """Trends are equal when computed again."""
    checked, repaired = [], []
    for each in given:
        topic, proof = each.topic, each.proof
        if proof is not None and proof.trend != topic.trend:
            repaired.append(str(_WITH_TREND[proof.trend]) % {"topic": topic.label})
            topic = replace(topic, trend=proof.trend)
        checked.append(replace(each, topic=topic))
    return _Outcome(tuple(checked), tuple(repaired))


def _summaries(topics: Sequence[Topic], edition: Edition, count_words: Callable[[str, str], int]) -> Finding:
    """Summaries of top stories are within the limits. Nothing to repair: short texts give short summaries."""
    words = RULES[edition.kind].words
    counts = [count_words(topic.summary, topic.lead.language) for topic in topics if topic.summary_by is not None]
    n_long, n_short = sum(n > words.most for n in counts), sum(n < words.least for n in counts)
    news = [topic for topic in topics if not topic.is_unchanged]
    n_none = sum(topic.section is SectionName.TOP and topic.summary_by is None for topic in news)
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
    text = _("Not all are between %(least)s and %(most)s words: %(wrong)s.") % {**message, "wrong": join_list(wrong)}
    return Finding(_("Summaries"), is_good=not n_long, text=text)


def _sources(checked: Sequence[Checked]) -> Finding:
    """Why an unverified source has the highest score, if one has (SPEC §8): of each topic the best article counts."""
    scored = [
        Scored(entry.article_id or 0, entry.title, score.tier, score.parts)
        for each in checked
        if (best := each.best()) is not None
        for entry, score in [best]
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
