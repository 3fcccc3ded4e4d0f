"""The terms of a label: noun phrases as written in the articles. Pure.

A topic's centroid has stems ("rate", "interest"); readers would write "interest rates". So each stem, heaviest first,
is shown in the phrase that most lines with it have, and a longer one if most lines with the phrase have it; a word
without such a phrase is shown alone. A phrase is a sequence of nouns, names, adjectives and numbers, perhaps with links
such as "of", that ends with a noun or a name and has at most three content words.

In scripts without spaces a stem is a pair of characters, and a phrase a string of pieces that most lines with the pair
have: "灣仔" is nearly always followed by 站, but "灣仔站" by 附, 事 or nothing, so the word is 灣仔站.

Stems weigh more if more members and titles have them, and if they are rare in feeds altogether (`feeds.dedup.idf`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from digests.labels.entities import Entity
from digests.labels.spaceless import SPACELESS, SYLLABIC, is_spaceless
from digests.labels.tokens import ADJECTIVE, CONTENT, LINK, NAME, NOUN, NUMBER, OTHER, Line, Reading, Token, words_of
from digests.topics.tokens import stems
from feeds.dedup.entity_tables import DAYS_AND_MONTHS
from feeds.dedup.idf import weight as rarity

MAX_TERMS = 8  # three for the label, the others to make it unique
MAX_WORDS = 3  # content words of a phrase
MAX_PIECES = 13  # the same in scripts without spaces
LONGEST = 8  # characters of a term in a script without spaces; a longer one is half a sentence
MIN_SUPPORT = 0.4  # share of the lines with a stem that have the phrase, for showing it in the phrase
LONGER_SUPPORT = 0.6  # share of the lines with a phrase that have a longer one, for showing that
NO_TITLE_FACTOR = 0.35  # for stems in no title
MIN_WEIGHT = 0.08  # of the heaviest stem, for being a term
RARE = 6.0  # maximum rarity that counts


@dataclass(slots=True)
class Phrase:
    """A sequence of words with its places: the line, the stretch of it, the written form, and the kind of the last
    word."""

    stems: frozenset[str] = frozenset()
    places: list[tuple[Line, str, str, str]] = field(default_factory=list)

    @property
    def n_stretches(self) -> int:
        """The number of different stretches with the phrase: a copied headline counts once."""
        return len({stretch for _, stretch, *_ in self.places})

    @property
    def members(self) -> set[int]:
        return {line.member for line, *_ in self.places}

    @property
    def in_titles(self) -> set[int]:
        return {line.member for line, *_ in self.places if line.is_title}

    @property
    def text(self) -> str:
        """The most frequent written form."""
        return Counter(form for _, _, form, _ in self.places).most_common(1)[0][0]

    @property
    def kind(self) -> str:
        return Counter(kind for *_, kind in self.places).most_common(1)[0][0]


def terms_of(reading: Reading, entity: Entity | None) -> list[str]:
    """At most eight terms, best first, that don't repeat words of each other or of the entity."""
    phrases = _Phrases(reading)
    forms = {*entity.forms, entity.text} if entity else set()
    used = {other.stem for form in forms for other in stems(form, reading.language)}
    words = set(words_of(entity.text)) if entity else set()
    terms: list[str] = []
    for stem in phrases.ranked():
        phrase = phrases.best(stem, used) if stem not in used and len(terms) < MAX_TERMS else None
        text = phrase.text if phrase else ""
        if SPACELESS.search(text):
            for form in sorted(forms, key=len, reverse=True):
                text = text if text == form else text.removeprefix(form).removesuffix(form)
            own = {other.stem for other in stems(text, reading.language)}
            is_new = used.isdisjoint(own) and len(text) > 1 and not _is_half_a_sentence(text)
        else:
            own = set(words_of(text))
            is_new = words.isdisjoint(own)
        if phrase and text and is_new:
            terms.append(text)
            used |= phrase.stems
            words |= own
    return terms


class _Phrases:
    """The phrases of a topic by their stems."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._can_end = {NAME, NOUN, ADJECTIVE} if reading.language == "fr" else {NAME, NOUN}
        self._all: defaultdict[tuple[str, ...], Phrase] = defaultdict(Phrase)
        self._every: defaultdict[str, Phrase] = defaultdict(Phrase)  # all places of a stem
        terms = dict(reading.terms)
        for line in reading.lines:
            for token in line.tokens:
                for stem in terms.keys() & set(token.stems):
                    self._every[stem].places.append((line, line.text, token.low, token.kind))
            for run in _runs(line.tokens):
                self._add(line, run, terms.keys())
        self._by_stem: defaultdict[str, list[Phrase]] = defaultdict(list)
        for key, phrase in self._all.items():
            phrase.stems = frozenset(key)
            for stem in key:
                self._by_stem[stem].append(phrase)
            if len(key) == 1:
                self._every.setdefault(key[0], phrase)
        self._weights = {stem: weight * self._presence(stem) for stem, weight in terms.items() if stem in self._every}

    def ranked(self) -> list[str]:
        """The stems, heaviest first."""
        least = MIN_WEIGHT * max(self._weights.values(), default=0)
        ranked = sorted(self._weights, key=lambda stem: (-self._weights[stem], stem))
        return [stem for stem in ranked if self._weights[stem] >= least]

    def best(self, stem: str, used: AbstractSet[str]) -> Phrase | None:
        """The phrase to show a stem in, without used stems; else the word alone, if it is a noun."""
        fit = [
            phrase
            for phrase in self._by_stem[stem]
            if (used.isdisjoint(phrase.stems) or SPACELESS.search(phrase.text)) and self._is_fit(phrase, stem)
        ]
        best = shorter = max(fit, key=self._rank, default=None)
        while best and (
            longer := [
                phrase
                for phrase in fit
                if phrase.stems > best.stems and phrase.n_stretches >= LONGER_SUPPORT * best.n_stretches
            ]
        ):
            following = max(longer, key=self._rank)
            shorter = best if following.n_stretches < best.n_stretches else shorter  # it has several continuations
            best = following
        return shorter if best and _is_half_a_sentence(best.text) else best

    def _is_fit(self, phrase: Phrase, stem: str) -> bool:
        every = self._every[stem]
        is_alone = len(phrase.stems) == 1
        if is_alone and not SPACELESS.search(phrase.text):
            may_be_shown = every.kind in (NAME, NOUN)
        else:
            n_sharing = len(self._reading.members if is_alone else every.members)
            may_be_shown = len(phrase.members) > 1 or (n_sharing == 1 and bool(phrase.in_titles))
            may_be_shown &= is_alone or phrase.n_stretches >= MIN_SUPPORT * every.n_stretches
        is_empty = DAYS_AND_MONTHS.issuperset(words_of(phrase.text))
        return may_be_shown and not is_empty and not self._reading.sources.bar(phrase.text, phrase.in_titles)

    def _rank(self, phrase: Phrase) -> tuple[bool, int, float]:
        weight = sum(self._weights.get(stem, 0) for stem in phrase.stems)
        return len(phrase.stems) > 1, phrase.n_stretches, weight

    def _presence(self, stem: str) -> float:
        """How much a stem is part of the whole topic."""
        every = self._every[stem]
        share = (1 + len(every.members) / len(self._reading.members)) / 2
        return share * min(RARE, rarity(every.text)) * (1 if every.in_titles else NO_TITLE_FACTOR)

    def _add(self, line: Line, run: Sequence[int], terms: AbstractSet[str]) -> None:
        """Add the phrases of a run: each part that begins and ends like a phrase."""
        content = [at for at in run if line.tokens[at].kind in CONTENT]
        stretch, most = line.text, MAX_WORDS
        in_pieces = is_spaceless(line.text) and bool(run)
        if in_pieces:
            stretch, most = line.text[line.tokens[run[0]].start : line.tokens[run[-1]].end], MAX_PIECES
        for place, start in enumerate(content):
            n_words = 0
            for last in content[place:]:
                tokens = line.tokens[start : last + 1]
                n_words += bool(tokens[-1].stems) or in_pieces
                if n_words > most:
                    break
                text = line.text[tokens[0].start : tokens[-1].end]
                key = tuple(stem for token in tokens for stem in token.stems)
                if in_pieces:
                    key = tuple(dict.fromkeys(stem.stem for stem in stems(text, self._reading.language)))
                if not terms.isdisjoint(key) and len(set(key)) == len(key) and (in_pieces or self._reads_well(tokens)):
                    self._all[key].places.append((line, stretch, text, tokens[-1].kind))

    def _reads_well(self, tokens: Sequence[Token]) -> bool:
        if not tokens[-1].stems or (not tokens[0].stems and tokens[1].kind != NAME):
            return False  # "New storm", unlike "New York"
        is_version = tokens[-1].kind == NUMBER and len(tokens) > 1 and tokens[-2].kind == NAME  # "Windows 11"
        return tokens[-1].kind in self._can_end or is_version or (len(tokens) == 1 and tokens[0].kind == ADJECTIVE)


def _is_half_a_sentence(text: str) -> bool:
    """Whether a string is too long for a term in its script."""
    return SPACELESS.search(text) is not None and len(text) > (3 * LONGEST if SYLLABIC.search(text) else LONGEST)


def _runs(tokens: Sequence[Token]) -> Iterator[list[int]]:
    """Positions of consecutive tokens that can form a phrase."""
    run: list[int] = []
    for at, token in enumerate(tokens):
        if run and (token.begins or token.kind == OTHER or token.start > tokens[at - 1].end + 1):
            yield run
            run = []
        if token.kind in CONTENT or (run and token.kind == LINK):
            run.append(at)
    yield run
