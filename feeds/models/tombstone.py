"""What was purged and must not come back."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from feeds.models.feed import Feed


class Tombstone(models.Model):
    """An entry that a feed delivered and that is kept no longer; its feed may list it still, or again.

    `value` is a 64-bit hash of the entry's guid, or of its page (`feeds.retention`); there is a row for each. Rows are
    few bytes, ordered by their key, and never looked through: a poll asks for those of the entries it does not know.
    """

    pk = models.CompositePrimaryKey("feed_id", "value")
    feed = models.ForeignKey(Feed, on_delete=models.CASCADE, related_name="+", db_index=False)
    value = models.BigIntegerField()
    content_hash = models.BigIntegerField()
    minute = models.IntegerField(help_text=_("Of publication, since 1970"))

    def __str__(self) -> str:
        return f"{self.feed_id} {self.value}"
