"""Finds times and dates in a text, and how far they are from the publication date.

Each becomes a cue: `clock` is a time of day, `day` a day of a month, `past_year` a year long ago. Relative to the
publication date, a date counts as the words that mean the same: within two days `today`, ahead `upcoming`, more than a
year ago `past_year`. Without a publication date, years before 2010 are past. "The highest since 2007" is news.

Covers dates in English, Chinese, Japanese, German, French, Spanish and Russian, including Chinese numerals.
"""

import re
from collections.abc import Iterator
from datetime import date, datetime

from reader.scoring.sensitivity.cues import CueMatch

NEAR_DAYS = 2  # an event this close is news; SPEC §11: high expires in 24–48 hours
AHEAD_DAYS = 120  # anything later isn't why the article is read today
PAST_YEARS = 2  # a year this far back isn't the story's own
PAST_BEFORE = 2010  # if the publication date is unknown

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janvier enero января",
            "february feb februar février febrero февраля",
            "march mar märz mars marzo марта",
            "april apr avril abril апреля",
            "may mai mayo мая",
            "june jun juni juin junio июня",
            "july jul juli juillet julio июля",
            "august aug août agosto августа",
            "september sep sept septembre septiembre сентября",
            "october oct oktober octobre octubre октября",
            "november nov novembre noviembre ноября",
            "december dec dezember décembre diciembre декабря",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DIGITS = "0-9〇一二三四五六七八九十"
_DIGIT = re.compile("[0-9〇一二三四五六七八九十]")  # fast path: without one there is no date
_SPACED = re.compile(
    r"\b(?P<clock>(?:[01]?\d|2[0-3])[:h.][0-5]\d\s?(?:[ap]\.?m\b\.?|uhr\b)?(?![\d.:%])"
    r"|(?:1[0-2]|[1-9])\s?[ap]\.?m\b\.?|(?:[01]?\d|2[0-4])\s?uhr\b)"
    r"|\b(?P<iso>(?:19|20)\d\d-[01]\d-[0-3]\d)\b"
    rf"|\b(?P<d1>[0-3]?\d)(?:st|nd|rd|th|\.)?(?: de| of)? (?P<m1>{_MONTH})\b\.?(?:,? (?:de )?(?P<y1>(?:19|20)\d\d)\b)?"
    rf"|\b(?P<m2>{_MONTH})\b\.? (?P<d2>[0-3]?\d)(?:st|nd|rd|th)?\b(?:,? (?P<y2>(?:19|20)\d\d)\b)?"
    r"|(?<![\d.,$€£-])(?<!since )(?P<year>1[0-9]\d\d|20[0-4]\d)(?:s\b|(?![\d.,]*\d|\w))",
    re.IGNORECASE,
)
_SPACELESS = re.compile(
    rf"(?P<clock>(?:[01]?\d|2[0-3])[:\uff1a][0-5]\d|(?:[{_DIGITS}]{{1,3}})[点點時时](?![代期間间刻候停休的]|以)(?:半|[{_DIGITS}]{{1,3}}分)?)"
    rf"|(?:(?P<y1>(?:19|20)\d\d)年)?(?P<m1>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月"
    rf"(?P<d1>[12]\d|3[01]|0?[1-9]|[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九])[日号號]"
    rf"|(?P<day>(?:[12]\d|3[01]|[1-9]|[一二三]?十[一二三四五六七八九]?|[二三四五六七八九])[日号](?![間间目元报報本常])(?![{_DIGITS}]))"
    r"|(?<!\d)(?P<year>1[0-9]\d\d|20[0-4]\d)年(?!以[来來]|来|來)"
)
_NUMERALS = {"〇": 0, "一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}


def find_dates(text: str, *, spaceless: bool, published_at: datetime | None) -> Iterator[CueMatch]:
    """A cue for each time, day and year in a text; `spaceless` for Chinese and Japanese."""
    if not _DIGIT.search(text):
        return
    published_on = published_at.date() if published_at else None
    for match in (_SPACELESS if spaceless else _SPACED).finditer(text):
        cue = _cue(match, published_on)
        if cue:
            yield CueMatch(cue, match.group().strip())


def _cue(match: re.Match[str], published_on: date | None) -> str:
    if match.lastgroup == "clock":
        return "clock"
    fields = match.groupdict()
    if fields["year"]:
        return _year_cue(int(fields["year"]), published_on)
    day = _day(fields, published_on)
    return _day_cue(day, published_on) if day and published_on else "day"


def _year_cue(year: int, published_on: date | None) -> str:
    is_past = year <= published_on.year - PAST_YEARS if published_on else year < PAST_BEFORE
    return "past_year" if is_past else ""


def _day_cue(day: date, published_on: date) -> str:
    distance = (day - published_on).days
    if abs(distance) <= NEAR_DAYS:
        return "today"
    if 0 < distance <= AHEAD_DAYS:
        return "upcoming"
    return "past_year" if distance < -365 else "day"


def _day(fields: dict[str, str | None], published_on: date | None) -> date | None:
    """The date; without a year, the one nearest to publication; None for an invalid date."""
    try:
        if fields.get("iso"):
            return date.fromisoformat(str(fields["iso"]))
        month = fields.get("m1") or fields.get("m2") or ""
        figures = fields.get("d1") or fields.get("d2") or ""
        year = fields.get("y1") or fields.get("y2")
        number = _MONTHS.get(month.lower()) or _number(month)
        if year or not (published_on and month):
            return date(int(year), number, _number(figures)) if year else None
        near = [date(published_on.year + shift, number, _number(figures)) for shift in (-1, 0, 1)]
        return min(near, key=lambda day: abs(day - published_on))
    except ValueError:
        return None


def _number(figures: str) -> int:
    """12 for "12" and "十二"; 0 for ""."""
    if figures.isdecimal():
        return int(figures)
    tens, ten, ones = figures.rpartition("十")
    return (10 * _NUMERALS.get(tens, 1) if ten else 0) + _NUMERALS.get(ones, 0)
