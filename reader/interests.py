"""A person's interests as they see and change them: terms with weights, named, learned, muted, pinned.

Every change holds the profile's row, so that none is lost beside what is being learned, and notes the time, for what
was rated before is then to be rated anew. All of it is about the user's own rows and nobody else's.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.contrib.auth.models import User
from django.db import transaction

from reader.learning.features import term_counts
from reader.learning.meaning import Meaning
from reader.learning.profile import NOBODY, Profile, Term, profile_from
from reader.models import Folder, InterestProfile, InterestTerm, RelevanceModel, Subscription, TermOrigin
from reader.profile_rows import LONGEST, bounded, hold, keep, learned_at, newest_engagement, term_from, touch, write

TOPIC_WEIGHT = 3.0  # of a topic that the person named: what a like gives to all terms of an article together
CATEGORY_WEIGHT = 1.0  # of a category of their feeds: an opening
STEP = 1.0  # by which a term is raised or lowered: an opening of an article about nothing else
FADED = 0.02  # a learned weight below it is forgotten: an opening's 60th term, after some weeks
MOST_TERMS = 2000  # learned ones that are kept, the strongest
MOST_NAMED = 100  # topics or categories at a time

# Names of folders that say nothing of what is in them.
_NO_TOPIC = """
    all articles blog blogs daily default favorites favourites feed feeds general home import imported inbox main misc
    miscellaneous my new news other others read reading reads rss sites stuff subscriptions test todo unread various web
    weekly uncategorised uncategorized unsorted
"""
_NO_TOPICS = frozenset(_NO_TOPIC.split())


@dataclass(frozen=True, slots=True)
class InterestRow:
    """A term as the page shows it. `weight` is of now; `share` is its size beside the largest, from 0 to 1."""

    term: str
    weight: float
    share: float
    origin: str
    is_pinned: bool
    is_muted: bool
    engaged_at: datetime


def profile_of(user: User, now: datetime) -> Profile:
    """What `user` cares about at `now`; two statements. An empty profile where nothing is known."""
    held = InterestProfile.objects.filter(user=user).first()
    if held is None:
        return NOBODY
    meaning, evidence = learned_at(held, now)
    return profile_from(terms_of(user), meaning, evidence=evidence, now=now)


def terms_of(user: User) -> Iterator[Term]:
    """The terms of `user`; as values, for there may be thousands, and a score is explained by all of them."""
    columns = ("term", "weight", "engaged_at", "origin", "is_pinned", "is_muted")
    rows = InterestTerm.objects.filter(user=user).values_list(*columns)
    for term, weight, engaged_at, origin, is_pinned, is_muted in rows:
        yield Term(term, weight, engaged_at, origin != TermOrigin.READING, is_pinned, is_muted)


def interest_rows(user: User, now: datetime, limit: int = 100) -> list[InterestRow]:
    """The `limit` heaviest terms, sought or avoided, and the muted ones where they would stand; one statement."""
    weighed = [(term_from(each).weight_at(now), each) for each in _terms(user)]
    weighed.sort(key=lambda pair: (-abs(pair[0]), pair[1].term))
    largest = abs(weighed[0][0]) if weighed else 0.0
    return [
        InterestRow(
            term=each.term,
            weight=weight,
            share=abs(weight) / largest if largest else 0.0,
            origin=each.origin,
            is_pinned=each.is_pinned,
            is_muted=each.is_muted,
            engaged_at=each.engaged_at,
        )
        for weight, each in weighed[:limit]
    ]


def start(user: User, topics: Iterable[str], categories: Iterable[str], now: datetime) -> int:
    """Begin with topics that the user named and categories of their feeds; returns how many terms were added or raised.

    What is there keeps the larger weight; what is pinned or muted stays. Names without a word in them are left out.
    """
    wanted = dict.fromkeys(_named(categories), (CATEGORY_WEIGHT, TermOrigin.CATEGORY))
    wanted |= dict.fromkeys(_named(topics), (TOPIC_WEIGHT, TermOrigin.TOPIC))
    if not wanted:
        return 0
    with transaction.atomic():
        profile = hold(user)
        n_changed = _state(user, wanted, now)
        touch(profile, now)
    return n_changed


def start_from_feeds(user: User, now: datetime) -> int:
    """Begin with the categories and folders of what the user follows; returns how many terms were added or raised."""
    return start(user, (), categories_of_feeds(user), now)


def categories_of_feeds(user: User) -> list[str]:
    """What the user's categories and folders say they follow, the commonest first; names such as "News" left out."""
    mine = Subscription.objects.filter(user=user)
    named = [part for name in mine.values_list("category", flat=True) for part in _parts(name)]
    named += [part for name in mine.values_list("folder__name", flat=True) for part in _parts(name or "")]
    return sorted(set(named), key=lambda name: (-named.count(name), name))[:MOST_NAMED]


def add_topic(user: User, topic: str, now: datetime) -> bool:
    """Add a topic, or raise the term to a topic's weight. False if there is no word in it, or nothing to raise."""
    return start(user, [topic], (), now) > 0


def set_weight(user: User, term: str, weight: float, now: datetime) -> bool:
    """Give a term of the user's a weight, cut to what terms may weigh. False if there is no such term."""
    return _edit(user, term, now, lambda row: _weigh(row, weight))


def raise_term(user: User, term: str, now: datetime) -> bool:
    """Let a term weigh `STEP` more than it does now. False if there is no such term."""
    return _edit(user, term, now, lambda row: _weigh(row, row.weight + STEP))


def lower_term(user: User, term: str, now: datetime) -> bool:
    """Let a term weigh `STEP` less than it does now, so that it is avoided below 0. False if there is no such term."""
    return _edit(user, term, now, lambda row: _weigh(row, row.weight - STEP))


def mute(user: User, term: str, now: datetime) -> bool:
    """Let a term count for nothing and learn no more. False if there is no such term."""
    return _edit(user, term, now, partial(_mark, is_muted=True))


def unmute(user: User, term: str, now: datetime) -> bool:
    """Let a muted term count again, with what is left of its weight. False if there is no such term."""
    return _edit(user, term, now, partial(_mark, is_muted=False))


def pin(user: User, term: str, now: datetime) -> bool:
    """Let a term keep the weight that it has now. False if there is no such term."""
    return _edit(user, term, now, partial(_mark, is_pinned=True))


def unpin(user: User, term: str, now: datetime) -> bool:
    """Let a pinned term fade and be learned again, from now on. False if there is no such term."""
    return _edit(user, term, now, partial(_mark, is_pinned=False))


def remove(user: User, term: str, now: datetime) -> bool:
    """Forget a term; reading may bring it back, unlike a muted one. False if there is no such term."""
    with transaction.atomic():
        profile = hold(user)
        n_gone, _ = InterestTerm.objects.filter(user=user, term=term).delete()
        if n_gone:
            touch(profile, now)
    return bool(n_gone)


def reset(user: User, now: datetime) -> None:
    """Forget terms, meaning, evidence and model. What was done stays in the log and is not learned again."""
    with transaction.atomic():
        profile = hold(user)
        InterestTerm.objects.filter(user=user).delete()
        keep(profile, Meaning(learned_after=newest_engagement(user)), 0.0, now=now)
        InterestProfile.objects.filter(user=user).update(forgotten_at=now)
        RelevanceModel.objects.filter(user=user, is_used=True).update(is_used=False)


def set_learning(user: User, is_learning: bool, now: datetime) -> None:
    """Learn from now on, or no more. What was learned stays; what was done before is neither learned nor unlearned."""
    with transaction.atomic():
        profile = hold(user)
        if profile.is_learning == is_learning:
            return
        meaning, evidence = learned_at(profile, now)
        profile.is_learning = is_learning
        profile.save(update_fields=["is_learning"])
        keep(profile, meaning.learning_after(newest_engagement(user)), evidence, now=now)


def forget_faded(user: User, now: datetime, *, threshold: float = FADED, most: int = MOST_TERMS) -> int:
    """Drop learned terms that weigh less than `threshold` or are not among the `most` strongest; returns how many.

    What was stated, pinned or muted stays. They count for next to nothing, so nothing is rated anew.
    """
    with transaction.atomic():
        hold(user)
        learned = InterestTerm.objects.filter(user=user, origin=TermOrigin.READING, is_pinned=False, is_muted=False)
        weighed = sorted(((abs(term_from(each).weight_at(now)), each.pk) for each in learned), reverse=True)
        gone = [pk for place, (weight, pk) in enumerate(weighed) if weight < threshold or place >= most]
        for at in range(0, len(gone), MOST_TERMS):
            InterestTerm.objects.filter(user=user, pk__in=gone[at : at + MOST_TERMS]).delete()
    return len(gone)


def _terms(user: User) -> Iterable[InterestTerm]:
    return InterestTerm.objects.filter(user=user)


def _edit(user: User, term: str, now: datetime, change: Callable[[InterestTerm], None]) -> bool:
    """Change one term of the user's, given with the weight it has at `now`. False if there is no such term."""
    with transaction.atomic():
        profile = hold(user)
        row = InterestTerm.objects.filter(user=user, term=term).first()
        if row is None:
            return False
        row.weight = term_from(row).weight_at(now)
        row.engaged_at = now
        change(row)
        row.save(update_fields=["weight", "engaged_at", "is_pinned", "is_muted"])
        touch(profile, now)
    return True


def _weigh(row: InterestTerm, weight: float) -> None:
    row.weight = bounded(weight)


def _mark(row: InterestTerm, *, is_pinned: bool | None = None, is_muted: bool | None = None) -> None:
    row.is_pinned = row.is_pinned if is_pinned is None else is_pinned
    row.is_muted = row.is_muted if is_muted is None else is_muted


def _state(user: User, wanted: Mapping[str, tuple[float, str]], now: datetime) -> int:
    """Give the terms at least these weights; returns how many that changed."""
    known = {row.term: row for row in InterestTerm.objects.filter(user=user, term__in=wanted)}
    stated = []
    for term, (weight, origin) in wanted.items():
        row = known.get(term)
        if row is None or not (row.is_pinned or row.is_muted or term_from(row).weight_at(now) >= weight):
            stated.append(InterestTerm(user=user, term=term, weight=weight, engaged_at=now, origin=origin))
    write(stated, and_origin=True)
    return len(stated)


def _named(names: Iterable[str]) -> list[str]:
    """The terms of names: lower case, one space between words; left out where no article's term could meet them."""
    terms = [" ".join(name.replace("\0", " ").lower().split())[:LONGEST].strip() for name in names]
    return list(dict.fromkeys(term for term in terms if term_counts(term, "")))[:MOST_NAMED]


def _parts(name: str) -> list[str]:
    """What a category or the path of a folder names."""
    parts = [part.strip() for part in name.split(Folder.PATH_SEPARATOR.strip())]
    return [part for part in parts if part and part.lower() not in _NO_TOPICS]
