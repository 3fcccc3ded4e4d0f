"""How a person's subscriptions are spread over topics."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class DiversityReport(models.Model):
    """Made by a worker at night, or when it is asked for; `content` is that of `digests.diversity.Spread`."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="+")
    made_at = models.DateTimeField(null=True)
    asked_at = models.DateTimeField(null=True, help_text=_("When a worker was last asked to make it"))
    content = models.JSONField(default=dict)

    def __str__(self) -> str:
        return str(self.user_id)
