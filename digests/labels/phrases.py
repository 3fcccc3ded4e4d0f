"""The terms of a label: noun phrases as written in the articles. Pure.

A topic's centroid has stems ("rate", "interest"); readers would write "interest rates". So each stem, heaviest first,
is shown in the phrase that most lines with it have; a word without such a phrase is shown alone. A phrase is a sequence
of nouns, names, adjectives and numbers, perhaps with links such as "of", that ends with a noun or a name and has at
most three content words.

In scripts without spaces a stem is a pair of characters, and a phrase a string of up to eight that most lines with the
pair have: "灣仔" is nearly always followed by 站, but "灣仔站" by 附, 事 or nothing, so the word is 灣仔站.

Stems weigh more if more members and titles have them, and if they are rare in feeds altogether (`feeds.dedup.idf`),
which excludes "video", "people" and "week".
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import takewhile

from digests.labels.entities import Entity
from digests.labels.spaceless import SPACELESS, is_half_a_sentence, is_spaceless, trimmed
from digests.labels.tokens import ADJECTIVE, CONTENT, LINK, NAME, NOUN, NUMBER, OTHER, Line, Reading, Token, words_of
from digests.topics.tokens import stems
from feeds.dedup.entity_tables import DAYS_AND_MONTHS
from feeds.dedup.idf import weight as rarity

MAX_TERMS = 8  # three for the label, the others to make it unique
MAX_WORDS = 3  # content words of a phrase
MAX_CHARACTERS = 13  # of a string in a script without spaces
MIN_SUPPORT = 0.4  # share of the lines with a stem that have the phrase, for showing it in the phrase
LONGER_SUPPORT = 0.6  # share of the lines with a phrase that have a longer one, for showing that
NO_TITLE_FACTOR = 0.35  # for stems in no title
MIN_WEIGHT = 0.08  # of the heaviest stem, for being a term
RARE = 6.0  # maximum rarity that counts
ALONE_FROM = 3.7  # rarity of a noun that can be shown alone; "president" has 3.9, "week" 3.6
ENOUGH_WORDS = 2  # in a label; then common words aren't shown alone
ALIKE_PREFIX, ALIKE_SHARE = 5, 0.75  # common letters, and their share of the longer word, of similar words

_OF_PAGES = """
    article blog breaking live news newsletter photo photos podcast update updates video videos vidéo vidéos vídeo
    vídeos bilder foto fotos видео фото новости
"""
_EMPTY = DAYS_AND_MONTHS | frozenset(_OF_PAGES.split())
_HEADS = frozenset((NAME, NOUN))
_ADJECTIVE_BEHIND = frozenset(("ca", "es", "fr", "it", "pt", "ro"))


@dataclass(slots=True)
class Phrase:
    """A sequence of words with its places: the line, the stretch of it, the written form, and the kind of the last
    word."""

    stems: frozenset[str] = frozenset()
    places: list[tuple[Line, str, str, str]] = field(default_factory=list)  # line, stretch, form, kind

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
        """The most frequent written form, in titles if it occurs there."""
        in_titles = [form for line, _, form, _ in self.places if line.is_title]
        return Counter(in_titles or (form for _, _, form, _ in self.places)).most_common(1)[0][0]

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
    for stem, is_last in phrases.ranked():
        if stem in used or len(terms) == MAX_TERMS or (is_last and len(words) >= ENOUGH_WORDS):
            continue
        phrase = phrases.best(stem, used) or phrases.alone(stem, allow_common=is_last)
        text = phrase.text if phrase else ""
        if SPACELESS.search(text):
            text = trimmed(text, forms)
            own = {other.stem for other in stems(text, reading.language)}
            is_new = used.isdisjoint(own)
        else:
            own = set(words_of(text))
            is_new = not any(_are_alike(one, other) for one in own for other in words)
        if phrase and text and is_new:
            used |= phrase.stems
            words |= own
            terms.append(text)
    return terms


class _Phrases:
    """The phrases of a topic by their stems."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._can_end = _HEADS | {ADJECTIVE} if reading.language in _ADJECTIVE_BEHIND else _HEADS
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
        self._weights = {stem: terms[stem] * self._presence(stem) for stem in self._every if stem in terms}

    def ranked(self) -> list[tuple[str, bool]]:
        """The stems, heaviest first, then all again as the last resort."""
        best_first = sorted(self._weights, key=lambda stem: (-self._weights[stem], stem))
        least = MIN_WEIGHT * max(self._weights.values(), default=0)
        return [(stem, is_last) for is_last in (False, True) for stem in best_first if self._weights[stem] >= least]

    def best(self, stem: str, used: AbstractSet[str]) -> Phrase | None:
        """The phrase to show a stem in, without used stems."""
        fit = [
            phrase
            for phrase in self._by_stem[stem]
            if (used.isdisjoint(phrase.stems) or SPACELESS.search(phrase.text)) and self._is_fit(phrase, stem)
        ]
        best = max(fit, key=self._rank, default=None)
        if best is None:
            return None
        forks = [best]  # phrases with several continuations
        while longer := [
            phrase
            for phrase in fit
            if phrase.stems > best.stems and phrase.n_stretches >= LONGER_SUPPORT * best.n_stretches
        ]:
            following = max(longer, key=self._rank)
            forks += [best] if following.n_stretches < best.n_stretches else []
            best = following
        return forks[-1] if is_half_a_sentence(best.text) else best

    def alone(self, stem: str, *, allow_common: bool) -> Phrase | None:
        """The word alone, None if it is too common."""
        phrase = self._all.get((stem,))
        low = phrase.text.lower() if phrase else ""
        if phrase is None or self._is_barred(phrase):
            return None
        if SPACELESS.search(low):
            is_shared = len(phrase.members) > 1 or (len(self._reading.members) == 1 and bool(phrase.in_titles))
            return phrase if is_shared else None
        kind = self._every[stem].kind
        is_specific = kind == NAME or (kind == NOUN and rarity(low) >= ALONE_FROM)
        return phrase if is_specific or allow_common else None

    def _is_fit(self, phrase: Phrase, stem: str) -> bool:
        every, members = self._every[stem], phrase.members
        if len(phrase.stems) < 2 or phrase.n_stretches < MIN_SUPPORT * every.n_stretches or self._is_barred(phrase):
            return False
        return len(members) > 1 or (len(every.members) == 1 and bool(phrase.in_titles))

    def _is_barred(self, phrase: Phrase) -> bool:
        text = phrase.text
        is_empty = _EMPTY.issuperset(words_of(text))
        return is_empty or self._reading.sources.bar(text, phrase.members, phrase.in_titles)

    def _rank(self, phrase: Phrase) -> tuple[int, float]:
        return phrase.n_stretches, sum(self._weights.get(stem, 0) for stem in phrase.stems)

    def _presence(self, stem: str) -> float:
        """How much a stem is part of the whole topic."""
        every = self._every[stem]
        share = (1 + len(every.members) / len(self._reading.members)) / 2
        return share * min(RARE, rarity(every.text)) * (1 if every.in_titles else NO_TITLE_FACTOR)

    def _add(self, line: Line, run: Sequence[int], terms: AbstractSet[str]) -> None:
        """Add the phrases of a run: each stretch that begins and ends like a phrase."""
        content = [at for at in run if line.tokens[at].kind in CONTENT]
        stretch, most = line.text, MAX_WORDS
        if is_spaceless(line.text) and run:
            stretch, most = line.text[line.tokens[run[0]].start : line.tokens[run[-1]].end], MAX_CHARACTERS
        for place, start in enumerate(content):
            n_words = 0
            for last in content[place:]:
                tokens = line.tokens[start : last + 1]
                text = line.text[tokens[0].start : tokens[-1].end]
                n_words += bool(tokens[-1].stems) or most == MAX_CHARACTERS
                if n_words > most:
                    break
                key = tuple(stem for token in tokens for stem in token.stems)
                if most == MAX_CHARACTERS:
                    key = tuple(dict.fromkeys(stem.stem for stem in stems(text, self._reading.language)))
                if not terms.isdisjoint(key) and len(set(key)) == len(key) and self._reads_well(tokens):
                    self._all[key].places.append((line, stretch, text, tokens[-1].kind))

    def _reads_well(self, tokens: Sequence[Token]) -> bool:
        if len(tokens) > 1 and _is_empty(tokens[0]) and tokens[1].kind != NAME:
            return False  # "New storm", unlike "New York"
        if _is_empty(tokens[-1]):
            return False
        first, last = tokens[0].kind, tokens[-1].kind
        if len(tokens) == 1 or first == NUMBER:
            return first != NUMBER
        return last in self._can_end or (last == NUMBER and tokens[-2].kind == NAME)  # "Windows 11"


def _is_empty(token: Token) -> bool:
    """Whether it is a stop word, in scripts with spaces."""
    return not token.stems and not SPACELESS.match(token.text)


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


def _are_alike(one: str, other: str) -> bool:
    n_common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    return one == other or n_common >= max(ALIKE_PREFIX, ALIKE_SHARE * max(len(one), len(other)))
