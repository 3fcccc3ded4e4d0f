"""Users' tags."""

import unicodedata

from django.conf import settings
from django.db import models

from feeds.models import Article


class Tag(models.Model):
    """A tag as the user typed it; `key` identifies it in any spelling."""

    MAX_CHARACTERS = 60

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="tags", db_index=False)
    name = models.CharField(max_length=MAX_CHARACTERS)
    key = models.CharField(max_length=4 * MAX_CHARACTERS, editable=False)  # case folding may lengthen the name

    class Meta:
        ordering = ("key",)
        constraints = (models.UniqueConstraint(fields=("user", "key"), name="tag_once_a_user"),)

    def __str__(self) -> str:
        return self.name

    @staticmethod
    def key_of(name: str) -> str:
        """A key that ignores case and width, in any script. (SQLite's LOWER only handles ASCII.)"""
        return unicodedata.normalize("NFKC", name).casefold()[: 4 * Tag.MAX_CHARACTERS]


class TaggedArticle(models.Model):
    """An article with a tag. The user and the article's date are repeated, so that a tag's list is one range of an
    index.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    tag = models.ForeignKey(Tag, on_delete=models.CASCADE, related_name="tagged", db_index=False)
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="+", db_index=False)
    published_at = models.DateTimeField()
    tagged_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("tag", "article"), name="tagged_once"),)
        indexes = (
            models.Index(fields=("tag", "-published_at", "-article"), name="tagged_newest"),
            models.Index(fields=("article", "user"), name="tagged_of_article"),
        )

    def __str__(self) -> str:
        return f"{self.tag_id} {self.article_id}"
