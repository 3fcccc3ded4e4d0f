"""Renders an article's body source as HTML and plain text."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from html import unescape

from rssmanager.demo.publishers import Article, Publisher

_WEEKDAYS = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "de": ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
    "fr": ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
    "ja": ("月曜日", "火曜日", "水曜日", "木曜日", "金曜日", "土曜日", "日曜日"),
    "zh": ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
}
MEDIA_FOLDERS = ("images", "audio")
_DAY = re.compile(r"\{day([+-]\d+)?\}")
_TAG = re.compile(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class Edition:
    """The `now`, generation and base URL (without slash) to render a publisher with.

    `media_url` is the base URL of images and audio, if different.
    """

    now: datetime
    generation: int
    base_url: str
    media_url: str = ""

    def published_at(self, article: Article) -> datetime:
        """The publication time, to the second, aware."""
        return self._before(article.hours_ago)

    def dateline_at(self, article: Article) -> datetime:
        """The time that weekdays in the text refer to."""
        return self._before(article.dateline_hours_ago)

    def updated_at(self, article: Article) -> datetime:
        """When the article last changed: a minute ago if revised, else when it was published."""
        if article.wording(self.generation) is article.first:
            return self.published_at(article)
        return self._before(1 / 60)

    def article_url(self, article: Article) -> str:
        """The article's page."""
        return f"{self.base_url}/articles/{article.slug}"

    def filled(self, body: str) -> str:
        """A body source with its URLs filled in."""
        for folder in MEDIA_FOLDERS:
            body = body.replace(f"{{site}}/{folder}/", self.medium_url(folder, ""))
        return body.replace("{site}", self.base_url)

    def medium_url(self, folder: str, name: str) -> str:
        """The URL of an image or audio file."""
        return f"{self.media_url or self.base_url}/{folder}/{name}"

    def _before(self, hours: float) -> datetime:
        return self.now.replace(microsecond=0) - timedelta(seconds=round(hours * 3600))


def body_html(publisher: Publisher, article: Article, edition: Edition) -> str:
    """The article's body as HTML."""
    source = edition.filled(article.wording(edition.generation).body)
    day = edition.dateline_at(article) + timedelta(hours=publisher.utc_offset)
    names = _WEEKDAYS[publisher.language]
    source = _DAY.sub(lambda match: names[(day.weekday() + int(match[1] or 0)) % 7], source)
    if publisher.is_illustrated and "<img" not in source:
        picture = edition.medium_url("images", f"{article.slug}.png")
        source = f'<figure><img src="{picture}" alt="" width="480" height="270"></figure>\n\n{source}'
    blocks = (block.strip() for block in source.split("\n\n"))
    return "\n".join(block if block.startswith("<") else f"<p>{block}</p>" for block in blocks if block)


def plain_text(html: str) -> str:
    """The text of our own HTML, with white space collapsed. Not for untrusted HTML."""
    return " ".join(unescape(_TAG.sub(" ", html)).split())


def lead_text(html: str) -> str:
    """The first paragraph as plain text."""
    return plain_text(html[html.find("<p>") :].split("</p>", 1)[0])
