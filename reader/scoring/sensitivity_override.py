"""A user's own rating of how fast an article ages. It applies to that user at once, whatever the classifiers predict.

Other users don't see it, but the built-in classifier learns from it (`reader.scoring.sensitivity_train`).
"""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from reader.models import (
    Confidence,
    Delivery,
    SensitivityLabel,
    SensitivitySource,
    TimeSensitivity,
    lock_deliveries,
)


def set_override(user: User, article_id: int, score: int, *, now: datetime) -> bool:
    """Rate the article for `user`; False if it already has this rating. Raises ValueError unless 1 ≤ `score` ≤ 5."""
    values = {
        "score": TimeSensitivity(score),
        "source": SensitivitySource.USER,
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
        _mark_for_rating(user, article_id)
    return True


def clear_override(user: User, article_id: int) -> bool:
    """Return to the predicted rating; False if there was no override."""
    with transaction.atomic():
        n_deleted, _ = SensitivityLabel.objects.filter(user=user, article=article_id).delete()
        if n_deleted:
            _mark_for_rating(user, article_id)
    return bool(n_deleted)


def _mark_for_rating(user: User, article_id: int) -> None:
    deliveries = Delivery.objects.filter(user=user, article=article_id)
    lock_deliveries(deliveries)
    deliveries.update(is_rated=False)
