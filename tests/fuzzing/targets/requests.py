"""Every address of the web pages, with any parameters: no answer is an error of ours, no value is markup in it."""

import re
from collections.abc import Iterator
from functools import cache
from random import Random
from urllib.parse import parse_qsl, urlencode

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from tests.fuzzing import mutating
from tests.fuzzing.database import Rows, taken_back
from tests.fuzzing.running import PROJECT
from tests.fuzzing.samples import LIST_PIECES
from tests.fuzzing.target import Case, Target, must

MARK = "<fuzz'\">"
_ROOMS = ("reader", "digests", "rssmanager/account")
_NAME = re.compile(r"""(?:GET|POST)(?:\.get|\.getlist)?[\[(]["'](\w+)["']|^    (\w+) = forms\.\w+Field""", re.MULTILINE)
_CONVERTED = re.compile(r"<(?:(\w+):)?\w+>")
_NUMBERS = ("1", "2", "3", "0", "9", "9223372036854775807", "9223372036854775808", "9" * 40)
_VALUES = (
    "", " ", "on", "1", "0", "-1", "2", "1.5", "1e999", "nan", "9" * 30, "9223372036854775808", "٣", "²", "\0",
    "\ud800", "x" * 400, "x" * 6000, MARK, f"javascript:{MARK}", "https://a.example/feed", "http://[",
    "//evil.example", "/\\evil.example", "../", "%00", "save", "try", "follow", "discard", "rename", "delete",
    "unfollow", "move", "raise", "mute", "remove", "liked", "skipped", "2026-02-30", "2026-03-03", "0001-01-01",
    "9999-12-31", "25:00", "07:00", "Europe/Berlin", "Mars/Base", "de", "json", "markdown", "title:a OR (b",
    "is:starred", "morning", "newest", "oldest", "score",
    "<opml><body><outline xmlUrl='https://b.example/'/></body></opml>",
    '{"version": 1, "terms": [{"term": "a", "weight": 1e999}]}', "e30=", "cD0yMDI2LTAzLTAzKzAwJTNBMDAlM0EwMCZpPTE=",
    "1,2", "1_2_3",
)  # fmt: skip


@cache
def paths() -> tuple[str, ...]:
    """The patterns of all addresses, but those of Django's own administration."""
    return tuple(sorted({path for path in _walked(get_resolver(), "/") if not path.startswith("/admin/")}))


def _walked(resolver: URLResolver, before: str) -> Iterator[str]:
    for url_pattern in resolver.url_patterns:
        here = before + str(url_pattern.pattern)
        if isinstance(url_pattern, URLPattern):
            yield here
        else:
            yield from _walked(url_pattern, here)


@cache
def names() -> tuple[str, ...]:
    """Every parameter that a view or a form of ours reads."""
    found = {"next", "page", "after", "q"}
    for room in _ROOMS:
        for path in sorted((PROJECT / room).rglob("*.py")):
            found.update(name for pair in _NAME.findall(path.read_text()) for name in pair if name)
    return tuple(sorted(found))


def make(random: Random) -> Case:
    """A method, a path and parameters, as `POST /path/ a=1&b=2`."""
    path = _CONVERTED.sub(lambda found: _argument(random, found[1]), random.choice(paths()))
    pairs = [(random.choice(names()), _value(random)) for _ in range(random.randint(0, 5))]
    query = urlencode(pairs, errors="surrogatepass")
    return f"{random.choice(('GET', 'GET', 'POST', 'POST', 'FILE', 'HTMX', 'HEAD', 'PUT'))} {path} {query}"


def _argument(random: Random, kind: str | None) -> str:
    return (
        random.choice(_NUMBERS)
        if kind == "int"
        else random.choice(("x", "1", "a" * 43, "morning", "%00", "é", "e30:x:y"))
    )


def _value(random: Random) -> str:
    return random.choice(_VALUES) if random.random() < 0.8 else mutating.sentence(random, LIST_PIECES, most=6)


def check(case: Case) -> None:
    method, path, query = [*_text(case).split(" ", 2), "", ""][:3]
    if not path.startswith("/"):
        return
    client = Client(raise_request_exception=True)
    with taken_back():
        client.cookies[settings.SESSION_COOKIE_NAME] = Rows.session
        response = _asked(client, method, path, query)
        must(response.status_code < 500, f"no answer is {response.status_code}")
        location = response.headers.get("Location", "")
        must("evil.example" not in location and "javascript:" not in location[:20], "nobody is led elsewhere")
        if not response.streaming and "html" in response.headers.get("Content-Type", ""):
            must(MARK.encode() not in response.content, "what is typed is no markup")


def _asked(client: Client, method: str, path: str, query: str):  # type: ignore[no-untyped-def]
    pairs = parse_qsl(query, keep_blank_values=True, errors="replace")
    fields: dict[str, list[object]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    host = next(
        (allowed_host for allowed_host in settings.ALLOWED_HOSTS if allowed_host not in ("*", ".localhost")),
        "testserver",
    )
    options = {"HTTP_HOST": host} | ({"HTTP_HX_REQUEST": "true"} if method == "HTMX" else {})
    if method == "FILE":
        for name in ("file", *list(fields)[:1]):
            content = "".join(str(value) for values in fields.values() for value in values)
            fields[name] = [SimpleUploadedFile("f.opml", content.encode("utf-8", "replace"))]
        return client.post(path, fields, **options)
    if method in ("POST", "PUT"):
        return getattr(client, method.lower())(path, query, content_type="application/x-www-form-urlencoded", **options)
    return client.generic("HEAD" if method == "HEAD" else "GET", path, QUERY_STRING=query, **options)


def _text(case: Case) -> str:
    return case if isinstance(case, str) else case.decode("utf-8", "surrogateescape")


TARGETS = (Target("requests", "every page, with any parameters", make, check, around=Rows.filled, needs_database=True),)
