"""A stored digest. It copies what it shows of its articles, so it stays complete when they are purged."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from digests.edition.document import SectionName, SummaryBy, Trend
from digests.edition.kinds import Kind
from feeds.models import Article


class Digest(models.Model):
    """One per user, kind and local day; the front page (`today`) is one per user and replaced in place.

    `report` is the state of the feeds, `findings` are the results of the self-checks (`digests.models.edition_store`).
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    day = models.DateField(help_text=_("In the user's time zone"))
    time_zone = models.CharField(max_length=64)
    begins_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    made_at = models.DateTimeField()
    n_articles = models.PositiveIntegerField(default=0)
    n_feeds = models.PositiveIntegerField(default=0)
    n_duplicates = models.PositiveIntegerField(default=0)
    report = models.JSONField(default=dict)
    findings = models.JSONField(default=list)
    opened_at = models.DateTimeField(null=True, help_text=_("When the front page was last opened"))
    requested_at = models.DateTimeField(null=True, help_text=_("When a new front page was last requested"))

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "kind", "day"), name="digest_once_a_day"),
            models.UniqueConstraint(fields=("user",), condition=models.Q(kind=Kind.TODAY), name="digest_one_today"),
        )
        indexes = (models.Index(fields=("user", "-made_at", "-id"), name="digest_newest"),)

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.day}"


class DigestTopic(models.Model):
    """A topic of a digest. `sources` are the names of other sources, `n_more` is the number of other articles."""

    digest = models.ForeignKey(Digest, on_delete=models.CASCADE, related_name="topics", db_index=False)
    position = models.PositiveSmallIntegerField()
    section = models.CharField(max_length=10, choices=SectionName.choices)
    label = models.CharField(max_length=200)
    trend = models.CharField(max_length=8, choices=Trend.choices, blank=True)
    importance = models.FloatField(help_text=_("Of its best article, when the digest was made"))
    category = models.CharField(max_length=100, blank=True)
    summary = models.TextField(blank=True)
    summary_by = models.CharField(max_length=7, choices=SummaryBy.choices, blank=True)
    summary_from = models.CharField(max_length=300, blank=True, default="")  # a source, unless it is the lead's
    moved = models.CharField(max_length=300, blank=True, help_text=_("Why it is repeated from the last digest"))
    is_unchanged = models.BooleanField(default=False, help_text=_("Only a line reminds of it"))
    sources = models.JSONField(default=list)
    n_more = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("digest", "position"), name="topic_position_once"),)

    def __str__(self) -> str:
        return self.label


class DigestArticle(models.Model):
    """An article of a topic; position 0 is the lead. `article` is None once the article is purged.

    `is_copy`: a near-duplicate of another. `story` is the id of its story at the time.
    """

    topic = models.ForeignKey(DigestTopic, on_delete=models.CASCADE, related_name="articles", db_index=False)
    position = models.PositiveSmallIntegerField()
    article = models.ForeignKey(Article, null=True, on_delete=models.SET_NULL, related_name="+")
    title = models.TextField()
    url = models.TextField(blank=True)
    source = models.CharField(max_length=300)
    tier = models.PositiveSmallIntegerField()
    language = models.CharField(max_length=8, blank=True)
    published_at = models.DateTimeField()
    date_uncertain = models.BooleanField(default=False)
    importance = models.FloatField()
    story = models.BigIntegerField(null=True)
    is_copy = models.BooleanField(default=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("topic", "position"), name="digest_article_position_once"),)

    def __str__(self) -> str:
        return self.title
