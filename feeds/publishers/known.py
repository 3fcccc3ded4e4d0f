"""Fills the tables of publishers and category synonyms with the known ones; `prepare` does it after every update."""

from feeds.models import CategorySynonym, Source
from feeds.publishers.hosts import is_shared
from feeds.publishers.registry import load_registry, load_synonyms


def add_known() -> None:
    """Add known publishers, and name and tier where a source has neither; what administrators changed stays.

    Synonyms are added only if there are none. On a shared host, feeds have their own names.
    """
    known = {
        entry.domain: Source(domain=entry.domain, name="" if is_shared(entry.domain) else entry.name, tier=entry.tier)
        for entry in load_registry()
    }
    unnamed = list(Source.objects.filter(name="", tier=None, domain__in=known))
    for source in unnamed:
        source.name, source.tier = known[source.domain].name, known[source.domain].tier
    Source.objects.bulk_update(unnamed, ["name", "tier"], batch_size=500)
    Source.objects.bulk_create(known.values(), ignore_conflicts=True)
    if not CategorySynonym.objects.exists():
        synonyms = [CategorySynonym(term=term, category=category) for term, category in load_synonyms().items()]
        CategorySynonym.objects.bulk_create(synonyms, ignore_conflicts=True)
