"""`manage.py train`: learn now what the worker learns every night."""

import json
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand
from django.utils import timezone

from reader.judge_training import train_judge
from reader.management.whose import user_of
from reader.models import InterestProfile
from reader.rating import mark_changed, rate_waiting
from reader.training import Trained, recount, train_user

_FIGURES = ("precision", "recall", "f1", "auc", "average_precision", "profile_auc", "profile_average_precision")


class Command(BaseCommand):
    help = "Learn now what the worker learns every night: relevance models, the judge of ageing, how rare terms are."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", metavar="NAME", help="this user's model alone (default: everybody's)")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        recount(now=now)
        learning = InterestProfile.objects.filter(is_learning=True).select_related("user").order_by("pk")
        people = [user_of(options)] if options["user"] else [each.user for each in learning]
        found = {user.get_username(): self._train(user, options["json"]) for user in people}
        judge = None if options["user"] else train_judge(now=now)
        rate_waiting()
        if options["json"]:
            self.stdout.write(json.dumps({"users": found, "judge_labels": judge.n_labels if judge else 0}))
        elif not people:
            self.stdout.write("Nobody has opened, liked or skipped anything yet.")
        elif judge:
            self.stdout.write(f"The judge of ageing learned from {judge.n_labels} labels.")

    def _train(self, user: User, is_quiet: bool) -> dict[str, Any]:
        found = train_user(user, now=timezone.now())
        mark_changed(now=timezone.now(), user=user)
        if not is_quiet:
            self.stdout.write(f"{user.get_username()}: {in_words(found)}")
        figures = {name: round(getattr(found.row, name), 4) for name in _FIGURES} if found.row else {}
        used = found.row is not None and found.row.is_used
        return {"positive": found.n_positive, "negative": found.n_negative, "is_used": used, **figures}


def in_words(found: Trained) -> str:
    """What came of a training, in one line."""
    have = f"{found.n_positive} opened or liked, {found.n_negative} skipped or disliked"
    row = found.row
    if row is None:
        return f"{have}; {found.n_missing} more of the rarer kind are needed for a model."
    verdict = "it is used" if row.is_used else "the profile stays in use"
    return (
        f"{have}; on {row.n_held_out} held out: precision {row.precision:.2f}, recall {row.recall:.2f}, "
        f"F1 {row.f1:.2f}, AUC {row.auc:.2f}, average precision {row.average_precision:.2f} "
        f"(profile {row.profile_average_precision:.2f}): {verdict}."
    )
