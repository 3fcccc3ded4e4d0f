"""A person's own names for articles."""

import unicodedata

from django.conf import settings
from django.db import models

from feeds.models import Article


class Tag(models.Model):
    """A name under which a person keeps articles, as they wrote it; `key` makes it one, however it is written."""

    MOST_CHARACTERS = 60

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="tags", db_index=False)
    name = models.CharField(max_length=MOST_CHARACTERS)
    key = models.CharField(max_length=4 * MOST_CHARACTERS, editable=False)  # letters may fold to several

    class Meta:
        ordering = ("key",)
        constraints = (models.UniqueConstraint(fields=("user", "key"), name="tag_once_a_user"),)

    def __str__(self) -> str:
        return self.name

    @staticmethod
    def key_of(name: str) -> str:
        """What two spellings of one name have in common: case and width do not count, in any script.

        The database's own LOWER knows ASCII alone on SQLite.
        """
        return unicodedata.normalize("NFKC", name).casefold()[: 4 * Tag.MOST_CHARACTERS]


class TaggedArticle(models.Model):
    """An article under a tag. The user and the article's date are repeated, so that a tag's list is a stretch of one
    index and an article's tags are found by one."""

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
