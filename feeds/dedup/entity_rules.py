"""Finds names with rules, for languages without a model. Pure.

Theory. In Latin, Cyrillic and Greek script, capitalized words within a sentence are names: a run of them is one name
("Ursula von der Leyen"), and so is an abbreviation in capitals. A word at the beginning of a sentence counts only in a
run or if it is capitalized elsewhere too; a word that also occurs in lower case doesn't count. In headlines In Title
Case or IN CAPITALS, only names that are also in the text count.

German capitalizes all nouns. There a single word counts only after "in", "aus", "nach" (places), if it ends a run found
elsewhere in the text (surnames), or if it is in a table.

The kind of a name is rarely clear: a place if it is in the table of countries; a person after a title ("Präsident",
"г-н") or if its last word also occurs alone; else it counts as an organization, since comparing ignores kinds. Chinese
and Japanese are in `feeds.dedup.entity_rules_han`.

Known false positives: capitalized titles of works and products; German nouns in series. Known false negatives: places
in German without a preposition; names of one word that only begin sentences; in languages without
capitals (Arabic, Hebrew, Thai, Korean, Hindi), all names not in Latin script.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import dropwhile, pairwise

from feeds.dedup.entities import Kind, Names, bare, known_as, names_from, normalized
from feeds.dedup.entity_rules_han import han_mentions
from feeds.dedup.entity_tables import FUNCTION_WORDS, TITLES
from feeds.normalizing.han import simplified

READ_CHARACTERS = 3000  # of the text, after the title: rules are a hundred times cheaper than models
LONGEST_ACRONYM = 6  # letters; longer words in capitals are emphasis
LONGEST_RUN = 5  # words

_ELISION = re.compile(r"\b(?:[ldLD]|[Dd]ell|[Aa]ll|[Nn]ell|[Dd]all|[Ss]ull)['’](?=[A-ZÀ-Þ])")
_WORD = re.compile(r"[A-ZА-ЯЁ]{2,6}(?=-[^\W\d_])|[^\W\d_]+(?:['’-][^\W_]+)*")
_SENTENCE_END = re.compile(r"[.!?…:;\n•|«»„“”\"()]|[-–—] ")
_PARTICLE = re.compile("(?:v[ao]n|v[ao]n de[rn]?|de|del|della|di|da|do|dos|du|d[ei] la|de l[ao]s|bin|ibn|al|zu)$")
_GERMAN_TITLE = re.compile(
    r"\w*(?:minister|präsident|kanzler|chef|sprecher|vorsitzende|trainer|richter)(?:in|en|s|r)?$"
)
_GERMAN_PLACE_AFTER = frozenset({"in", "aus", "nach"})
_NO_GERMAN_PLACE = re.compile(r"(?:ung|heit|keit|schaft|ion|tät|angaben|zeit|ende|form|folge|nähe)$", re.IGNORECASE)
_WITHOUT_SPACES = frozenset({"zh", "ja"})


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    begins: bool  # a sentence
    joined: bool  # to the word before it by one space

    @property
    def is_acronym(self) -> bool:
        return 2 <= len(self.text) <= LONGEST_ACRONYM and self.text.isupper()

    @property
    def is_capitalized(self) -> bool:
        return self.text[0].isupper() and not self.text.isupper()


def rule_names(title: str, text: str, language: str) -> Names:
    """The names in a document's title and beginning; `language` is ISO 639-1, "" unknown."""
    text = text[:READ_CHARACTERS]
    if language in _WITHOUT_SPACES:
        return names_from(han_mentions(simplified(f"{title}\n{text}", language), language))
    if text and (text.startswith(title) or is_title_case(title) or title.isupper()):
        title = ""
    words = list(_words(f"{title}\n{text}"))
    runs = list(_runs(words))
    return names_from(_mentions(_trusted(runs, words, language), language))


def is_title_case(line: str) -> bool:
    """Whether nearly all longer words of a headline are capitalized, so that capitals don't mark names."""
    long_words = [word for word in _WORD.findall(line) if len(word) > 3]
    return len(long_words) >= 3 and sum(word[0].isupper() for word in long_words) >= 0.8 * len(long_words)


def _words(text: str) -> Iterator[_Word]:
    text = _ELISION.sub("", text)
    end, before = 0, ""
    for match in _WORD.finditer(text):
        gap = text[end : match.start()]
        is_initial = gap.startswith(".") and (len(before) == 1 or before.lower() in TITLES)
        gap = gap.removeprefix(".") if is_initial else gap
        yield _Word(match[0], begins=not before or bool(_SENTENCE_END.search(gap)), joined=gap in (" ", "-", ""))
        end, before = match.end(), match[0]


def _runs(words: list[_Word]) -> Iterator[list[_Word]]:
    """Runs of capitalized words with particles inside; abbreviations in capitals alone."""
    run: list[_Word] = []
    for word in words:
        if run and (word.begins or not word.joined or not _may_continue(run, word)):
            yield from _ended(run)
            run = []
        if word.is_acronym:
            yield [word]
        elif run or word.is_capitalized or _is_initial(word):
            run.append(word)
    yield from _ended(run)


def _may_continue(run: list[_Word], word: _Word) -> bool:
    if word.is_capitalized or _is_initial(word):
        return True
    particle = [*(inner.text for inner in run[-1:] if inner.text.islower()), word.text]
    return _PARTICLE.match(" ".join(particle)) is not None


def _is_initial(word: _Word) -> bool:
    return len(word.text) == 1 and word.text.isupper()


def _ended(run: list[_Word]) -> Iterator[list[_Word]]:
    while run and (run[-1].text.islower() or _is_initial(run[-1])):
        run.pop()
    if run:
        yield run


def _trusted(runs: list[list[_Word]], words: list[_Word], language: str) -> Iterator[str]:
    """The runs that are names, as text, judged by the use of their words in the whole document."""
    in_lower_case = {word.text for word in words if word.text.islower()} | FUNCTION_WORDS
    inside = _inside(runs)
    runs = [_without_first(run) if run[0].begins and _is_common(run, in_lower_case, inside) else run for run in runs]
    before = {id(word): previous.text for previous, word in pairwise(words)}
    last_words = {run[-1].text for run in runs if len(run) > 1}
    for run in runs:
        if len(run) == 1 and not run[0].is_acronym:
            word = run[0]
            is_noun = language == "de" and not _is_german_name(word.text, before.get(id(word), ""), last_words)
            if is_noun or word.text.lower() in in_lower_case:
                continue
        if 0 < len(run) <= LONGEST_RUN:
            yield " ".join(word.text for word in run)


def _inside(runs: list[list[_Word]]) -> set[str]:
    """Forms of words that are capitalized within a sentence.

    Without the second word of a run of two that begins a sentence: it can't tell "Angela Merkel" from "Meeting Merkel".
    """
    inner = (run[1:] if run[0].begins else run for run in runs if len(run) > 2 or not run[0].begins)
    return {_form(word.text) for run in inner for word in run}


def _is_common(run: list[_Word], in_lower_case: set[str], inside: set[str]) -> bool:
    """Whether the first word of a run is capitalized only because it begins a sentence."""
    first = run[0].text
    if run[0].is_acronym:
        return False
    if first.lower() in in_lower_case:
        return True
    if _form(first) in inside or known_as(normalized(first)):
        return False
    return len(run) == 1 or _form(run[1].text) in inside


def _without_first(run: list[_Word]) -> list[_Word]:
    """A run from its second capitalized word on: "Bewerbung" of "Von der Bewerbung"."""
    return list(dropwhile(lambda word: word.text.islower(), run[1:]))


def _form(word: str) -> str:
    return bare(normalized(word))


def _is_german_name(word: str, before: str, last_words: set[str]) -> bool:
    if word in last_words or known_as(normalized(word)):
        return True
    return before in _GERMAN_PLACE_AFTER and not _NO_GERMAN_PLACE.search(word)


def _mentions(runs: Iterator[str], language: str) -> Iterator[tuple[Kind, str]]:
    names = [run.split() for run in runs]
    alone = {_form(words[0]) for words in names if len(words) == 1}
    for words in names:
        has_title = False
        while len(words) > 1:  # "президент России Владимир Путин"
            if _is_title(words[0].lower(), language):
                has_title = True
            elif known_as(normalized(words[0])) and (len(words) > 2 or has_title):
                yield "places", words[0]
            elif not words[0].islower():
                break
            del words[0]
        is_person = has_title or (len(words) > 1 and _form(words[-1]) in alone)
        yield "people" if is_person else "organizations", " ".join(words)


def _is_title(word: str, language: str) -> bool:
    return word in TITLES or (language == "de" and _GERMAN_TITLE.match(word) is not None)
