"""Pauses that publishers ask for with Retry-After. They apply to the registrable domain that answered, which after a
redirect is not the feed's own."""

from datetime import datetime

from feeds.models import Source


def limit_domain(domain: str, until: datetime) -> None:
    """Send no requests to this domain until then."""
    Source.objects.update_or_create(domain=domain, defaults={"rate_limited_until": until})


def limited_domains(now: datetime) -> dict[str, datetime]:
    """The domains to send no requests to, and until when."""
    limited = Source.objects.filter(rate_limited_until__gt=now)
    return {domain: until for domain, until in limited.values_list("domain", "rate_limited_until") if until}
