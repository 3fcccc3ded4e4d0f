"""What users do with articles: an append-only log."""

from django.conf import settings
from django.db import models
from django.utils.translation import pgettext_lazy

from feeds.models import Article


class EngagementKind(models.TextChoices):
    """`passed`: a later article on the same screen was opened instead; `unread`: marked unread again."""

    OPENED = "opened", pgettext_lazy("an article", "Opened")
    LIKED = "liked", pgettext_lazy("an article", "Liked")
    DISLIKED = "disliked", pgettext_lazy("an article", "Disliked")
    STARRED = "starred", pgettext_lazy("an article", "Starred")
    SKIPPED = "skipped", pgettext_lazy("an article", "Skipped")
    PASSED = "passed", pgettext_lazy("an article", "Passed over")
    UNREAD = "unread", pgettext_lazy("an article", "Kept unread")


class EngagementSource(models.TextChoices):
    READER = "reader", pgettext_lazy("where it was done", "Web")
    EMAIL = "email", pgettext_lazy("where it was done", "Email")
    API = "api", pgettext_lazy("where it was done", "API")
    IMPORT = "import", pgettext_lazy("where it was done", "Import")


class ActiveEngagements(models.Manager["Engagement"]):
    """Engagements, except undone ones and the undos themselves."""

    def get_queryset(self) -> models.QuerySet["Engagement"]:
        return super().get_queryset().filter(undoes=None, undone_by=None)


class Engagement(models.Model):
    """One action of a user on an article. Undoing adds a row with `undoes` set; rows never change.

    The interest profile is updated in the same transaction (`reader.interests.engagement`).
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=8, choices=EngagementKind.choices)
    source = models.CharField(max_length=6, choices=EngagementSource.choices, default=EngagementSource.READER)
    happened_at = models.DateTimeField()
    undoes = models.OneToOneField("self", null=True, blank=True, on_delete=models.CASCADE, related_name="undone_by")

    objects = models.Manager["Engagement"]()
    active = ActiveEngagements()

    class Meta:
        indexes = (
            models.Index(fields=("user", "-happened_at", "-id"), name="engagement_newest"),
            models.Index(fields=("user", "article"), name="engagement_of_article"),
        )

    def __str__(self) -> str:
        return f"{'undone: ' if self.undoes_id else ''}{self.kind} {self.article_id}"
