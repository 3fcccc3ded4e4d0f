"""One sentence of evidence for each of the five parts of an importance, for the person who asks "Why 78?" (SPEC §8)."""

import math
from collections.abc import Sequence

from feeds.wording import gettext as _
from feeds.wording import listed, ngettext, pgettext

from .authority import TIER_POINTS
from .corroboration import DIVERSITY_BONUS, FEEDS_FOR_MOST, MOST, TIERS_FOR_BONUS
from .depth import MOST_PARTIAL, DepthFacts
from .importance import NEUTRAL_RELEVANCE
from .recency import UNCERTAIN_FACTOR

_HOURS_AS_DAYS = 48  # from here on spans are told in days


def authority_sentence(source_name: str | None, tier: int, health: float, is_feed_tier: bool = False) -> str:
    """`BBC News is a major established outlet (T2, 80 points); 97 % of its polls in 30 days succeeded.`

    `is_feed_tier`: the tier was set for the feed, not for its source. A source without a name is "the source".
    """
    points = TIER_POINTS[tier]
    details = (
        ngettext("T%(tier)s, %(n)s point, set for this feed", "T%(tier)s, %(n)s points, set for this feed", points)
        if is_feed_tier
        else ngettext("T%(tier)s, %(n)s point", "T%(tier)s, %(n)s points", points)
    )
    told = {
        "source": source_name or pgettext("begins a sentence in place of a name", "The source"),
        "kind": _kind_of_source(tier),
        "details": details % {"tier": tier, "n": points},
        "share": _share_of_polls(health),
    }
    return _("%(source)s is %(kind)s (%(details)s); %(share)s.") % told


def recency_sentence(age_hours: float, rate: float, is_uncertain: bool = False) -> str:
    """`Published 6 hours ago; half is lost every 23 hours.`; `rate` as `recency` takes it."""
    told = {"published": _published(age_hours), "loss": _loss(rate), "percent": round(100 * (1 - UNCERTAIN_FACTOR))}
    if is_uncertain:
        return _("%(published)s; %(loss)s, and the date is uncertain, so %(percent)s %% less.") % told
    return _("%(published)s; %(loss)s.") % told


def corroboration_sentence(n_feeds: int, n_tiers: int) -> str:
    """`3 feeds tell this story, of 3 tiers, which adds 10 points.`"""
    if not n_feeds:
        return _("No feed tells this story.")
    if n_feeds == 1:
        return _("Only one feed tells this story.")
    told = {"n": n_feeds, "enough": FEEDS_FOR_MOST, "most": MOST, "tiers": n_tiers, "bonus": DIVERSITY_BONUS}
    if n_feeds >= FEEDS_FOR_MOST:
        sentence = ngettext(
            "%(n)s feed tells this story; %(enough)s are enough for all %(most)s points.",
            "%(n)s feeds tell this story; %(enough)s are enough for all %(most)s points.",
            n_feeds,
        )
    elif n_tiers >= TIERS_FOR_BONUS:
        sentence = ngettext(
            "%(n)s feed tells this story, of %(tiers)s tiers, which adds %(bonus)s points.",
            "%(n)s feeds tell this story, of %(tiers)s tiers, which adds %(bonus)s points.",
            n_feeds,
        )
    else:
        sentence = ngettext("%(n)s feed tells this story.", "%(n)s feeds tell this story.", n_feeds)
    return sentence % told


def relevance_sentence(relevance: float | None, terms: Sequence[str] = (), *, is_learned: bool = False) -> str:
    """`72 of 100 by your interests: vaccines, malaria and Geneva.`

    `relevance` in [0, 100], None for a person without a profile; `terms` that the article and the profile share, the
    weightiest first. `is_learned`: the model learnt from what was opened said so, not the profile.
    """
    if relevance is None:
        neutral = {"points": f"{NEUTRAL_RELEVANCE:.0f}"}
        return _("You have no profile yet, so it counts as neutral, %(points)s of 100.") % neutral
    told = {"points": f"{relevance:.0f}", "terms": listed(terms)}
    if terms and is_learned:
        return _("%(points)s of 100 by what you opened and skipped: %(terms)s.") % told
    if terms:
        return _("%(points)s of 100 by your interests: %(terms)s.") % told
    if is_learned:
        return _("%(points)s of 100 by what you opened and skipped.") % told
    return _("%(points)s of 100 by your interests.") % told


def depth_sentence(facts: DepthFacts) -> str:
    """`1,240 words with figures, a table and links to 3 other sites.`"""
    if facts.is_partial:
        return _("Only the beginning is in the feed, so at most %(points)s.") % {"points": MOST_PARTIAL}
    n, n_sites = facts.n_words, facts.n_references
    found = [
        _("figures") if facts.has_data else "",
        _("a table") if facts.has_table else "",
        _list_of(facts.longest_list) if facts.has_list else "",
        _links_to(n_sites) if n_sites else "",
    ]
    told = {"n": _grouped(n), "found": listed([each for each in found if each])}
    if told["found"]:
        sentence = ngettext("%(n)s word with %(found)s.", "%(n)s words with %(found)s.", n)
        return (sentence if n else _("No words with %(found)s.")) % told
    if not n:
        return _("No words, without figures, tables, lists and links to other sites.")
    sentence = ngettext(
        "%(n)s word, without figures, tables, lists and links to other sites.",
        "%(n)s words, without figures, tables, lists and links to other sites.",
        n,
    )
    return sentence % told


def _kind_of_source(tier: int) -> str:
    return {
        1: _("a wire service or official source"),
        2: _("a major established outlet"),
        3: _("a respected niche or industry source"),
        4: _("a community or expert blog"),
        5: _("an unverified source"),
    }[tier]


def _share_of_polls(health: float) -> str:
    """The share that succeeded, in per cent; "all" and "none" only where it is so."""
    if health >= 1:
        return _("all of its polls in 30 days succeeded")
    if health <= 0:
        return _("none of its polls in 30 days succeeded")
    percent = math.floor(100 * health + 1e-9)
    if not percent:
        return _("under %(percent)s %% of its polls in 30 days succeeded") % {"percent": 1}
    return _("%(percent)s %% of its polls in 30 days succeeded") % {"percent": percent}


def _published(age_hours: float) -> str:
    if age_hours < 0:
        return _("Dated ahead, so it counts as new")
    if age_hours * 60 < 1:
        return _("Published just now")
    unit, n = _span(age_hours)
    if unit == "minutes":
        sentence = ngettext("Published %(n)s minute ago", "Published %(n)s minutes ago", n)
    elif unit == "hours":
        sentence = ngettext("Published %(n)s hour ago", "Published %(n)s hours ago", n)
    else:
        sentence = ngettext("Published %(n)s day ago", "Published %(n)s days ago", n)
    return sentence % {"n": _grouped(n)}


def _loss(rate: float) -> str:
    if not rate:
        return _("nothing is lost with age")
    unit, n = _span(math.log(2) / rate)
    if unit == "minutes":
        sentence = ngettext("half is lost every %(n)s minute", "half is lost every %(n)s minutes", n)
    elif unit == "hours":
        sentence = ngettext("half is lost every %(n)s hour", "half is lost every %(n)s hours", n)
    else:
        sentence = ngettext("half is lost every %(n)s day", "half is lost every %(n)s days", n)
    return sentence % {"n": _grouped(n)}


def _span(hours: float) -> tuple[str, int]:
    """A span of time in the unit that suits it, rounded: minutes, hours, from 48 hours on days."""
    if round(hours * 60) < 60:
        return "minutes", round(hours * 60)
    if round(hours) < _HOURS_AS_DAYS:
        return "hours", round(hours)
    return "days", round(hours / 24)


def _list_of(n_items: int) -> str:
    return ngettext("a list of %(n)s item", "a list of %(n)s items", n_items) % {"n": n_items}


def _links_to(n_sites: int) -> str:
    return ngettext("links to %(n)s other site", "links to %(n)s other sites", n_sites) % {"n": _grouped(n_sites)}


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", pgettext("between thousands and hundreds", ","))
