"""An edition in each of its forms, and what a reader finds in them."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from html import escape

from hypothesis import strategies as st
from lxml import html

from digests.edition.document import (
    Edition,
    Entry,
    FeedReport,
    Finding,
    LeftOut,
    SectionName,
    Topic,
    Trend,
    UnhealthyFeed,
)
from digests.edition.kinds import Kind
from digests.rendering.atom import as_atom
from digests.rendering.html import as_html
from digests.rendering.mail import EmailContent, digest_email
from tests.digests.editions import MADE_AT, edition, entry, topic

SITE = "https://reader.example"


@dataclass(frozen=True, slots=True)
class FakeLinks:
    """As long as the addresses of real mails are."""

    page: str = f"{SITE}/digests/12/"
    settings: str = f"{SITE}/digests/settings/"
    unsubscribe: str = f"{SITE}/mail/unsubscribe/morning.7.{'u' * 43}/"

    def act(self, article_id: int, act: str) -> str:
        return f"{SITE}/mail/act/{act}.7.{article_id}.1xYz12.{'a' * 43}/"


LINKS = FakeLinks()
FORMS = ("document", "mail", "entry")


def letter(made: Edition) -> EmailContent:
    return digest_email(made, links=LINKS)


def atom(*editions: Edition) -> bytes:
    return as_atom(
        editions,
        self_url=f"{SITE}/digests/feed/secret/",
        site_url=f"{SITE}/digests/",
        page_url=lambda each: f"{SITE}/digests/{each.kind}-{each.day}/",
    )


def entry_markup(made: Edition) -> str:
    """The markup that a feed's reader is given."""
    content = html.etree.fromstring(atom(made)).find(".//{http://www.w3.org/2005/Atom}content")
    assert content is not None
    return content.text or ""


def markup(made: Edition, form: str) -> str:
    """The HTML of one of `FORMS`."""
    return {"document": as_html, "mail": lambda each: letter(each).html, "entry": entry_markup}[form](made)


def text_of(page: str) -> str:
    """What is read on a page, in single spaces."""
    body = html.document_fromstring(page).find("body")
    assert body is not None
    return " ".join(str(body.text_content()).split())


def hrefs(page: str) -> list[str]:
    return [str(each) for each in html.document_fromstring(page).xpath("//@href")]


def escaped(text: str) -> str:
    return escape(text)


_WORDS = st.text(st.characters(codec="utf-8"), max_size=30)
_NUMBERS = st.integers(min_value=0, max_value=3000)
_PATHS = st.text(st.characters(codec="utf-8"), max_size=20)
_RANGES = {SectionName.TOP: (70, 100), SectionName.NOTEWORTHY: (40, 70), SectionName.ALSO: (15, 40)}


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    return entry(
        article_id=draw(st.one_of(st.none(), st.integers(min_value=1, max_value=10**9))),
        title=draw(_WORDS),
        url=draw(st.one_of(_PATHS.map("https://paper.example/".__add__), _PATHS)),
        source=draw(_WORDS),
        tier=draw(st.integers(min_value=1, max_value=5)),
        language=draw(st.sampled_from(("", "en", "ar", "zh-Hant", '"><b>'))),
        date_uncertain=draw(st.booleans()),
        published_at=datetime(2026, 11, 21, tzinfo=UTC) - timedelta(minutes=draw(_NUMBERS)),
    )


@st.composite
def topics(draw: st.DrawFn) -> Topic:
    section = draw(st.sampled_from(SectionName))
    lowest, highest = _RANGES[section]
    return topic(
        1,
        section,
        label=draw(_WORDS),
        lead=draw(entries()),
        importance=draw(st.floats(min_value=lowest, max_value=highest, exclude_max=highest < 100)),
        related=tuple(draw(st.lists(entries(), max_size=2))),
        sources=tuple(draw(st.lists(_WORDS, max_size=6))),
        trend=draw(st.sampled_from((None, *Trend))),
        category=draw(_WORDS),
        summary=draw(_WORDS),
        moved=draw(_WORDS),
    )


@st.composite
def editions(draw: st.DrawFn) -> Edition:
    found = sorted(draw(st.lists(topics(), max_size=8)), key=lambda each: -each.importance)
    return edition(
        *found,
        kind=draw(st.sampled_from(Kind)),
        time_zone=draw(st.sampled_from(("Europe/Berlin", "Asia/Kathmandu", "Pacific/Apia", "UTC"))),
        ends_at=MADE_AT - timedelta(hours=draw(_NUMBERS)),
        left_out=LeftOut(draw(_NUMBERS), draw(_NUMBERS)),
        report=FeedReport(14, 96, 94, unhealthy=(UnhealthyFeed(draw(_WORDS), draw(_WORDS)),)),
        findings=(Finding(draw(_WORDS), draw(st.booleans()), draw(_WORDS), draw(st.booleans())),),
    )
