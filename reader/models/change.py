"""What a client of the JSON API hasn't seen yet (`reader.articles.changes`)."""

from django.conf import settings
from django.db import models


class Change(models.Model):
    """An article of a user came, went or changed its state: which one, not how.

    Written by triggers on deliveries, states, tagged articles and subscriptions alone
    (`reader.articles.change_triggers`). A transaction's rows have a number that is higher than those of all
    transactions that had ended before it began to write; on SQLite it counts rows, on PostgreSQL it is the id of the
    transaction. `day` counts from 1970, and says when the row may be deleted.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    article_id = models.BigIntegerField()
    number = models.BigIntegerField()
    day = models.IntegerField()

    class Meta:
        indexes = (models.Index(fields=("user", "number", "article_id"), name="change_of_user"),)

    def __str__(self) -> str:
        return f"{self.user_id} {self.article_id} {self.number}"
