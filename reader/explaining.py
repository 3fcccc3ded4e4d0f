"""Why an article scores what it scores, for one person: parts, weights, evidence in words.

Numbers are those of the database, and the sentences are made of the facts that these were worked out from, which are
kept beside them: an explanation cannot disagree with the list it stands under. What carried relevance is worked out
anew from what was learned and what the article says, in pure Python, as the workers do it in numpy for all articles.
What was read, or is old, is not rated anew at every change: what would come of it by now is said.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from math import fsum, isfinite
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from feeds.models import Article, Disposition, Link
from reader.backgrounds import background
from reader.learning.background import idf_of
from reader.learning.features import index_of
from reader.learning.linear import contributions as by_model
from reader.learning.linear import percentage, term_values
from reader.learning.profile import Part
from reader.learning.profile import contributions as by_profile
from reader.lifting import rules_lifting
from reader.models import Assessment, Confidence, Delivery, Features, Judge, Rule, SensitivityLabel
from reader.rates import rates_of
from reader.ratings import Rates, Rating, rating_of
from reader.reading_of import marks_of_article, terms_of
from reader.scoring.decay import NAMES, class_name, half_life_days, lasting
from reader.scoring.depth import DepthFacts
from reader.scoring.importance import NEUTRAL_RELEVANCE, WEIGHTS, part_name
from reader.scoring.lift import MOST_LIFT, lifted
from reader.scoring.recency import hours_between
from reader.scoring.sentences import (
    authority_sentence,
    corroboration_sentence,
    depth_sentence,
    recency_sentence,
    relevance_sentence,
)
from reader.tastes import Taste, taste_of

MEANING = gettext_lazy("its meaning as a whole")
UNKNOWN = gettext_lazy("what is not known yet")
BOUND = gettext_lazy("the bound at 0")
_NO_TERMS = (MEANING, UNKNOWN, BOUND)
TERMS_SHOWN = 10  # of what carried relevance
NAMED = 3  # of them in the sentence
LEAST_DIFFERENCE = 0.5  # points of relevance, between what lists show and what is known now
LEAST_SHARE = 0.05  # points, or hundredths of a logit, below which nothing is told


@dataclass(frozen=True, slots=True)
class PartExplained:
    """One of the five parts: `points` of 100, what it weighs, what it adds to the importance, and why."""

    name: str
    points: float
    weight: float
    contribution: float
    sentence: str

    @property
    def title(self) -> str:
        """Its name for people."""
        return part_name(self.name)


@dataclass(frozen=True, slots=True)
class TermShare:
    """What a term, a mark or the meaning as a whole brought: points of relevance by the profile, hundredths of a logit
    by the model; below 0 it took away."""

    term: str
    share: float


@dataclass(frozen=True, slots=True)
class RelevanceExplained:
    """`judge` is `model`, `profile` or `nobody`; `terms` strongest first."""

    value: float
    judge: str
    sentence: str
    terms: tuple[TermShare, ...]


@dataclass(frozen=True, slots=True)
class SensitivityExplained:
    """How fast it ages; `judge_words` say who said so, `is_own` that it was the person who asks."""

    score: int
    name: str
    lasting: str
    confidence: str
    judge_words: str
    explanation: str
    is_own: bool
    rate_per_day: float
    half_life_days: float

    @property
    def title(self) -> str:
        """Its name for people."""
        return class_name(self.score)

    @property
    def confidence_words(self) -> str:
        return {
            Confidence.LOW: pgettext("how sure a judge is", "low"),
            Confidence.MEDIUM: pgettext("how sure a judge is", "medium"),
            Confidence.HIGH: pgettext("how sure a judge is", "high"),
        }[Confidence(self.confidence)]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why `importance` (0–100) at `as_of`. `stands_under`: title and id of the lead whose near-duplicate this is."""

    article_id: int
    title: str
    importance: float
    points: int
    parts: tuple[PartExplained, ...]
    relevance: RelevanceExplained
    adjusted: float
    sensitivity: SensitivityExplained
    stands_under: tuple[str, int] | None
    as_of: datetime


def explain(user: User, article: Article, *, now: datetime) -> Explanation | None:
    """Why `article` scores what it scores for `user`; None before it was assessed. A fixed number of queries."""
    assessment = Assessment.objects.filter(article=article).first()
    if assessment is None:
        return None
    own = SensitivityLabel.objects.filter(user=user, article=article).first()
    delivery = Delivery.objects.filter(user=user, article=article).order_by("pk").first()
    rates = rates_of(user)
    rating = rating_of(
        assessment,
        relevance=delivery.relevance if delivery else None,
        sensitivity=own.score if own else assessment.sensitivity,
        published_at=article.published_at,
        date_uncertain=article.date_uncertain,
        now=now,
        rates=rates,
    )
    relevance = _relevance(user, article, rating.parts.relevance)
    return Explanation(
        article_id=article.pk,
        title=article.title,
        importance=rating.parts.importance,
        points=rating.points,
        parts=_parts(article, assessment, rating, relevance, rates, now),
        relevance=relevance,
        adjusted=rating.adjusted,
        sensitivity=_sensitivity(own, assessment, rates),
        stands_under=_stands_under(user, article),
        as_of=now,
    )


def as_json(explanation: Explanation) -> dict[str, Any]:
    """The explanation for programs: plain values, moments as ISO 8601."""
    found = asdict(explanation)
    under = explanation.stands_under
    if not isfinite(explanation.sensitivity.half_life_days):
        found["sensitivity"]["half_life_days"] = None  # JSON knows no infinity
    return found | {
        "as_of": explanation.as_of.isoformat(),
        "stands_under": {"title": under[0], "article_id": under[1]} if under else None,
        "weights": dict(WEIGHTS),
    }


def _parts(
    article: Article,
    assessment: Assessment,
    rating: Rating,
    relevance: RelevanceExplained,
    rates: Rates,
    now: datetime,
) -> tuple[PartExplained, ...]:
    is_own_tier = article.feed is not None and article.feed.tier == assessment.tier
    source = (article.source.name if article.source else "") or (article.feed.title if article.feed else "") or None
    age = hours_between(article.published_at, now)
    sentences = {
        "authority": authority_sentence(source, assessment.tier, assessment.health, is_own_tier),
        "recency": recency_sentence(age, rates.recency, article.date_uncertain),
        "corroboration": corroboration_sentence(assessment.n_feeds, assessment.n_tiers),
        "relevance": relevance.sentence,
        "depth": depth_sentence(DepthFacts(**assessment.depth_facts)),
    }
    added = rating.parts.contributions()
    return tuple(
        PartExplained(name, getattr(rating.parts, name), weight, added[name], sentences[name])
        for name, weight in WEIGHTS.items()
    )


def _relevance(user: User, article: Article, value: float) -> RelevanceExplained:
    """Who judged and what carried it; `value` is what lists show."""
    taste = taste_of(user)
    rules = rules_lifting(user, article)
    points = sum(rule.lift for rule in rules)
    if taste.model is None and not taste.profile.certainty:
        differs = abs(value - lifted(NEUTRAL_RELEVANCE, points)) >= LEAST_DIFFERENCE
        was = _("%(points)s of 100, as it was rated when you had a profile.")
        before = was % {"points": f"{value:.0f}"} if differs else relevance_sentence(None)
        return RelevanceExplained(value, "nobody", before + _rules_sentence(rules, None if differs else value), ())
    is_learned = taste.model is not None
    learned, terms = _carried(taste, article)
    current = value if learned is None else lifted(learned, points)
    names = [each.term for each in terms if each.share > 0 and each.term not in _NO_TERMS][:NAMED]
    is_current = abs(value - current) < LEAST_DIFFERENCE
    without = learned if rules and is_current and learned is not None else value
    sentence = relevance_sentence(without, names, is_learned=is_learned)
    sentence += _rules_sentence(rules, value if is_current else None)
    if not is_current:
        since = _("By what was learned since, it would be %(points)s.") % {"points": f"{current:.0f}"}
        sentence += f" {since}"
    return RelevanceExplained(value, "model" if is_learned else "profile", sentence, terms)


def _rules_sentence(rules: Sequence[Rule], value: float | None) -> str:
    """What the person's rules do to it, and what it is with that, if that is known; "" without rules."""
    told = []
    for rule in rules:
        words = (
            _("Your rule “%(rule)s” lifts it by %(n)d.")
            if rule.lift > 0
            else _("Your rule “%(rule)s” lowers it by %(n)d.")
        )
        told.append(words % {"rule": rule, "n": abs(rule.lift)})
    if len(rules) > 1 and abs(sum(rule.lift for rule in rules)) > MOST_LIFT:
        told.append(_("All rules together move it by %(n)d at most.") % {"n": MOST_LIFT})
    if told and value is not None:
        told.append(_("So it counts as %(n)d.") % {"n": round(value)})
    return "".join(f" {each}" for each in told)


def _carried(taste: Taste, article: Article) -> tuple[float | None, tuple[TermShare, ...]]:
    """The relevance by what is learned now, and what brought it; None and nothing where that cannot be known."""
    kept = Features.objects.filter(article=article).first()
    if kept is None:
        return None, ()
    idf = idf_of(background())
    if taste.model is None:
        named = {Part.MEANING: MEANING, Part.NEUTRAL: UNKNOWN, Part.FLOOR: BOUND}
        parts = by_profile(taste.profile, term_values(bytes(kept.terms), idf), bytes(kept.vector))
        return fsum(each.share for each in parts), _strongest(
            (str(named.get(each.part, each.term)), each.share) for each in parts
        )
    found = by_model(taste.model, bytes(kept.terms), bytes(kept.marks), bytes(kept.vector), idf)
    words = _by_number(terms_of(article))
    marks = _by_number(marks_of_article(article))
    shares = [
        *((words.get(number, ""), brought) for number, brought in found.terms.items()),
        *((_mark_words(marks.get(number, "")), brought) for number, brought in found.marks.items()),
        (str(MEANING), found.meaning),
    ]
    return percentage(found.logit), _strongest((term, 100 * brought) for term, brought in shares if term)


def _mark_words(mark: str) -> str:
    """`source:paper.example` as `source paper.example`, and `pair:sea level` as `“sea level”`; "" stays."""
    kind, __, value = mark.partition(":")
    if not value:
        return kind
    words = {
        "pair": pgettext("words that stand together", "“%(value)s”"),
        "source": pgettext("what an article has", "source %(value)s"),
        "author": pgettext("what an article has", "author %(value)s"),
        "category": pgettext("what an article has", "category %(value)s"),
        "site": pgettext("what an article has", "site %(value)s"),
    }
    return words[kind] % {"value": value}


def _by_number(names: Iterable[str]) -> Mapping[int, str]:
    return {index_of(name): name for name in names}


def _strongest(shares: Iterable[tuple[str, float]]) -> tuple[TermShare, ...]:
    found = [TermShare(term, share) for term, share in shares if abs(share) >= LEAST_SHARE]
    return tuple(sorted(found, key=lambda each: -abs(each.share))[:TERMS_SHOWN])


def _sensitivity(own: SensitivityLabel | None, assessment: Assessment, rates: Rates) -> SensitivityExplained:
    judge = Judge.PERSON if own else Judge(assessment.judge)
    score = own.score if own else assessment.sensitivity
    rate = rates.decay[score]
    return SensitivityExplained(
        score=score,
        name=NAMES[score],
        lasting=lasting(score),
        confidence=own.confidence if own else assessment.confidence,
        judge_words=pgettext("who said so", "you") if own else str(judge.label),
        explanation=own.explanation if own else assessment.explanation,
        is_own=own is not None,
        rate_per_day=rate,
        half_life_days=half_life_days(rate),
    )


def _stands_under(user: User, article: Article) -> tuple[str, int] | None:
    """The lead of the story, if the article is a near-duplicate of it and the person's feeds brought it."""
    lead = article.story.lead if article.story else None
    if lead is None or lead.pk == article.pk or not Delivery.objects.filter(user=user, article=lead).exists():
        return None
    one, other = sorted((lead.pk, article.pk))
    copies = Link.objects.filter(one=one, other=other, disposition=Disposition.NEAR_DUPLICATE)
    return (lead.title, lead.pk) if copies.exists() else None
