"""Policies for layers 3 and 4: which articles to compare, and which of them match. Pure.

A policy gives the blocking keys of a subject and compares two subjects. Both depend only on the articles and are
symmetric, so the order of arrival doesn't matter. Layers 1 and 2 (guid, canonical URL) come earlier (`exact_policy`)
and are the same for all policies, except for the version that `newest` keeps; layer 5 (`events`) is only part of the
first policy.

`layered` (SPEC §6, strategy.md step 3), with additions for precision:

- Contents match: one story. Not if the titles contradict each other ("Q3 results" and "Q2 results" from one template),
  unless nearly all phrases are the same: a wire story keeps its text while its headline reports more casualties. Not
  for two articles of one publisher with different titles, or with fewer than half of their phrases in common: those
  share a boilerplate description or an introduction (podcasts, newsletters, series). If their titles contradict each
  other, nearly all phrases must be the same: the introduction may be most of a short text. A SimHash says little about
  texts in which a few words prevail, so those must have some phrases in common, too; and short texts with unrelated
  titles may be a link site's boilerplate.
- Titles match, other publisher: one story. A headline of common words only ("What to know this week") or of a column
  ("Open thread") also needs matching contents.
- Titles match, same publisher, contents differ: a revision at a new address if the texts overlap or one item replaces
  the other (same slug or guid family); else the next part of a series ("Morning news briefing") and no match. Both stay
  and are flagged, in one story unless both have texts without overlap. Not if a number or date differs or is in only
  one title, nor for titles under 5 words.

`three_tier` (adr-004-three-tier-dedup.md): Jaro–Winkler of normalized titles ≥ 0.85, any publisher, within 14 days, or
for as long as articles are kept if that is longer. A known trap is a common beginning: "Rust 1.84" and "Rust 1.83"
score 0.98. Of 85 hard negatives (`tests/feeds/hard_titles.py`) all reach 0.85, of 74 hard positives 73. With the
contradictions of `layered` (numbers, names, opposites), none of the 85 passes and all 73 still do. Jaro–Winkler has no
exact keys; the three rarest words and the beginning found all 361 pairs that brute force found among 2,500 titles.

`newest` (normalization-and-dedup.md §3): titles of one publisher at least 90 % the same; the newest article leads, and
of several versions of an article the newest is kept.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from rapidfuzz import fuzz

from feeds.dedup.comparable import BlockingKey, Match, Subject, is_one_publisher
from feeds.dedup.fingerprints import MAX_DISTANCE, content_keys, content_match, shared_share, shingle_jaccard
from feeds.dedup.idf import commonness, weight
from feeds.dedup.keys import KeyKind, key
from feeds.dedup.titles import (
    LONG_TITLE,
    contradiction,
    is_generic,
    jaccard,
    jaro_winkler,
    most_bits_apart,
    prefix_pairs,
    prefix_tokens,
    title_match,
    token_bits,
)

TITLE_WINDOW = timedelta(hours=72)  # strategy.md step 3, layer 3
CONTENT_WINDOW = timedelta(days=30)  # for late copies; limits the size of the index
THREE_TIER_DAYS = 14  # at least; adr-004
MIN_JARO_WINKLER = 0.85  # adr-004
MIN_NEWEST = 90.0  # percent; normalization-and-dedup.md §3

PARTICULAR = 16.0  # sum of term weights (`idf`) from which a headline is specific
ONE_TEMPLATE = 0.5  # share of common words from which headlines may contradict each other
SAME_PHRASES = 0.85  # Jaccard of 3-word phrases that outweighs contradicting titles
FEW_PHRASES = 40  # of the shorter text, under which it may be boilerplate ("Comments: 0"), so headlines count, too
SIMHASH_PHRASES = 0.3  # share of the shorter text's phrases in the longer, without which similar SimHashes are chance
ONE_PUBLISHER_PHRASES = 0.5  # the same, from which texts of one publisher are copies
SOME_PHRASES = 0.10  # the same, from which two texts of one publisher are versions
RELATED_TITLES = 65.0  # token-set ratio in [0, 100]; unrelated headlines of one language have 20 to 45
N_THREE_TIER_WORDS = 3  # rarest words of a title used as keys
N_THREE_TIER_START = 7  # first characters of a title used as a key


@dataclass(frozen=True, slots=True)
class Policy:
    """How candidates are found and compared.

    `keys`: the blocking keys of a subject. `window`: the longest time between two compared subjects. `titles_match`:
    whether two subjects with a common key of their titles are worth reading their texts. `names_events`: with layer 5.
    `newest_leads`: the newest article leads a story, else the fullest.
    """

    name: str
    window: timedelta
    keys: Callable[[Subject], list[BlockingKey]]
    compare: Callable[[Subject, Subject], Match | None]
    titles_match: Callable[[Subject, Subject], bool]
    names_events: bool = False
    newest_leads: bool = False


def _layered_keys(subject: Subject) -> list[BlockingKey]:
    pairs = prefix_pairs(subject.title.tokens, commonness)
    bits, most_apart = token_bits(subject.title.tokens), most_bits_apart(len(subject.title.tokens))
    keys = [BlockingKey(key(KeyKind.TITLE, " ".join(pair)), TITLE_WINDOW, bits, most_apart) for pair in pairs]
    if subject.fingerprint is not None:
        for kind, values in content_keys(subject.fingerprint).items():
            whole = subject.fingerprint.simhash if kind == KeyKind.SIMHASH else None
            keys += [BlockingKey(value, CONTENT_WINDOW, whole, MAX_DISTANCE, False) for value in values]
    return keys


def _near_titles(ours: Subject, theirs: Subject) -> bool:
    return title_match(ours.title, theirs.title) is not None


def _layered(ours: Subject, theirs: Subject) -> Match | None:
    return _by_content(ours, theirs) or _by_title(ours, theirs)


def _by_content(ours: Subject, theirs: Subject) -> Match | None:
    if ours.fingerprint is None or theirs.fingerprint is None:
        return None
    match = content_match(ours.fingerprint, theirs.fingerprint)
    if match is None:
        return None
    if _is_of_one_template(ours, theirs) and not _nearly_the_same(ours, theirs):
        return None
    n_phrases = min(ours.fingerprint.shingles.size, theirs.fingerprint.shingles.size)
    from_one = is_one_publisher(ours.publisher, theirs.publisher)
    if (from_one or n_phrases < FEW_PHRASES) and not _related(ours, theirs):
        return None
    least_shared = _least_shared(ours, theirs, match.measure, from_one=from_one)
    if least_shared and shared_share(ours.fingerprint, theirs.fingerprint) < least_shared:
        return None
    closeness = 1 - match.value / 64 if match.measure == "simhash" else min(1.0, match.value)
    return Match("near_duplicate", "content", match.value, closeness, match.words)


def _least_shared(ours: Subject, theirs: Subject, measure: str, *, from_one: bool) -> float:
    """The share of the shorter text's phrases that must be in the longer one, too."""
    if measure == "simhash" and not from_one:
        return SIMHASH_PHRASES
    if not from_one and measure != "sentences":
        return 0.0
    is_other = bool(contradiction(ours.title, theirs.title))
    if from_one:
        return SAME_PHRASES if is_other else ONE_PUBLISHER_PHRASES
    return ONE_PUBLISHER_PHRASES if is_other else 0.0


def _is_of_one_template(ours: Subject, theirs: Subject) -> bool:
    """Whether similar headlines contradict each other."""
    return jaccard(ours.title.tokens, theirs.title.tokens) >= ONE_TEMPLATE and bool(
        contradiction(ours.title, theirs.title)
    )


def _nearly_the_same(ours: Subject, theirs: Subject) -> bool:
    """Whether text and headline of two publishers differ in only a few words."""
    if is_one_publisher(ours.publisher, theirs.publisher) or ours.fingerprint is None or theirs.fingerprint is None:
        return False
    return _related(ours, theirs) and shingle_jaccard(ours.fingerprint, theirs.fingerprint) >= SAME_PHRASES


def _related(ours: Subject, theirs: Subject) -> bool:
    return fuzz.token_set_ratio(*sorted((ours.title.normalized, theirs.title.normalized))) >= RELATED_TITLES


def _by_title(ours: Subject, theirs: Subject) -> Match | None:
    if abs(ours.published_at - theirs.published_at) > TITLE_WINDOW:
        return None
    similarity = title_match(ours.title, theirs.title)
    if similarity is None:
        return None
    words = f"titles {100 * similarity:.0f}% the same"
    if is_one_publisher(ours.publisher, theirs.publisher):
        return _version(ours, theirs, similarity, words)
    if min(_particularity(ours), _particularity(theirs)) < PARTICULAR:
        return None
    if is_generic(ours.title) or is_generic(theirs.title):
        return None
    return Match("near_duplicate", "title", similarity, similarity, words)


def _version(ours: Subject, theirs: Subject, similarity: float, words: str) -> Match | None:
    """A revision at a new address by one publisher; None for two parts of a series."""
    if ours.title.numbers != theirs.title.numbers:  # even if only one title has a number
        return None
    if min(len(ours.title.tokens), len(theirs.title.tokens)) < LONG_TITLE:
        return None
    shares_text, replaces = _shares_text(ours, theirs), bool(ours.versions & theirs.versions)
    if not shares_text and not replaces:
        return None
    joins = shares_text or ours.fingerprint is None or theirs.fingerprint is None
    how = "texts overlap" if shares_text else "one replaces the other"
    return Match("revision", "title", similarity, similarity, f"{words}, same publisher, {how}", joins)


def _particularity(subject: Subject) -> float:
    return math.fsum(weight(token) for token in sorted(subject.title.tokens))


def _shares_text(ours: Subject, theirs: Subject) -> bool:
    if ours.fingerprint is None or theirs.fingerprint is None:
        return False
    return shingle_jaccard(ours.fingerprint, theirs.fingerprint) >= SOME_PHRASES


def _three_tier_keys(subject: Subject, *, window: timedelta) -> list[BlockingKey]:
    rarest = sorted(subject.title.tokens, key=lambda token: (commonness(token), token))[:N_THREE_TIER_WORDS]
    start = f"^{subject.title.normalized[:N_THREE_TIER_START]}"
    return [BlockingKey(key(KeyKind.TITLE, word), window) for word in (*rarest, start)]


def _three_tier(ours: Subject, theirs: Subject) -> Match | None:
    similarity = jaro_winkler(ours.title, theirs.title)
    if similarity < MIN_JARO_WINKLER or contradiction(ours.title, theirs.title):
        return None
    evidence = f"titles alike, Jaro–Winkler {similarity:.2f}"
    return Match("near_duplicate", "title", similarity, similarity, evidence)


def _any_titles(ours: Subject, theirs: Subject) -> bool:
    return True  # these policies only compare titles


def _newest_keys(subject: Subject) -> list[BlockingKey]:
    tokens = prefix_tokens(subject.title.tokens, commonness)
    return [BlockingKey(key(KeyKind.TITLE, f"{subject.publisher} {token}"), TITLE_WINDOW) for token in tokens]


def _newest(ours: Subject, theirs: Subject) -> Match | None:
    if not is_one_publisher(ours.publisher, theirs.publisher):
        return None
    similarity = fuzz.ratio(*sorted((ours.title.normalized, theirs.title.normalized)))
    if similarity <= MIN_NEWEST or contradiction(ours.title, theirs.title):
        return None
    evidence = f"same publisher, titles {similarity:.0f}% the same"
    return Match("near_duplicate", "title", similarity / 100, similarity / 100, evidence)


def policies(*, retention_days: int = 0) -> Mapping[str, Policy]:
    """The policies by name; `retention_days`: for how long articles are kept, 0 without a limit."""
    three_tier = timedelta(days=max(retention_days, THREE_TIER_DAYS))
    return {
        policy.name: policy
        for policy in (
            Policy("layered", CONTENT_WINDOW, _layered_keys, _layered, _near_titles, names_events=True),
            Policy("three_tier", three_tier, partial(_three_tier_keys, window=three_tier), _three_tier, _any_titles),
            Policy("newest", TITLE_WINDOW, _newest_keys, _newest, _any_titles, newest_leads=True),
        )
    }


POLICIES = policies()
