"""Emails to send, and their state."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from digests.models.digest import Digest
from reader.models import Notification


class MailingKind(models.TextChoices):
    DIGEST = "digest", _("Digest")
    ALERTS = "alerts", _("Alerts")
    RESET = "reset", _("Password reset")
    INVITATION = "invite", _("Link to choose a password")
    NOTICE = "notice", _("Account notice")


ABOUT_ACCOUNTS = (MailingKind.RESET, MailingKind.INVITATION, MailingKind.NOTICE)


class MailingState(models.TextChoices):
    """`handing_over` lasts from right before the email's text is sent until the server answers.

    If a worker dies in between, it is unknown whether the email was sent: it becomes `uncertain` and is only sent again
    when the user asks.
    """

    WAITING = "waiting", _("Waiting")
    HANDING_OVER = "handing", _("Sending")
    SENT = "sent", _("Sent")
    FAILED = "failed", _("Failed")
    UNCERTAIN = "unsure", _("Delivery unconfirmed")


class Mailing(models.Model):
    """One email to one user, written in the transaction of its content so that it can't be lost.

    A worker claims it by setting `claimed_until`; claims of dead workers expire. `message_id` stays the same for all
    attempts; `created_at` is when it was queued, or last queued again. `answer` is the last problem, as a sentence for
    the user. `recipient` is the address of an email about the account, which may be an earlier one of the user; all
    others go to the user's current address.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=6, choices=MailingKind.choices)
    digest = models.OneToOneField(Digest, null=True, on_delete=models.CASCADE, related_name="mailing")
    recipient = models.CharField(max_length=254, blank=True)
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


class MailedNotification(models.Model):
    """Marks a notification as emailed; it is emailed once."""

    notification = models.OneToOneField(Notification, primary_key=True, on_delete=models.CASCADE, related_name="+")
    mailing = models.ForeignKey(Mailing, on_delete=models.CASCADE, related_name="notifications")

    def __str__(self) -> str:
        return f"{self.notification_id} in {self.mailing_id}"
