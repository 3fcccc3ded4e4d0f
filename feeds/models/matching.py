"""What the deeper layers of deduplication work with: who waits, what is remembered of whom, and the candidate index."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from feeds.models.article import Article


class Stage(models.IntegerChoices):
    MATCH = 1, _("Titles and contents are to be compared")
    ENRICH = 2, _("Names are to be found and events compared")


class Pending(models.Model):
    """An article that waits for a stage. Written with the article, so that no interruption forgets it.

    A worker claims a batch by setting `claimed_until`; a claim that outlives its worker expires. What was claimed
    before and not finished is tried again alone, so that a faulty article holds up nobody else.
    """

    article = models.OneToOneField(Article, primary_key=True, on_delete=models.CASCADE, related_name="+")
    stage = models.PositiveSmallIntegerField(choices=Stage.choices, default=Stage.MATCH)
    claimed_until = models.DateTimeField(null=True, blank=True)
    n_tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        verbose_name_plural = _("pending")
        indexes = (models.Index(fields=("stage", "n_tries", "article"), name="pending_by_stage"),)

    def __str__(self) -> str:
        return f"{self.article_id}: {self.get_stage_display()}"


class Sketch(models.Model):
    """What comparing events needs of an article and is dear to find out: the names in it, and the vector of its meaning
    (512 signed bytes, see `feeds.dedup.meaning`; empty where the model is not installed)."""

    article = models.OneToOneField(Article, primary_key=True, on_delete=models.CASCADE, related_name="+")
    names = models.JSONField(default=dict)
    vector = models.BinaryField(default=b"")

    class Meta:
        verbose_name_plural = _("sketches")

    def __str__(self) -> str:
        return str(self.article_id)


class BlockingKey(models.Model):
    """One entry of the candidate index: whoever shares a key within the window is worth comparing.

    Ordered by key and hour, so that candidates are one stretch of the index however large the archive is. An entry is a
    hint and no more: it may outlive its article, and what it leads to is compared exactly. `bits` stand for the whole
    of what the key is a part of (see `feeds.dedup.subject.BlockingKey`), so that most of its candidates are turned
    away without a look at their article.
    """

    pk = models.CompositePrimaryKey("value", "hour", "article_id")
    value = models.BigIntegerField()
    hour = models.IntegerField(help_text=_("Of publication, since 1970"))
    article_id = models.BigIntegerField()
    bits = models.BigIntegerField(null=True)

    def __str__(self) -> str:
        return f"{self.value} {self.article_id}"
