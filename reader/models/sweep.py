"""What was marked read at one stroke, for as long as it can be taken back."""

from django.conf import settings
from django.db import models


class Sweep(models.Model):
    """The articles that one press of "mark as read" changed, and no others; packed by `reader.sweeping`."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    made_at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)
    n_articles = models.PositiveIntegerField()
    article_ids = models.BinaryField()

    class Meta:
        indexes = (models.Index(fields=("user", "-id"), name="sweep_newest"),)

    def __str__(self) -> str:
        return f"{self.user_id}: {self.n_articles} articles"
