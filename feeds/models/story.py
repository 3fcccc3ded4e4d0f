"""Stories, the links between their articles, and manual splits."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from feeds.models.article import Article, Disposition


class Story(models.Model):
    """Articles linked as near-duplicates or as reports on the same event (SPEC §7).

    Its members are the articles with `Article.story`. The fields here are derived from them: the lead
    (`feeds.dedup.leads`), the numbers of articles and publishers, the first and last date. `is_stale` when a member was
    purged and they have to be computed again.
    """

    lead = models.ForeignKey(Article, null=True, on_delete=models.SET_NULL, related_name="+")
    n_articles = models.PositiveIntegerField(_("articles"), default=0)
    n_sources = models.PositiveIntegerField(_("sources"), default=0)
    first_at = models.DateTimeField(_("first"), null=True)
    last_at = models.DateTimeField(_("last"), null=True)
    is_stale = models.BooleanField(default=False, editable=False)

    class Meta:
        verbose_name_plural = _("stories")
        indexes = (
            models.Index(fields=("-last_at", "-id"), name="story_newest"),
            models.Index(fields=("id",), name="story_stale", condition=models.Q(is_stale=True)),
        )

    def __str__(self) -> str:
        return str(self.lead or f"Story {self.pk}")


class Link(models.Model):
    """Why two articles belong together. Symmetric: `one` has the smaller id.

    `near_duplicate` and `same_event` form stories; `revision` is only shown. `closeness` is in [0, 1]; `measure` is the
    number in the evidence (a distance, a share), in its own unit.
    """

    one = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="+", db_index=False)
    other = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="+")
    disposition = models.CharField(max_length=15, choices=Disposition.choices)
    layer = models.CharField(max_length=10)
    measure = models.FloatField()
    closeness = models.FloatField()
    evidence = models.CharField(max_length=300)
    joins = models.BooleanField(help_text=_("Always in the same story"))

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("one", "other", "layer"), name="link_once_a_layer"),
            models.CheckConstraint(condition=models.Q(one__lt=models.F("other")), name="link_smaller_id_first"),
        )

    def __str__(self) -> str:
        return f"{self.one_id} – {self.other_id}: {self.disposition}"


class Split(models.Model):
    """Two articles that a user has separated; no link joins them again. `one` has the smaller id."""

    one = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="+", db_index=False)
    other = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    made_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("one", "other"), name="split_once"),
            models.CheckConstraint(condition=models.Q(one__lt=models.F("other")), name="split_smaller_id_first"),
        )

    def __str__(self) -> str:
        return f"{self.one_id} is not {self.other_id}"


class StoryChange(models.Model):
    """An article whose story changed: written with the change, deleted when the reader has processed it."""

    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return str(self.article_id)
