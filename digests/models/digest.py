"""A digest as it was made. It repeats what it shows of its articles, so that it stays whole when these are gone."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from digests.edition import SectionName, SummaryBy, Trend
from digests.kinds import Kind
from feeds.models import Article


class Digest(models.Model):
    """One a user, kind and local day, whoever makes it and however often; the front page (`today`) is one a user and is
    made anew in place.

    `report` is the state of the feeds, `findings` what the self-checks found and repaired (see `digests.keeping`).
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    day = models.DateField(help_text=_("Local to the person when it was made"))
    time_zone = models.CharField(max_length=64)
    begins_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    made_at = models.DateTimeField()
    n_articles = models.PositiveIntegerField(default=0)
    n_feeds = models.PositiveIntegerField(default=0)
    n_duplicates = models.PositiveIntegerField(default=0)
    report = models.JSONField(default=dict)
    findings = models.JSONField(default=list)
    looked_at = models.DateTimeField(null=True, help_text=_("When the front page was last asked for"))
    asked_at = models.DateTimeField(null=True, help_text=_("When a worker was last asked to make the front page anew"))

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "kind", "day"), name="digest_once_a_day"),
            models.UniqueConstraint(fields=("user",), condition=models.Q(kind=Kind.TODAY), name="digest_one_today"),
        )
        indexes = (models.Index(fields=("user", "-made_at", "-id"), name="digest_newest"),)

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.day}"


class DigestTopic(models.Model):
    """A topic of a digest. `sources` are the names of who else tells of it, `n_more` how many more articles do."""

    digest = models.ForeignKey(Digest, on_delete=models.CASCADE, related_name="topics", db_index=False)
    position = models.PositiveSmallIntegerField()
    section = models.CharField(max_length=10, choices=SectionName.choices)
    label = models.CharField(max_length=200)
    trend = models.CharField(max_length=8, choices=Trend.choices, blank=True)
    importance = models.FloatField(help_text=_("Of its best article, when the digest was made"))
    category = models.CharField(max_length=100, blank=True)
    summary = models.TextField(blank=True)
    summary_by = models.CharField(max_length=7, choices=SummaryBy.choices, blank=True)
    moved = models.CharField(max_length=300, blank=True, help_text=_("Why it is here again after the last digest"))
    sources = models.JSONField(default=list)
    n_more = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("digest", "position"), name="topic_position_once"),)

    def __str__(self) -> str:
        return self.label


class DigestArticle(models.Model):
    """An article of a topic; the one at position 0 leads it. `article` is None once that is purged.

    `is_copy`: a near-duplicate, which stands under another. `story` is the id its story had then.
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
