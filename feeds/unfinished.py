"""Polls whose process died: their leases are given back, and a feed that ends whoever reads it has to wait.

Anything may end a process once: a person, or a machine that needs its memory. So the feed that was being read then is
asked again at once; when it happens a second time in a row, the feed is the reason, and backs off as one that fails.
"""

import logging
import random
from datetime import datetime
from pathlib import Path

from django.db import transaction
from django.utils.translation import gettext as _

from feeds import claiming, poll_marks, recording
from feeds.models import Feed, FeedStatus, PollOutcome
from feeds.recording import Answered

logger = logging.getLogger(__name__)


def take_up(folder: Path, now: datetime) -> None:
    """Look after what processes of this machine left that died while they polled."""
    for mark in poll_marks.left_behind(folder):
        logger.warning("A process died polling, at feed %s; others go on with its feeds", mark.feed_id or "none")
        with transaction.atomic():
            claiming.give_back(mark.token)
            _note(mark.feed_id, now)


def _note(feed_id: int, now: datetime) -> None:
    held = Feed.objects.select_for_update(of=("self",)).select_related("source")
    feed = held.filter(pk=feed_id, status=FeedStatus.ACTIVE).first()
    if feed is None:
        return
    before, last = vars(feed).copy(), feed.polls.order_by("-started_at").first()
    answered = Answered(PollOutcome.INTERNAL, _("the program ended while it read this feed"))
    recording.record(feed, answered, now=now, jitter=random.uniform(-1, 1))  # noqa: S311 - spreads polls, guards nothing
    if last is None or last.outcome != PollOutcome.INTERNAL:
        feed.next_poll_at = now
    recording.save_changes(feed, before)
