"""What a person does with an article: written down, and taken into their interest profile in the same transaction.

What an act teaches, and which of many acts with one article count, is decided in `reader.learning.gains`; every change
here is the difference between what the article taught before and what it teaches after. So the profile is at any time
the sum over the log, faded, and undoing takes back what was added, as it has faded since. Three things move it off that
sum a little: an article that was revised, a background rebuilt between, and terms that the person changed by hand.

Reading the log, writing it and learning happen while the profile's row is held, so that of two acts at once none is
lost (`reader.profile_rows.hold`). A fixed number of statements for one act, whatever the profile has grown to.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Substr

from feeds.models import Article
from reader.backgrounds import background
from reader.learning.background import idf_of
from reader.learning.features import READ_CHARACTERS, term_counts
from reader.learning.gains import Act, Lesson, lesson, standing
from reader.learning.linear import Idf
from reader.learning.meaning import meaning_from
from reader.learning.profile import Term, strongest
from reader.models import (
    Delivery,
    Engagement,
    EngagementKind,
    EngagementSource,
    Features,
    InterestProfile,
    InterestTerm,
)
from reader.profile_rows import LONGEST, bounded, hold, keep, learned_at, term_from, write

MOST_PASSED = 20  # articles nearest before the one opened: what stood far above was hardly still in view
_NOTHING = 1e-9  # a learned weight below it is what rounding left of nothing

Acts = dict[int, list[Act]]


def engage(
    user: User, article: Article, kind: str, *, now: datetime, source: str = EngagementSource.READER
) -> Engagement:
    """Write down what `user` did with an article that they may see, and learn from it unless they forbade it.

    An act that stands already (a second opening, a second press of a button) is neither written nor learned again: the
    one that stands is returned. Taking it back, or an act against it, lets it count anew.
    """
    with transaction.atomic():
        profile = hold(user)
        before = _acts(user, [article.pk]).get(article.pk, [])
        if (same := _same(before, kind)) is not None:
            return Engagement.objects.get(pk=same.pk)
        made = Engagement.objects.create(user=user, article=article, kind=kind, source=source, happened_at=now)
        _learn(profile, {article.pk: (before, [*before, Act(kind, now, made.pk)])}, now)
    return made


def undo(user: User, engagement_id: int, *, now: datetime) -> bool:
    """Take back an act of the user's own, with what it had taught, as that has faded. False if there is none to undo.

    What it had taken the place of counts again: undoing a dislike brings back the opening before it.
    """
    with transaction.atomic():
        profile = hold(user)
        undone = Engagement.objects.filter(pk=engagement_id, user=user, undoes=None, undone_by=None).first()
        if undone is None:
            return False
        before = _acts(user, [undone.article_id]).get(undone.article_id, [])
        Engagement.objects.create(
            user=user,
            article_id=undone.article_id,
            kind=undone.kind,
            source=undone.source,
            happened_at=now,
            undoes=undone,
        )
        after = [act for act in before if act.pk != undone.pk]
        _learn(profile, {undone.article_id: (before, after)}, now, is_new=False)
    return True


def take_back(user: User, article: Article, kind: str, *, now: datetime) -> bool:
    """Undo the newest act of this kind with an article, such as its star. False if there is none."""
    rows = Engagement.objects.filter(user=user, article=article, kind=kind, undoes=None, undone_by=None)
    newest = rows.order_by("-happened_at", "-pk").values_list("pk", flat=True).first()
    return newest is not None and undo(user, newest, now=now)


def passed_over(user: User, article_ids: Sequence[int], opened_id: int, *, now: datetime) -> int:
    """Note that articles stood above `opened_id` on the same screen, in the order of the screen, and were not opened.

    Only what was brought to the user and never engaged counts, once, the `MOST_PASSED` nearest. Returns how many did.
    """
    asked = list(dict.fromkeys(article_ids))
    above = [pk for pk in asked[: asked.index(opened_id) if opened_id in asked else None] if pk][-MOST_PASSED:]
    with transaction.atomic():
        profile = hold(user)
        brought = set(Delivery.objects.filter(user=user, article__in=above).values_list("article_id", flat=True))
        engaged = set(Engagement.objects.filter(user=user, article__in=above).values_list("article_id", flat=True))
        passed = [pk for pk in above if pk in brought - engaged]
        kind = EngagementKind.PASSED
        Engagement.objects.bulk_create(
            [Engagement(user=user, article_id=pk, kind=kind, happened_at=now) for pk in passed]
        )
        _learn(profile, {pk: ([], [Act(kind, now)]) for pk in passed}, now)
    return len(passed)


def seen(user: User, article_ids: Collection[int]) -> int:
    """Note that articles were on the screen, which teaches nothing. Returns how many deliveries changed."""
    return Delivery.objects.filter(user=user, article__in=article_ids, is_seen=False).update(is_seen=True)


def _acts(user: User, article_ids: Collection[int]) -> Acts:
    """What the user did with each article and did not undo, oldest first."""
    rows = Engagement.objects.filter(user=user, article__in=article_ids).order_by("happened_at", "pk")
    found = list(rows.values_list("article_id", "kind", "happened_at", "pk", "undoes_id"))
    undone = {undoes for *_, undoes in found}
    acts: Acts = defaultdict(list)
    for article_id, kind, at, pk, undoes in found:
        if undoes is None and pk not in undone:
            acts[article_id].append(Act(kind, at, pk))
    return acts


def _same(acts: Sequence[Act], kind: str) -> Act | None:
    """The act of this kind that still counts, or that was the last."""
    standing_act = standing(acts).get(kind)
    return standing_act or (acts[-1] if acts and acts[-1].kind == kind else None)


@dataclass(frozen=True, slots=True)
class _Taught:
    """What one article changes: its strongest terms with their values, and its meaning as stored."""

    lesson: Lesson
    terms: Mapping[str, float]
    vector: bytes


def _learn(
    profile: InterestProfile,
    changes: Mapping[int, tuple[Sequence[Act], Sequence[Act]]],
    now: datetime,
    *,
    is_new: bool = True,
) -> None:
    """Take the difference of the acts before and after with each article into the profile, which is held.

    What was done before learning began anew counts on neither side. Not `is_new`: only terms that are there change, for
    a term that the person removed must not come back by taking something back.
    """
    if not profile.is_learning:
        return
    since = meaning_from(bytes(profile.vector)).learned_after
    lessons: dict[int, Lesson] = {}
    for article_id, sides in changes.items():
        before, after = (lesson((act for act in acts if not 0 < act.pk <= since), now) for acts in sides)
        if after - before:
            lessons[article_id] = after - before
    if not lessons:
        return
    taught = list(_taught(lessons, idf_of(background())))
    meaning, evidence = learned_at(profile, now)
    for each in taught:
        meaning = meaning.taught(each.lesson, each.vector)
        evidence += each.lesson.liked + each.lesson.disliked
    _weigh(profile, _amounts(taught), now, is_new=is_new)
    keep(profile, meaning, evidence, now=now)


def _taught(lessons: Mapping[int, Lesson], idf: Idf) -> Iterable[_Taught]:
    vectors = dict(Features.objects.filter(pk__in=lessons).values_list("pk", "vector"))
    articles = Article.objects.filter(pk__in=lessons).annotate(lead=Substr("text", 1, READ_CHARACTERS))
    for pk, title, lead, language in articles.values_list("pk", "title", "lead", "language"):
        terms = strongest(term_counts(title, lead, language), idf)
        yield _Taught(lessons[pk], terms, bytes(vectors.get(pk, b"")))


def _amounts(taught: Iterable[_Taught]) -> dict[str, float]:
    """What is to be added to each term."""
    amounts: dict[str, float] = defaultdict(float)
    for each in taught:
        for term, value in each.terms.items():
            if len(term) <= LONGEST:
                amounts[term] += each.lesson.gain * value
    return amounts


def _weigh(profile: InterestProfile, amounts: Mapping[str, float], now: datetime, *, is_new: bool) -> None:
    """Add the amounts to what the terms weigh at `now`; pinned and muted ones stay as they are."""
    user_id = profile.user_id
    rows = {row.term: row for row in InterestTerm.objects.filter(user=user_id, term__in=amounts)}
    changed: list[InterestTerm] = []
    gone: list[int] = []
    for term, amount in amounts.items():
        known = term_from(rows[term]) if term in rows else Term(term, 0.0, now)
        if known.is_pinned or known.is_muted or (term not in rows and not is_new):
            continue
        weight = bounded(known.weight_at(now) + amount)
        if term in rows and not known.is_stated and abs(weight) < _NOTHING:
            gone.append(rows[term].pk)
        else:
            changed.append(InterestTerm(user_id=user_id, term=term, weight=weight, engaged_at=now))
    write(changed)
    if gone:
        InterestTerm.objects.filter(pk__in=gone).delete()
