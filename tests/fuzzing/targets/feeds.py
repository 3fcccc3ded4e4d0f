"""Feed documents in bytes and as JSON, and the encodings they are in; what is read is normalized too."""

import json
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from feeds.discovery.find import MAX_CANDIDATES, discover
from feeds.errors import ParseError
from feeds.normalizing.canonical_url import canonical_url, is_http_url
from feeds.normalizing.dates import EARLIEST
from feeds.normalizing.draft import Draft
from feeds.normalizing.entry import MAX_URL, FeedContext, normalize
from feeds.normalizing.identity import MAX_GUID
from feeds.normalizing.language import check_language, feed_language, guess_language
from feeds.parsing import ParsedFeed, parse
from feeds.parsing.encoding import codec_named, decode
from tests.fuzzing import mutating
from tests.fuzzing.samples import BYTE_PIECES, FEED_PIECES, FEEDS, JSON_FEED, PAGE, RSS
from tests.fuzzing.target import Case, Target, must

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
URL = "https://paper.example/feed.xml"
_CODECS = (
    "utf-8",
    "utf-16",
    "utf-16-be",
    "utf-32",
    "latin-1",
    "cp1252",
    "shift_jis",
    "gb18030",
    "big5",
    "koi8-r",
    "utf-7",
    "cp037",
)
_CHARSETS = ("", "utf-8", "iso-8859-1", "x-user-defined", "utf-16", "idna", "rot13", "base64", "' or", "unicode_escape")
_REASONS = {"empty", "html", "json", "not_a_feed", "unreadable"}


def make_feed(random: Random) -> Case:
    if random.random() < 0.7:
        changed = mutating.text(random, FEEDS, FEED_PIECES)
        body = changed.encode(
            random.choice(_CODECS) if random.random() < 0.3 else "utf-8", "surrogatepass" if False else "replace"
        )
    else:
        body = random.choice(FEEDS).encode()
    return mutating.data(random, (body,), BYTE_PIECES) if random.random() < 0.4 else body


def check_feed(case: Case) -> None:
    body = _bytes(case)
    charset = _CHARSETS[len(body) % len(_CHARSETS)]
    try:
        parsed = parse(body, url=URL, content_type=f"text/xml; charset={charset}")
    except ParseError as error:
        must(error.reason in _REASONS, "a reason that is on the list")
        return
    check_parsed(parsed)
    if parsed.raw_hashes:
        again = parse(body, url=URL, content_type=f"text/xml; charset={charset}", known_hashes=set(parsed.raw_hashes))
        must(again.raw_hashes == parsed.raw_hashes, "the same hashes when all are known")
        must(len(again.entries) + again.n_known == len(parsed.entries), "every entry is known or read")


def check_parsed(parsed: ParsedFeed) -> None:
    """Everything of a feed can be normalized, and what comes of it can be stored and shown."""
    language = feed_language(parsed) if len(parsed.entries) < 3 else ""
    context = FeedContext(URL, parsed.link, language=parsed.language, detected_language=language)
    for entry in parsed.entries[:20]:
        draft = normalize(entry, feed=context, now=NOW)
        if draft is not None:
            check_draft(draft)


def check_draft(draft: Draft) -> None:
    must(not draft.url or (is_http_url(draft.url) and len(draft.url) <= MAX_URL), "a link is http(s) and short")
    must(canonical_url(draft.canonical_url) == draft.canonical_url or not draft.canonical_url, "canonical stays so")
    must(draft.guid and len(draft.guid) <= MAX_GUID, "a guid that fits")
    must(draft.title and "\n" not in draft.title and len(draft.title) <= 1000, "a title on one line")
    must(len(draft.author) <= 200, "an author that fits")
    must(EARLIEST <= draft.published_at <= NOW, "a date that can be")
    must(draft.published_at.utcoffset() == timedelta(0), "a date in UTC")
    stored = [draft.guid, draft.url, draft.title, draft.author, draft.markup, draft.base_url, draft.text, draft.summary]
    for each in (*stored, draft.language, *draft.categories, *(media.url for media in draft.media)):
        must("\0" not in each, "no NUL")
        must(_is_storable(each), "no lone surrogate")
    for media in draft.media:
        must(is_http_url(media.url), "files are http(s)")


def _is_storable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _bytes(case: Case) -> bytes:
    return case if isinstance(case, bytes) else case.encode("utf-8", "surrogatepass")


def _odd_value(random: Random, depth: int = 0) -> Any:
    """A JSON value of the wrong kind."""
    values: list[Any] = [
        None, True, False, 0, -1, 2**64, 1.5, float("inf"), float("nan"), 10**400, "", "x", "\ud800", "\0", "https://[",
        "javascript:alert(1)", "2026-13-45T99:99:99Z", "<p>x</p>", [], {}, "a" * 3000, "9" * 40,
    ]  # fmt: skip
    if depth < 3 and random.random() < 0.3:
        return [_odd_value(random, depth + 1) for _ in range(random.randint(0, 4))]
    if depth < 3 and random.random() < 0.3:
        keys = ("id", "url", "title", "name", "content_html", "items", "version", "x")
        return {random.choice(keys): _odd_value(random, depth + 1) for _ in range(random.randint(0, 4))}
    return random.choice(values)


def make_json(random: Random) -> Case:
    """A JSON Feed with values of the wrong kind, or damaged as text."""
    if random.random() < 0.4:
        pieces = (
            '"',
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\\u",
            "\\ud800",
            "1e999999",
            "9" * 5000,
            "[" * 900,
            "null",
            "NaN",
            "-",
            '"id":',
        )
        return mutating.text(random, (JSON_FEED,), pieces).encode("utf-8", "replace")
    document = json.loads(JSON_FEED)
    for _ in range(random.randint(1, 4)):
        holder = random.choice(
            (document, *(each for each in document.get("items") or () if isinstance(each, dict)))
            if isinstance(document.get("items"), list)
            else (document,)
        )
        key = (
            random.choice((*holder, "external_url", "banner_image", "author", "summary", "favicon"))
            if holder
            else "items"
        )
        holder[key] = _odd_value(random)
    return json.dumps(document).encode()


def make_encoded(random: Random) -> Case:
    words = "Ünïcødé 漢字かな 한국어 Привет мир مرحبا שלום ไทย “quoted” – naïve café "
    text = RSS[: random.randint(0, 200)] + words * random.randint(1, 5)
    body = text.encode(random.choice(_CODECS), "replace")
    return mutating.data(random, (body, random.randbytes(40)), BYTE_PIECES)


def check_encoded(case: Case) -> None:
    body = _bytes(case)
    document = decode(body, _CHARSETS[len(body) % len(_CHARSETS)])
    must(not document.encoding or codec_named(document.encoding), "an encoding that Python knows")
    must(len(document.text) <= len(body) + 1, "no more characters than bytes")
    text = document.text[:500]
    for declared in ("", "en", "ja", "sr"):
        check_language(declared, text)
    if _is_storable(text):
        guess_language(text)


def make_page(random: Random) -> Case:
    return mutating.text(
        random,
        (PAGE,),
        (*FEED_PIECES, "<link rel=alternate ", "href=", "type=application/rss+xml ", "<a href=", "<base href="),
    ).encode("utf-8", "replace")


def check_page(case: Case) -> None:
    found = discover(_bytes(case), url="https://paper.example/dir/")
    must(len(found) <= MAX_CANDIDATES, "not more than the most")
    for each in found:
        must(each.url.startswith(("http://", "https://")) and is_http_url(each.url), "an address that can be asked")


TARGETS = (
    Target("feeds", "bytes of RSS, RDF, Atom, JSON and the like, read and normalized", make_feed, check_feed),
    Target("json-feeds", "JSON Feed with wrong kinds of values", make_json, check_feed),
    Target("encodings", "bytes in twelve encodings, damaged; languages", make_encoded, check_encoded),
    Target("discovery", "pages that declare feeds", make_page, check_page),
)
