"""Subscriptions to hubs, which announce new entries of feeds (WebSub)."""

from datetime import datetime

from django.db import models
from django.utils.translation import gettext_lazy as _

from feeds.models.feed import Feed


class PushState(models.TextChoices):
    WAITING = "waiting", _("Not requested yet")
    REQUESTED = "requested", _("Waiting for the hub's confirmation")
    VERIFIED = "verified", _("Confirmed")
    DENIED = "denied", _("Refused")
    LAPSED = "lapsed", _("Expired")
    ENDING = "ending", _("Being canceled")


class PushSubscription(models.Model):
    """Our subscription to one feed at its hub; `feeds.push` describes how it works.

    `hub_url` and `topic_url` are what we requested; the feed's own may have changed since. `key` is the secret part of
    the address that the hub calls, and `secret` what it signs with. A ping is open until a poll answers it.
    """

    feed = models.OneToOneField(Feed, on_delete=models.CASCADE, related_name="push")
    hub_url = models.TextField()
    topic_url = models.TextField()
    key = models.CharField(max_length=43, unique=True, editable=False)
    secret = models.CharField(max_length=43, editable=False)
    state = models.CharField(max_length=9, choices=PushState.choices, default=PushState.WAITING)
    try_at = models.DateTimeField(db_index=True, help_text=_("When the hub is asked next"))
    n_tries = models.PositiveSmallIntegerField(default=0, help_text=_("Requests since the hub's last confirmation"))
    reason = models.CharField(max_length=300, blank=True, help_text=_("Why the last request failed"))
    verified_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    announces = models.BooleanField(
        default=False, help_text=_("The hub announced the latest new entries, so the feed is polled less")
    )
    pinged_at = models.DateTimeField(null=True, blank=True, help_text=_("When the hub last announced something"))
    answered_at = models.DateTimeField(null=True, blank=True, help_text=_("Start of the poll after the last ping"))
    polled_at = models.DateTimeField(null=True, blank=True, help_text=_("The last poll because of a ping"))
    n_pings = models.PositiveIntegerField(default=0)
    n_fruitless = models.PositiveSmallIntegerField(
        default=0, help_text=_("Polls after pings that found nothing, since the last new entry")
    )

    def __str__(self) -> str:
        return f"{self.feed_id} {self.state}"

    @property
    def has_open_ping(self) -> bool:
        return self.pinged_at is not None and (self.answered_at is None or self.pinged_at > self.answered_at)

    def is_active(self, now: datetime) -> bool:
        """Whether the hub has promised to announce new entries."""
        return self.state == PushState.VERIFIED and self.lease_until is not None and self.lease_until > now

    def replaces_polls(self, now: datetime) -> bool:
        """Whether the hub keeps its promise, so that the feed is polled less."""
        return self.announces and self.is_active(now)
