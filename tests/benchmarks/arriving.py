"""What feeds deliver next in the benchmark: 2,000 entries, of which 15 % are near copies. Pure.

Half of the copies are of archived articles of the last 25 days, half of another new entry; all come from another feed
and domain. A copy has 3 words of some 150 replaced, and every third a label before its title.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from feeds.parsing.feed import ParsedDate, ParsedEntry
from tests.benchmarks.prose import Prose

N_FEEDS, N_ENTRIES = 50, 40  # entries of each feed
N_NEW = N_FEEDS * N_ENTRIES
COPIED_WITHIN = timedelta(days=25)
PUBLISHED_WITHIN = timedelta(hours=24)
N_WORDS, N_REPLACED = 150, 3
_PATTERN = 20  # of so many entries …
_OF_ARCHIVE, _OF_NEW = (3, 13), (9, 19)  # … these are copies, the last of both only in every other round
_SENTENCES_A_PARAGRAPH = 3


@dataclass(frozen=True, slots=True)
class Original:
    """An article of which there is going to be a copy."""

    url: str
    title: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The entries of each feed, and the URLs of each copy and what it is a copy of."""

    by_feed: tuple[tuple[ParsedEntry, ...], ...]
    copies: tuple[tuple[str, str], ...]


def arrivals(prose: Prose, archived: Sequence[Original], *, now: datetime, domains: Sequence[str]) -> Arrivals:
    """Entries of the last day; `archived`: what may be copied, of which as many are as needed."""
    source = random.Random(len(archived))
    new: list[Original] = []
    copies: list[tuple[str, str]] = []
    for number in range(N_NEW):
        url = f"https://{domains[number % N_FEEDS]}/new/{number}"
        original = _original(number, new, archived)
        if original is None:
            story = prose.story(week=int(now.timestamp()) // (7 * 86_400), n_words=N_WORDS)
            new.append(Original(url, story.title, story.sentences))
        else:
            copies.append((url, original.url))
            new.append(_copy(original, url, prose, source, is_labelled=len(copies) % 3 == 0))
    entries = [_entry(number, each, now) for number, each in enumerate(new)]
    return Arrivals(tuple(tuple(entries[feed::N_FEEDS]) for feed in range(N_FEEDS)), tuple(copies))


def _original(number: int, new: Sequence[Original], archived: Sequence[Original]) -> Original | None:
    turn, place = divmod(number, _PATTERN)
    if place == _OF_ARCHIVE[0] or (place == _OF_ARCHIVE[1] and turn % 2):
        return archived[number * len(archived) // N_NEW] if archived else None
    if place == _OF_NEW[0] or (place == _OF_NEW[1] and turn % 2 == 0):
        return new[number - 1]
    return None


def _copy(original: Original, url: str, prose: Prose, source: random.Random, *, is_labelled: bool) -> Original:
    sentences = [sentence.split(" ") for sentence in original.sentences]
    for word in prose.words(N_REPLACED):
        sentence = source.choice(sentences)
        sentence[source.randrange(1, len(sentence) - 1)] = word
    label = "Update: " if is_labelled else ""
    return Original(url, label + original.title, tuple(" ".join(sentence) for sentence in sentences))


def _entry(number: int, content: Original, now: datetime) -> ParsedEntry:
    n = _SENTENCES_A_PARAGRAPH
    paragraphs = (" ".join(content.sentences[at : at + n]) for at in range(0, len(content.sentences), n))
    published_at = now - PUBLISHED_WITHIN * ((number + 1) / N_NEW)
    return ParsedEntry(
        guid=f"new-{number}",
        link=content.url,
        title=content.title,
        dates=(ParsedDate(published_at.isoformat(), published_at),),
        markup="".join(f"<p>{paragraph}</p>" for paragraph in paragraphs),
        categories=("News",),
    )
