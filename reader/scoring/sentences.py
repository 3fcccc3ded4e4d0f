"""One sentence of evidence for each of the five parts of an importance, for the person who asks "Why 78?" (SPEC §8)."""

import math
from collections.abc import Sequence

from .authority import TIER_POINTS
from .corroboration import DIVERSITY_BONUS, FEEDS_FOR_MOST, MOST, TIERS_FOR_BONUS
from .depth import MOST_PARTIAL, DepthFacts
from .importance import NEUTRAL_RELEVANCE
from .recency import UNCERTAIN_FACTOR

_TIERS = {
    1: "a wire service or official source",
    2: "a major established outlet",
    3: "a respected niche or industry source",
    4: "a community or expert blog",
    5: "an unverified source",
}
_HOURS_AS_DAYS = 48  # from here on spans are told in days


def authority_sentence(source_name: str | None, tier: int, health: float, is_feed_tier: bool = False) -> str:
    """`BBC News is a major established outlet (T2, 80 points); 97 % of its polls in 30 days succeeded.`

    `is_feed_tier`: the tier was set for the feed, not for its source. A source without a name is "the source".
    """
    details = f"T{tier}, {TIER_POINTS[tier]} points{', set for this feed' if is_feed_tier else ''}"
    share = f"{_share_of_polls(health)} of its polls in 30 days succeeded"
    return f"{source_name or 'The source'} is {_TIERS[tier]} ({details}); {share}."


def recency_sentence(age_hours: float, rate: float, is_uncertain: bool = False) -> str:
    """`Published 6 hours ago; half is lost every 23 hours.`; `rate` as `recency` takes it."""
    loss = f"half is lost every {_span(math.log(2) / rate)}" if rate else "nothing is lost with age"
    if is_uncertain:
        loss += f", and the date is uncertain, so {1 - UNCERTAIN_FACTOR:.0%} less".replace("%", " %")
    return f"{_published(age_hours)}; {loss}."


def corroboration_sentence(n_feeds: int, n_tiers: int) -> str:
    """`3 feeds tell this story, of 3 tiers, which adds 10 points.`"""
    if n_feeds <= 1:
        return "Only one feed tells this story." if n_feeds else "No feed tells this story."
    if n_feeds >= FEEDS_FOR_MOST:
        return f"{n_feeds} feeds tell this story; {FEEDS_FOR_MOST} are enough for all {MOST} points."
    diversity = f", of {n_tiers} tiers, which adds {DIVERSITY_BONUS} points" if n_tiers >= TIERS_FOR_BONUS else ""
    return f"{n_feeds} feeds tell this story{diversity}."


def relevance_sentence(relevance: float | None, terms: Sequence[str] = (), *, is_learned: bool = False) -> str:
    """`72 of 100 by your interests: vaccines, malaria and Geneva.`

    `relevance` in [0, 100], None for a person without a profile; `terms` that the article and the profile share, the
    weightiest first. `is_learned`: the model learnt from what was opened said so, not the profile.
    """
    if relevance is None:
        return f"You have no profile yet, so it counts as neutral, {NEUTRAL_RELEVANCE:.0f} of 100."
    judge = "what you opened and skipped" if is_learned else "your interests"
    if terms:
        return f"{relevance:.0f} of 100 by {judge}: {joined(terms)}."
    return f"{relevance:.0f} of 100 by {judge}."


def depth_sentence(facts: DepthFacts) -> str:
    """`1,240 words with figures, a table and links to 3 other sites.`"""
    if facts.is_partial:
        return f"Only the beginning is in the feed, so at most {MOST_PARTIAL}."
    found = [
        "figures" if facts.has_data else "",
        "a table" if facts.has_table else "",
        f"a list of {facts.longest_list} items" if facts.has_list else "",
        f"links to {_counted(facts.n_references, 'other site')}" if facts.n_references else "",
    ]
    told = joined([each for each in found if each])
    words = _counted(facts.n_words, "word") if facts.n_words else "No words"
    return f"{words} with {told}." if told else f"{words}, without figures, tables, lists and links to other sites."


def _share_of_polls(health: float) -> str:
    """The share in per cent; "all" and "none" only where it is so."""
    if health >= 1:
        return "all"
    if health <= 0:
        return "none"
    percent = math.floor(100 * health + 1e-9)
    return f"{percent} %" if percent else "under 1 %"


def _published(age_hours: float) -> str:
    if age_hours < 0:
        return "Dated ahead, so it counts as new"
    if age_hours * 60 < 1:
        return "Published just now"
    return f"Published {_span(age_hours)} ago"


def _span(hours: float) -> str:
    """A span of time in the unit that suits it, rounded: minutes, hours, from 48 hours on days."""
    if round(hours * 60) < 60:
        return _counted(round(hours * 60), "minute")
    if round(hours) < _HOURS_AS_DAYS:
        return _counted(round(hours), "hour")
    return _counted(round(hours / 24), "day")


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def joined(parts: Sequence[str]) -> str:
    """`one`, `one and two`, `one, two and three`; "" for none."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
