"""Queries for work that is due: rating and training. Loads nothing that learning needs."""

from datetime import UTC, date, datetime, time, timedelta

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from feeds.models import Pending
from feeds.time_limit import MAX_TRIES
from reader.models import ArticleFeatures, Delivery, IdfTable, InterestProfile, SensitivityLabel, SensitivityTraining

RATE_AGAIN_AFTER = timedelta(minutes=5)  # reading changes a profile with every article; lists follow less often
TRAINING_AT = time(1)  # SPEC §10
REBUILD_IDF_EVERY = timedelta(weeks=1)  # best-practices.md, TF-IDF Vectorization
MIN_SENSITIVITY_LABELS = 50  # `reader.scoring.sensitivity.training` has it too, and loads scikit-learn


def unrated() -> QuerySet[Delivery]:
    """Unrated deliveries whose article has been deduplicated, or failed to."""
    pending = Pending.objects.filter(article=OuterRef("article"), n_tries__lt=MAX_TRIES)
    return Delivery.objects.filter(~Exists(pending), is_rated=False)


def changed_profiles(now: datetime) -> QuerySet[InterestProfile]:
    """Profiles that changed since their users' articles were rated, if that was some minutes ago."""
    outdated = Q(rated_at__lt=now - RATE_AGAIN_AFTER) & ~Q(rated_at=F("changed_at"))
    return InterestProfile.objects.filter(outdated | Q(rated_at=None), changed_at__isnull=False)


def profiles_to_train(night: datetime) -> QuerySet[InterestProfile]:
    """Learning profiles that haven't been processed since `night`."""
    return InterestProfile.objects.filter(Q(trained_at=None) | Q(trained_at__lt=night), is_learning=True)


def needs_learning(night: datetime) -> bool:
    """Whether anything is to be learned since `night`: for users, or for all of them together.

    The IDF table and the time sensitivity classifier don't depend on anyone's interests, so they are kept up even if
    all users have turned learning off.
    """
    return profiles_to_train(night).exists() or _needs_idf(night) or _needs_sensitivity(night)


def _needs_idf(night: datetime) -> bool:
    built_at = IdfTable.objects.values_list("built_at", flat=True).first()
    if built_at is None:
        return ArticleFeatures.objects.exists()
    return night - built_at >= REBUILD_IDF_EVERY


def _needs_sensitivity(night: datetime) -> bool:
    """Whether there are enough labels, and some from between the last training and `night`."""
    last_at = SensitivityTraining.objects.values_list("trained_at", flat=True).first()
    new = SensitivityLabel.objects.filter(made_at__lte=night)
    if last_at is not None:
        new = new.filter(made_at__gt=last_at)
    enough = SensitivityLabel.objects.values("article", "score").distinct()[:MIN_SENSITIVITY_LABELS]
    return new.exists() and len(enough) == MIN_SENSITIVITY_LABELS


def needs_rating(now: datetime) -> bool:
    return unrated().exists() or changed_profiles(now).exists()


def last_night(now: datetime) -> datetime:
    """The latest 01:00 in the installation's time zone that is not after `now`, in UTC.

    When the clock skips or repeats that hour, the first time with that name.
    """
    today = timezone.localtime(now).date()
    tonight = _training_time(today)
    return tonight if tonight <= now else _training_time(today - timedelta(days=1))


def _training_time(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, TRAINING_AT)).astimezone(UTC)
