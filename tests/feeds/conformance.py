"""feedparser's and the W3C validator's own test files against our parser, read from their archives.

A feedparser test is a feed with a comment: an HTTP header or two, and an expectation, a Python expression over
feedparser's result. `run_feedparser` evaluates it over a view of our ParsedFeed. An expectation can

- hold;
- not concern us: it checks something a ParsedFeed does not carry (contributors, geography, licences…),
  or for feedparser's own sanitizing and link resolving, which we turn off;
- fail: then `EXCEPTIONS` must explain why we want a different result.

`python -m tests.feeds.conformance` prints the counts.
"""

import ast
import io
import operator
import re
import sys
import tarfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import feedparser

from feeds.errors import ParseError
from feeds.parsing import ParsedDate, ParsedEntry, ParsedFeed, parse
from feeds.parsing.encoding import codec_named
from rssmanager.env import PROJECT

ARCHIVES = PROJECT.parent / "shared" / "data" / "feeds" / "conformance"
GROUPS = (
    *(
        f"wellformed/{name}"
        for name in (
            *("amp", "atom", "atom10", "base", "cdf", "feedburner", "http", "itunes", "lang", "media-rss"),
            *("namespace", "node_precedence", "rdf", "rss", "sgml", "xml"),
        )
    ),
    *("encoding", "entities", "illformed", "illformed/chardet"),
)
"""What concerns parsing; `sanitize`, `geo` and `psc` are not ours, `json` is no feedparser comment test."""

_COMMENT = re.compile(rb"<!--(.*?)-->", re.DOTALL)
_HEADER = re.compile(r"^\s*Header:\s*([\w-]+):\s*(.*?)\s*$", re.MULTILINE)
_EXPECT = re.compile(r"^\s*Expect:\s*(.*?)\s*\Z", re.MULTILINE | re.DOTALL)


class NotCarriedError(Exception):
    """The expectation checks something that a ParsedFeed does not hold."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One test file: `verdict` is `holds`, `not ours` or `fails`."""

    name: str
    verdict: str
    reason: str = ""


def archive_files(archive: str, root: str) -> Iterator[tuple[str, bytes]]:
    """Path under `root` and content of each file of an archive, sorted by path."""
    with tarfile.open(ARCHIVES / archive) as tar:
        members = sorted((member for member in tar if member.isfile()), key=lambda member: member.name)
        for member in members:
            content = tar.extractfile(member)
            if content is not None and f"/{root}/" in member.name:
                yield member.name.split(f"/{root}/", 1)[1], content.read()


def run_feedparser() -> list[Outcome]:
    """Every test file of feedparser that concerns us."""
    return [
        outcome
        for name, body in archive_files("kurtmckee+feedparser.tar.gz", "tests")
        if str(Path(name).parent) in GROUPS and (outcome := run_test(name, body)) is not None
    ]


def run_test(name: str, body: bytes) -> Outcome | None:
    """One test file; None when it holds no expectation."""
    comment = _comment(body)
    expectation = _EXPECT.search(comment)
    if expectation is None:
        return None
    headers = {key.lower(): value for key, value in _HEADER.findall(comment)}
    url = headers.get("content-location") or f"http://127.0.0.1:8097/tests/{name}"
    try:
        names = view(parse(body, url=url, content_type=headers.get("content-type", "")))
    except ParseError as error:
        names = {"bozo": True, "entries": [], "feed": View("feed", {}), "version": "", "encoding": ""}
        refusal = f"ParseError: {error.reason}"
    else:
        refusal = ""
    tree = ast.parse(" ".join(expectation.group(1).split()), mode="eval")
    try:
        if evaluate(tree.body, names):
            return Outcome(name, "holds")
    except NotCarriedError as missing:
        return Outcome(name, "not ours", str(missing))
    except (KeyError, IndexError, TypeError) as error:
        refusal = refusal or f"missing: {error}"
    if not _holds_unsanitized(tree.body, body, headers):
        return Outcome(name, "not ours", "feedparser itself fails it with sanitizing and link resolving off")
    return Outcome(name, "fails", refusal or ast.unparse(tree.body))


def _comment(body: bytes) -> str:
    for codec in ("utf-8", "utf-16", "utf-32", "utf-16-be", "utf-16-le", "utf-32-be", "utf-32-le", "cp037"):
        text = body.decode(codec, "ignore")
        if "Expect:" in text:
            match = _COMMENT.search(text.encode("utf-8"))
            return match.group(1).decode("utf-8") if match else ""
    return ""


def _holds_unsanitized(tree: ast.expr, body: bytes, headers: dict[str, str]) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = feedparser.parse(
            io.BytesIO(body), response_headers=headers, sanitize_html=False, resolve_relative_uris=False
        )
        names = {key: result.get(key) for key in ("bozo", "entries", "feed", "version", "encoding", "namespaces")}
        try:
            return bool(evaluate(tree, names))
        except (NotCarriedError, KeyError, IndexError, TypeError, AttributeError):
            return False


_OPERATORS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


def evaluate(node: ast.expr, names: dict[str, Any]) -> Any:
    """The value of an expectation: names, constants, subscripts, comparisons, `and`, `or`, `not`, `len` only."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.Tuple(elts=items) | ast.List(elts=items):
            values = [evaluate(item, names) for item in items]
            return tuple(values) if isinstance(node, ast.Tuple) else values
        case ast.Dict(keys=keys, values=items):
            return {evaluate(key, names): evaluate(item, names) for key, item in zip(keys, items, strict=True) if key}
        case ast.Subscript(value=container, slice=key):
            return evaluate(container, names)[evaluate(key, names)]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not evaluate(operand, names)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -evaluate(operand, names)
        case ast.BoolOp(op=ast.And(), values=items):
            return all(evaluate(item, names) for item in items)
        case ast.BoolOp(op=ast.Or(), values=items):
            return any(evaluate(item, names) for item in items)
        case ast.Compare(left=left, ops=[comparison], comparators=[right]) if type(comparison) in _OPERATORS:
            return _OPERATORS[type(comparison)](evaluate(left, names), evaluate(right, names))
        case ast.Call(func=ast.Name(id="len"), args=[argument], keywords=[]):
            return len(evaluate(argument, names))
    raise NotCarriedError(f"expression not understood: {ast.unparse(node)[:60]}")


class View(dict[str, Any]):
    """A dictionary of what we carry: KeyError for what the document lacks, NotCarriedError for what we never hold."""

    def __init__(self, kind: str, carried: dict[str, Any]) -> None:
        super().__init__(carried)
        self._kind = kind

    def __missing__(self, key: str) -> Any:
        raise NotCarriedError(f"{self._kind}[{key!r}]")

    def __contains__(self, key: object) -> bool:
        if not super().__contains__(key):
            raise NotCarriedError(f"{self._kind}[{key!r}]")
        return bool(self[str(key)])


class OneOf:
    """The dates of an entry, whose names we do not keep: equal to each of them."""

    def __init__(self, values: list[Any]) -> None:
        self._values = values

    def __eq__(self, other: object) -> bool:
        return other in self._values

    def __bool__(self) -> bool:
        return bool(self._values)

    __hash__ = None  # type: ignore[assignment]


class AuthorName(str):
    """An author as we hold it, the name; feedparser's value joins name and address, which we don't need."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str) and "@" in other and other != str(self):
            raise NotCarriedError("author with e-mail: SPEC §5 keeps the name alone")
        return str.__eq__(self, other) if isinstance(other, str) else False

    __hash__ = str.__hash__


class EncodingName(str):
    """An encoding as we name it, equal to every label that means it or a part of it (us-ascii is utf_8)."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and str.__eq__(self, codec_named(other))

    __hash__ = str.__hash__


def view(feed: ParsedFeed) -> dict[str, Any]:
    """A ParsedFeed under the names that feedparser's expectations use."""
    description = View("detail", {"value": feed.description})
    carried = {
        **dict.fromkeys(("description", "subtitle", "tagline"), feed.description),
        **dict.fromkeys(("description_detail", "subtitle_detail", "tagline_detail"), description),
        "title": feed.title,
        "title_detail": View("detail", {"value": feed.title}),
        "link": feed.link,
        "language": feed.language,
        **dict.fromkeys(("icon", "logo"), feed.icon),
        "image": View("image", {"href": feed.icon, "url": feed.icon}),
        "ttl": str(feed.ttl_minutes) if feed.ttl_minutes is not None else "",
    }
    return {
        "bozo": not feed.well_formed,
        "version": feed.format,
        "encoding": EncodingName(feed.encoding),
        "entries": [View("entry", _entry(entry)) for entry in feed.entries],
        "feed": View("feed", carried),
    }


def _entry(entry: ParsedEntry) -> dict[str, Any]:
    brief = entry.summary or entry.markup
    media = {
        kind: [
            View(
                "media",
                {
                    "url": item.url,
                    "href": item.url,
                    "type": item.mime_type,
                    **{
                        key: str(value) if value is not None else ""
                        for key, value in (
                            ("length", item.length),
                            ("filesize", item.length),
                            ("width", item.width),
                            ("height", item.height),
                        )
                    },
                },
            )
            for item in entry.media
            if item.kind == kind
        ]
        for kind in ("enclosure", "content", "thumbnail")
    }
    for item in media["enclosure"]:
        del item["url"], item["filesize"], item["width"], item["height"]
    content = View("content", {"value": entry.markup, "base": entry.base, "language": entry.language or None})
    return {
        "title": entry.title,
        "title_detail": View("detail", {"value": entry.title}),
        "link": entry.link or (entry.guid if entry.guid.startswith(("http://", "https://")) else ""),
        **dict.fromkeys(("id", "guid"), entry.guid),
        "author": AuthorName(entry.author),
        "author_detail": View("author", {} if "@" in entry.author else {"name": entry.author}),
        **dict.fromkeys(("summary", "description"), brief),
        **dict.fromkeys(("summary_detail", "description_detail"), View("detail", {"value": brief})),
        "content": [content] if entry.markup else [],
        "tags": [View("tag", {"term": category}) for category in entry.categories],
        "category": entry.categories[0] if entry.categories else "",
        "enclosures": media["enclosure"],
        "media_content": media["content"],
        "media_thumbnail": media["thumbnail"],
        **_dates(entry.dates),
    }


def _dates(dates: tuple[ParsedDate, ...]) -> dict[str, OneOf]:
    keys = ("date", "published", "updated", "created", "issued", "modified")
    texts = OneOf([date.text for date in dates])
    parsed = OneOf([tuple(date.parsed.utctimetuple()) for date in dates if date.parsed])
    return {**dict.fromkeys(keys, texts), **dict.fromkeys((f"{key}_parsed" for key in keys), parsed)}


_W3C_EXPECT = re.compile(rb"Expect:\s*(?:!|Valid)")
_W3C_NO_FEEDS = ("opml/", "ext/xrd/")


def _is_root_of_feed(body: bytes) -> bool:
    """False for the service and category documents of the Atom Publishing Protocol, which are in the archive too."""
    root = re.search(rb"<(?:\w+:)?([A-Za-z]+)", re.sub(rb"<!--.*?-->", b"", body, flags=re.DOTALL))
    return root is not None and root.group(1) not in (b"service", b"categories", b"entry")


def run_w3c() -> list[Outcome]:
    """The W3C validator's feeds that it calls valid: each must parse."""
    outcomes = []
    for name, body in archive_files("w3c+feedvalidator.tar.gz", "testcases"):
        expectation = _W3C_EXPECT.search(body)
        if expectation is None or name.startswith(_W3C_NO_FEEDS) or not _is_root_of_feed(body):
            continue
        try:
            parse(body, url=f"http://127.0.0.1:8097/testcases/{name}")
        except ParseError as error:
            outcomes.append(Outcome(name, "fails", error.reason))
        else:
            outcomes.append(Outcome(name, "holds"))
    return outcomes


def main() -> None:
    """Print how many tests of each group hold, are not ours, fail; and the reasons."""
    for title, outcomes in (("feedparser", run_feedparser()), ("W3C validator, valid feeds", run_w3c())):
        sys.stdout.write(f"\n{title}: {dict(Counter(outcome.verdict for outcome in outcomes))}\n")
        groups = Counter((str(Path(outcome.name).parent), outcome.verdict) for outcome in outcomes)
        for group in sorted({group for group, _ in groups}) if title == "feedparser" else ():
            counts = [groups[group, verdict] for verdict in ("holds", "not ours", "fails")]
            sys.stdout.write(f"  {group:28} {counts[0]:4} hold {counts[1]:4} not ours {counts[2]:4} fail\n")
        for outcome in outcomes:
            if outcome.verdict == "fails":
                sys.stdout.write(f"  {outcome.name}: {outcome.reason}\n")
        reasons = Counter(outcome.reason for outcome in outcomes if outcome.verdict == "not ours")
        for reason, count in reasons.most_common(25):
            sys.stdout.write(f"  {count:4} not ours: {reason}\n")


if __name__ == "__main__":
    main()
