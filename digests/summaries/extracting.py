"""A summary out of an article's own sentences. Pure.

Which sentences may be in it is asked in turns, each more generous than the one before; the first that gives a summary
within the limits is taken, or else the first that gives any:

1. whole sentences that say something, each standing by itself or behind the one it leans on;
2. also the one that repeats the title;
3. if there was nothing at all, those that lean on what is not there;
4. if there was nothing at all, lines without an end: many feeds give one such line, or a beginning that breaks off.

Where all sentences that fit come to less than half of `words.least` and there is a longer one, the first such is cut.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from digests.kinds import Words
from digests.summaries.boilerplate import is_ended
from digests.summaries.choosing import Candidate, Form, best_choices, preferred
from digests.summaries.counting import count
from digests.summaries.cutting import cut
from digests.summaries.languages import SPACELESS, joiner, language_of
from digests.summaries.reading import Line, lines_of
from digests.summaries.references import Names, alone, is_in_first_person, leans
from digests.summaries.weighing import terms_of, weights_of

MOST_CANDIDATES = 40
LINE_WORDS = 30  # of a line in "Noteworthy"
LINE_SLACK = 1.25  # the first sentence may be so much longer, if it is whole
LINE_CHARACTERS = 60  # likewise in Chinese and Japanese: as long to read as 30 words (SPEC §5, reading time)
LINE_SENTENCES = 5  # of which the first that fits is the line
LEAST_LINE = 6  # words of a line, if there is a longer one
LEAST_UNENDED = 10  # words of a line without an end mark that is taken for a sentence
_QUOTES = ("“", '"', "«", "„", "「", "‘")
_SHORT = 8  # words
_OPENS_QUOTE = 0.02  # taken off a sentence's worth for beginning with a quotation
_IS_SHORT = 0.1  # for having fewer than 8 words, in proportion: many are half a sentence
_IS_ALIEN = 0.15  # for saying "I" where less than so many sentences do:
PERSONAL = 0.25


@dataclass(frozen=True, slots=True)
class _Turn:
    """What is let in."""

    titles: bool = False
    leaning: bool = False
    unended: bool = False


@dataclass(frozen=True, slots=True)
class _Wish:
    """What a summary is to be of."""

    title: str
    language: str
    words: Words
    topic_terms: Mapping[str, float]
    names: Names


_TURNS = (_Turn(), _Turn(titles=True), _Turn(titles=True, leaning=True), _Turn(titles=True, leaning=True, unended=True))
_GENEROUS = 2  # the turn from which on only "nothing at all" is a reason


def summarize(
    title: str,
    text: str,
    language: str,
    *,
    words: Words,
    topic_terms: Mapping[str, float] | None = None,
    names: Names | None = None,
) -> str:
    """Sentences of `text`, whole and in order, together within `words` if any of them are; "" if there is none.

    One paragraph of plain text. `language` is ISO 639-1, "" unknown; `topic_terms` weights of stems as
    `digests.topics.texts.stems` gives them; `names` who and what the article names by kind, normalized, for putting
    "Merkel" in the place of "She". Fewer words than `words.least` where sentences do not add up to more.
    """
    language = language_of(text, language)
    found = lines_of(title, text, language)
    wish = _Wish(title, language, words, topic_terms or {}, names or {})
    nearest = ""
    for n, turn in enumerate(_TURNS):
        if n >= _GENEROUS and nearest:
            break
        lines = [line for line in found if _is_let_in(line, turn, language)][:MOST_CANDIDATES]
        summary = _chosen(lines, turn, wish)
        if count(summary, language) >= words.least:
            return summary
        nearest = nearest or summary
    return nearest


def one_line(title: str, text: str, language: str) -> str:
    """One sentence of at most 30 words, or 60 characters in scripts without spaces; cut if there is none so short.

    The first sentence may be a little longer to be whole (`LINE_SLACK`).
    """
    language = language_of(text, language)
    most = LINE_CHARACTERS if language in SPACELESS else LINE_WORDS
    found = lines_of(title, text, language)
    for turn in _TURNS:
        lines = [line for line in found if _is_let_in(line, turn, language)]
        forms = [each.alone for each in _candidates(lines, language, turn, {}) if each.alone][:LINE_SENTENCES]
        fitting = [form for n, form in enumerate(forms) if form.n_words <= (1 if n else LINE_SLACK) * most]
        if long_enough := [form for form in fitting if form.n_words >= LEAST_LINE]:
            return long_enough[0].text
        if longer := [form for form in forms if form not in fitting]:
            return cut(longer[0].text, language, most=most)
        if fitting:
            return fitting[0].text
    return ""


def _is_let_in(line: Line, turn: _Turn, language: str) -> bool:
    if line.repeats_title and not turn.titles:
        return False
    if is_ended(line.text):
        return True
    is_long = count(line.text, language) >= LEAST_UNENDED * (2 if language in SPACELESS else 1)
    return turn.unended and is_long and not line.text.endswith((":", "："))


def _candidates(lines: Sequence[Line], language: str, turn: _Turn, names: Names) -> list[Candidate]:
    """What may be chosen of the lines: each as it stands behind the one before, and by itself."""
    numbers = {line.number for line in lines}
    in_first_person = [is_in_first_person(line.text, language) for line in lines]
    is_personal = sum(in_first_person) > PERSONAL * len(lines)
    found = []
    for line, is_mine in zip(lines, in_first_person, strict=True):
        own = _form(line.text, language)
        by_itself: Form | None = own
        if leans(line.text, language) and not turn.leaning:
            changed = alone(line.text, line.before, names, language)
            by_itself = _form(changed, language) if changed else None
        behind = own if line.number - 1 in numbers else None
        faults = _faults(own, is_alien=is_mine and not is_personal)
        found.append(Candidate(behind, by_itself, terms_of(line.text, language), faults))
    return found


def _faults(form: Form, *, is_alien: bool) -> float:
    """What is taken off a sentence's worth; `is_alien`: it says "I" in a text that does not."""
    return (
        (_OPENS_QUOTE if form.text.startswith(_QUOTES) else 0.0)
        + _IS_SHORT * max(0.0, 1 - form.n_words / _SHORT)
        + (_IS_ALIEN if is_alien else 0.0)
    )


def _form(text: str, language: str) -> Form:
    return Form(text, count(text, language))


def _chosen(lines: Sequence[Line], turn: _Turn, wish: _Wish) -> str:
    """The best summary of some lines; "" where there is none."""
    language, words = wish.language, wish.words
    candidates = _candidates(lines, language, turn, wish.names)
    weights = weights_of([each.terms for each in candidates], terms_of(wish.title, language), wish.topic_terms)
    choices = preferred(best_choices(candidates, weights, most=words.most), least=words.least)
    summaries = [joiner(language).join(form.text for form in choice.forms) for choice in choices]
    # Put together, a text may count a little otherwise than its sentences, where scripts are mixed.
    within = (each for each in summaries if words.least <= count(each, language) <= words.most)
    best = next(within, next((each for each in summaries if count(each, language) <= words.most), ""))
    if 2 * count(best, language) < words.least:
        longer = [each.alone for each in candidates if each.alone and each.alone.n_words > words.most]
        best = cut(longer[0].text, language, most=words.most) if longer else best
    return best
