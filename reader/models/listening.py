"""How far a person has heard or seen an article's files."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from feeds.models import Article


class Position(models.Model):
    """Where a person stopped in one file of an article; gone once they reached its end."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="+")
    file = models.CharField(max_length=32, help_text=_("Key of the file's address"))
    seconds = models.PositiveIntegerField()
    saved_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "article", "file"), name="position_once"),)

    def __str__(self) -> str:
        return f"{self.user_id} {self.article_id} {self.seconds} s"
