"""Known publishers with their authority tiers (best-practices.md, Source Authority Tiers; SPEC §8).

The table is `registry.tsv`; administrators change tiers in the admin. Tiers were assigned by one rule for every
country:

- T1: news agencies that are independent of any government, by ownership or by law; bodies that publish their own
  decisions, measurements or standards (governments, parliaments, courts, central banks, statistics offices, agencies of
  the United Nations, space agencies, standards bodies). An official site is the primary source for its own acts and
  figures, not for its opinion of others.
- T2: established general news outlets with a newsroom that publishes corrections, public broadcasters whose
  independence is law, and the journals and magazines that other outlets quote.
- T3: respected in one field: trade and technology press, preprint servers and publishers of journals, universities,
  projects and companies on their own software.
- T4: expert blogs and newsletters, the platforms that curate them, tabloids, outlets that exist to argue for one side.
  Also news outlets that a government owns and directs, in whatever country: they report first and exactly what it
  wants published, and can't contradict it. Public funding alone doesn't count: the BBC, NHK and CNA are ranked like any
  other.
- T5: anything that anyone may post, sites that repeat others, paid press releases.

A domain has one tier for all its feeds; a part of it (`ecb.europa.eu`) can have a row of its own, and a feed its own
tier. Names are for display, short and in the language of the publisher. Other domains of a publisher, and hosts that
publish for others, are in `hosts.tsv`.
"""

import functools
from dataclasses import dataclass

from feeds.word_lists import read_rows


@dataclass(frozen=True, slots=True)
class RegistryEntry:
    """A publisher: its domain, tier from 1 (highest) to 5, name, and kind in one word."""

    domain: str
    tier: int
    name: str
    kind: str


@functools.cache
def load_registry() -> tuple[RegistryEntry, ...]:
    """Return all known publishers, by tier, kind and domain."""
    rows = read_rows("feeds.publishers", "registry.tsv")
    return tuple(RegistryEntry(domain, int(tier.removeprefix("T")), name, kind) for domain, tier, name, kind in rows)


def load_synonyms() -> dict[str, str]:
    """Return the category for each known term, in lower case."""
    return dict(read_rows("feeds", "category_synonyms.tsv"))
