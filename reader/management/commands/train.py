"""`manage.py train`: run the nightly training now."""

import json
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand
from django.utils import timezone

from reader.interests.train import UserTraining, refresh_idf, train_user
from reader.management.user_option import user_of
from reader.models import InterestProfile
from reader.scoring.rate import rate_waiting
from reader.scoring.sensitivity_train import train_sensitivity

_FIGURES = ("precision", "recall", "f1", "auc", "average_precision", "profile_auc", "profile_average_precision")


class Command(BaseCommand):
    help = "Run the nightly training now: relevance models, time sensitivity, term frequencies."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", metavar="NAME", help="only this user's model (default: everyone's)")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        refresh_idf(now=now)
        learning = InterestProfile.objects.filter(is_learning=True).select_related("user").order_by("pk")
        users = [user_of(options)] if options["user"] else [profile.user for profile in learning]
        results = {user.get_username(): self._train(user, options["json"]) for user in users}
        training = None if options["user"] else train_sensitivity(now=now)
        rate_waiting()
        if options["json"]:
            self.stdout.write(json.dumps({"users": results, "judge_labels": training.n_labels if training else 0}))
        elif not users:
            self.stdout.write("No user has opened, liked or skipped anything yet.")
        elif training:
            self.stdout.write(f"The time sensitivity classifier learned from {training.n_labels} labels.")

    def _train(self, user: User, is_quiet: bool) -> dict[str, Any]:
        training = train_user(user, now=timezone.now())
        if not is_quiet:
            self.stdout.write(f"{user.get_username()}: {in_words(training)}")
        figures = {name: round(getattr(training.row, name), 4) for name in _FIGURES} if training.row else {}
        used = training.row is not None and training.row.is_used
        return {"positive": training.n_positive, "negative": training.n_negative, "is_used": used, **figures}


def in_words(training: UserTraining) -> str:
    """The result of a training, in one line."""
    have = f"{training.n_positive} opened or liked, {training.n_negative} skipped or disliked"
    row = training.row
    if row is None:
        return f"{have}; {training.n_missing} more of the rarer kind are needed to train a model."
    verdict = "it is used" if row.is_used else "the profile stays in use"
    return (
        f"{have}; on {row.n_held_out} held out: precision {row.precision:.2f}, recall {row.recall:.2f}, "
        f"F1 {row.f1:.2f}, AUC {row.auc:.2f}, average precision {row.average_precision:.2f} "
        f"(profile {row.profile_average_precision:.2f}): {verdict}."
    )
