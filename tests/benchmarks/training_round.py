"""The first person's model, learned from many labels: `Installation.run("training_round", n_labels)` after tastes.

Terms are counted anew and faded ones forgotten before, as at night. Others get the same model, so that rating by models
can be measured for all; and it is used even where the profile did better on what was held out, for the same reason.
"""

import argparse
import json
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from reader.interests.learning.idf_rebuild import rebuild
from reader.interests.terms import delete_faded
from reader.interests.train import train_user
from reader.interests.training_labels import YEAR, load_labels
from reader.models import Engagement, EngagementKind, InterestProfile, InterestTerm, RelevanceModel
from tests.benchmarks.clock import spent
from tests.benchmarks.liking import some_of
from tests.benchmarks.memory import memory
from tests.benchmarks.tidying import tidy


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("n_labels", type=int)
    n_labels = parser.parse_args().n_labels
    now = timezone.now()
    user, *others = User.objects.order_by("pk")
    _label(user, n_labels, now)
    with spent() as counting:
        n_counted = rebuild(now=now)
    for each in (user, *others):
        delete_faded(each, now)
    with spent() as training:
        found = train_user(user, now=now)
    peak = memory()
    row = found.row
    assert row is not None, f"too few labels: {found}"
    _share(row, others, now)
    tidy()
    print(
        json.dumps(
            {
                "n_labels": found.n_positive + found.n_negative,
                "wall": training.wall,
                "cpu": training.cpu,
                "n_counted": n_counted,
                "n_terms": InterestTerm.objects.filter(user=user).count(),
                "count_wall": counting.wall,
                "average_precision": row.average_precision,
                "profile_average_precision": row.profile_average_precision,
                "was_better": row.is_used,
                "model_bytes": len(row.indices) + len(row.weights) + len(row.embedding),
                **peak,
            }
        )
    )


def _label(user: User, n: int, now: datetime) -> None:
    """Bring the person's labels to `n`, as many of each class as articles allow, written without learning."""
    known = {label.article_id for label in load_labels(user, since=now - YEAR)}
    missing = max(0, n - len(known))
    kinds = (EngagementKind.OPENED, EngagementKind.SKIPPED)
    sides: Sequence[list[int]] = [[pk for pk in side if pk not in known] for side in some_of(user, n)]
    Engagement.objects.bulk_create(
        Engagement(user=user, article_id=pk, kind=kind, happened_at=now - timedelta(days=1))
        for kind, side in zip(kinds, sides, strict=True)
        for pk in side[: missing // 2]
    )


def _share(row: RelevanceModel, others: Sequence[User], now: datetime) -> None:
    RelevanceModel.objects.filter(pk=row.pk).update(is_used=True)
    kept = RelevanceModel.objects.filter(pk=row.pk).values().get()
    del kept["id"], kept["user_id"]
    RelevanceModel.objects.bulk_create(RelevanceModel(**{**kept, "user_id": user.pk}) for user in others)
    InterestProfile.objects.update(changed_at=now)


if __name__ == "__main__":
    main()
