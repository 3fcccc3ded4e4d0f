"""URLs, dates and headers."""

from datetime import UTC, datetime, timedelta
from random import Random
from urllib.parse import urlsplit

from feeds.discovery.feed_address import InvalidAddress, feed_address
from feeds.fetching.credentials import split_credentials, without_credentials
from feeds.fetching.headers import (
    MAX_HTTP_INTERVAL,
    MAX_RETRY_AFTER,
    http_date,
    http_minimum_interval,
    parse_retry_after,
)
from feeds.normalizing.canonical_url import (
    absolute,
    canonical_feed_url,
    canonical_url,
    feed_url_key,
    is_http_url,
    url_key,
)
from feeds.normalizing.dates import EARLIEST, resolve_date
from feeds.normalizing.html_links import link_url, srcset_urls, web_url
from feeds.parsing.feed import ParsedDate
from tests.fuzzing import mutating
from tests.fuzzing.samples import URL_PIECES, URLS
from tests.fuzzing.target import Case, Target, must

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
BASE = "https://paper.example/dir/page?x=1"
_DATES = (
    "Tue, 03 Mar 2026 10:20:30 +0100", "2026-03-03T10:20:30.123456Z", "2026-03-03", "20260303T102030Z", "2026-W10-2",
    "Dienstag, 3. März 2026 um 10:20 Uhr", "3 mars 2026 à 10h20", "2026年3月3日 10:20", "٣ مارس ٢٠٢٦",
    "03/04/2026 10:20 PM", "Tue Mar  3 10:20:30 2026", "1772533230", "Thursday, 31-Dec-98 23:59:60 GMT",
    "2026-03-03T24:00:00-25:00", "0000-00-00",
)  # fmt: skip
_DATE_PIECES = (
    "Mon", "Tue,", "Mar", "März", "марта", "3月", "年", "日", "오후", "午後", "T", "Z", "GMT", "EST", "UTC+2",
    "+0100", "-99:99", "+24:00", "10:20", ":60", ":61", "2026", "1969", "0001", "9999", "10000",
    "99999999999999999999", "31", "30 Feb", "AM", "PM", "a.m.", "um", "Uhr", "à", "h", "/", "-", ".", ",", " ", "\t",
    "٣", "３", "²", "W53", "-366", "e9", "1e400", "nan", "inf", "-0", "CEST", "(CET)", "before",
)  # fmt: skip
_HEADERS = (
    "120", "Tue, 03 Mar 2026 10:20:30 GMT", "max-age=3600, public", 'max-age="60"', "no-store",
    "s-maxage=1, max-age=0", "-1", "1.5", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
)  # fmt: skip
_HEADER_PIECES = (
    *_DATE_PIECES, "max-age", "=", "max-age=", "no-cache", ",", ";", '"', "private", "9" * 30, "0" * 5000,
    "9" * 5000, "\x00", "\xff",
)  # fmt: skip


def make_url(random: Random) -> Case:
    if random.random() < 0.5:
        return random.choice(("https://", "http://", "")) + mutating.sentence(random, URL_PIECES)
    return mutating.text(random, URLS, URL_PIECES)


def check_url(case: Case) -> None:
    url = _text(case)
    canonical = canonical_url(url)
    must(canonical_url(canonical) == canonical, "canonical stays so")
    must(canonical.isascii(), "canonical is ASCII")
    must(not canonical or is_http_url(canonical), "canonical is http(s)")
    must(not canonical or url_key(url) == url_key(canonical), "the key is that of the canonical form")
    feed_url = canonical_feed_url(url)
    must(canonical_feed_url(feed_url) == feed_url, "a feed's canonical form stays so")
    feed_url_key(url)
    full = absolute(BASE, url)
    must(not full or is_http_url(full), "absolute is http(s)")
    must(not full or absolute(BASE, full) == full, "absolute stays so")
    must("@" not in urlsplit(full).netloc if full else True, "no credentials")
    for read in (web_url, link_url):
        shown = read(url, BASE)
        must(not set(shown) & set("\"'<>` \\\n\t"), "nothing that ends an attribute")
        must(not shown or shown.startswith(("http://", "https://", "mailto:")), "a scheme that is on the list")
        must(not shown or read(shown, BASE) == shown, "a link that is shown stays so")
    srcset_urls(url, BASE)
    _check_feed_address(url)


def _check_feed_address(url: str) -> None:
    try:
        address = feed_address(url)
    except InvalidAddress as error:
        must(str(error), "a refusal says why")
        return
    must(address.startswith(("http://", "https://")), "an address to poll is http(s)")
    must(feed_address(address) == address, "an address to poll stays so")
    bare, credentials = split_credentials(address)
    must("@" not in urlsplit(bare).netloc, "credentials are split off")
    must(without_credentials(address) == bare or credentials is None, "without them it is the same")


def make_date(random: Random) -> Case:
    if random.random() < 0.4:
        return " ".join(random.choices(_DATE_PIECES, k=random.randint(1, 8)))
    return mutating.text(random, _DATES, _DATE_PIECES)


def check_date(case: Case) -> None:
    text = _text(case)
    naive = datetime(2026, 3, 3, 10)  # noqa: DTZ001 - what feedparser gives
    for date in (ParsedDate(text), ParsedDate(text, naive), ParsedDate(text, datetime.max.replace(tzinfo=UTC))):
        moment, is_uncertain = resolve_date([date], now=NOW)
        must(moment.utcoffset() == timedelta(0), "a moment in UTC")
        must(EARLIEST <= moment <= NOW, "a moment that can be")
        must(isinstance(is_uncertain, bool), "certain or not")


def make_header(random: Random) -> Case:
    if random.random() < 0.4:
        return "".join(random.choices(_HEADER_PIECES, k=random.randint(1, 6)))
    return mutating.text(random, _HEADERS, _HEADER_PIECES)


def check_header(case: Case) -> None:
    value = _text(case)
    wait = parse_retry_after(value, now=NOW)
    must(wait is None or timedelta(0) <= wait <= MAX_RETRY_AFTER, "a wait within its bounds")
    moment = http_date(value)
    must(moment is None or moment.tzinfo is not None, "a date with its zone")
    for name in ("cache-control", "expires", "date"):
        headers = {"expires": "Tue, 03 Mar 2026 10:20:30 GMT", name: value}
        interval = http_minimum_interval(headers, now=NOW)
        must(interval is None or timedelta(0) < interval <= MAX_HTTP_INTERVAL, "an interval within its bounds")


def _text(case: Case) -> str:
    return case if isinstance(case, str) else case.decode("utf-8", "surrogateescape")


TARGETS = (
    Target("urls", "links of entries and of bodies, addresses of feeds", make_url, check_url),
    Target("dates", "dates as feeds write them", make_date, check_date),
    Target("headers", "Retry-After, Cache-Control, Expires, Date", make_header, check_header),
)
