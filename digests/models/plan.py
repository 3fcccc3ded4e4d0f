"""When a person wants which digest."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from digests.kinds import Kind


class DigestPlan(models.Model):
    """One kind of digest for one person. `at` is the person's local time, within the kind's hours of delivery.

    `next_at` is when it is due next, None while it is off; whoever makes the digest moves it on in the transaction that
    stores it. Until then a worker holds the plan by `claimed_until`; a claim that outlives its worker expires.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    is_on = models.BooleanField(default=True)
    at = models.TimeField()
    weekday = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text=_("0 = Monday; the day of a weekly roundup, nothing for a daily digest")
    )
    by_mail = models.BooleanField(default=False)
    n_topics = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text=_("Gather into so many topics; into as many as there are when empty")
    )
    next_at = models.DateTimeField(null=True, blank=True)
    claimed_until = models.DateTimeField(null=True, editable=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "kind"), name="plan_once_a_kind"),)
        indexes = (models.Index(fields=("next_at",), name="plan_due", condition=models.Q(next_at__isnull=False)),)

    def __str__(self) -> str:
        return f"{self.user_id}: {self.get_kind_display()} at {self.at:%H:%M}"
