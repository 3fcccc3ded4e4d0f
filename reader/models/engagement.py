"""What a person did with an article: a log that is only ever added to."""

from django.conf import settings
from django.db import models

from feeds.models import Article


class EngagementKind(models.TextChoices):
    """`passed`: a later one of the same screen was opened and this one was not; `unread`: marked unread again."""

    OPENED = "opened", "Opened"
    LIKED = "liked", "Liked"
    DISLIKED = "disliked", "Disliked"
    STARRED = "starred", "Starred"
    SKIPPED = "skipped", "Skipped"
    PASSED = "passed", "Passed over"
    UNREAD = "unread", "Kept unread"


class EngagementSource(models.TextChoices):
    READER = "reader", "Reader"
    EMAIL = "email", "E-mail"
    API = "api", "API"
    IMPORT = "import", "Import"


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
