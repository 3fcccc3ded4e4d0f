"""The publisher behind feeds."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Tier(models.IntegerChoices):
    """Authority of a source. Source: best-practices.md, Source Authority Tiers."""

    T1 = 1, _("T1 wire service or official source")
    T2 = 2, _("T2 major established outlet")
    T3 = 3, _("T3 respected niche or industry source")
    T4 = 4, _("T4 community or expert blog")
    T5 = 5, _("T5 unverified")


class Source(models.Model):
    """A registered domain. Politeness is per source: one worker at a time holds its lease, and a limit that it asked
    for rests all its feeds."""

    domain = models.CharField(max_length=253, unique=True)
    name = models.CharField(max_length=200, blank=True)
    tier = models.PositiveSmallIntegerField(choices=Tier.choices, default=Tier.T5)
    lease_token = models.UUIDField(null=True, blank=True, editable=False)
    leased_until = models.DateTimeField(null=True, blank=True, editable=False)
    resting_until = models.DateTimeField(
        null=True, blank=True, help_text=_("Asked for by Retry-After; no feed is polled before")
    )

    class Meta:
        ordering = ("domain",)
        indexes = (models.Index(fields=("tier", "domain"), name="source_tier"),)

    def __str__(self) -> str:
        return self.name or self.domain
