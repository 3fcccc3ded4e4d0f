"""A person's own word on how fast an article ages. It counts for that person at once, whatever any judge says.

Others see nothing of it, but the built-in judge learns from it (`reader.judge_training`).
"""

from collections.abc import Collection
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from reader.locking import lock
from reader.models import Confidence, Delivery, Judge, SensitivityLabel, TimeSensitivity


def correct(user: User, article_id: int, score: int, *, now: datetime) -> bool:
    """Let the article age for `user` as `score` says; False, and nothing changes, if they said so already.

    Raises ValueError: `score` is none of 1 to 5.
    """
    values = {
        "score": TimeSensitivity(score),
        "judge": Judge.PERSON,
        "confidence": Confidence.HIGH,
        "explanation": "",
        "made_at": now,
    }
    with transaction.atomic():
        label, is_new = SensitivityLabel.objects.select_for_update().get_or_create(
            user=user, article_id=article_id, defaults=values
        )
        if not is_new:
            if label.score == score:
                return False
            SensitivityLabel.objects.filter(pk=label.pk).update(**values)
        _rate_anew(user, article_id)
    return True


def take_back(user: User, article_id: int) -> bool:
    """Let the judges decide for `user` again; False if they had not corrected them."""
    with transaction.atomic():
        n_deleted, _ = SensitivityLabel.objects.filter(user=user, article=article_id).delete()
        if n_deleted:
            _rate_anew(user, article_id)
    return bool(n_deleted)


def sensitivity_for(user: User, article_ids: Collection[int]) -> dict[int, int]:
    """The scores that `user` gave, by article; articles they did not correct are left out."""
    given = SensitivityLabel.objects.filter(user=user, article__in=article_ids)
    return dict(given.values_list("article_id", "score"))


def _rate_anew(user: User, article_id: int) -> None:
    deliveries = Delivery.objects.filter(user=user, article=article_id)
    lock(deliveries)
    deliveries.update(is_rated=False)
