"""What a user chose: digests, alerts by email and the private feed."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from digests.edition.kinds import Kind


class DigestPlan(models.Model):
    """One kind of digest for one user. `at` is local time, within the kind's delivery hours.

    `next_at` is when it is due next, None while it is off; it advances in the transaction that stores the digest. Until
    then a worker claims the plan by `claimed_until`; claims of dead workers expire.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    is_on = models.BooleanField(default=True)
    at = models.TimeField()
    weekday = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text=_("0 = Monday; empty for daily digests")
    )
    by_mail = models.BooleanField(default=False)
    n_topics = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text=_("Number of topics; empty: automatic")
    )
    next_at = models.DateTimeField(null=True, blank=True)
    claimed_until = models.DateTimeField(null=True, editable=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "kind"), name="plan_once_a_kind"),)
        indexes = (models.Index(fields=("next_at",), name="plan_due", condition=models.Q(next_at__isnull=False)),)

    def __str__(self) -> str:
        return f"{self.user_id}: {self.get_kind_display()} at {self.at:%H:%M}"


class AlertSettings(models.Model):
    """A user's alert settings; without a row the defaults apply.

    Feed problems appear in the reader, too. `mail_from` is when email was requested: nothing older is sent.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="+")
    breaking = models.BooleanField(default=False, help_text=_("Breaking news on the web"))
    breaking_by_mail = models.BooleanField(default=False)
    feeds_by_mail = models.BooleanField(default=False)
    mail_from = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = _("alert settings")

    def __str__(self) -> str:
        return str(self.user_id)


class PrivateFeed(models.Model):
    """Anyone with the token can read the digests. Only its hash is stored, so a lost token has to be renewed."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="+")
    token_hash = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, help_text=_("When it was last read, within an hour"))

    def __str__(self) -> str:
        return str(self.user_id)
