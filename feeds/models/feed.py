"""A feed and the record of its polls."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from feeds.credentials import without_credentials
from feeds.models.source import Source, Tier
from feeds.normalizing.canonical_url import feed_url_key


class FeedKind(models.TextChoices):
    """How often a feed is expected to publish; base intervals are in `feeds.scheduling`."""

    BREAKING = "breaking", _("Breaking news")
    MAJOR = "major", _("Major outlet")
    BLOG = "blog", _("Blog")
    NEWSLETTER = "newsletter", _("Newsletter")
    DORMANT = "dormant", _("Dormant")


class FeedStatus(models.TextChoices):
    ACTIVE = "active", _("Active")
    PAUSED = "paused", _("Paused by a person")
    DEAD = "dead", _("Gone (410)")
    MERGED = "merged", _("Merged into another feed")
    SAMPLE = "sample", _("A sample, never polled")


class Condition(models.TextChoices):
    """What subscribers should know about a feed; a change of it is announced to them."""

    WELL = "well", _("Well")
    SLOW = "slow", _("Slow")
    UNHEALTHY = "unhealthy", _("Unhealthy")
    SILENT = "silent", _("Silent for 90 days")
    DEAD = "dead", _("Gone for good")


class Feed(models.Model):
    """One published document, polled at a URL."""

    url = models.TextField()
    url_key = models.BinaryField(max_length=16, unique=True, editable=False)
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="feeds")
    title = models.CharField(max_length=300, blank=True)
    site_url = models.TextField(blank=True)
    description = models.TextField(blank=True)
    icon_url = models.TextField(blank=True)
    language = models.CharField(max_length=8, blank=True)
    format = models.CharField(max_length=12, blank=True)
    tier = models.PositiveSmallIntegerField(
        choices=Tier.choices, null=True, blank=True, help_text=_("When set, wins over the tier of the source")
    )
    kind = models.CharField(max_length=12, choices=FeedKind.choices, default=FeedKind.BLOG)
    kind_is_fixed = models.BooleanField(
        default=False, help_text=_("Set by a person; not classified from what it publishes")
    )
    max_items = models.PositiveIntegerField(default=500, help_text=_("Newest entries taken from one poll"))
    keep_days = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text=_("For how many days since it came an article is kept; 0: for good; empty: as RETENTION_DAYS says"),
    )
    keep_items = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text=_("How many of the newest articles are kept; 0: all; empty: as RETENTION_ITEMS says"),
    )

    status = models.CharField(max_length=8, choices=FeedStatus.choices, default=FeedStatus.ACTIVE)
    merged_into = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="merged_from"
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
        help_text=_("8 bytes for each entry of the last document: what need not be parsed again"),
    )

    next_poll_at = models.DateTimeField(null=True, blank=True)
    interval_seconds = models.PositiveIntegerField(null=True, blank=True)
    interval_reason = models.CharField(max_length=300, blank=True)
    publisher_minimum_seconds = models.PositiveIntegerField(default=0)
    publisher_minimum_by = models.CharField(
        max_length=40, blank=True, help_text=_("Which of the publisher's hints set the minimum")
    )
    skip_hours = models.PositiveIntegerField(default=0, help_text=_("Bit h: hour h (UTC) is skipped"))
    skip_days = models.PositiveSmallIntegerField(default=0, help_text=_("Bit d: weekday d (0 = Monday) is skipped"))

    last_polled_at = models.DateTimeField(null=True, blank=True)
    last_success_at = models.DateTimeField(null=True, blank=True)
    last_new_at = models.DateTimeField(null=True, blank=True, help_text=_("When a poll last brought a new entry"))
    newest_entry_at = models.DateTimeField(null=True, blank=True)
    failures_running = models.PositiveIntegerField(default=0)
    parse_failures_running = models.PositiveIntegerField(default=0)
    timeouts_running = models.PositiveIntegerField(default=0)
    unchanged_running = models.PositiveIntegerField(default=0)
    new_running = models.PositiveIntegerField(default=0)
    average_new = models.FloatField(default=0.0, help_text=_("New entries per poll, moving average"))
    health_score = models.FloatField(default=1.0, help_text=_("Successful polls / polls over 30 days"))
    reliability_score = models.FloatField(default=1.0, help_text=_("0 to 1: uptime, valid documents, certain dates"))
    newest_item_id = models.BigIntegerField(default=0, editable=False)
    purged_at = models.DateTimeField(null=True, editable=False, help_text=_("When it was last purged"))
    purged_up_to = models.BigIntegerField(
        default=0, editable=False, help_text=_("The item behind which purging goes on; 0: it begins anew")
    )
    answered_url = models.TextField(
        blank=True, help_text=_("Where the last document came from, when the address leads elsewhere; no credentials")
    )
    found_feeds = models.JSONField(
        default=list, blank=True, help_text=_("What discovery found when a page came instead")
    )
    added_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = (
            models.Index(fields=("next_poll_at",), name="feed_due", condition=models.Q(status="active")),
            models.Index(fields=("condition", "id"), name="feed_condition"),
        )

    def __str__(self) -> str:
        return self.title or self.shown_url

    @classmethod
    def key_of(cls, url: str) -> bytes:
        """What makes two feed URLs one feed. Credentials count: who lacks them must not read along."""
        return feed_url_key(url)

    @property
    def shown_url(self) -> str:
        """The address without credentials, for every page, log and file."""
        return without_credentials(self.url)

    @property
    def shown_tier(self) -> int:
        """The feed's own tier when a person set one, else its source's."""
        return self.tier or self.source.tier


class PollOutcome(models.TextChoices):
    NEW = "new", _("New entries")
    UNCHANGED = "unchanged", _("Nothing new")
    NOT_MODIFIED = "not_modified", _("Not modified (304)")
    LIMITED = "limited", _("Asked to slow down")
    GONE = "gone", _("Gone (410)")
    HTTP_ERROR = "http_error", _("HTTP error")
    TIMEOUT = "timeout", _("Timeout")
    UNREACHABLE = "unreachable", _("Unreachable")
    REFUSED = "refused", _("Refused by us")
    PARSE_ERROR = "parse_error", _("Not a readable feed")
    INTERNAL = "internal", _("A fault of ours")


SUCCESSES = (PollOutcome.NEW, PollOutcome.UNCHANGED, PollOutcome.NOT_MODIFIED)


class Poll(models.Model):
    """One poll of one feed, kept for 30 days and more."""

    feed = models.ForeignKey(Feed, on_delete=models.CASCADE, related_name="polls", db_index=False)
    started_at = models.DateTimeField()
    outcome = models.CharField(max_length=12, choices=PollOutcome.choices)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    seconds = models.FloatField(default=0.0)
    n_bytes = models.PositiveIntegerField(default=0)
    n_entries = models.PositiveIntegerField(default=0)
    n_new = models.PositiveIntegerField(default=0, help_text=_("Articles that no feed had before"))
    n_duplicates = models.PositiveIntegerField(
        default=0, help_text=_("New here, but an article that was there already")
    )
    n_revised = models.PositiveIntegerField(default=0)
    n_malformed = models.PositiveIntegerField(default=0, help_text=_("Entries without title and body, skipped"))
    n_uncertain_dates = models.PositiveIntegerField(default=0)
    well_formed = models.BooleanField(null=True)
    message = models.TextField(blank=True)
    moved_to = models.TextField(
        blank=True, default="", help_text=_("Where the publisher moved the feed for good; no credentials")
    )

    class Meta:
        indexes = (
            models.Index(fields=("feed", "-started_at"), name="poll_of_feed"),
            models.Index(fields=("started_at",), name="poll_time"),
        )

    def __str__(self) -> str:
        return f"{self.feed_id} {self.started_at:%Y-%m-%d %H:%M} {self.outcome}"

    @property
    def succeeded(self) -> bool:
        return self.outcome in SUCCESSES


class PollTally(models.Model):
    """The polls of one outcome that workers and commands made, counted: what they brought and how long they took. Never
    forgotten, unlike polls. A run that is killed loses its counts; samples are no polls.

    `within` counts those that took up to `SECONDS[n]`, without the ones before, and last those that took longer.
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
