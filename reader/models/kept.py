"""What a person brought along of articles that their feeds have not brought here."""

from django.conf import settings
from django.db import models

from feeds.models import Article


class KeptState(models.Model):
    """What a person did elsewhere with an article, until one of their feeds brings that article here.

    `key` is the article's as it would be here (`Article.url_key`), `guid_key` that of its guid in its first feed.
    `data` is what the file says of it (`reader.kept_json`). What was starred or tagged with its content is readable at
    once: `copy` is an article of this person's alone, under a key that nothing fetched can have, and the states of it
    are then those that count. `arrived` is set in the transaction that delivers the article, and the row goes once its
    states are with that one.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    key = models.BinaryField(max_length=16)
    guid_key = models.BinaryField(max_length=16, default=b"")
    data = models.JSONField()
    copy = models.OneToOneField(Article, null=True, on_delete=models.SET_NULL, related_name="+")
    arrived = models.ForeignKey(Article, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "key"), name="kept_state_once"),)
        indexes = (
            models.Index(fields=("user", "guid_key"), name="kept_state_by_guid"),
            models.Index(fields=("arrived",), name="kept_state_arrived", condition=models.Q(arrived__isnull=False)),
        )

    def __str__(self) -> str:
        return f"{self.user_id} {bytes(self.key).hex()}"
