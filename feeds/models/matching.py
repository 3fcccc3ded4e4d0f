"""Queues of articles to match and to index, and the data that matching works with."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from feeds.models.article import Article


class Stage(models.IntegerChoices):
    MATCH = 1, _("Compare titles and contents")
    ENRICH = 2, _("Find names and compare events")


class Pending(models.Model):
    """An article that waits for a stage. Written in the article's own transaction, so that none is lost.

    A worker claims a batch by setting `claimed_until`; a claim of a dead worker expires. Articles that were claimed
    before and not finished are tried again in smaller batches, so that a faulty one doesn't block the others.
    `tried_hash` is the hash of the content at the last try.
    """

    article = models.OneToOneField(Article, primary_key=True, on_delete=models.CASCADE, related_name="+")
    stage = models.PositiveSmallIntegerField(choices=Stage.choices, default=Stage.MATCH)
    claimed_until = models.DateTimeField(null=True, blank=True)
    n_tries = models.PositiveSmallIntegerField(default=0)
    tried_hash = models.BigIntegerField(null=True, blank=True)

    class Meta:
        verbose_name_plural = _("pending")
        indexes = (models.Index(fields=("stage", "n_tries", "article"), name="pending_by_stage"),)

    def __str__(self) -> str:
        return f"{self.article_id}: {self.get_stage_display()}"


class Sketch(models.Model):
    """Features of an article that are expensive to compute and needed to compare events: its names and its embedding
    (512 signed bytes, see `feeds.dedup.embeddings`; empty without the model)."""

    article = models.OneToOneField(Article, primary_key=True, on_delete=models.CASCADE, related_name="+")
    names = models.JSONField(default=dict)
    vector = models.BinaryField(default=b"")

    class Meta:
        verbose_name_plural = _("sketches")

    def __str__(self) -> str:
        return str(self.article_id)


class BlockingKey(models.Model):
    """A row of the candidate index: articles that share a key within the window are worth comparing.

    Ordered by key and hour, so that candidates are one range of the index however large the archive is. A row is only
    a hint: it may outlive its article, and candidates are compared exactly. `bits` are the full fingerprint that the
    key is a part of (see `feeds.dedup.comparable.BlockingKey`); most candidates are ruled out by it alone.
    """

    pk = models.CompositePrimaryKey("value", "hour", "article_id")
    value = models.BigIntegerField()
    hour = models.IntegerField(help_text=_("Of publication, since 1970"))
    article_id = models.BigIntegerField()
    bits = models.BigIntegerField(null=True)

    def __str__(self) -> str:
        return f"{self.value} {self.article_id}"


class Unindexed(models.Model):
    """An article that waits to be indexed for search. Written in the article's own transaction, so that none is lost.

    `n_requests` shows whether it changed while it was being indexed; `n_tries` counts attempts that didn't finish.
    """

    article = models.OneToOneField(Article, primary_key=True, on_delete=models.CASCADE, related_name="+")
    n_requests = models.PositiveIntegerField(default=1)
    n_tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        verbose_name_plural = _("unindexed")

    def __str__(self) -> str:
        return str(self.article_id)
