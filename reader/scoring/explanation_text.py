"""A sentence of evidence for each of the five parts of importance (SPEC §8)."""

import math
from collections.abc import Mapping, Sequence

from feeds.wording import format_number, join_list, ngettext, pgettext
from feeds.wording import gettext as _
from reader.scoring.depth import MAX_PARTIAL, OF_EXCERPTS, DepthFeatures
from reader.scoring.importance import (
    DIVERSITY_BONUS,
    MAX_CORROBORATION,
    NEUTRAL_RELEVANCE,
    PUBLISHERS_FOR_MAX,
    TIER_POINTS,
    TIERS_FOR_BONUS,
    UNCERTAIN_FACTOR,
    WEIGHTS,
)

AVERAGE = 50.0  # points of a part that speak neither for an article nor against it
HIGH, LOW = 3, 1  # dots
_DAYS_FROM_HOURS = 48


def summary_sentence(strength: int, points: Mapping[str, float], n_publishers: int, terms: Sequence[str] = ()) -> str:
    """`High importance: 3 publishers report it, and it matches your interest in ports.`

    `strength`: 1 to 3 dots; `points`: of 100, by part, in the order of their weight. The two parts that are furthest
    from average decide, those that agree with the strength; for a medium one, the best and the worst.
    """
    distances = {part: (value - AVERAGE) * WEIGHTS[part] for part, value in points.items()}
    best = sorted((part for part in distances if distances[part] > 0), key=lambda part: -distances[part])
    worst = sorted((part for part in distances if distances[part] < 0), key=lambda part: distances[part])
    good = [_good_reason(part, n_publishers, terms) for part in best]
    bad = [_bad_reason(part, n_publishers) for part in worst]
    if strength == HIGH:
        return _("High importance: %(reasons)s.") % {"reasons": join_list(good[:2])}
    if strength == LOW:
        return _("Low importance: %(reasons)s.") % {"reasons": join_list(bad[:2])}
    if good and bad:
        return _("Medium importance: %(good)s, but %(bad)s.") % {"good": good[0], "bad": bad[0]}
    return _("Medium importance: %(reasons)s.") % {"reasons": join_list((good or bad)[:2])}


def _good_reason(part: str, n_publishers: int, terms: Sequence[str]) -> str:
    if part == "corroboration":
        text = ngettext("%(n)s publisher reports it", "%(n)s publishers report it", n_publishers)
        return text % {"n": n_publishers}
    if part == "relevance" and terms:
        return _("it matches your interest in %(terms)s") % {"terms": join_list(terms)}
    return {
        "authority": _("its source is well established"),
        "recency": _("it is new"),
        "relevance": _("it is like what you read"),
        "depth": _("it goes into detail"),
    }[part]


def _bad_reason(part: str, n_publishers: int) -> str:
    if part == "corroboration" and n_publishers <= 1:
        return _("only one publisher reports it")
    return {
        "authority": _("its source is little known"),
        "recency": _("it isn't new"),
        "corroboration": _("few publishers report it"),
        "relevance": _("it is unlike what you read"),
        "depth": _("it is short on detail"),
    }[part]


def authority_sentence(source_name: str | None, tier: int, health: float, is_feed_tier: bool = False) -> str:
    """`BBC News is a major established outlet (80 points); 97% of its polls in 30 days succeeded.`

    `is_feed_tier`: the tier was set for the feed, not for its source. Without a name, "the source".
    """
    points = TIER_POINTS[tier]
    details = (
        ngettext("%(n)s point, set for this feed", "%(n)s points, set for this feed", points)
        if is_feed_tier
        else ngettext("%(n)s point", "%(n)s points", points)
    )
    values = {
        "source": source_name or pgettext("begins a sentence in place of a name", "The source"),
        "kind": _kind_of_source(tier),
        "details": details % {"n": points},
        "share": _share_of_polls(health),
    }
    return _("%(source)s is %(kind)s (%(details)s); %(share)s.") % values


def recency_sentence(age_hours: float, rate: float, is_uncertain: bool = False) -> str:
    """`Published 6 hours ago; recency halves every 23 hours.`; `rate` as `recency` takes it."""
    values = {"published": _published(age_hours), "loss": _loss(rate), "percent": round(100 * (1 - UNCERTAIN_FACTOR))}
    if is_uncertain:
        return _("%(published)s; %(loss)s. The date is uncertain, which costs %(percent)s%%.") % values
    return _("%(published)s; %(loss)s.") % values


def corroboration_sentence(n_publishers: int, n_tiers: int) -> str:
    """`3 publishers report this story, from 3 tiers, which adds 10 points.`"""
    if not n_publishers:
        return _("No publisher reports this story.")
    if n_publishers == 1:
        return _("Only one publisher reports this story.")
    values = {
        "n": n_publishers,
        "enough": PUBLISHERS_FOR_MAX,
        "most": MAX_CORROBORATION,
        "tiers": n_tiers,
        "bonus": DIVERSITY_BONUS,
    }
    if n_publishers >= PUBLISHERS_FOR_MAX:
        sentence = ngettext(
            "%(n)s publisher reports this story; %(enough)s are enough for all %(most)s points.",
            "%(n)s publishers report this story; %(enough)s are enough for all %(most)s points.",
            n_publishers,
        )
    elif n_tiers >= TIERS_FOR_BONUS:
        sentence = ngettext(
            "%(n)s publisher reports this story, from %(tiers)s tiers, which adds %(bonus)s points.",
            "%(n)s publishers report this story, from %(tiers)s tiers, which adds %(bonus)s points.",
            n_publishers,
        )
    else:
        sentence = ngettext("%(n)s publisher reports this story.", "%(n)s publishers report this story.", n_publishers)
    return sentence % values


def relevance_sentence(relevance: float | None, terms: Sequence[str] = (), *, is_learned: bool = False) -> str:
    """`72 of 100 based on your interests: vaccines, malaria and Geneva.`

    `relevance` in [0, 100], None for a user without a profile; `terms` shared by the article and the profile, strongest
    first. `is_learned`: predicted by the model, not the profile.
    """
    if relevance is None:
        neutral = {"points": f"{NEUTRAL_RELEVANCE:.0f}"}
        return _("We don't know your interests yet, so this is neutral: %(points)s of 100.") % neutral
    values = {"points": f"{relevance:.0f}", "terms": join_list(terms)}
    if terms and is_learned:
        return _("%(points)s of 100 based on what you opened and skipped: %(terms)s.") % values
    if terms:
        return _("%(points)s of 100 based on your interests: %(terms)s.") % values
    if is_learned:
        return _("%(points)s of 100 based on what you opened and skipped.") % values
    return _("%(points)s of 100 based on your interests.") % values


def depth_sentence(facts: DepthFeatures) -> str:
    """`1,240 words with figures, a table and links to 3 other sites.`"""
    if facts.is_of_excerpts:
        return _("The feed only publishes excerpts, so this is unknown: %(points)s.") % {"points": OF_EXCERPTS}
    if facts.is_partial:
        return _("The feed only includes the beginning, so at most %(points)s.") % {"points": MAX_PARTIAL}
    n, n_sites = facts.n_words, facts.n_references
    elements = [
        _("figures") if facts.has_data else "",
        _("a table") if facts.has_table else "",
        _list_of(facts.longest_list) if facts.has_list else "",
        _links_to(n_sites) if n_sites else "",
    ]
    values = {"n": format_number(n), "elements": join_list([element for element in elements if element])}
    if values["elements"]:
        sentence = ngettext("%(n)s word with %(elements)s.", "%(n)s words with %(elements)s.", n)
        return (sentence if n else _("No words with %(elements)s.")) % values
    if not n:
        return _("No words, without figures, tables, lists or links to other sites.")
    sentence = ngettext(
        "%(n)s word, without figures, tables, lists or links to other sites.",
        "%(n)s words, without figures, tables, lists or links to other sites.",
        n,
    )
    return sentence % values


def _kind_of_source(tier: int) -> str:
    return {
        1: _("a wire service or official source"),
        2: _("a major established outlet"),
        3: _("a respected niche or industry source"),
        4: _("a community or expert blog"),
        5: _("an unverified source"),
    }[tier]


def _share_of_polls(health: float) -> str:
    """The share of successful polls, in per cent; "all" and "none" only if exact."""
    if health >= 1:
        return _("all of its polls in 30 days succeeded")
    if health <= 0:
        return _("none of its polls in 30 days succeeded")
    percent = math.floor(100 * health + 1e-9)
    if not percent:
        return _("under %(percent)s%% of its polls in 30 days succeeded") % {"percent": 1}
    return _("%(percent)s%% of its polls in 30 days succeeded") % {"percent": percent}


def _published(age_hours: float) -> str:
    if age_hours < 0:
        return _("Dated in the future, so it counts as new")
    if age_hours * 60 < 1:
        return _("Published just now")
    unit, n = _span(age_hours)
    if unit == "minutes":
        sentence = ngettext("Published %(n)s minute ago", "Published %(n)s minutes ago", n)
    elif unit == "hours":
        sentence = ngettext("Published %(n)s hour ago", "Published %(n)s hours ago", n)
    else:
        sentence = ngettext("Published %(n)s day ago", "Published %(n)s days ago", n)
    return sentence % {"n": format_number(n)}


def _loss(rate: float) -> str:
    if not rate:
        return _("recency never decreases")
    unit, n = _span(math.log(2) / rate)
    if unit == "minutes":
        sentence = ngettext("recency halves every %(n)s minute", "recency halves every %(n)s minutes", n)
    elif unit == "hours":
        sentence = ngettext("recency halves every %(n)s hour", "recency halves every %(n)s hours", n)
    else:
        sentence = ngettext("recency halves every %(n)s day", "recency halves every %(n)s days", n)
    return sentence % {"n": format_number(n)}


def _span(hours: float) -> tuple[str, int]:
    """A duration in a suitable unit, rounded: minutes, hours, days from 48 hours on."""
    if round(hours * 60) < 60:
        return "minutes", round(hours * 60)
    if round(hours) < _DAYS_FROM_HOURS:
        return "hours", round(hours)
    return "days", round(hours / 24)


def _list_of(n_items: int) -> str:
    return ngettext("a list of %(n)s item", "a list of %(n)s items", n_items) % {"n": n_items}


def _links_to(n_sites: int) -> str:
    return ngettext("links to %(n)s other site", "links to %(n)s other sites", n_sites) % {"n": format_number(n_sites)}
