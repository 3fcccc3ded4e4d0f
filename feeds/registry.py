"""The publishers that an installation knows from the start, each with its authority tier (best-practices.md
"Source Authority Tiers"; SPEC §8). The table is `registry.tsv`; people change tiers in the admin, not here.

How tiers were given, one rule for every country:

- T1: news agencies that are independent of any government, by ownership or by law; bodies that publish
  what they themselves decided, measured or standardized (governments, parliaments, courts, central banks, statistics
  offices, agencies of the United Nations, space agencies, standards bodies). An official site is the first source of
  its own acts and figures; that says nothing about its judgement of others.
- T2: general news outlets of long standing with a newsroom and a practice of correcting, public broadcasters
  whose independence is law, and the journals and magazines that other outlets quote.
- T3: respected within one field: trade and technology press, preprint servers and publishers of journals,
  universities, projects and companies about their own software.
- T4: experts' blogs and newsletters, the platforms that curate them, tabloids. News outlets that a government
  owns and directs stand here too, whatever the country: they tell first and exactly what it wants said, and
  nobody in the house may contradict. Publicly funded is not the same: the BBC, NHK and CNA are ranked as any other.
- T5: what anybody may post, sites that repeat others, paid press releases.

A domain has one tier for all its feeds, so a platform's tier is that of its ordinary author; a single feed can be
given its own.
"""

import functools
from dataclasses import dataclass
from importlib import resources

TIERS = range(1, 6)
_FILE = "registry.tsv"


@dataclass(frozen=True, slots=True)
class RegistryEntry:
    """A publisher: its registrable domain, its tier from 1 (highest) to 5, its name, and its kind in one word."""

    domain: str
    tier: int
    name: str
    kind: str


@functools.cache
def load_registry() -> tuple[RegistryEntry, ...]:
    """Return every known publisher, by tier, kind and domain."""
    table = resources.files("feeds").joinpath(_FILE).read_text(encoding="utf-8")
    return tuple(_entry(line) for line in table.splitlines()[1:])


def _entry(line: str) -> RegistryEntry:
    domain, tier, name, kind = line.split("\t")
    return RegistryEntry(domain, int(tier.removeprefix("T")), name, kind)
