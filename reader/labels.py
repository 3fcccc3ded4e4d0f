"""What a person's choices say of each article, for training: one judgement an article out of the log of acts."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User

from reader.learning.gains import DISLIKED, GAINS, LIKED, OPENED, PASSED, SKIPPED, STARRED, Act, standing
from reader.models import Engagement

# How much an example counts beside others. An opening and a skip are one act each, and feedoscope-article.md counts
# both alike; what was said on purpose counts double; to be passed over is a guess, and there are many of them.
WEIGHTS = {OPENED: 1.0, SKIPPED: 1.0, LIKED: 2.0, STARRED: 2.0, DISLIKED: 2.0, PASSED: 0.2}


@dataclass(frozen=True, slots=True)
class Label:
    """The judgement of one article: sought or left, how much it counts, and when the last act that says so was."""

    article_id: int
    is_positive: bool
    weight: float
    at: datetime


def labels_of(user: User, *, since: datetime) -> list[Label]:
    """The judgements of `user` by what they did from `since` on and did not undo, oldest first; one statement.

    The same acts count as for the profile (`reader.learning.gains.standing`): the later of opened and skipped, the
    last that was said on purpose before either, passed over where nothing else was done. Acts of one article that stand
    never disagree; the heaviest gives the weight. Keeping unread says nothing. Resetting the profile, or learning
    switched off, changes no judgement: what was done was done.
    """
    judged = (_label(article_id, acts) for article_id, acts in _acts(user, since).items())
    return sorted((label for label in judged if label), key=lambda label: (label.at, label.article_id))


def _label(article_id: int, acts: Iterable[Act]) -> Label | None:
    found = standing(acts)
    if not found:
        return None
    return Label(
        article_id=article_id,
        is_positive=all(GAINS[kind] > 0 for kind in found),
        weight=max(WEIGHTS[kind] for kind in found),
        at=max(act.at for act in found.values()),
    )


def _acts(user: User, since: datetime) -> dict[int, list[Act]]:
    rows = Engagement.objects.filter(user=user, happened_at__gte=since).order_by("happened_at", "pk")
    log = list(rows.values_list("article_id", "kind", "happened_at", "pk", "undoes_id"))
    undone = {undoes for *_, undoes in log}
    acts: dict[int, list[Act]] = defaultdict(list)
    for article_id, kind, at, pk, undoes in log:
        if undoes is None and pk not in undone:
            acts[article_id].append(Act(kind, at, pk))
    return acts
