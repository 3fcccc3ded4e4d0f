"""Articles, and which feeds delivered them."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from feeds.models.feed import Feed, Source
from feeds.models.fields import CompressedTextField
from feeds.normalizing.domains import registrable_domain


class Article(models.Model):
    """Content after deduplication, shared by all users.

    `markup` is as published and never shown. `safe_html` is its sanitized form, created on first use by the sanitizer
    of `safe_version`; only that reaches a template, an email or an API.
    """

    url_key = models.BinaryField(max_length=16, unique=True, editable=False)
    url = models.TextField(blank=True, help_text=_("As published, absolute"))
    canonical_url = models.TextField(blank=True, help_text=_("Without trackers; empty when equal to the URL"))
    base_url = models.TextField(blank=True, help_text=_("Base of relative URLs, if not the URL"))
    source = models.ForeignKey(
        Source,
        null=True,
        on_delete=models.SET_NULL,
        related_name="articles",
        help_text=_("The publisher it links to if their own feed delivered it, else the feed's"),
    )
    feed = models.ForeignKey(
        Feed,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text=_("The feed whose version of the content is stored"),
    )
    title = models.TextField()
    author = models.CharField(max_length=200, blank=True)
    published_at = models.DateTimeField()
    date_uncertain = models.BooleanField(default=False)
    first_seen_at = models.DateTimeField()
    revised_at = models.DateTimeField(null=True, blank=True)
    reclaimed_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text=_("When the publisher's own feed replaced another feed's version"),
    )
    markup = CompressedTextField(blank=True)
    markup_is_text = models.BooleanField(default=False)
    safe_html = CompressedTextField(blank=True)
    safe_version = models.PositiveSmallIntegerField(default=0)
    text = models.TextField(blank=True)
    summary = models.CharField(max_length=501, blank=True)
    language = models.CharField(max_length=8, blank=True)
    word_count = models.PositiveIntegerField(default=0)
    reading_seconds = models.PositiveIntegerField(default=0)
    partial_content = models.BooleanField(default=False)
    categories = models.JSONField(default=list, blank=True)
    media = models.JSONField(
        default=list, blank=True, help_text=_("url, mime_type, length, width, height of each file")
    )
    content_hash = models.BigIntegerField()
    is_unmatched = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text=_("Not compared, because its feed is private or had published too much that day"),
    )
    story = models.ForeignKey(
        "feeds.Story", null=True, on_delete=models.SET_NULL, related_name="articles", editable=False, db_index=False
    )

    class Meta:
        indexes = (
            models.Index(fields=("-published_at", "-id"), name="article_newest"),
            models.Index(fields=("story",), name="article_of_story", condition=models.Q(story__isnull=False)),
        )

    def __str__(self) -> str:
        return self.title

    @property
    def domain(self) -> str:
        """The registrable domain of the link, "" without one. The publisher is `source`."""
        return registrable_domain(self.canonical_url or self.url)

    @property
    def link(self) -> str:
        """The URL to open: canonical, with the fragment that the feed gave."""
        return link_of(self.url, self.canonical_url)


def link_of(url: str, canonical_url: str) -> str:
    """The same from the columns of an article."""
    address = canonical_url or url
    fragment = url.partition("#")[2]
    return f"{address}#{fragment}" if fragment and "#" not in address else address


class Disposition(models.TextChoices):
    """What deduplication decided for an entry (SPEC §6)."""

    UNIQUE = "unique", _("Unique")
    EXACT_DUPLICATE = "exact_duplicate", _("Exact duplicate")
    REVISION = "revision", _("Revision")
    NEAR_DUPLICATE = "near_duplicate", _("Near-duplicate")
    SAME_EVENT = "same_event", _("Same event")


class Item(models.Model):
    """Feed F delivered article A under guid G at time t."""

    feed = models.ForeignKey(Feed, on_delete=models.CASCADE, related_name="items", db_index=False)
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="items")
    guid = models.CharField(max_length=255)
    published_at = models.DateTimeField(help_text=_("Date given by this feed"))
    first_seen_at = models.DateTimeField()
    disposition = models.CharField(max_length=15, choices=Disposition.choices, default=Disposition.UNIQUE)
    layer = models.CharField(max_length=10, blank=True)
    evidence = models.CharField(max_length=300, blank=True)
    rival = models.ForeignKey(  # no index and no constraint: deleting an article must not search all items
        Article,
        null=True,
        on_delete=models.DO_NOTHING,
        related_name="+",
        db_index=False,
        db_constraint=False,
        help_text=_("The article it was compared with; may have been deleted"),
    )
    measure = models.FloatField(null=True, help_text=_("The number in the evidence, in its own unit"))
    content_hash = models.BigIntegerField(help_text=_("Of the latest content with this guid from this feed"))
    details_hash = models.BigIntegerField(
        null=True, help_text=_("Hash of its latest link, author, date, files and markup")
    )

    class Meta:
        constraints = (models.UniqueConstraint(fields=("feed", "guid"), name="item_guid_once_a_feed"),)
        indexes = (models.Index(fields=("feed", "id"), name="item_of_feed"),)

    def __str__(self) -> str:
        return self.guid


class Revision(models.Model):
    """An earlier version of an article that its publisher has changed."""

    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="revisions")
    replaced_at = models.DateTimeField()
    title = models.TextField()
    markup = CompressedTextField(blank=True)
    text = models.TextField(blank=True)
    content_hash = models.BigIntegerField()

    class Meta:
        ordering = ("-replaced_at", "-id")
        constraints = (
            models.UniqueConstraint(fields=("article", "content_hash", "replaced_at"), name="revision_once"),
        )

    def __str__(self) -> str:
        return self.title


class CategorySynonym(models.Model):
    """Maps a category name in feeds, `term`, to the one to use, `category`."""

    term = models.CharField(max_length=100, unique=True, help_text=_("As written in feeds; case is ignored"))
    category = models.CharField(max_length=100)

    class Meta:
        ordering = ("category", "term")

    def __str__(self) -> str:
        return f"{self.term} → {self.category}"
