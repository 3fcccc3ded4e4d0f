"""Titles and texts of topics as tokens with their part of speech, in sentence case.

If spaCy has a model (`feeds.dedup.entity_models`), it tags the tokens. In other languages a word that isn't a stop word
is a noun, or a name if capitalized; in German a noun only if capitalized.

Capitals at the start of a sentence, in a headline In Title Case or IN CAPITALS mean nothing and mislead the tagger. So
such words are rewritten as they are written within sentences of all topics in the language; if they never are, in lower
case, unless they belong to a recognized name, look like one ("iPhone", "NATO"), or are German.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from digests.labels.spaceless import LANGUAGES as SPACELESS_LANGUAGES
from digests.labels.spaceless import SPACELESS, is_spaceless
from digests.labels.spaceless import TOKEN as SPACELESS_TOKEN
from digests.labels.topic_input import Member, SourceNames, TopicText
from digests.topics.tokens import stems
from feeds.dedup.entity_models import has_model, tags_of
from feeds.dedup.entity_rules import is_title_case
from feeds.dedup.entity_tables import COUNTRIES
from feeds.dedup.title_cleanup import without_prefixes, without_suffixes
from feeds.normalizing.text import clean_title
from reader.interests.learning.stop_words import stop_words

MAX_TITLES = 30  # of a topic
MAX_TEXTS = 8
TEXT_CHARACTERS = 400  # of a text
LONGEST_WORD = 40  # characters; longer ones are codes

_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+|[@#]\w[\w.]*")
_DOTTED = re.compile(r"\b(?:[^\W\d_]\.){2,}")  # "U.S."
_MARKS = "\u0300-\u036f\u0900-\u0963\u0971-\u0dff\u200c\u200d"  # belong to the letter before
_LETTER = f"(?:(?!{SPACELESS.pattern})(?:[^\\W_]|[{_MARKS}]))"
_TOKEN = re.compile(rf"{_LETTER}+(?:(?:['’‐‑-]|(?<=\d)[.,](?=\d)){_LETTER}+)*|\S")
_POSSESSIVE = re.compile(r"(.+)(['’]s)", re.IGNORECASE)
_JOINED = {  # by an apostrophe: an article before the word, or a case ending after it
    **dict.fromkeys(
        ("ca", "fr", "it"), re.compile(r"((?:[cdjlmnst]|qu|dell|nell|all|dall|sull)['’])(.+)", re.IGNORECASE)
    ),
    **dict.fromkeys(("az", "tr"), re.compile(r"(.+)(['’]\w+)")),
}
_NUMBER = re.compile(r"\d[\d.,]*(?:st|nd|rd|th|m|bn)?")
_RUSSIAN_VERB = re.compile(
    r".*(?:[аеияуы]л[аои]?|л(?:ся|ась|ось|ись)|[аеиыу]ть(?:ся)?|[ую]тся|[еи]тся|[аяуюе]ет|[аяую]ют)"
)
_COUNTRIES = frozenset(COUNTRIES.keys() - {"us", "turkey"})
_ENDS_SENTENCE = frozenset('.!?…:;|•"“”«»„()[]–—')
NAME, NOUN, ADJECTIVE, NUMBER = CONTENT = ("PROPN", "NOUN", "ADJ", "NUM")  # as spaCy tags them
LINK, OTHER = "LINK", ""  # between words of a phrase; in no phrase
_LINKS = {
    "en": "of 's ’s", "fr": "de du des la d' l'", "es": "de del la los las", "pt": "de do da dos das",
    "it": "di del della dei delle d'", "ca": "de del la d'", "nl": "van de", "ro": "de",
}  # fmt: skip


class Token(NamedTuple):
    """`text[start:end]` of a line, in lower case ("US" stays because "us" is a stop word), the stems of its parts, and
    whether it begins a sentence."""

    text: str
    low: str
    stems: tuple[str, ...]
    start: int
    end: int
    begins: bool
    kind: str = OTHER


@dataclass(slots=True)
class Line:
    """The title, or the beginning of the text, of a member given by its number."""

    member: int
    is_title: bool
    text: str
    tokens: list[Token]

    @property
    def words(self) -> list[Token]:
        """The tokens without punctuation."""
        return [token for token in self.tokens if token.low[0].isalnum()]

    @property
    def key(self) -> str:
        """The words between single spaces."""
        return f" {' '.join(word.low for word in self.words)} "


@dataclass(frozen=True, slots=True)
class Reading:
    """A topic's first members in the language of the lead, and their lines; `in_names` are the words of names."""

    language: str
    members: Sequence[Member]
    terms: Sequence[tuple[str, float]]
    sources: SourceNames
    in_names: AbstractSet[str]
    lines: Sequence[Line]


def read(topics: Sequence[TopicText]) -> list[Reading]:
    """Read the topics. Those in one language share the case of words."""
    readings = []
    for topic in topics:
        language = topic.members[0].language if topic.members else ""
        members = [member for member in topic.members if not language or member.language in (language, "")][:MAX_TITLES]
        names = (name for member in members for several in member.names.values() for name in several)
        in_names = _COUNTRIES.union(word for name in names for word in name.split())
        lines = list(_lines(members, language))
        readings.append(Reading(language, members, topic.terms, SourceNames(members), in_names, lines))
    for language in dict.fromkeys(reading.language for reading in readings):
        lines_of = [(reading, line) for reading in readings if reading.language == language for line in reading.lines]
        _write_in_sentence_case(lines_of, language)
        if language not in SPACELESS_LANGUAGES:
            _tag(lines_of, language)
    return readings


def trimmed_title(member: Member) -> str:
    """The title without labels such as "Breaking:" and the publisher's name."""
    title = clean_title(member.title)
    return without_suffixes(without_prefixes(title), [name for name in (member.source, member.publisher) if name])[0]


def words_of(text: str, language: str = "") -> tuple[str, ...]:
    """The words of a text as in the key of a line."""
    return tuple(token.low for token in _tokens(text, language) if token.low[0].isalnum())


def _lines(members: Sequence[Member], language: str) -> Iterator[Line]:
    for at, member in enumerate(members):
        title, text = trimmed_title(member), clean_title(member.text[:TEXT_CHARACTERS]) if at < MAX_TEXTS else ""
        for is_title, raw in ((True, title), (False, text.removeprefix(title))):
            line = _DOTTED.sub(lambda match: match[0].replace(".", ""), _ADDRESS.sub(" ", raw)).strip()
            if line:
                yield Line(at, is_title, line, list(_tokens(line, language)))


def _write_in_sentence_case(lines: Sequence[tuple[Reading, Line]], language: str) -> None:
    """Write words at the start of sentences and in headlines as elsewhere, or else as guessed."""
    elsewhere: defaultdict[str, Counter[str]] = defaultdict(Counter)
    doubtful: list[tuple[Reading, Line, int]] = []
    for reading, line in lines:
        is_cased = not line.text.isupper() and not is_title_case(line.text)
        for at, token in enumerate(line.tokens):
            if token.begins or not is_cased or (token.text.isupper() and token.text.isalpha() and len(token.text) > 3):
                doubtful.append((reading, line, at))
            else:
                elsewhere[token.low][token.text] += 1
    for reading, line, at in doubtful:
        word, low = line.tokens[at].text, line.tokens[at].low
        has_inner_capitals = any(part[1:] != part[1:].lower() for part in word.split("-"))
        if low in elsewhere:
            word = elsewhere[low].most_common(1)[0][0]
        elif not has_inner_capitals and low not in reading.in_names and language != "de":
            word = word.lower()
        _, _, _, start, end, *_ = line.tokens[at]
        if len(word) == end - start:
            line.tokens[at] = line.tokens[at]._replace(text=word)
            line.text = line.text[:start] + word + line.text[end:]


def _tokens(text: str, language: str) -> Iterator[Token]:
    begins = True
    if is_spaceless(text):
        end = 0
        for match in SPACELESS_TOKEN.finditer(text):
            begins = match.start() > end and not match[0].isascii()
            end = match.end()
            stemmed = tuple(stem.stem for stem in stems(match[0], language)) if match[0].isascii() else ()
            yield Token(
                match[0], match[0].lower(), stemmed, match.start(), end, begins, NOUN if match["atom"] else OTHER
            )
        return
    for match in _TOKEN.finditer(text):
        start = match.start()
        for part, low, stemmed in _parts(match[0], language):
            yield Token(part, low, stemmed, start, start + len(part), begins and low[0].isalnum())
            start += len(part)
            begins = low in _ENDS_SENTENCE or (begins and not low[0].isalnum())


@lru_cache(maxsize=2**16)
def _parts(word: str, language: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """A word and what an apostrophe joins to it, each with its lower case and stems."""
    match = _JOINED.get(language, _POSSESSIVE).fullmatch(word) if len(word) <= LONGEST_WORD else None
    parts = []
    for part in match.groups() if match else (word,):
        is_abbreviation = part.isupper() and part.lower() in stop_words("en")
        low = part if is_abbreviation else part.lower().replace("’", "'")
        parts.append(
            (part, low, tuple(stem.stem for stem in stems(part, language)) if len(part) <= LONGEST_WORD else ())
        )
    return parts


def _tag(lines: Sequence[tuple[Reading, Line]], language: str) -> None:
    if has_model(language):
        tags = tags_of([[token.text for token in line.tokens] for _, line in lines], language)
    else:
        tags = [[_tag_by_rules(token, language) for token in line.tokens] for _, line in lines]
    for (reading, line), tagged in zip(lines, tags, strict=True):
        line.tokens = [
            token._replace(kind=_kind(token, tag, language, is_name=token.low in reading.in_names))
            for token, tag in zip(line.tokens, tagged, strict=True)
        ]


def _kind(token: Token, tag: str, language: str, *, is_name: bool) -> str:
    """The kind by its tag; OTHER if it can't be in a label."""
    if token.low in _LINKS.get(language, "").split():
        return LINK
    if _NUMBER.fullmatch(token.low):
        return NUMBER
    tag = NAME if is_name and tag not in CONTENT and token.text[0].isupper() else tag
    is_word = tag in CONTENT and 1 < len(token.low) <= LONGEST_WORD and token.low[0].isalnum()
    return tag if is_word and (tag == NAME or token.low not in stop_words(language)) else OTHER


def _tag_by_rules(token: Token, language: str) -> str:
    if token.low in stop_words(language) or (language == "ru" and _RUSSIAN_VERB.fullmatch(token.low)):
        return OTHER
    if language == "de":
        return NOUN if token.text[0].isupper() else OTHER
    return NAME if token.text[0].isupper() else NOUN
