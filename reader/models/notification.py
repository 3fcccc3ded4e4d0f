"""What the reader tells a person unasked."""

from django.conf import settings
from django.db import models

from feeds.models import Feed


class Notification(models.Model):
    """A feed's condition changed. `text` is a whole sentence."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notifications")
    feed = models.ForeignKey(Feed, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=10)
    text = models.CharField(max_length=700)
    happened_at = models.DateTimeField()
    seen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-happened_at", "-id")
        constraints = (
            models.UniqueConstraint(fields=("user", "feed", "kind", "happened_at"), name="notification_once"),
        )

    def __str__(self) -> str:
        return self.text
