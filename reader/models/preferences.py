"""What a person set for themselves, whatever page it is about."""

from django.conf import settings
from django.db import models


class Preferences(models.Model):
    """One a user, made when something is first set. An empty time zone is that of the installation."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="+")
    time_zone = models.CharField(max_length=64, blank=True)

    class Meta:
        verbose_name_plural = "preferences"

    def __str__(self) -> str:
        return str(self.user_id)
