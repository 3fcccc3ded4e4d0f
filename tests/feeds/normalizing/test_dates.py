from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeds.normalizing.dates import UNDATED, clock_ahead, parse_date, resolve_date
from feeds.parsing.feed import ParsedDate
from tests.tables import table

NOW = datetime(2026, 8, 19, 12, 0, tzinfo=UTC)

CERTAIN = {
    "rfc822": ("Tue, 17 Feb 2026 10:20:30 GMT", "2026-02-17T10:20:30"),
    "rfc822_offset": ("Tue, 17 Feb 2026 10:20:30 +0530", "2026-02-17T04:50:30"),
    "rfc822_minus": ("Tue, 17 Feb 2026 10:20:30 -0800", "2026-02-17T18:20:30"),
    "rfc822_unknown_local_zone": ("Tue, 17 Feb 2026 10:20:30 -0000", "2026-02-17T10:20:30"),
    "rfc822_no_weekday": ("17 Feb 2026 10:20:30 GMT", "2026-02-17T10:20:30"),
    "rfc822_no_seconds": ("Tue, 17 Feb 2026 10:20 GMT", "2026-02-17T10:20:00"),
    "rfc822_one_digit_day_two_spaces": ("Tue, 3 Feb 2026 10:20:30  EST", "2026-02-03T15:20:30"),
    "rfc822_one_digit_hour": ("Tue, 17 Feb 2026 9:05:00 GMT", "2026-02-17T09:05:00"),
    "rfc822_no_comma": ("Tue 17 Feb 2026 10:20:30 GMT", "2026-02-17T10:20:30"),
    "rfc822_wrong_weekday": ("Mon, 17 Feb 2026 10:20:30 GMT", "2026-02-17T10:20:30"),
    "rfc822_long_names": ("Tuesday, 17 February 2026 10:20:30 GMT", "2026-02-17T10:20:30"),
    "rfc822_sept": ("Tue, 09 Sept 2025 10:20:30 GMT", "2025-09-09T10:20:30"),
    "rfc822_upper_case": ("TUE, 17 FEB 2026 10:20:30 GMT", "2026-02-17T10:20:30"),
    "rfc822_two_digit_year": ("Tue, 17 Feb 26 10:20:30 GMT", "2026-02-17T10:20:30"),
    "rfc822_two_digit_year_of_the_nineties": ("Wed, 17 Feb 99 10:20:30 GMT", "1999-02-17T10:20:30"),
    "rfc822_three_digit_year": ("Tue, 17 Feb 126 10:20:30 GMT", "2026-02-17T10:20:30"),
    "rfc822_comment": ("Tue, 17 Feb 2026 10:20:30 -0800 (PST)", "2026-02-17T18:20:30"),
    "rfc822_escaped_plus": ("Tue, 17 Feb 2026 10:20:30 &#43;0200", "2026-02-17T08:20:30"),
    "rfc822_fraction": ("Tue, 17 Feb 2026 10:20:30.5 GMT", "2026-02-17T10:20:30.500000"),
    "rfc850": ("Tuesday, 17-Feb-26 10:20:30 GMT", "2026-02-17T10:20:30"),
    "midnight_as_24": ("Tue, 17 Feb 2026 24:00:00 GMT", "2026-02-18T00:00:00"),
    "leap_second": ("Sat, 31 Dec 2016 23:59:60 GMT", "2017-01-01T00:00:00"),
    "rfc822_military_time": ("17 Feb 26 1500 GMT", "2026-02-17T15:00:00"),
    "asctime_with_zone": ("Tue Feb 17 10:20:30 UTC 2026", "2026-02-17T10:20:30"),
    "java_to_string": ("Tue Feb 17 10:20:30 PST 2026", "2026-02-17T18:20:30"),
    "javascript_to_string": ("Tue Feb 17 2026 10:20:30 GMT+0100 (Central European Time)", "2026-02-17T09:20:30"),
    "zone_edt": ("Mon, 17 Aug 2026 10:00:00 EDT", "2026-08-17T14:00:00"),
    "zone_pdt": ("Mon, 17 Aug 2026 10:00:00 PDT", "2026-08-17T17:00:00"),
    "zone_cest": ("Mon, 17 Aug 2026 10:00:00 CEST", "2026-08-17T08:00:00"),
    "zone_bst": ("Mon, 17 Aug 2026 10:00:00 BST", "2026-08-17T09:00:00"),
    "zone_jst": ("Mon, 17 Aug 2026 10:00:00 JST", "2026-08-17T01:00:00"),
    "zone_ist_india": ("Mon, 17 Aug 2026 10:00:00 IST", "2026-08-17T04:30:00"),
    "zone_aest": ("Mon, 17 Aug 2026 10:00:00 AEST", "2026-08-17T00:00:00"),
    "zone_nst": ("Tue, 17 Feb 2026 10:00:00 NST", "2026-02-17T13:30:00"),
    "zone_msk": ("Mon, 17 Aug 2026 10:00:00 MSK", "2026-08-17T07:00:00"),
    "zone_lower_case": ("Tue, 17 Feb 2026 10:00:00 est", "2026-02-17T15:00:00"),
    "zone_gmt_plus": ("Tue, 17 Feb 2026 10:00:00 GMT+8", "2026-02-17T02:00:00"),
    "zone_utc_plus_colon": ("Tue, 17 Feb 2026 10:00:00 UTC+08:00", "2026-02-17T02:00:00"),
    "zone_et_in_summer": ("Aug 17, 2026 10:00 AM ET", "2026-08-17T14:00:00"),
    "zone_et_in_winter": ("Feb 17, 2026 10:00 AM ET", "2026-02-17T15:00:00"),
    "zone_by_place": ("17 Aug 2026 10:00:00 Europe/Berlin", "2026-08-17T08:00:00"),
    "iso": ("2026-02-17T10:20:30Z", "2026-02-17T10:20:30"),
    "iso_offset": ("2026-02-17T10:20:30+01:00", "2026-02-17T09:20:30"),
    "iso_offset_without_colon": ("2026-02-17T10:20:30+0100", "2026-02-17T09:20:30"),
    "iso_hour_offset": ("2026-02-17T10:20:30-05", "2026-02-17T15:20:30"),
    "iso_fraction": ("2026-02-17T10:20:30.563-08:00", "2026-02-17T18:20:30.563000"),
    "iso_nanoseconds": ("2026-02-17T10:20:30.123456789Z", "2026-02-17T10:20:30.123456"),
    "iso_no_seconds": ("2026-02-17T10:20+01:00", "2026-02-17T09:20:00"),
    "iso_space": ("2026-02-17 10:20:30 +0000", "2026-02-17T10:20:30"),
    "iso_space_and_name": ("2026-02-17 10:20:30 UTC", "2026-02-17T10:20:30"),
    "iso_lower_case": ("2026-02-17t10:20:30z", "2026-02-17T10:20:30"),
    "iso_24": ("2026-02-17T24:00:00Z", "2026-02-18T00:00:00"),
    "iso_basic": ("20260217T102030Z", "2026-02-17T10:20:30"),
    "iso_week": ("2026-W08-2T10:20:30Z", "2026-02-17T10:20:30"),
    "iso_ordinal": ("2026-048T10:20:30Z", "2026-02-17T10:20:30"),
    "iso_one_digit_parts": ("2026-2-7T9:05:00Z", "2026-02-07T09:05:00"),
    "unix_seconds": ("1771300800", "2026-02-17T04:00:00"),
    "unix_milliseconds": ("1771300800250", "2026-02-17T04:00:00.250000"),
    "unix_microseconds": ("1771300800000000", "2026-02-17T04:00:00"),
    "unix_with_fraction": ("1771300800.5", "2026-02-17T04:00:00.500000"),
    "german_abbreviation": ("Di, 17 Feb 2026 10:00:00 +0100", "2026-02-17T09:00:00"),
    "german_month": ("Do, 05 Mär 2026 10:00:00 +0100", "2026-03-05T09:00:00"),
    "french_month": ("mar., 17 févr. 2026 10:00:00 +0100", "2026-02-17T09:00:00"),
    "spanish_month": ("lun, 17 ago 2026 10:00:00 +0200", "2026-08-17T08:00:00"),
    "italian_month": ("lun, 05 gen 2026 10:00:00 +0100", "2026-01-05T09:00:00"),
    "portuguese_month": ("Seg, 22 Set 2025 10:00:00 -0300", "2025-09-22T13:00:00"),
    "dutch_month": ("do, 05 mrt 2026 10:00:00 +0100", "2026-03-05T09:00:00"),
    "russian_month": ("Вт, 17 фев 2026 10:00:00 +0300", "2026-02-17T07:00:00"),
    "greek_month": ("Κυρ, 11 Ιούλ 2004 12:00:00 EST", "2004-07-11T17:00:00"),
    "hungarian_month": ("2004-július-13T9:15-05:00", "2004-07-13T14:15:00"),
    "chinese_with_zone": ("2026年2月17日 10:20:30 +0800", "2026-02-17T02:20:30"),
    "chinese_rfc822": ("周二, 17 二月 2026 10:20:30 +0800", "2026-02-17T02:20:30"),
    "chinese_rfc822_number": ("星期二, 17 2月 2026 10:20:30 +0800", "2026-02-17T02:20:30"),
    "japanese_rfc822": ("火, 17 2月 2026 10:20:30 +0900", "2026-02-17T01:20:30"),
    "thai_with_zone": ("17 ก.พ. 2569 10:20 +0700", "2026-02-17T03:20:00"),
    "line_breaks": ("\n  Tue, 17 Feb 2026\n 10:20:30 GMT  ", "2026-02-17T10:20:30"),
    "leap_day": ("Thu, 29 Feb 2024 10:00:00 GMT", "2024-02-29T10:00:00"),
}  # fmt: skip

UNCERTAIN = {  # read, but without a zone
    "no_zone": ("Tue, 17 Feb 2026 10:20:30", "2026-02-17T10:20:30"),
    "unknown_zone": ("Tue, 17 Feb 2026 10:20:30 XYZT", "2026-02-17T10:20:30"),
    "absurd_offset": ("Tue, 17 Feb 2026 10:20:30 +9999", "2026-02-17T10:20:30"),
    "date_only": ("2026-02-17", "2026-02-17T00:00:00"),
    "rfc822_date_only": ("17 Feb 2026", "2026-02-17T00:00:00"),
    "iso_no_zone": ("2026-02-17T10:20:30", "2026-02-17T10:20:30"),
    "sql": ("2026-02-17 10:20:30", "2026-02-17T10:20:30"),
    "slashes_year_first": ("2026/2/17 10:20:30", "2026-02-17T10:20:30"),
    "dots_year_first": ("2026.02.17 10:20", "2026-02-17T10:20:00"),
    "dots_day_first": ("17.02.2026 10:20", "2026-02-17T10:20:00"),
    "dots_ambiguous_is_day_first": ("03.02.2026", "2026-02-03T00:00:00"),
    "slashes_american": ("02/17/2026 10:20 PM", "2026-02-17T22:20:00"),
    "slashes_ambiguous_is_american": ("02/03/2026", "2026-02-03T00:00:00"),
    "slashes_only_british": ("17/02/2026", "2026-02-17T00:00:00"),
    "eight_digits": ("20260217", "2026-02-17T00:00:00"),
    "fourteen_digits": ("20260217102030", "2026-02-17T10:20:30"),
    "year_and_month": ("2026-02", "2026-02-01T00:00:00"),
    "american_prose": ("February 17, 2026 at 10:20 am", "2026-02-17T10:20:00"),
    "american_weekday": ("Tuesday, February 17, 2026 - 22:20", "2026-02-17T22:20:00"),
    "midnight_in_am": ("Feb 17, 2026 12:05 AM", "2026-02-17T00:05:00"),
    "noon_in_pm": ("Feb 17, 2026 12:05 PM", "2026-02-17T12:05:00"),
    "ordinal_day": ("17th of February 2026", "2026-02-17T00:00:00"),
    "asctime": ("Tue Feb 17 10:20:30 2026", "2026-02-17T10:20:30"),
    "german": ("Dienstag, 17. Februar 2026, 10:20 Uhr", "2026-02-17T10:20:00"),
    "french": ("mardi 17 février 2026", "2026-02-17T00:00:00"),
    "french_first": ("1er août 2026 à 10h20", "2026-08-01T10:20:00"),
    "spanish": ("martes, 17 de febrero de 2026", "2026-02-17T00:00:00"),
    "italian": ("martedì 17 febbraio 2026 ore 10:20", "2026-02-17T10:20:00"),
    "portuguese": ("17 de março de 2026 às 10:20", "2026-03-17T10:20:00"),
    "dutch": ("dinsdag 17 maart 2026 om 10:20", "2026-03-17T10:20:00"),
    "russian": ("вторник, 17 февраля 2026 г., 10:20", "2026-02-17T10:20:00"),
    "polish": ("17 lutego 2026", "2026-02-17T00:00:00"),
    "turkish": ("17 Şubat 2026", "2026-02-17T00:00:00"),
    "chinese": ("2026年2月17日", "2026-02-17T00:00:00"),
    "chinese_time": ("2026年02月17日 10:20", "2026-02-17T10:20:00"),
    "chinese_afternoon": ("2026年2月17日 星期二 下午3:20", "2026-02-17T15:20:00"),
    "chinese_characters_of_time": ("2026年2月17日10时20分30秒", "2026-02-17T10:20:30"),
    "taiwanese_year": ("民國115年2月17日", "2026-02-17T00:00:00"),
    "japanese": ("2026年2月17日(火) 10時20分", "2026-02-17T10:20:00"),
    "japanese_afternoon": ("2026年2月17日 午後3時20分", "2026-02-17T15:20:00"),
    "japanese_era": ("令和8年2月17日", "2026-02-17T00:00:00"),
    "japanese_full_width": ("２０２６年２月１７日", "2026-02-17T00:00:00"),
    "korean": ("2026년 02월 17일 오후 01:31:15", "2026-02-17T13:31:15"),
    "thai": ("17 กุมภาพันธ์ 2569", "2026-02-17T00:00:00"),
    "thai_time": ("17 ก.พ. 2569 เวลา 10:20 น.", "2026-02-17T10:20:00"),
}  # fmt: skip

UNREADABLE = {
    "empty": "",
    "blank": "   ",
    "word": "yesterday",
    "zeros": "0000-00-00 00:00:00",
    "impossible_day": "Tue, 31 Feb 2026 10:00:00 GMT",
    "impossible_everything": "Tue, 31 Feb 2026 25:61:61 +9999",
    "impossible_minute": "2026-02-17T10:61:00Z",
    "epoch": "Thu, 01 Jan 1970 00:00:00 GMT",
    "epoch_number": "0",
    "before_1990": "1989-12-31T23:59:59Z",
    "year_one": "0001-01-01T00:00:00Z",
    "year_one_with_offset": "0001-01-01T00:00:00+05:00",
    "year_9999_with_offset": "9999-12-31T23:59:59-05:00",
    "far_future": "Tue, 17 Feb 2099 00:00:00 GMT",
    "future_by_more_than_24_hours": "2026-08-20T12:00:01Z",
    "time_only": "10:20:30",
    "month_only": "May",
    "no_year": "17 February",
    "weekday": "Tuesday",
    "html": "<b>today</b>",
    "huge": "1" * 10_000,
    "number_of_the_far_future": "99999999999",
    "nonsense": "on the 3rd, 17 times 2026 of 4",
}


def resolved(*texts: str) -> tuple[datetime, bool]:
    return resolve_date([ParsedDate(text) for text in texts], now=NOW)


@table(("text", "expected"), CERTAIN.values(), ids=CERTAIN)
def test_reads_a_date_with_its_zone(text: str, expected: str) -> None:
    assert resolved(text) == (datetime.fromisoformat(expected + "+00:00"), False)


@table(("text", "expected"), UNCERTAIN.values(), ids=UNCERTAIN)
def test_a_date_without_a_zone_is_utc_and_uncertain(text: str, expected: str) -> None:
    assert resolved(text) == (datetime.fromisoformat(expected + "+00:00"), True)


@table("text", UNREADABLE.values(), ids=UNREADABLE)
def test_unreadable_or_absurd_dates_give_the_poll_time(text: str) -> None:
    assert resolved(text) == (NOW, True)


@table(
    ("text", "is_uncertain"),
    [
        ("2026-08-19T12:00:01Z", False),
        ("2026-08-19T17:00:00+00:00", False),
        ("Wed, 19 Aug 2026 23:00:00 +0900", False),  # 14:00 UTC
        ("2026-08-20T12:00:00Z", False),
        ("2026-08-19 17:00:00", True),  # without a zone
    ],
)
def test_date_ahead_counts_as_the_poll_time(text: str, is_uncertain: bool) -> None:
    assert resolved(text) == (NOW, is_uncertain)
    assert resolved(text, "2026-08-18T12:00:00Z") == (NOW, is_uncertain)


def test_a_missing_date_gives_the_poll_time() -> None:
    assert resolved() == (NOW, True)


def test_the_first_readable_date_counts() -> None:
    assert resolved("soon", "2026-02-17T10:00:00Z", "2026-02-18T10:00:00Z") == (
        datetime(2026, 2, 17, 10, tzinfo=UTC),
        False,
    )


def test_dates_read_by_feedparser_alone_are_uncertain() -> None:
    parsed = datetime(2026, 2, 17, 10, tzinfo=UTC)
    assert resolve_date([ParsedDate("på sitt eget språk", parsed)], now=NOW) == (parsed, True)
    assert resolve_date([ParsedDate("", parsed)], now=NOW) == (parsed, True)


def test_ignores_dates_invented_by_feedparser() -> None:
    bent = ParsedDate("2026-02-31", datetime(2026, 3, 3, tzinfo=UTC))
    assert resolve_date([bent], now=NOW) == (NOW, True)


def test_ignores_absurd_dates_of_feedparser() -> None:
    assert resolve_date([ParsedDate("", datetime(1970, 1, 1, tzinfo=UTC))], now=NOW) == (NOW, True)


def test_without_a_date_it_is_undated() -> None:
    assert resolve_date([ParsedDate("soon")], now=NOW, undated=UNDATED) == (UNDATED, True)


HOUR = timedelta(hours=1)


@table(
    ("leads", "known", "since", "expected"),
    [
        pytest.param([], 0, None, 0, id="no dates"),
        pytest.param([], 8, 1, 8, id="nothing new"),
        pytest.param([7.9, 2, -50], 0, None, 8, id="the newest counts"),
        pytest.param([5.2], 0, None, 5.5, id="half hours"),
        pytest.param([0.05], 0, None, 0, id="clocks differ a little"),
        pytest.param([-3], 0, None, 0, id="behind"),
        pytest.param([20, 7.9], 0, None, 8, id="an event tomorrow"),
        pytest.param([3], 8, 6, 8, id="late, within what is known"),
        pytest.param([7.9], 5, 6, 8, id="more than was known"),
        pytest.param([-0.5], 8, 1, 0.5, id="less than was known"),
        pytest.param([-2], 8, 1, 0, id="not ahead at all"),
    ],
)
def test_learns_how_far_a_clock_is_ahead(
    leads: list[float], known: float, since: float | None, expected: float
) -> None:
    dates = [[ParsedDate(f"{NOW + lead * HOUR:%Y-%m-%d %H:%M:%S}")] for lead in leads]
    in_a_zone = [ParsedDate(f"{NOW + 9 * HOUR:%Y-%m-%dT%H:%M:%S}Z")]
    before = None if since is None else NOW - since * HOUR
    assert clock_ahead([*dates, in_a_zone, []], known=known * HOUR, now=NOW, since=before) == expected * HOUR


def test_sets_back_only_dates_without_a_zone() -> None:
    for text, moment in (("2026-02-17 10:00", NOW - 3 * HOUR), ("2026-02-17T10:00Z", NOW - HOUR)):
        noon = datetime(2026, 2, 17, 11, tzinfo=UTC)
        read = resolve_date([ParsedDate(text)], now=noon, ahead=2 * HOUR)[0]
        assert noon - read == NOW - moment


def test_poll_time_is_in_utc() -> None:
    moment, _ = resolve_date([], now=NOW.astimezone(tz=None))
    assert moment == NOW
    assert moment.utcoffset() == timedelta(0)


@given(st.text(max_size=60) | st.from_regex(r"[\d:/.年月日TZ+ -]{1,30}", fullmatch=True))
def test_takes_any_text(text: str) -> None:
    moment, _ = resolved(text)
    assert moment.utcoffset() == timedelta(0)
    assert datetime(1990, 1, 1, tzinfo=UTC) <= moment <= NOW + timedelta(days=1)


@given(st.integers(631_152_000, int(NOW.timestamp())).map(lambda seconds: datetime.fromtimestamp(seconds, UTC)))
def test_reads_common_formats_exactly(moment: datetime) -> None:
    expected = (moment, False)
    assert resolved(moment.strftime("%a, %d %b %Y %H:%M:%S GMT")) == expected
    assert resolved(moment.strftime("%Y-%m-%dT%H:%M:%SZ")) == expected
    assert resolved(moment.strftime("%A, %d-%b-%y %H:%M:%S UTC")) == expected


@given(
    st.from_regex(
        r"(?:Tue, )?[0-3]?[0-9] (?:Jan|Feb|Sep|Dec|Foo) (?:19|20|24)[0-9]{2} [0-2][0-9]:[0-6][0-9]:[0-6][0-9] "
        r"(?:GMT|UTC|Z|[+-][01][0-9][0-9]{2})",
        fullmatch=True,
    )
)
def test_reads_the_usual_form_as_any_other(text: str) -> None:
    """A second space keeps the text from being read by its usual form."""
    assert parse_date(text) == parse_date(text.replace(" ", "  ", 1))
