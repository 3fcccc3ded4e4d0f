"""User actions on articles: logged, and learned from in the same transaction.

How much an action teaches, and which of several actions on one article count, is decided in
`reader.interests.learning.engagement_weights`; each change here applies the difference between an article's feedback
before and after. So the profile is always the decayed sum over the log, and undoing subtracts exactly what is left of
what was added. It deviates slightly after revisions, an IDF rebuild, and manual changes to terms.

The log is read and written while the profile's row is locked, so that concurrent actions aren't lost
(`reader.interests.term_store.lock_profile`). The number of statements per action is fixed.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Substr

from feeds.models import Article
from reader.interests.idf import idf_weights
from reader.interests.learning.embedding_profile import parse_profile
from reader.interests.learning.engagement_weights import Action, Feedback, active_actions, total_feedback
from reader.interests.learning.features import READ_CHARACTERS, count_terms
from reader.interests.learning.idf_table import idf_of
from reader.interests.learning.inference import Idf
from reader.interests.learning.profile import Term, strongest_terms
from reader.interests.term_store import (
    MAX_TERM_LENGTH,
    clamp_weight,
    decayed_to,
    lock_profile,
    save_learned,
    term_from,
    upsert_terms,
)
from reader.models import (
    ArticleFeatures,
    Delivery,
    Engagement,
    EngagementKind,
    EngagementSource,
    InterestProfile,
    InterestTerm,
)

MAX_PASSED = 20  # articles directly above the opened one; those further up were probably out of view
_ZERO = 1e-9  # learned weights below it are rounding errors

Actions = dict[int, list[Action]]


def record_action(
    user: User, article: Article, kind: str, *, now: datetime, source: str = EngagementSource.READER
) -> Engagement:
    """Log what `user` did with an article that they may see, and learn from it unless learning is off.

    An action that is already active (a second opening, a second click) is neither logged nor learned again; the
    existing row is returned. After an undo or an opposite action it counts again.
    """
    with transaction.atomic():
        profile = lock_profile(user)
        before = load_actions(user, [article.pk]).get(article.pk, [])
        if (same := _same_action(before, kind)) is not None:
            return Engagement.objects.get(pk=same.pk)
        engagement = Engagement.objects.create(user=user, article=article, kind=kind, source=source, happened_at=now)
        _learn(profile, {article.pk: (before, [*before, Action(kind, now, engagement.pk)])}, now)
    return engagement


def undo(user: User, engagement_id: int, *, now: datetime) -> bool:
    """Undo one of the user's actions and what is left of its effect. False if there is none to undo.

    What it had canceled counts again: undoing a dislike restores the opening before it.
    """
    with transaction.atomic():
        profile = lock_profile(user)
        undone = Engagement.active.filter(pk=engagement_id, user=user).first()
        if undone is None:
            return False
        before = load_actions(user, [undone.article_id]).get(undone.article_id, [])
        Engagement.objects.create(
            user=user,
            article_id=undone.article_id,
            kind=undone.kind,
            source=undone.source,
            happened_at=now,
            undoes=undone,
        )
        after = [action for action in before if action.pk != undone.pk]
        _learn(profile, {undone.article_id: (before, after)}, now, adds_terms=False)
    return True


def undo_latest(user: User, article: Article, kind: str, *, now: datetime) -> bool:
    """Undo the newest action of this kind on an article, such as its star. False if there is none."""
    rows = Engagement.active.filter(user=user, article=article, kind=kind)
    newest = rows.order_by("-happened_at", "-pk").values_list("pk", flat=True).first()
    return newest is not None and undo(user, newest, now=now)


def record_passed(user: User, article_ids: Sequence[int], opened_id: int, *, now: datetime) -> int:
    """Log that articles above `opened_id` on the screen, in this order, were passed over; returns how many count.

    Only delivered articles without any action count, once, the `MAX_PASSED` nearest.
    """
    shown = list(dict.fromkeys(article_ids))
    above = [pk for pk in shown[: shown.index(opened_id) if opened_id in shown else None] if pk][-MAX_PASSED:]
    with transaction.atomic():
        profile = lock_profile(user)
        delivered = set(Delivery.objects.filter(user=user, article__in=above).values_list("article_id", flat=True))
        engaged = set(Engagement.objects.filter(user=user, article__in=above).values_list("article_id", flat=True))
        passed = [pk for pk in above if pk in delivered - engaged]
        kind = EngagementKind.PASSED
        Engagement.objects.bulk_create(
            [Engagement(user=user, article_id=pk, kind=kind, happened_at=now) for pk in passed]
        )
        _learn(profile, {pk: ([], [Action(kind, now)]) for pk in passed}, now)
    return len(passed)


def mark_seen(user: User, article_ids: Collection[int]) -> int:
    """Note that articles were on the screen, which teaches nothing. Returns how many deliveries changed."""
    return Delivery.objects.filter(user=user, article__in=article_ids, is_seen=False).update(is_seen=True)


def load_actions(user: User, article_ids: Collection[int] | None = None, *, since: datetime | None = None) -> Actions:
    """The user's actions that weren't undone, by article, oldest first."""
    rows = Engagement.active.filter(user=user).order_by("happened_at", "pk")
    if article_ids is not None:
        rows = rows.filter(article__in=article_ids)
    if since is not None:
        rows = rows.filter(happened_at__gte=since)
    actions: Actions = defaultdict(list)
    for article_id, kind, at, pk in rows.values_list("article_id", "kind", "happened_at", "pk"):
        actions[article_id].append(Action(kind, at, pk))
    return actions


def _same_action(actions: Sequence[Action], kind: str) -> Action | None:
    """The action of this kind if it is active or the last one."""
    active = active_actions(actions).get(kind)
    return active or (actions[-1] if actions and actions[-1].kind == kind else None)


class _Update(NamedTuple):
    """The change from one article: the difference in feedback, its strongest terms, and its embedding as stored."""

    feedback: Feedback
    terms: Mapping[str, float]
    vector: bytes


def _learn(
    profile: InterestProfile,
    changes: Mapping[int, tuple[Sequence[Action], Sequence[Action]]],
    now: datetime,
    *,
    adds_terms: bool = True,
) -> None:
    """Apply the difference between the actions before and after on each article to the locked profile.

    Actions from before learning (re)started are ignored. Unless `adds_terms`, only existing terms change, so that an
    undo doesn't bring back a term that the user removed.
    """
    if not profile.is_learning:
        return
    since = parse_profile(bytes(profile.vector)).learned_after
    differences: dict[int, Feedback] = {}
    for article_id, sides in changes.items():
        before, after = (
            total_feedback((action for action in actions if not 0 < action.pk <= since), now) for actions in sides
        )
        if after - before:
            differences[article_id] = after - before
    if not differences:
        return
    updates = list(_updates(differences, idf_of(idf_weights())))
    embedding, evidence = decayed_to(profile, now)
    for update in updates:
        embedding = embedding.updated(update.feedback, update.vector)
        evidence += update.feedback.liked + update.feedback.disliked
    _add_to_terms(profile, _amounts(updates), now, adds_terms=adds_terms)
    save_learned(profile, embedding, evidence, now=now)


def _updates(differences: Mapping[int, Feedback], idf: Idf) -> Iterable[_Update]:
    vectors = dict(ArticleFeatures.objects.filter(pk__in=differences).values_list("pk", "vector"))
    articles = Article.objects.filter(pk__in=differences).annotate(lead=Substr("text", 1, READ_CHARACTERS))
    for pk, title, lead, language in articles.values_list("pk", "title", "lead", "language"):
        terms = strongest_terms(count_terms(title, lead, language), idf)
        yield _Update(differences[pk], terms, bytes(vectors.get(pk, b"")))


def _amounts(updates: Iterable[_Update]) -> dict[str, float]:
    """The amount to add to each term."""
    amounts: dict[str, float] = defaultdict(float)
    for update in updates:
        for term, value in update.terms.items():
            if len(term) <= MAX_TERM_LENGTH:
                amounts[term] += update.feedback.gain * value
    return amounts


def _add_to_terms(profile: InterestProfile, amounts: Mapping[str, float], now: datetime, *, adds_terms: bool) -> None:
    """Add the amounts to the terms' weights at `now`; pinned and muted terms stay as they are."""
    user_id = profile.user_id
    rows = {row.term: row for row in InterestTerm.objects.filter(user=user_id, term__in=amounts)}
    changed: list[InterestTerm] = []
    zeroed: list[int] = []
    for name, amount in amounts.items():
        term = term_from(rows[name]) if name in rows else Term(name, 0.0, now)
        if term.is_pinned or term.is_muted or (name not in rows and not adds_terms):
            continue
        weight = clamp_weight(term.weight_at(now) + amount)
        if name in rows and not term.is_stated and abs(weight) < _ZERO:
            zeroed.append(rows[name].pk)
        else:
            changed.append(InterestTerm(user_id=user_id, term=name, weight=weight, engaged_at=now))
    upsert_terms(changed)
    if zeroed:
        InterestTerm.objects.filter(pk__in=zeroed).delete()
