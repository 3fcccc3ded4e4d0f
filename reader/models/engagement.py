"""What a person did with an article: a log that is only ever added to."""

from django.conf import settings
from django.db import models
from django.utils.translation import pgettext_lazy

from feeds.models import Article


class EngagementKind(models.TextChoices):
    """`passed`: a later one of the same screen was opened and this one was not; `unread`: marked unread again."""

    OPENED = "opened", pgettext_lazy("an article", "Opened")
    LIKED = "liked", pgettext_lazy("an article", "Liked")
    DISLIKED = "disliked", pgettext_lazy("an article", "Disliked")
    STARRED = "starred", pgettext_lazy("an article", "Starred")
    SKIPPED = "skipped", pgettext_lazy("an article", "Skipped")
    PASSED = "passed", pgettext_lazy("an article", "Passed over")
    UNREAD = "unread", pgettext_lazy("an article", "Kept unread")


class EngagementSource(models.TextChoices):
    READER = "reader", pgettext_lazy("where it was done", "Reader")
    EMAIL = "email", pgettext_lazy("where it was done", "E-mail")
    API = "api", pgettext_lazy("where it was done", "API")
    IMPORT = "import", pgettext_lazy("where it was done", "Import")


class Engagement(models.Model):
    """One thing a user did with an article. Undoing adds a row that names the one undone; nothing is changed.

    The interest profile takes it in within the same transaction (`reader.engaging`).
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=8, choices=EngagementKind.choices)
    source = models.CharField(max_length=6, choices=EngagementSource.choices, default=EngagementSource.READER)
    happened_at = models.DateTimeField()
    undoes = models.OneToOneField("self", null=True, blank=True, on_delete=models.CASCADE, related_name="undone_by")

    class Meta:
        indexes = (
            models.Index(fields=("user", "-happened_at", "-id"), name="engagement_newest"),
            models.Index(fields=("user", "article"), name="engagement_of_article"),
        )

    def __str__(self) -> str:
        return f"{'undone: ' if self.undoes_id else ''}{self.kind} {self.article_id}"
