"""What rules add to the relevance of articles, or take from it."""

from django.conf import settings
from django.db import models

from feeds.models import Article
from reader.models.rule import Rule


class Lift(models.Model):
    """A rule that lifts or lowers relevance met this article. By how much, the rule itself says.

    Counts while the rule is on and is still what it was (`version`): what changed is taken back by that alone, and
    cleared away afterwards.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    rule = models.ForeignKey(Rule, on_delete=models.CASCADE, related_name="lifts", db_index=False)
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="+", db_index=False)
    version = models.PositiveIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("rule", "article"), name="lift_once"),)
        indexes = (models.Index(fields=("article", "user"), name="lift_of_article"),)

    def __str__(self) -> str:
        return f"{self.rule_id} {self.article_id}"
