"""What waits to be searched for."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from feeds.models.article import Article


class Unindexed(models.Model):
    """An article whose words are to be indexed. Written with the article, so that no interruption forgets it.

    `n_asked` tells whether it changed while it was being indexed, `n_tries` how often that began and did not end.
    """

    article = models.OneToOneField(Article, primary_key=True, on_delete=models.CASCADE, related_name="+")
    n_asked = models.PositiveIntegerField(default=1)
    n_tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        verbose_name_plural = _("unindexed")

    def __str__(self) -> str:
        return str(self.article_id)
