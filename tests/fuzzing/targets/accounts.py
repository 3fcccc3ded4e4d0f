"""Importing exports of all data: invalid JSON lines, odd values, invalid ZIP files."""

import io
import json
import zipfile
from random import Random
from typing import Any

from rssmanager.accounts.errors import DataRefused
from rssmanager.accounts.import_records import ImportContext, import_lines
from rssmanager.accounts.zip_reader import check_header, read_lines
from tests import make
from tests.fuzzing import mutating
from tests.fuzzing.database import Rows, taken_back
from tests.fuzzing.target import Case, Target, must

_AT = "2026-03-03T10:00:00+00:00"
_HEADER = {"kind": "rssmanager", "version": 1, "exported_at": _AT}
_LINES: tuple[dict[str, Any], ...] = (
    {"kind": "preferences", "theme": "dark", "density": "cards", "time_zone": "Europe/Berlin", "language": "en"},
    {"kind": "folder", "name": "News / World", "language": "en", "item_limit_per_category": 5},
    {"kind": "feed", "url": "https://a.example/feed", "feed_title": "A", "title": "Mine", "folder": "News",
     "category": "x",     "fetches_full_text": True, "most_a_day": 7, "is_digest_only": True,
     "quiet_until": "2026-05-01", "is_kept": False},
    {"kind": "tag", "name": "Later"},
    {"kind": "rule", "name": "R", "is_on": True, "words": "chess", "pattern": "a*b", "feed": "https://a.example/feed",
     "folder": "News", "mutes": True, "lift": 10, "tag": "Later"},
    {"kind": "search", "name": "S", "query": "climate is:unread"},
    {"kind": "digest", "digest": "morning", "is_on": True, "at": "07:00", "weekday": 0, "by_mail": True,
     "n_topics": 5},
    {"kind": "alerts", "breaking": True, "breaking_by_mail": False, "feeds_by_mail": True},
    {"kind": "article", "key": "ff" * 16, "url": "https://a.example/1", "title": "T",  "published_at": _AT,
     "author": "Jane",     "in": [{"feed": "https://a.example/feed", "guid": "g"}], "read": True, "seen": _AT,
     "starred": _AT,
     "tags": [{"name": "Later", "at": _AT}], "acts": [{"kind": "liked", "source": "list", "at": _AT}],
     "positions": [{"file": "f" * 16, "seconds": 9, "at": _AT}],
     "content": {"markup": "<p>x</p>", "is_text": False, "base_url": "https://a.example/", "language": "en"}},
    {"kind": "interests", "is_learning": True, "recency_rate": 0.05, "terms": [{"term": "chess", "weight": 1.5}]},
)  # fmt: skip
_ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 7, 2**31, 2**63, 10**30, 1.5, 1e308, float("inf"), float("nan"), "", " ", "x", "\0",
    "\ud800",    "x" * 5000, "javascript:alert(1)", "https://[", "http://127.0.0.1/", "2026-13-01",
    "0001-01-01T00:00:00+23:59",
    "9999-12-31T23:59:59-23:59", "2026-03-03T10:00:00", "٢٠٢٦-٠٣-٠٣", [], {}, [None], [[]], [{}], {"name": 1},
    ["x"] * 50,
)  # fmt: skip
_PIECES = (
    b"{",
    b"}",
    b"[",
    b"]",
    b'"',
    b",",
    b":",
    b"\n",
    b"\0",
    b"\xff",
    b"null",
    b"1e999",
    b"9" * 5000,
    b"[" * 2000,
    b"PK\x01\x02",
    b"PK\x05\x06",
)


def make_lines(random: Random) -> Case:
    lines = [dict(random.choice(_LINES)) for _ in range(random.randint(1, 3))]
    for line in lines:
        for _ in range(random.randint(0, 3)):
            holder = _holder(random, line)
            holder[random.choice((*holder, "kind", "at", "x"))] = random.choice(_ODD)
    data = "\n".join(json.dumps(line) for line in (_HEADER, *lines)).encode()
    if random.random() < 0.3:
        data = mutating.data(random, (data,), _PIECES)
    if random.random() < 0.15:
        data = mutating.data(random, (_zipped(data),), _PIECES)
    return data


def _holder(random: Random, line: dict[str, Any]) -> dict[str, Any]:
    """The line itself, or an object within it, a copy of its own."""
    inner = [name for name, value in line.items() if value and isinstance(value, list | dict)]
    if not inner or random.random() < 0.5:
        return line
    name = random.choice(inner)
    line[name] = json.loads(json.dumps(line[name]))
    within = line[name] if isinstance(line[name], dict) else random.choice(line[name])
    return within if isinstance(within, dict) else line


def _zipped(data: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("rssmanager.jsonl"), data)
    return made.getvalue()


def check(case: Case) -> None:
    data = case if isinstance(case, bytes) else case.encode("utf-8", "surrogatepass")
    try:
        lines = list(read_lines(io.BytesIO(data)))
        if lines:
            check_header(lines[0])
    except DataRefused as error:
        must(str(error), "a refusal says why")
        return
    with taken_back():
        context = ImportContext(Rows.of_case().user, make.NOW, max_items=20)
        for refused in import_lines(context, list(enumerate(lines, start=1))):
            must(refused.reason, "a refusal says why")
            must(1 <= refused.line <= len(lines), "a refusal names its line")


TARGETS = (
    Target("accounts", "files of everything taken in", make_lines, check, around=Rows.filled, needs_database=True),
)
