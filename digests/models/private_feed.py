"""A person's digests as a feed for other programs."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class PrivateFeed(models.Model):
    """Who knows the token may read the digests. Only its hash is kept: it is shown once, and made anew when lost."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="+")
    token_hash = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField()
    asked_at = models.DateTimeField(null=True, help_text=_("When it was last read, to the hour"))

    def __str__(self) -> str:
        return str(self.user_id)
