"""Reads the date of an entry in any common format, and says whether it is certain (SPEC §5, strategy.md step 2).

The first readable date by priority counts. Absurd dates are unreadable: before 1990, when there was nothing to publish
with (epoch 0 comes from broken clocks and empty columns), and more than 24 hours after the poll. A date less far ahead
counts as the time of the poll, and stays so: an entry that is there has been published. Local formats that
only feedparser reads are taken from there as uncertain, unless the text is ASCII: feedparser turns 31 February into
3 March and "10:20" into today.

Dates without a zone are UTC, unless they come from a clock that is ahead of it, as in East Asia: the newest of them
shows by how much (`clock_ahead`), and all are set back by that. A feed that is behind UTC can't be recognized.

Formats are tried from the most common: ISO 8601 / W3CDTF by the standard library, then patterns of our own (RFC 822
with month names of any language, month first, year first, Chinese, Japanese and Korean, Unix times), then dateutil. A
text of a known form with impossible numbers (31 February, 25:61) is unreadable.

Two-digit years follow POSIX (69–99 are 1969–1999), three-digit ones count from 1900 (RFC 2822); Buddhist, Reiwa and
Minguo years are converted. 24:00 is midnight of the next day, second 60 the next minute. A wrong weekday is ignored.
`02/03/2026` is read as in the United States, unless only the other way gives a date. Incomplete dates ("10:00", "May")
are unreadable.

`months.tsv` has case-folded month names without dots, `zones.tsv` hours or places for zone names. Where letters have
several meanings, RFC 822's counts, else the most common: CST is Chicago's, IST India's, BST Britain's.
"""

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dateutil import parser as dateutil_parser

from feeds.parsing.feed import ParsedDate
from feeds.word_lists import read_rows

EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
UNDATED = EARLIEST - timedelta(days=1)  # stands for no date while a new feed's document is read, never stored
MAX_AHEAD = timedelta(hours=24)  # SPEC §5
MONTHS = {
    name: number
    for _language, *months in read_rows("feeds.normalizing", "months.tsv")
    for number, names in enumerate(months, start=1)
    for name in names.split()
}
ZONES: dict[str, tzinfo] = {
    name: ZoneInfo(zone) if "/" in zone else timezone(timedelta(hours=float(zone)))
    for zone, names in read_rows("feeds.normalizing", "zones.tsv")
    for name in names.split()
}
MAX_LENGTH = 120  # characters of a date
_ENGLISH = {number: f"{datetime(2000, number, 1, tzinfo=UTC):%b}" for number in range(1, 13)}
_ENGLISH_MONTHS = {name: number for number, name in _ENGLISH.items()}
_MAX_OFFSET = timedelta(hours=15)
_LARGEST_OFFSET = timedelta(hours=14)  # of a zone that is ahead of UTC
_OFFSETS = timedelta(minutes=30)  # between most time zones
_INEXACT = timedelta(minutes=5)  # of clocks
_LATE = timedelta(hours=1)  # that an entry may appear after its date

_RFC_822 = re.compile(
    r"(?:[A-Z][a-z]{2}, )?(\d\d?) ([A-Z][a-z]{2}) ((?:19|20)\d\d) (\d\d):(\d\d):(\d\d) "
    r"(?:GMT|UTC|Z|([+-])(0\d|1[0-4])([0-5]\d))",
    re.ASCII,
)  # as most feeds write it
_DAY_FIRST = re.compile(
    r"(?:[^\d,]{1,30}?[,\s]\s*)?(?P<day>\d{1,2})(?:st|nd|rd|th|er|[ºª.])?(?:\s+(?:de|of|da)\s+|[\s./-]+)"
    r"(?P<month>[^\W\d_][^\s\d,;:/-]*|\d\d?月)(?:,?\s+(?:de|del|ปี|พ\.ศ\.)\s+|[\s.,/-]+)(?P<year>\d{2,4})(?!\d)(?P<rest>.*)",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    r"(?:[^\d,\s]{1,30},?\s+)?(?P<month>[^\W\d_][^\s\d,;:/-]*)[\s.-]+(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,\s*|\s+)"
    r"(?P<year>\d{4})(?!\d)(?P<rest>.*)",
    re.IGNORECASE,
)
_YEAR_FIRST = re.compile(
    r"(?P<year>\d{4})(?P<sep>[-/.]?)(?P<month>\d{1,2})(?:(?P=sep)(?P<day>\d{1,2}))?(?!\d)(?P<rest>.*)"
)
_NAMED_MONTH_INSIDE = re.compile(
    r"(?P<year>\d{4})[-./\s]+(?P<month>[^\W\d_][^\s\d,;:/-]*)[-./\s]+(?P<day>\d{1,2})\.?(?!\d)(?P<rest>.*)"
)
_COMPACT = re.compile(r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)T?(?P<time>\d{4}|\d{6})?(?!\d)(?P<rest>.*)", re.I)
_DOTTED = re.compile(
    r"(?:[^\d,]{1,30}?[,\s]\s*)?(?P<a>\d{1,2})(?P<sep>[./-])(?P<b>\d{1,2})(?P=sep)(?P<year>\d{4}|\d\d)(?!\d)(?P<rest>.*)"
)
_EAST_ASIAN = re.compile(
    r"(?P<era>令和|民[國国])?\s*(?P<year>\d{1,4}|元)\s*[年년]\s*(?P<month>\d{1,2})\s*[月월]\s*(?P<day>\d{1,2})\s*[日号號일]?"
    r"\s*(?:\(.\)|[日月火水木金土]曜日?|(?:星期|周|週|礼拜)[一二三四五六日天])?(?P<rest>.*)"
)
_ORDINAL = re.compile(r"(?P<year>\d{4})-(?P<day>\d{3})(?!\d)(?P<rest>.*)")
_UNIX = re.compile(r"(?P<seconds>\d{9,11})(?:[.,]\d+)?|(?P<milliseconds>\d{12,13})|(?P<microseconds>\d{15,16})")

_FILLER = re.compile(
    r"(?:[\s,|@–—T]|-(?=\s)|г\.?(?=[\s,]|$)|года|r\.|at\b|um\b|à\b|às\b|a las\b|om\b|kl\.?\s|alle\b|ore\b|в\s|เวลา)*",
    re.I,
)
_TIME = re.compile(
    r"(?P<before>上午|下午|午前|午後|凌晨|晚上|早上|中午|오전|오후)?\s*"
    r"(?P<hour>\d{1,2})\s*(?:[:.h时時点點시]|(?=\s*[ap]\.?m))\s*(?P<minute>\d{1,2})?(?:\s*[:.m分분]\s*(?P<second>\d{1,2}))?"
    r"(?:[.,](?P<fraction>\d+))?\s*(?:[秒초分분]|Uhr|hrs?\b|น\.|s\b)?\s*(?P<after>[ap]\.?m\b\.?)?",
    re.IGNORECASE,
)
_MILITARY_TIME = re.compile(r"^([01]\d|2[0-4])([0-5]\d)(?=\s|$)")
_AFTERNOON = frozenset({"下午", "午後", "晚上", "오후", "pm"})
_OFFSET = re.compile(
    r"(?:GMT|UTC|Z)?\s*(?P<sign>[+\-−])\s*(?P<hours>\d{1,2}):?(?P<minutes>\d\d)?(?P<seconds>:\d\d)?", re.I
)
_COMMENT = re.compile(r"\((?P<inside>[^()]*)\)\s*$")
_WORD = re.compile(r"[^\W\d_]+")


def resolve_date(
    dates: Iterable[ParsedDate], *, now: datetime, undated: datetime | None = None, ahead: timedelta = timedelta(0)
) -> tuple[datetime, bool]:
    """Return the date of publication as aware UTC and whether it is uncertain; without a usable date, `undated` or
    `now`. Never later than `now`. `ahead`: by how much dates without a zone are ahead of UTC."""
    latest = now + MAX_AHEAD
    for timestamp, zone_is_known in _readable(dates):
        if EARLIEST <= timestamp <= latest:
            return min(timestamp if zone_is_known else timestamp - ahead, now.astimezone(UTC)), not zone_is_known
    return (undated or now).astimezone(UTC), True


def clock_ahead(
    entries: Iterable[Iterable[ParsedDate]], *, known: timedelta, now: datetime, since: datetime | None
) -> timedelta:
    """Return by how much the dates without a zone of a feed are ahead of UTC, in half hours, from 0 to 14 h.

    `entries`: the dates of its new entries; `known`: what earlier ones showed; `since`: the last poll, which didn't
    have them yet, None if this is the first. An entry isn't dated after it is seen. One that would be from before the
    last poll shows that too much was assumed.
    """
    read = (next(_readable(dates), None) for dates in entries)
    local = [date[0] for date in read if date is not None and not date[1] and date[0] - now <= _LARGEST_OFFSET]
    if not local:
        return known
    lead = max(local) - now
    least = -(-lead // _OFFSETS) * _OFFSETS if lead > _INEXACT else timedelta(0)
    if since is None or max(local) - known >= since - _LATE:
        return min(max(known, least), _LARGEST_OFFSET)
    return min(max(least, (max(local) - since) // _OFFSETS * _OFFSETS), _LARGEST_OFFSET)


def _readable(dates: Iterable[ParsedDate]) -> Iterator[tuple[datetime, bool]]:
    """The dates that can be read, and whether they have a zone."""
    for date in dates:
        timestamp, zone_is_known = parse_date(date.text) or _parsed_by_feedparser(date)
        if timestamp is not None:
            yield timestamp, zone_is_known


def _parsed_by_feedparser(date: ParsedDate) -> tuple[datetime | None, bool]:
    if date.parsed is None or (date.text and date.text.isascii()):
        return None, False
    return (date.parsed if date.parsed.tzinfo else date.parsed.replace(tzinfo=UTC)), False


def parse_date(text: str) -> tuple[datetime, bool] | None:
    """Return the date as aware UTC and whether the text has a zone; None for an unreadable date.

    A date without a known zone is read as UTC.
    """
    text = text.strip()
    if not text or len(text) > MAX_LENGTH:
        return None
    try:
        if text[4:5] == "-" and len(text) > 11:
            return _in_utc(datetime.fromisoformat(text))
        return _rfc_822(text) or _by_shape(text)
    except ValueError:
        try:
            return _by_shape(text)
        except (ValueError, ArithmeticError):
            return None
    except ArithmeticError:  # years and seconds out of range; dateutil's decimals of too many digits
        return None


def _rfc_822(text: str) -> tuple[datetime, bool] | None:
    """The same as `_by_shape` in a fifth of the time, for the most common form only. Raises ValueError."""
    match = _RFC_822.fullmatch(text)
    if match is None or match[2] not in _ENGLISH_MONTHS:
        return None
    day, month, year, hour, minute, second, sign, hours, minutes = match.groups()
    timestamp = datetime(int(year), _ENGLISH_MONTHS[month], int(day), int(hour), int(minute), int(second), tzinfo=UTC)
    if sign is None:
        return timestamp, True
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    return timestamp - offset if sign == "+" else timestamp + offset, True


def _by_shape(text: str) -> tuple[datetime, bool] | None:
    if "&" in text:
        text = html.unescape(text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).strip()
    if match := _UNIX.fullmatch(text):
        return _unix(match)
    if (match := _DAY_FIRST.fullmatch(text)) and _month(match["month"]):
        return _read(match["year"], _month(match["month"]), match["day"], match["rest"])
    for shape in (_MONTH_FIRST, _NAMED_MONTH_INSIDE):
        if (match := shape.fullmatch(text)) and _month(match["month"]):
            return _read(match["year"], _month(match["month"]), match["day"], match["rest"])
    if match := _EAST_ASIAN.fullmatch(text):
        return _read(_era_year(match), int(match["month"]), match["day"], match["rest"])
    return _by_numbers(text)


def _by_numbers(text: str) -> tuple[datetime, bool] | None:
    if match := _COMPACT.fullmatch(text):
        time = match["time"] or ""
        with_colons = ":".join(time[i : i + 2] for i in range(0, len(time), 2))
        return _read(match["year"], int(match["month"]), match["day"], with_colons + match["rest"])
    if match := _ORDINAL.fullmatch(text):
        first = _read(match["year"], 1, "1", match["rest"])
        return first and (first[0] + timedelta(days=int(match["day"]) - 1), first[1])
    if match := _YEAR_FIRST.fullmatch(text):
        return _read(match["year"], int(match["month"]), match["day"] or "1", match["rest"])
    if match := _DOTTED.fullmatch(text):
        day, month = int(match["a"]), int(match["b"])
        if month > 12 or (match["sep"] == "/" and day <= 12):
            day, month = month, day
        return _read(match["year"], month, str(day), match["rest"])
    return _by_dateutil(text)


def _read(year: str, month: int, day: str, rest: str) -> tuple[datetime, bool] | None:
    """Combine the date with the time and zone in `rest`. Raises ValueError for impossible numbers."""
    rest = rest[_FILLER.match(rest).end() :]  # type: ignore[union-attr]  # it matches the empty text
    timestamp = datetime(_full_year(year), month, int(day), tzinfo=UTC)
    rest = _MILITARY_TIME.sub(r"\1:\2", rest)
    if match := _TIME.match(rest):
        rest = rest[match.end() :]
        timestamp += _time_of_day(match)
    zone = read_zone(rest)
    if zone is None and any(char.isdigit() for char in rest) and not _OFFSET.fullmatch(rest.strip()):
        raise ValueError(rest)
    return _in_utc(timestamp.replace(tzinfo=zone))


def _time_of_day(match: re.Match[str]) -> timedelta:
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    half = (match["before"] or match["after"] or "").lower().replace(".", "")
    if half and 1 <= hour <= 12 and half != "中午":
        hour = hour % 12 + (12 if half in _AFTERNOON else 0)
    if minute > 59 or second > 60 or hour > 24 or (hour == 24 and (minute or second)):
        raise ValueError(match[0])
    fraction = float(f"0.{match['fraction']}") if match["fraction"] else 0.0
    return timedelta(hours=hour, minutes=minute, seconds=second + fraction)


def read_zone(text: str) -> tzinfo | None:
    """Return the zone given as an offset, letters or a place; None for an unknown one or none."""
    text = text.strip()
    if match := _COMMENT.search(text):
        text = text[: match.start()].strip() or match["inside"].strip()
    text = text.strip(" []")
    if not text:
        return None
    if match := _OFFSET.fullmatch(text):
        size = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"] or 0))
        if size > _MAX_OFFSET or int(match["minutes"] or 0) > 59:
            return None
        return timezone(size if match["sign"] == "+" else -size)
    if zone := ZONES.get(text.upper()) or ZONES.get(text.split()[0].upper()):
        return zone
    try:
        return ZoneInfo(text) if "/" in text else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _in_utc(timestamp: datetime) -> tuple[datetime, bool]:
    if timestamp.tzinfo is None:
        return timestamp.replace(tzinfo=UTC), False
    return timestamp.astimezone(UTC), True


def _unix(match: re.Match[str]) -> tuple[datetime, bool]:
    if match["seconds"]:
        seconds = float(match[0].replace(",", "."))
    else:
        seconds = int(match["milliseconds"]) / 1e3 if match["milliseconds"] else int(match["microseconds"]) / 1e6
    return datetime.fromtimestamp(seconds, UTC), True


def _month(word: str) -> int:
    """Return the number of a month by its name in any language, 0 for other words."""
    return MONTHS.get(word) or MONTHS.get(word.casefold().replace(".", ""), 0)


def _full_year(year: str) -> int:
    number = int(year)
    if len(year) <= 2:
        return number + (2000 if number < 69 else 1900)
    if len(year) == 3:
        return number + 1900
    return number - 543 if 2400 < number < 2800 else number


def _era_year(match: re.Match[str]) -> str:
    number = 1 if match["year"] == "元" else int(match["year"])
    if not match["era"]:
        return match["year"]
    return str(number + (2018 if match["era"] == "令和" else 1911))


def _by_dateutil(text: str) -> tuple[datetime, bool] | None:
    english = _WORD.sub(lambda word: _ENGLISH.get(_month(word[0]), word[0]), text)
    timestamps = [
        dateutil_parser.parse(english, default=default, tzinfos=lambda name, _: ZONES.get((name or "").upper()))
        for default in (datetime(2000, 1, 1), datetime(2005, 2, 2))  # noqa: DTZ001  # the text gives the zone
    ]
    if timestamps[0].replace(tzinfo=None) != timestamps[1].replace(tzinfo=None):
        return None  # day, month or year comes from the default: the date is incomplete
    return _in_utc(timestamps[0])
