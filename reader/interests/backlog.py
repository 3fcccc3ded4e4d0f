"""Queries for work that is due: rating and training. Loads nothing that learning needs."""

from datetime import UTC, date, datetime, time, timedelta

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from feeds.models import Pending
from feeds.time_limit import MAX_TRIES
from reader.models import ArticleFeatures, Delivery, IdfTable, InterestProfile, SensitivityLabel, SensitivityTraining

TRAINING_AT = time(1)  # SPEC §10
REBUILD_IDF_EVERY = timedelta(weeks=1)  # best-practices.md, TF-IDF Vectorization
MIN_SENSITIVITY_LABELS = 50  # `reader.scoring.sensitivity.training` has it too, and loads scikit-learn


def deduplicated() -> QuerySet[Delivery]:
    """Deliveries whose article has been deduplicated, or failed to."""
    pending = Pending.objects.filter(article=OuterRef("article"), n_tries__lt=MAX_TRIES)
    return Delivery.objects.filter(~Exists(pending))


def unrated() -> QuerySet[Delivery]:
    """Unrated deliveries that can be rated."""
    return deduplicated().filter(is_rated=False)


def changed_profiles() -> QuerySet[InterestProfile]:
    """Profiles that changed since their users' articles were rated."""
    return InterestProfile.objects.filter(changed_at__isnull=False).exclude(rated_at=F("changed_at"))


def unscaled_profiles() -> QuerySet[InterestProfile]:
    """Profiles that had no articles to fit a scale to, of users to whom some were delivered since."""
    waiting = unrated().filter(user=OuterRef("pk"))
    return InterestProfile.objects.filter(Exists(waiting), changed_at__isnull=False, spread=0)


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


def needs_rating() -> bool:
    return unrated().exists() or changed_profiles().exists()


def last_night(now: datetime) -> datetime:
    """The latest 01:00 in the installation's time zone that is not after `now`, in UTC.

    When the clock skips or repeats that hour, the first time with that name.
    """
    today = timezone.localtime(now).date()
    tonight = _training_time(today)
    return tonight if tonight <= now else _training_time(today - timedelta(days=1))


def _training_time(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, TRAINING_AT)).astimezone(UTC)
