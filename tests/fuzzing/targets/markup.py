"""Processing a publisher's body: safe HTML, plain text, images, players."""

from random import Random

from feeds.normalizing.html import sanitize_body
from feeds.normalizing.html_text import visible_text
from feeds.normalizing.media import collect_media
from feeds.normalizing.plain_text import MAX_TEXT, clean_lines, plain_text, strip_invisible
from feeds.parsing.feed import ParsedEntry
from reader.articles.embeds import MAX_EMBEDS, embeds
from tests.feeds.html_verdict import violations
from tests.fuzzing import mutating
from tests.fuzzing.samples import MARKUP, MARKUP_PIECES
from tests.fuzzing.target import Case, Target, must

BASE = "https://paper.example/news/1"


def make(random: Random) -> Case:
    if random.random() < 0.5:
        return mutating.sentence(random, MARKUP_PIECES, most=20)
    return mutating.text(random, MARKUP, MARKUP_PIECES)


def check_sanitized(case: Case) -> None:
    markup = _text(case)
    safe = sanitize_body(markup, base_url=BASE).html
    found = violations(safe)
    must(not found, f"only what is listed, not {found[:1]}")
    must(sanitize_body(safe, base_url=BASE).html == safe, "sanitizing again changes nothing")
    as_text = sanitize_body(markup, base_url=BASE, is_text=True).html
    must(not violations(as_text), "only what is listed in what was text")


def check_text(case: Case) -> None:
    markup = _text(case)
    text = plain_text(markup)
    must(len(text) <= MAX_TEXT, "text within its bounds")
    must(
        strip_invisible(text).replace("\n", "") == text.replace("\n", "") or text.isprintable(), "no control characters"
    )
    must(clean_lines(text) == text, "lines stay lines")
    must(clean_lines(plain_text(markup, is_text=True)) == plain_text(markup, is_text=True), "lines of text stay lines")
    visible_text(markup)


def check_files(case: Case) -> None:
    markup = _text(case)
    for media in collect_media(ParsedEntry(), markup, base=BASE):
        must(media.url.startswith(("http://", "https://")), "a picture is on the web")
    found = embeds(markup, [{"url": "https://www.youtube.com/embed/abcdefghijk"}], base_url=BASE)
    must(len(found) <= MAX_EMBEDS, "not more players than the most")
    for each in found:
        must(each.url.startswith(("http://", "https://")), "a player is on the web")
        must(each.source.startswith(("http://", "https://")), "its source too")
        must(each.host, "its host is named")


def _text(case: Case) -> str:
    return case if isinstance(case, str) else case.decode("utf-8", "surrogateescape")


TARGETS = (
    Target("sanitizer", "HTML of bodies: closed lists, at rest", make, check_sanitized),
    Target("plain-text", "HTML to text for search and learning", make, check_text),
    Target("files", "pictures and players in bodies", make, check_files),
)
