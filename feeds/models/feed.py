"""Feeds, their publishers and their polls."""

from datetime import datetime

from django.db import models
from django.utils.translation import gettext_lazy as _

from feeds.fetching.credentials import without_credentials
from feeds.models.icon import Icon
from feeds.normalizing.canonical_url import feed_url_key
from feeds.polling.health import TIMEOUTS_TO_SLOW


class Tier(models.IntegerChoices):
    """Authority of a source. Source: best-practices.md, Source Authority Tiers."""

    T1 = 1, _("Wire service or official source")
    T2 = 2, _("Major established outlet")
    T3 = 3, _("Respected niche or industry source")
    T4 = 4, _("Community or expert blog")
    T5 = 5, _("Unverified")


class Source(models.Model):
    """A publisher: a registrable domain, or a listed part of one (`feeds.publishers.hosts`). `tier` is None if unknown.

    Also the unit of polling: one worker at a time holds the lease of a feed's registrable domain, and a rate limit
    applies to all feeds there.
    """

    domain = models.CharField(max_length=253, unique=True)
    name = models.CharField(max_length=200, blank=True)
    tier = models.PositiveSmallIntegerField(
        choices=Tier.choices,
        null=True,
        blank=True,
        help_text=_("Empty if unknown: T4 for feeds that users added by address, else T5"),
    )
    lease_token = models.UUIDField(null=True, blank=True, editable=False)
    leased_until = models.DateTimeField(null=True, blank=True, editable=False)
    rate_limited_until = models.DateTimeField(
        null=True, blank=True, help_text=_("From Retry-After; none of its feeds is polled before this")
    )
    down_since = models.DateTimeField(
        null=True, blank=True, editable=False, help_text=_("Since when most of its feeds have failed alike")
    )

    class Meta:
        ordering = ("domain",)
        indexes = (models.Index(fields=("tier", "domain"), name="source_tier"),)

    def __str__(self) -> str:
        return self.name or self.domain


class FeedKind(models.TextChoices):
    """How often a feed usually publishes; the base intervals are in `feeds.polling.schedule`."""

    BREAKING = "breaking", _("Breaking news")
    MAJOR = "major", _("Major outlet")
    BLOG = "blog", _("Blog")
    NEWSLETTER = "newsletter", _("Newsletter")
    DORMANT = "dormant", _("Dormant")


class FeedStatus(models.TextChoices):
    ACTIVE = "active", _("Active")
    PAUSED = "paused", _("Paused")
    DEAD = "dead", _("Gone (410)")
    MERGED = "merged", _("Merged into another feed")
    SAMPLE = "sample", _("Sample (never polled)")
    SAVED = "saved", _("A user's saved pages (never polled)")


class Condition(models.TextChoices):
    """The health of a feed; followers are notified when it changes."""

    WELL = "well", _("Healthy")
    UNHEALTHY = "unhealthy", _("Unhealthy")
    SILENT = "silent", _("Quiet for 90 days")
    DEAD = "dead", _("Permanently gone")


class Feed(models.Model):
    """A published document, polled at a URL."""

    url = models.TextField()
    url_key = models.BinaryField(max_length=16, unique=True, editable=False)
    source = models.ForeignKey(
        Source, on_delete=models.PROTECT, related_name="feeds", help_text=_("The domain of its address")
    )
    publisher = models.ForeignKey(
        Source,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text=_("Who publishes it; empty if its host publishes for others and the feed doesn't say"),
    )
    via = models.CharField(
        max_length=253,
        blank=True,
        editable=False,
        help_text=_("The host that serves it, unless it is its publisher's own"),
    )
    is_added_by_hand = models.BooleanField(
        default=False, editable=False, help_text=_("A user added it by its address, not with a list")
    )
    is_private = models.BooleanField(
        default=False,
        help_text=_("Its articles are never merged or compared with those of other feeds"),
    )
    title = models.CharField(max_length=300, blank=True)
    name_key = models.CharField(
        max_length=100, blank=True, editable=False, help_text=_("Equal for titles that look alike")
    )
    site_url = models.TextField(blank=True)
    description = models.TextField(blank=True)
    icon_url = models.TextField(blank=True, help_text=_("Of its own icon"))
    icon = models.ForeignKey(Icon, null=True, editable=False, on_delete=models.SET_NULL, related_name="feeds")
    language = models.CharField(max_length=8, blank=True)
    language_is_fixed = models.BooleanField(default=False, help_text=_("Set by a list or by hand, not by the feed"))
    format = models.CharField(max_length=12, blank=True)
    clock_ahead_minutes = models.PositiveSmallIntegerField(
        default=0, db_default=0, editable=False, help_text=_("Minutes its dates without a time zone run ahead of UTC")
    )
    tier = models.PositiveSmallIntegerField(
        choices=Tier.choices, null=True, blank=True, help_text=_("Overrides the tier of the publisher")
    )
    kind = models.CharField(max_length=12, choices=FeedKind.choices, default=FeedKind.BLOG)
    kind_is_fixed = models.BooleanField(default=False, help_text=_("Set by hand, not classified automatically"))
    max_items = models.PositiveIntegerField(default=500, help_text=_("Entries read per poll, newest first"))
    keep_days = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text=_("Days to keep articles after they arrive. 0: forever. Empty: RETENTION_DAYS"),
    )
    keep_items = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text=_("Number of newest articles to keep. 0: all. Empty: RETENTION_ITEMS"),
    )

    status = models.CharField(max_length=8, choices=FeedStatus.choices, default=FeedStatus.ACTIVE)
    merged_into = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="merged_from"
    )
    followers_moved_at = models.DateTimeField(
        null=True, editable=False, help_text=_("When its followers were moved to the feed it was merged into")
    )
    condition = models.CharField(max_length=10, choices=Condition.choices, default=Condition.WELL)
    condition_reason = models.CharField(max_length=300, blank=True)
    condition_changed_at = models.DateTimeField(null=True, blank=True)

    etag = models.CharField(max_length=1000, blank=True)
    last_modified = models.CharField(max_length=200, blank=True)
    body_hash = models.BigIntegerField(null=True, editable=False)
    raw_hashes = models.BinaryField(
        default=b"",
        editable=False,
        help_text=_("What is known of the last document's entries, so that only new ones are parsed"),
    )

    next_poll_at = models.DateTimeField(null=True, blank=True)
    interval_seconds = models.PositiveIntegerField(null=True, blank=True)
    interval_reason = models.CharField(max_length=300, blank=True)
    publisher_minimum_seconds = models.PositiveIntegerField(default=0)
    publisher_minimum_by = models.CharField(
        max_length=40, blank=True, help_text=_("The publisher's hint that set the minimum")
    )
    skip_hours = models.PositiveIntegerField(default=0, help_text=_("Bit h: hour h (UTC) is skipped"))
    skip_days = models.PositiveSmallIntegerField(default=0, help_text=_("Bit d: weekday d (0 = Monday) is skipped"))

    last_polled_at = models.DateTimeField(null=True, blank=True)
    last_success_at = models.DateTimeField(null=True, blank=True)
    last_new_at = models.DateTimeField(null=True, blank=True, help_text=_("When a poll last found a new entry"))
    newest_entry_at = models.DateTimeField(null=True, blank=True)
    consecutive_failures = models.PositiveIntegerField(default=0)
    consecutive_parse_failures = models.PositiveIntegerField(default=0)
    consecutive_timeouts = models.PositiveIntegerField(default=0)
    is_slow = models.BooleanField(
        default=False, editable=False, help_text=_("The last poll was slow or timed out; polled after other feeds")
    )
    consecutive_unchanged = models.PositiveIntegerField(default=0)
    consecutive_new = models.PositiveIntegerField(default=0)
    average_new = models.FloatField(default=0.0, help_text=_("New entries per poll, moving average"))
    health_score = models.FloatField(default=1.0, help_text=_("Successful polls / polls over 30 days"))
    reliability_score = models.FloatField(default=1.0, help_text=_("0 to 1: uptime, valid documents, certain dates"))
    newest_item_id = models.BigIntegerField(default=0, editable=False)
    day_started_at = models.DateTimeField(
        null=True, editable=False, help_text=_("Start of the 24 hours in which its articles are counted")
    )
    day_articles = models.PositiveIntegerField(
        default=0, db_default=0, editable=False, help_text=_("Articles to compare since then")
    )
    day_corrections = models.PositiveIntegerField(
        default=0, db_default=0, editable=False, help_text=_("Articles corrected since then without a revision")
    )
    overrun_at = models.DateTimeField(
        null=True, editable=False, help_text=_("When it last published too much to compare with other feeds")
    )
    overrun_articles = models.PositiveIntegerField(
        default=0, db_default=0, editable=False, help_text=_("Articles of that day")
    )
    overrun_compared = models.PositiveIntegerField(
        default=0, db_default=0, editable=False, help_text=_("How many of them were compared")
    )
    purged_at = models.DateTimeField(null=True, editable=False, help_text=_("When it was last purged"))
    purged_up_to = models.BigIntegerField(
        default=0, editable=False, help_text=_("The item after which purging continues; 0: from the start")
    )
    final_url = models.TextField(
        blank=True, help_text=_("URL of the last document after redirects, if different; no credentials")
    )
    hub_url = models.TextField(blank=True, help_text=_("The WebSub hub that it names"))
    topic_url = models.TextField(blank=True, help_text=_("Its own address, by which the hub knows it"))
    discovered_feeds = models.JSONField(
        default=list, blank=True, help_text=_("Feeds found on the page that was returned instead")
    )
    added_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = (
            models.Index(fields=("next_poll_at",), name="feed_due", condition=models.Q(status="active")),
            models.Index(fields=("condition", "id"), name="feed_condition"),
            models.Index(fields=("name_key",), name="feed_name"),
            models.Index(fields=("id",), name="feed_with_hub", condition=~models.Q(hub_url="")),
        )

    def __str__(self) -> str:
        return self.title or self.shown_url

    @property
    def is_marked_slow(self) -> bool:
        """Whether its last polls all timed out."""
        return self.consecutive_timeouts >= TIMEOUTS_TO_SLOW

    @property
    def waits_for_host(self) -> bool:
        """Whether its last poll failed with most others of its host, which isn't its fault. Loads the source."""
        failed = self.last_polled_at is not None and self.last_polled_at != self.last_success_at
        return failed and not self.consecutive_failures and self.source.down_since is not None

    @property
    def is_of_saved_pages(self) -> bool:
        """Whether it holds the pages that one user saved (`reader.articles.saved_items`)."""
        return self.status == FeedStatus.SAVED

    @property
    def owner(self) -> str:
        """What tells the articles of a private feed from all others with the same URL; "" for other feeds."""
        return bytes(self.url_key).hex() if self.is_private else ""

    @classmethod
    def key_of(cls, url: str) -> bytes:
        """The key that is equal for URLs of one feed. Credentials count, so that no one reads a feed without them."""
        return feed_url_key(url)

    @property
    def last_published_at(self) -> datetime | None:
        """The date of the newest entry, or of the poll that found it if that is later; None before the first."""
        return max(filter(None, (self.last_new_at, self.newest_entry_at)), default=None)

    @property
    def shown_url(self) -> str:
        """The URL without credentials, for pages, logs and files."""
        return without_credentials(self.url)


class PollOutcome(models.TextChoices):
    NEW = "new", _("New entries")
    UNCHANGED = "unchanged", _("Nothing new")
    NOT_MODIFIED = "not_modified", _("Not modified (304)")
    LIMITED = "limited", _("Rate limited")
    GONE = "gone", _("Gone (410)")
    HTTP_ERROR = "http_error", _("HTTP error")
    TIMEOUT = "timeout", _("Timeout")
    UNREACHABLE = "unreachable", _("Unreachable")
    REFUSED = "refused", _("Blocked")
    OUTAGE = "outage", _("Host down")
    CHALLENGE = "challenge", _("Bot check")
    PARSE_ERROR = "parse_error", _("Not a valid feed")
    INTERNAL = "internal", _("Internal error")


SUCCESSES = (PollOutcome.NEW, PollOutcome.UNCHANGED, PollOutcome.NOT_MODIFIED)
FAILING_ALIKE = (  # what a host's feeds have in common when it is down
    PollOutcome.HTTP_ERROR,
    PollOutcome.TIMEOUT,
    PollOutcome.UNREACHABLE,
    PollOutcome.CHALLENGE,
    PollOutcome.PARSE_ERROR,
)


class Poll(models.Model):
    """One poll of one feed, kept for 35 days."""

    feed = models.ForeignKey(Feed, on_delete=models.CASCADE, related_name="polls", db_index=False)
    started_at = models.DateTimeField()
    outcome = models.CharField(max_length=12, choices=PollOutcome.choices)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    seconds = models.FloatField(default=0.0)
    n_bytes = models.PositiveIntegerField(default=0)
    n_entries = models.PositiveIntegerField(default=0, help_text=_("New or changed since the last poll"))
    n_read = models.PositiveIntegerField(default=0, help_text=_("Entries that were parsed"))
    n_new = models.PositiveIntegerField(default=0, help_text=_("Articles not delivered by any feed before"))
    n_duplicates = models.PositiveIntegerField(
        default=0, help_text=_("Delivered before, by this feed or another, or listed twice")
    )
    n_revised = models.PositiveIntegerField(default=0)
    n_malformed = models.PositiveIntegerField(default=0, help_text=_("Entries skipped for lack of a title and body"))
    n_left_out = models.PositiveIntegerField(
        default=0, db_default=0, help_text=_("Beyond the feed's limits, or deleted before")
    )
    n_uncertain_dates = models.PositiveIntegerField(default=0)
    well_formed = models.BooleanField(null=True)
    message = models.TextField(blank=True)
    is_pushed = models.BooleanField(default=False, db_default=False, help_text=_("The feed's hub announced something"))
    moved_to = models.TextField(
        blank=True, default="", help_text=_("New URL after a permanent redirect; no credentials")
    )

    class Meta:
        indexes = (
            models.Index(fields=("feed", "-started_at"), name="poll_of_feed"),
            models.Index(fields=("started_at",), name="poll_time"),
            models.Index(fields=("started_at",), name="poll_pushed", condition=models.Q(is_pushed=True)),
        )

    def __str__(self) -> str:
        return f"{self.feed_id} {self.started_at:%Y-%m-%d %H:%M} {self.outcome}"

    @property
    def succeeded(self) -> bool:
        return self.outcome in SUCCESSES


class PollTally(models.Model):
    """Totals of all polls with one outcome, kept forever. Samples don't count, nor do runs that were killed.

    `within` is a histogram of durations: one bucket for each upper bound in `SECONDS`, and one for longer polls.
    """

    SECONDS = (0.3, 1.0, 3.0, 10.0, 30.0)

    outcome = models.CharField(max_length=12, choices=PollOutcome.choices, primary_key=True)
    n = models.PositiveBigIntegerField(default=0)
    seconds = models.FloatField(default=0.0)
    n_new = models.PositiveBigIntegerField(default=0)
    n_duplicates = models.PositiveBigIntegerField(default=0)
    within = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"{self.get_outcome_display()}: {self.n}"


class Tombstone(models.Model):
    """A deleted entry that must not come back, although its feed may still list it.

    `value` is a 64-bit hash of the entry's guid or of its page (`feeds.storage.retention`), with a row for each. A poll
    looks up only the entries it doesn't know.
    """

    pk = models.CompositePrimaryKey("feed_id", "value")
    feed = models.ForeignKey(Feed, on_delete=models.CASCADE, related_name="+", db_index=False)
    value = models.BigIntegerField()
    content_hash = models.BigIntegerField()
    minute = models.IntegerField(help_text=_("Of publication, since 1970"))

    def __str__(self) -> str:
        return f"{self.feed_id} {self.value}"
