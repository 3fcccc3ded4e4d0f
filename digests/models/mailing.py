"""What is to be mailed, and what became of it."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from digests.models.digest import Digest


class MailingKind(models.TextChoices):
    DIGEST = "digest", _("Digest")
    ALERTS = "alerts", _("Alerts")


class MailingState(models.TextChoices):
    """`handing_over` begins right before the mail server is told that the mail is complete and ends with its answer.
    A worker that dies in between leaves it so, and nobody knows whether the mail left: that becomes `uncertain`, and is
    not sent again unless the person asks.
    """

    WAITING = "waiting", _("Waiting")
    HANDING_OVER = "handing", _("Handing over")
    SENT = "sent", _("Sent")
    FAILED = "failed", _("Failed")
    UNCERTAIN = "unsure", _("Perhaps sent")


class Mailing(models.Model):
    """One mail to one person. Written in the transaction of what it tells, so that no interruption loses it.

    A worker claims it by setting `claimed_until`; a claim that outlives its worker expires. `message_id` stays the same
    through all tries; `created_at` is when it was written, or last asked for anew. `answer` is what went wrong last, in
    words for the person.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=6, choices=MailingKind.choices)
    digest = models.OneToOneField(Digest, null=True, on_delete=models.CASCADE, related_name="mailing")
    message_id = models.CharField(max_length=200, unique=True)
    state = models.CharField(max_length=7, choices=MailingState.choices, default=MailingState.WAITING)
    n_tries = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField()
    next_try_at = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True)
    claim = models.UUIDField(null=True)
    sent_at = models.DateTimeField(null=True)
    answer = models.CharField(max_length=500, blank=True)

    class Meta:
        indexes = (
            models.Index(
                fields=("next_try_at",),
                name="mailing_due",
                condition=models.Q(state__in=(MailingState.WAITING, MailingState.HANDING_OVER)),
            ),
            models.Index(fields=("created_at", "state"), name="mailing_of_late"),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()} to {self.user_id}: {self.get_state_display()}"
