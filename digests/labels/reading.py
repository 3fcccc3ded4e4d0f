"""All that a label is made of: a topic's articles cut into words, their names, how words are written there. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from digests.labels.casing import Casing
from digests.labels.sources import Sources
from digests.labels.topic_text import Member, TopicText
from digests.labels.units import MOST_TEXTS, MOST_TITLES, TEXT_CHARACTERS, Unit, plain, read, trimmed_title, words_of
from digests.labels.word_kinds import is_headline_verb, may_be_name
from digests.labels.word_tables import NATIONALITIES
from feeds.dedup.name_rules import is_title_case, rule_names
from feeds.dedup.name_tables import COUNTRIES

Names = Mapping[str, Sequence[str]]  # by kind: people, organizations, places

LONGEST_NAME = 4  # words
_COUNTRIES = frozenset(COUNTRIES) - {"us", "turkey"}  # which are words as well


@dataclass(frozen=True, slots=True)
class Reading:
    """What is read of a topic. `names` are those of each member in turn; `terms` the stems of the centroid."""

    members: Sequence[Member]
    terms: Sequence[tuple[str, float]]
    units: Sequence[Unit]
    names: Sequence[Names]
    casing: Casing
    sources: Sources

    @property
    def n_read(self) -> int:
        return len(self.members)

    @property
    def language(self) -> str:
        return self.members[0].language if self.members else ""

    def long_names(self) -> list[tuple[str, ...]]:
        """The words of names of several words that more than one member has, or the only one."""
        counts: dict[tuple[str, ...], int] = {}
        for by_kind in self.names:
            for name in {name for names in by_kind.values() for name in names if " " in name}:
                words = words_of(name)
                counts[words] = counts.get(words, 0) + 1
        least = min(2, self.n_read)
        return [
            words
            for words, n in counts.items()
            if n >= least and 1 < len(words) <= LONGEST_NAME and may_be_name(words, self.language)
        ]


def reading_of(topic: TopicText) -> Reading:
    """What is read of a topic: its first members, in the language of the lead if that is known."""
    language = topic.members[0].language if topic.members else ""
    same = [member for member in topic.members if not language or member.language in (language, "")]
    members = same[:MOST_TITLES]
    units, names = read(members), _names(members)
    casing = Casing(units, _words_in_capitals(names), language)
    return Reading(members, topic.terms, units, names, casing, Sources(members))


def _names(members: Sequence[Member]) -> list[Names]:
    """The names of each member: as recognized, else by rules if none has any."""
    if any(any(member.names.values()) for member in members):
        return [member.names for member in members]
    return [_by_rules(member) for member in members[:MOST_TEXTS]]


def _by_rules(member: Member) -> Names:
    title, text = trimmed_title(member), plain(member.text[:TEXT_CHARACTERS])
    if is_title_case(title) or title.isupper():
        title = ""  # its capitals mark nothing
    return rule_names(title, text, member.language).as_json()


def _words_in_capitals(names: Sequence[Names]) -> frozenset[str]:
    """The words of all names in lower case, and of countries and their people in English."""
    found = {word for by_kind in names for several in by_kind.values() for name in several for word in name.split()}
    return (
        frozenset(word.removesuffix("'s") for word in found if not is_headline_verb(word)) | NATIONALITIES | _COUNTRIES
    )
