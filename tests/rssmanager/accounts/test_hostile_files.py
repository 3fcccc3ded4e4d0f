"""Malformed and hostile import files: refused with a message, or imported as far as harmless."""

import io
import json
import zipfile
from collections.abc import Callable

import pytest

from feeds.models import Article
from reader.models import PendingState, Preferences
from rssmanager.accounts import zip_reader
from rssmanager.accounts.errors import DataRefused
from rssmanager.accounts.importing import begin
from rssmanager.accounts.models import DataImport, DataPiece
from tests import make
from tests.rssmanager.accounts.filled import import_file

HEADER = b'{"kind": "rssmanager", "version": 1}\n'


def zip_of(*files: tuple[str, bytes], comment: bytes = b"", compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, data in files:
            archive.writestr(name, data)
        archive.comment = comment
    return buffer.getvalue()


def flipped(data: bytes) -> bytes:
    """The data with damaged bytes in the middle."""
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 0xFF]) + data[middle + 1 :]


def encrypted() -> bytes:
    """An archive marked as encrypted, in the entry and in the directory."""
    data = bytearray(zip_of(("rssmanager.jsonl", HEADER)))
    for sign, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(sign) + at] |= 1
    return bytes(data)


FILES = {
    "nothing": b"",
    "a picture": b"\x89PNG\r\n\x1a\n" + b"\0" * 100,
    "only the magic of a ZIP": b"PK\x03\x04",
    "half a ZIP": zip_of(("rssmanager.jsonl", HEADER * 1000))[:80],
    "a damaged ZIP": flipped(zip_of(("rssmanager.jsonl", HEADER + bytes(range(256)) * 40))),
    "another ZIP": zip_of(("holiday.txt", b"sun")),
    "two of them": zip_of(("rssmanager.jsonl", HEADER), ("x/rssmanager.jsonl", HEADER)),
    "an encrypted one": encrypted(),
    "packed by LZMA": zip_of(("rssmanager.jsonl", HEADER), compression=zipfile.ZIP_LZMA),
    "thousands of files": zip_of(("rssmanager.jsonl", HEADER), *((f"{n}", b"") for n in range(2000))),
    "a comment that hides the end": zip_of(("rssmanager.jsonl", HEADER), comment=b"PK\x05\x06" + b"\0" * 18),
    "no first line": b'{"kind": "article"}\n',
    "a list": b"[1, 2]",
    "a newer version": b'{"kind": "rssmanager", "version": 99}',
    "a version that is none": b'{"kind": "rssmanager", "version": true}',
    "nested without end": b"[" * 100_000 + b"]" * 100_000,
    "OPML": b"<opml version='2.0'/>",
}


@pytest.mark.django_db
@pytest.mark.parametrize("data", FILES.values(), ids=FILES.keys())
def test_foreign_file_is_refused_and_not_stored(data: bytes) -> None:
    user = make.user()
    with pytest.raises(DataRefused) as refused:
        begin(user, io.BytesIO(data), name="x", now=make.NOW)
    assert str(refused.value).endswith(".") or "in it" in str(refused.value)
    assert not DataImport.objects.exists()
    assert not DataPiece.objects.exists()


@pytest.mark.parametrize(
    ("limit", "value", "data"),
    [
        ("MAX_UNPACKED", 50_000, zip_of(("rssmanager.jsonl", HEADER + b"\n" * 100_000))),
        ("MAX_LINE", 1000, zip_of(("rssmanager.jsonl", HEADER + b" " * 100_000))),
        ("MAX_LINES", 10, HEADER + b"\n" * 100),
    ],
    ids=["a bomb", "a line without end", "too many lines"],
)
def test_refuses_input_beyond_the_limits_of_an_export(
    limit: str, value: int, data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zip_reader, limit, value)
    with pytest.raises(DataRefused):
        list(zip_reader.read_lines(io.BytesIO(data)))


def test_zip_bomb_takes_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A gigabyte of zeros, packed into a megabyte, is refused at the first line."""
    monkeypatch.setattr(zip_reader, "MAX_LINE", 2**16)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("rssmanager.jsonl", "w") as file:
        for _ in range(64):
            file.write(b"\0" * 2**20)
    with pytest.raises(DataRefused, match="longer than"):
        list(zip_reader.read_lines(buffer))


@pytest.mark.parametrize("folder", ["", "../../", "/etc/", "a/"])
def test_names_are_never_paths(folder: str) -> None:
    packed = zip_of((f"{folder}rssmanager.jsonl", HEADER), ("../../evil", b"x"))
    assert list(zip_reader.read_lines(io.BytesIO(packed))) == [HEADER.strip()]


ARTICLE = {"kind": "article", "url": "https://a.example/1", "title": "T", "published_at": "2026-01-01T00:00:00+00:00"}
LINES: dict[str, dict[str, object]] = {
    "address of a script": ARTICLE | {"url": "javascript:alert(1)"},
    "title that is a number": ARTICLE | {"title": 7},
    "title without end": ARTICLE | {"title": "x" * 6000},
    "no time": ARTICLE | {"published_at": None},
    "time without zone": ARTICLE | {"published_at": "2026-01-01T00:00:00"},
    "time before time": ARTICLE | {"published_at": "0001-01-01T00:00:00+00:00"},
    "key too short": ARTICLE | {"key": "ff"},
    "key that is none": ARTICLE | {"key": "z" * 32},
    "acts that are no list": ARTICLE | {"acts": {"kind": "liked"}},
    "unknown act": ARTICLE | {"acts": [{"kind": "hacked", "at": "2026-01-01T00:00:00+00:00"}]},
    "unknown source": ARTICLE | {"acts": [{"kind": "liked", "source": [], "at": "2026-01-01T00:00:00+00:00"}]},
    "acts without end": ARTICLE | {"acts": [{}] * 1000},
    "tag without name": ARTICLE | {"tags": [{"name": " ", "at": "2026-01-01T00:00:00+00:00"}]},
    "position in the past": ARTICLE | {"positions": [{"file": "f", "seconds": -1, "at": "2026-01-01T00:00:00+00:00"}]},
    "content that is text": ARTICLE | {"content": "<p>"},
    "feed that is a list": {"kind": "feed", "url": ["https://a.example/"]},
    "feed with a day that is none": {"kind": "feed", "url": "https://a.example/", "quiet_until": "2026-99-99"},
    "folder without name": {"kind": "folder", "name": ""},
    "folder with a limit that is none": {"kind": "folder", "name": "A", "item_limit_per_category": 10**30},
    "theme that is none": {"kind": "preferences", "theme": "neon"},
    "zone that is none": {"kind": "preferences", "time_zone": "Mars/Base"},
    "rule about nothing": {"kind": "rule", "words": ""},
    "digest that is none": {"kind": "digest", "digest": "today", "at": "07:00"},
    "digest at no time": {"kind": "digest", "digest": "morning", "at": "soon"},
    "search without query": {"kind": "search", "name": "A"},
    "tag too long": {"kind": "tag", "name": "x" * 100},
    "interests that are none": {"kind": "interests", "terms": "all"},
    "kind that is a list": {"kind": ["article"]},
}


@pytest.mark.django_db
@pytest.mark.parametrize("line", LINES.values(), ids=LINES.keys())
def test_invalid_line_is_reported_and_not_stored(line: dict[str, object]) -> None:
    user = make.user()
    job = import_file(user, io.BytesIO(HEADER + json.dumps(line).encode()))
    assert (job.status, job.n_refused) == ("done", 1)
    assert job.lines.get().reason.endswith(".")
    assert not PendingState.objects.exists()
    assert not user.subscriptions.exists()
    assert not Preferences.objects.exclude(theme="system").exists()


@pytest.mark.django_db
def test_removes_nul_and_lone_surrogates() -> None:
    user = make.user()
    line = json.dumps(ARTICLE | {"title": "A\0B\ud800", "read": True})
    import_file(user, io.BytesIO(HEADER + line.encode()))
    assert PendingState.objects.get().data["title"] == "AB"


@pytest.fixture
def private() -> Callable[[], Article]:
    def made() -> Article:
        """An article of a feed with a password that another user follows."""
        subscription = make.subscription(make.user("eve"), make.feed("https://eve:pw@club.example/feed"))
        article = make.article(url="https://club.example/minutes", title="Minutes", text="What was said")
        make.delivery(subscription, article)
        return article

    return made


@pytest.mark.django_db
def test_naming_a_feed_does_not_reveal_it(private: Callable[[], Article]) -> None:
    article, user = private(), make.user("mallory")
    key = bytes(article.url_key).hex()
    guid = article.items.get().guid
    carriers = [{"feed": "https://club.example/feed", "guid": guid}]
    line = ARTICLE | {"url": article.url, "key": key, "in": carriers, "starred": True, "title": "Mine"}
    import_file(user, io.BytesIO(HEADER + json.dumps(line).encode()))
    assert not article.states.filter(user=user).exists()
    copy = PendingState.objects.get(user=user).copy
    assert copy is not None
    assert (copy.title, copy.text) == ("Mine", "")


@pytest.mark.django_db
def test_imported_article_is_never_the_publishers(private: Callable[[], Article]) -> None:
    user = make.user("mallory")
    line = ARTICLE | {"starred": True, "content": {"markup": "<p>Forged</p><script>alert(1)</script>"}}
    import_file(user, io.BytesIO(HEADER + json.dumps(line).encode()))
    copy = PendingState.objects.get().copy
    assert copy is not None
    assert copy.text == "Forged"
    assert bytes(copy.url_key) != bytes(PendingState.objects.get().key)
    assert not copy.items.exists()
