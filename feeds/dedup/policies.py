"""The fuzzy layers 3 and 4 behind one interface: which articles to compare, and what ties two of them. Pure.

A policy gives blocking keys of a subject and compares two subjects. Both depend on nothing but the articles themselves
and are symmetric, so the order of arrival cannot matter. Layers 1 and 2 (guid, canonical URL) are common to all
policies and decided before (`layered`); layer 5 (`events`) belongs to the first policy alone.

`layered` (SPEC §6, strategy.md step 3). The matrix, and what was added to it because precision comes first:

- Contents match: one story. Not when the titles contradict each other ("Q3 results" and "Q2 results" from one
  template), unless nearly all phrases are the same: a wire story keeps its text while its headline counts more dead.
  Not for two articles of one publisher with unlike titles: those share a boilerplate description (podcasts,
  newsletters), for nobody publishes one text under two unlike headlines at two addresses.
- Titles match, other publisher: one story; but a headline of everyday words alone ("What to know this week") needs
  contents that agree, for anybody may write it.
- Titles match, same publisher, contents differ: a revision under a new address. Both are kept and flagged. They stand
  in one story when they share text, or when the title is too particular for a series; otherwise it is the next part
  of one ("Morning news briefing"), and only the flag says so. Titles under 5 words: nothing, unless events tie them.

`three_tier` (adr-004-three-tier-dedup.md): Jaro–Winkler of normalized titles ≥ 0.85 within 14 days, whoever published.
The known trap are titles of one beginning: "Rust 1.84" and "Rust 1.83" score 0.98. Of 85 pairs written as hard
negatives (`tests/feeds/hard_titles.py`) all reach 0.85, of 74 hard positives 73. So what tells titles apart for
`layered` does here too (numbers, names, opposites): then none of the 85 passes, and all 73 still do. Jaro–Winkler has
no exact keys; the three rarest words and the beginning found all 361 pairs that brute force found among 2,500 titles.

`newest` (normalization-and-dedup.md §3): titles of one publisher at least 90 % the same; the newest leads.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from rapidfuzz import fuzz

from feeds.dedup.background import commonness, weight
from feeds.dedup.fingerprints import MAX_DISTANCE, content_keys, content_match, shingle_jaccard
from feeds.dedup.keys import KeyKind, key
from feeds.dedup.subject import BlockingKey, Subject, Tie
from feeds.dedup.titles import (
    LONG_TITLE,
    contradiction,
    jaccard,
    jaro_winkler,
    most_bits_apart,
    prefix_tokens,
    title_match,
    token_bits,
)

TITLE_WINDOW = timedelta(hours=72)  # strategy.md step 3, layer 3
CONTENT_WINDOW = timedelta(days=30)  # a copy may come late; beyond it the index would grow with the archive
THREE_TIER_WINDOW = timedelta(days=14)  # adr-004
LEAST_JARO_WINKLER = 0.85  # adr-004
LEAST_NEWEST = 90.0  # percent; normalization-and-dedup.md §3

PARTICULAR = 16.0  # sum of term weights (see `background`) from which a headline is not anybody's
VERY_PARTICULAR = 36.0  # from which it is no series' title either
ONE_TEMPLATE = 0.5  # share of common words from which headlines can contradict each other
SAME_PHRASES = 0.85  # Jaccard of 3-word phrases that outweighs titles that contradict each other
SOME_PHRASES = 0.10  # from which a publisher's two texts are versions of one
RELATED_TITLES = 65.0  # token-set ratio in [0, 100]; unrelated headlines of one language lie between 20 and 45
N_THREE_TIER_WORDS = 3  # rarest words of a title that serve as keys
N_THREE_TIER_START = 7  # characters a title begins with, the key of its beginning


@dataclass(frozen=True, slots=True)
class Policy:
    """How candidates are found and compared.

    `keys`: the blocking keys of a subject. `window`: how far apart in publication two subjects are still compared.
    `titles_match`: whether two subjects found by a key of their titles are worth reading their texts. `names_events`:
    layer 5 is asked too. `newest_leads`: the newest article leads a story, else the fullest.
    """

    name: str
    window: timedelta
    keys: Callable[[Subject], list[BlockingKey]]
    compare: Callable[[Subject, Subject], Tie | None]
    titles_match: Callable[[Subject, Subject], bool]
    names_events: bool = False
    newest_leads: bool = False


def _layered_keys(subject: Subject) -> list[BlockingKey]:
    tokens = prefix_tokens(subject.title.tokens, commonness)
    bits, most_apart = token_bits(subject.title.tokens), most_bits_apart(len(subject.title.tokens))
    keys = [BlockingKey(key(KeyKind.TITLE, token), TITLE_WINDOW, bits, most_apart) for token in tokens]
    if subject.fingerprint is not None:
        for kind, values in content_keys(subject.fingerprint).items():
            whole = subject.fingerprint.simhash if kind == KeyKind.SIMHASH else None
            keys += [BlockingKey(value, CONTENT_WINDOW, whole, MAX_DISTANCE, is_of_title=False) for value in values]
    return keys


def _near_titles(ours: Subject, theirs: Subject) -> bool:
    return title_match(ours.title, theirs.title) is not None


def _layered(ours: Subject, theirs: Subject) -> Tie | None:
    return _by_content(ours, theirs) or _by_title(ours, theirs)


def _by_content(ours: Subject, theirs: Subject) -> Tie | None:
    if ours.fingerprint is None or theirs.fingerprint is None:
        return None
    found = content_match(ours.fingerprint, theirs.fingerprint)
    if found is None:
        return None
    if _is_of_one_template(ours, theirs) and not _nearly_the_same(ours, theirs):
        return None
    if ours.domain == theirs.domain and not _related(ours, theirs):
        return None
    closeness = 1 - found.value / 64 if found.measure == "simhash" else min(1.0, found.value)
    return Tie("near_duplicate", "content", found.value, closeness, found.words)


def _is_of_one_template(ours: Subject, theirs: Subject) -> bool:
    """Whether the headlines say different things in much the same words; of unlike ones that cannot be said."""
    return jaccard(ours.title.tokens, theirs.title.tokens) >= ONE_TEMPLATE and bool(
        contradiction(ours.title, theirs.title)
    )


def _nearly_the_same(ours: Subject, theirs: Subject) -> bool:
    """Whether text and headline differ in a few words only, and the headline not in what names the thing."""
    if ours.domain == theirs.domain or ours.fingerprint is None or theirs.fingerprint is None:
        return False
    return _related(ours, theirs) and shingle_jaccard(ours.fingerprint, theirs.fingerprint) >= SAME_PHRASES


def _related(ours: Subject, theirs: Subject) -> bool:
    return fuzz.token_set_ratio(*sorted((ours.title.normalized, theirs.title.normalized))) >= RELATED_TITLES


def _by_title(ours: Subject, theirs: Subject) -> Tie | None:
    if abs(ours.published_at - theirs.published_at) > TITLE_WINDOW:
        return None
    found = title_match(ours.title, theirs.title)
    if found is None:
        return None
    particular = min(_particularity(ours), _particularity(theirs))
    words = f"titles {100 * found.jaccard:.0f} % the same"
    if ours.domain != theirs.domain:
        if particular < PARTICULAR:
            return None
        return Tie("near_duplicate", "title", found.jaccard, found.jaccard, words)
    if min(len(ours.title.tokens), len(theirs.title.tokens)) < LONG_TITLE:
        return None
    joins = _shares_text(ours, theirs) if _both_have_text(ours, theirs) else particular >= VERY_PARTICULAR
    evidence = f"{words}, same publisher, other text" if _both_have_text(ours, theirs) else f"{words}, same publisher"
    return Tie("revision", "title", found.jaccard, found.jaccard, evidence, joins)


def _particularity(subject: Subject) -> float:
    return math.fsum(weight(token) for token in sorted(subject.title.tokens))


def _both_have_text(ours: Subject, theirs: Subject) -> bool:
    return ours.fingerprint is not None and theirs.fingerprint is not None


def _shares_text(ours: Subject, theirs: Subject) -> bool:
    if ours.fingerprint is None or theirs.fingerprint is None:
        return False
    return shingle_jaccard(ours.fingerprint, theirs.fingerprint) >= SOME_PHRASES


def _three_tier_keys(subject: Subject) -> list[BlockingKey]:
    rarest = sorted(subject.title.tokens, key=lambda token: (commonness(token), token))[:N_THREE_TIER_WORDS]
    start = f"^{subject.title.normalized[:N_THREE_TIER_START]}"
    return [BlockingKey(key(KeyKind.TITLE, word), THREE_TIER_WINDOW) for word in (*rarest, start)]


def _three_tier(ours: Subject, theirs: Subject) -> Tie | None:
    similarity = jaro_winkler(ours.title, theirs.title)
    if similarity < LEAST_JARO_WINKLER or contradiction(ours.title, theirs.title):
        return None
    evidence = f"titles alike, Jaro–Winkler {similarity:.2f}"
    return Tie("near_duplicate", "title", similarity, similarity, evidence)


def _any_titles(ours: Subject, theirs: Subject) -> bool:
    return True  # these compare nothing but titles


def _newest_keys(subject: Subject) -> list[BlockingKey]:
    tokens = prefix_tokens(subject.title.tokens, commonness)
    return [BlockingKey(key(KeyKind.TITLE, f"{subject.domain} {token}"), TITLE_WINDOW) for token in tokens]


def _newest(ours: Subject, theirs: Subject) -> Tie | None:
    if ours.domain != theirs.domain:
        return None
    similarity = fuzz.ratio(*sorted((ours.title.normalized, theirs.title.normalized)))
    if similarity <= LEAST_NEWEST or contradiction(ours.title, theirs.title):
        return None
    evidence = f"same publisher, titles {similarity:.0f} % the same"
    return Tie("near_duplicate", "title", similarity / 100, similarity / 100, evidence)


POLICIES: Mapping[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy("layered", CONTENT_WINDOW, _layered_keys, _layered, _near_titles, names_events=True),
        Policy("three_tier", THREE_TIER_WINDOW, _three_tier_keys, _three_tier, _any_titles),
        Policy("newest", TITLE_WINDOW, _newest_keys, _newest, _any_titles, newest_leads=True),
    )
}
