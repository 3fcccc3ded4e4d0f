"""Passages that users highlighted in articles."""

from django.conf import settings
from django.db import models

from feeds.models import Article


class Highlight(models.Model):
    """A quote with an optional note. It is found in the article's text by the quote and what is before and after it
    (the text quote selector of the W3C's Web Annotation Data Model).

    An article with highlights isn't purged. If it is deleted nevertheless, the highlight stays, with the title and URL.
    """

    MAX_QUOTE = 5000  # characters
    MAX_NOTE = 5000
    MAX_CONTEXT = 40

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    article = models.ForeignKey(Article, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False)
    title = models.TextField(blank=True)
    url = models.TextField(blank=True)
    quote = models.TextField()
    prefix = models.CharField(max_length=MAX_CONTEXT, blank=True)
    suffix = models.CharField(max_length=MAX_CONTEXT, blank=True)
    note = models.TextField(blank=True)
    made_at = models.DateTimeField()

    class Meta:
        indexes = (
            models.Index(fields=("article", "user"), name="highlight_of_article"),
            models.Index(fields=("user", "-made_at", "-id"), name="highlight_newest"),
        )

    def __str__(self) -> str:
        return self.quote[:80]
