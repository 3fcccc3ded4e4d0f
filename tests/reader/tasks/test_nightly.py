"""Nights begin at 01:00 in the server's time zone, whether that hour occurs once, twice or never."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from reader.interests.backlog import last_night
from tests.tables import table

SECOND = timedelta(seconds=1)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


NIGHTS = {
    "noon": ("UTC", "2026-03-04T12:00", "2026-03-04T01:00"),
    "one o'clock": ("UTC", "2026-03-04T01:00", "2026-03-04T01:00"),
    "a second before": ("UTC", "2026-03-04T00:59:59", "2026-03-03T01:00"),
    "midnight": ("UTC", "2026-03-04T00:00", "2026-03-03T01:00"),
    "the first of a year": ("UTC", "2026-01-01T00:30", "2025-12-31T01:00"),
    "the day after a leap day": ("UTC", "2028-03-01T00:30", "2028-02-29T01:00"),
    "east, the next day already": ("Asia/Taipei", "2026-03-04T18:00", "2026-03-04T17:00"),
    "east, a second before": ("Asia/Taipei", "2026-03-04T16:59:59", "2026-03-03T17:00"),
    "half an hour off": ("Asia/Kolkata", "2026-03-04T12:00", "2026-03-03T19:30"),
    "west, still the day before": ("America/Los_Angeles", "2026-03-04T08:00", "2026-03-03T09:00"),
    "west, one o'clock": ("America/Los_Angeles", "2026-03-04T09:00", "2026-03-04T09:00"),
    # London goes from 01:00 to 02:00 on 29 March 2026, at 01:00 UTC
    "skipped, before": ("Europe/London", "2026-03-29T00:59:59", "2026-03-28T01:00"),
    "skipped, when the clock jumps": ("Europe/London", "2026-03-29T01:00", "2026-03-29T01:00"),
    "skipped, later": ("Europe/London", "2026-03-29T12:00", "2026-03-29T01:00"),
    "skipped, the next night": ("Europe/London", "2026-03-30T00:00", "2026-03-30T00:00"),
    # and from 02:00 back to 01:00 on 25 October, at 01:00 UTC
    "repeated, before": ("Europe/London", "2026-10-24T23:59:59", "2026-10-24T00:00"),
    "repeated, the first time": ("Europe/London", "2026-10-25T00:00", "2026-10-25T00:00"),
    "repeated, between": ("Europe/London", "2026-10-25T00:30", "2026-10-25T00:00"),
    "repeated, the second time": ("Europe/London", "2026-10-25T01:00", "2026-10-25T00:00"),
    "repeated, after it": ("Europe/London", "2026-10-25T01:30", "2026-10-25T00:00"),
    "repeated, the next night": ("Europe/London", "2026-10-26T01:00", "2026-10-26T01:00"),
    # Berlin goes from 02:00 to 03:00: one o'clock is before it
    "summer time in Berlin": ("Europe/Berlin", "2026-03-29T12:00", "2026-03-29T00:00"),
    "the night before it": ("Europe/Berlin", "2026-03-28T23:59:59", "2026-03-28T00:00"),
    # Azores: 00:00 to 01:00, so one o'clock is the start of the day
    "midnight skipped": ("Atlantic/Azores", "2026-03-29T01:00", "2026-03-29T01:00"),
}


@table(("zone", "now", "night"), NIGHTS.values(), ids=NIGHTS)
def test_finds_the_last_night(zone: str, now: str, night: str) -> None:
    with timezone.override(ZoneInfo(zone)):
        assert last_night(at(now)) == at(night)


@pytest.mark.parametrize("zone", ["UTC", "Europe/London", "Australia/Lord_Howe"])
def test_year_has_one_night_per_day_and_none_in_the_future(zone: str) -> None:
    with timezone.override(ZoneInfo(zone)):
        begin = at("2026-01-01T12:00")
        moments = [begin + number * timedelta(minutes=30) for number in range(365 * 48)]
        nights = {}
        for now in moments:
            night = last_night(now)
            assert timedelta(0) <= now - night < timedelta(hours=26)
            nights[night] = now
    assert len(nights) == 366  # noon to noon: the one before it, and 365
    assert list(nights) == sorted(nights)
