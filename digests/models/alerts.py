"""What a person is told at once, and which of it was mailed."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from digests.models.mailing import Mailing
from reader.models import Notification


class AlertSettings(models.Model):
    """What a person wants to hear of beside digests; without a row the defaults hold.

    News of feeds is always told in the reader. `mail_from` is when mail was asked for: what was before is not sent.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="+")
    breaking = models.BooleanField(default=True, help_text=_("Breaking news, in the reader"))
    breaking_by_mail = models.BooleanField(default=False)
    feeds_by_mail = models.BooleanField(default=False)
    mail_from = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = _("alert settings")

    def __str__(self) -> str:
        return str(self.user_id)


class MailedNotification(models.Model):
    """A notification went into a mail; into no other."""

    notification = models.OneToOneField(Notification, primary_key=True, on_delete=models.CASCADE, related_name="+")
    mailing = models.ForeignKey(Mailing, on_delete=models.CASCADE, related_name="notifications")

    def __str__(self) -> str:
        return f"{self.notification_id} in {self.mailing_id}"
