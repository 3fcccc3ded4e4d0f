"""When an entry was published, and whether that is certain (SPEC §5, strategy.md step 2).

The first readable date by priority counts. Unreadable are texts without a date and absurd dates: before 1990, when
there was nothing to publish with (epoch 0 is what broken clocks and empty columns print), and more than 24 hours
after the poll. Local formats that no reader of ours understands, but feedparser did, are taken from there as uncertain;
where the text is plain ASCII they are not, for feedparser bends 31 February into 3 March and "10:20" into today.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from feeds.parsing.feed import ParsedDate

from .date_formats import read_date

EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
MAX_AHEAD = timedelta(hours=24)  # SPEC §5


def resolve_date(dates: Iterable[ParsedDate], *, now: datetime) -> tuple[datetime, bool]:
    """Return the moment of publication, aware UTC, and whether it is uncertain; `now`, uncertain, if there is none."""
    latest = now + MAX_AHEAD
    for date in dates:
        moment, zone_is_known = read_date(date.text) or _as_feedparser_read(date)
        if moment is not None and EARLIEST <= moment <= latest:
            return moment, not zone_is_known
    return now.astimezone(UTC), True


def _as_feedparser_read(date: ParsedDate) -> tuple[datetime | None, bool]:
    if date.parsed is None or (date.text and date.text.isascii()):
        return None, False
    return (date.parsed if date.parsed.tzinfo else date.parsed.replace(tzinfo=UTC)), False
