"""Which stems of a topic make terms, in which order, and which form of each is shown. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from enum import IntEnum

from digests.labels.casing import Casing
from digests.labels.reading import Reading
from digests.labels.sources import Sources
from digests.labels.units import Unit, Word
from digests.labels.word_kinds import VERB_FACTOR, is_date_or_number, is_empty, is_weak, may_be_predicate, weight_alone

READ_TERMS = 40  # the heaviest of a topic
NO_TITLE_FACTOR = 0.35  # for stems that no title has
LEAST_WEIGHT = 0.08  # of the heaviest, below which a stem is no term
INFLECTED = frozenset(("cs", "pl", "ru", "sk", "uk"))  # where shorter forms are nearer the nominative


class Tier(IntEnum):
    """Which terms are taken first: what several members have, what a title has, verbs, words that need others."""

    SHARED = 0
    TITLE = 1
    VERB = 2
    WEAK = 3


class WordChoice:
    """The stems of a topic that make terms, without those in `barred`, which name the entity."""

    def __init__(self, reading: Reading, barred: AbstractSet[str]) -> None:
        self._forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._units: defaultdict[str, set[int]] = defaultdict(set)
        self._members: defaultdict[str, set[int]] = defaultdict(set)
        self._titles: defaultdict[str, set[int]] = defaultdict(set)
        self._as_verb: Counter[str] = Counter()  # how much oftener a stem is a verb behind a name than anything else
        self._n_read = reading.n_read
        self._language = reading.language
        weights = {stem: weight for stem, weight in reading.terms[:READ_TERMS] if stem not in barred}
        for unit in reading.units:
            self._count(unit, weights)
        self._weights = {
            stem: weight * self._presence(stem)
            for stem, weight in weights.items()
            if self._is_usable(stem, reading.sources)
        }
        self._factors = {stem: self._factor(stem, reading.casing) for stem in self._weights}
        self._alone = {stem: weight * self._factors[stem] for stem, weight in self._weights.items()}

    def ranked(self) -> list[tuple[str, Tier]]:
        """The stems that are shown alone or in a phrase, by tiers, the heaviest of each first."""
        best_first = sorted(self._alone, key=lambda stem: -self._alone[stem])
        least = LEAST_WEIGHT * self._alone[best_first[0]] if best_first else 0
        heavy = (stem for stem in best_first if self._alone[stem] >= least or self.says_little(stem))
        tiers = ((stem, self._tier(stem)) for stem in heavy if not is_date_or_number(self.form(stem)))
        return sorted(tiers, key=lambda entry: entry[1])

    def says_little(self, stem: str) -> bool:
        """Whether a stem is a verb or the like, of which a label is made only where there is nothing else."""
        return self._factors[stem] <= VERB_FACTOR

    def _tier(self, stem: str) -> Tier:
        if is_weak(self.form(stem)):
            return Tier.WEAK
        if self.says_little(stem):
            return Tier.VERB
        if len(self._members[stem]) >= min(2, self._n_read):
            return Tier.SHARED
        return Tier.TITLE if self._titles[stem] and self._factors[stem] == 1 else Tier.VERB

    def form(self, stem: str) -> str:
        """The form of a stem that titles use most, then texts, in lower case; of equals the one nearest the base."""
        forms = self._forms[stem]
        is_inflected = self._language in INFLECTED
        return max(forms, key=lambda form: (forms[form], -len(form) if is_inflected else 0))

    def n_units(self, stem: str) -> int:
        return len(self._units[stem])

    def n_members(self, stem: str) -> int:
        return len(self._members[stem])

    def weight(self, stems: Iterable[str]) -> float:
        return sum(self._weights.get(stem, 0) for stem in stems)

    def makes_terms(self, word: Word) -> bool:
        """Whether the word may stand in a phrase."""
        return any(stem in self._alone for stem in word.stems) and not is_empty(word.low, self._language)

    def _is_usable(self, stem: str, sources: Sources) -> bool:
        if stem not in self._forms or is_empty(form := self.form(stem), self._language):
            return False
        return not sources.bar([form], self._members[stem], self._titles[stem])

    def _factor(self, stem: str, casing: Casing) -> float:
        """How much of its weight a stem has by itself."""
        form = self.form(stem)
        is_noun = self._language != "de" or not casing.cased(form).islower()
        if not is_noun or (self._as_verb[stem] >= 0 and self._language in ("", "en")):
            return VERB_FACTOR
        return weight_alone(form, self._language)

    def _presence(self, stem: str) -> float:
        """How much a stem belongs to the topic as a whole, in (0, 1]."""
        share = (1 + len(self._members[stem]) / self._n_read) / 2
        return share if self._titles[stem] else share * NO_TITLE_FACTOR

    def _count(self, unit: Unit, weights: dict[str, float]) -> None:
        before = ""
        for word in unit.words:
            is_verb = word.joined and before[:1].isupper() and may_be_predicate(word.low)  # "OpenAI launches"
            before = word.text
            for stem in word.stems:
                if stem in weights:
                    self._as_verb[stem] += 1 if is_verb else -1
                    self._forms[stem][word.low] += 1000 if unit.is_title else 1
                    self._units[stem].add(id(unit))
                    self._members[stem].add(unit.member)
                    if unit.is_title:
                        self._titles[stem].add(unit.member)
