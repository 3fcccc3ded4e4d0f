"""What waits for a worker that learns and rates. Only looks, and loads nothing that learning needs."""

from datetime import datetime, timedelta

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from feeds.models import Pending
from feeds.pending import MOST_TRIES
from reader.models import Delivery, InterestProfile

RATED_ANEW_AFTER = timedelta(minutes=5)  # what is read changes a profile at each article; lists need not follow each


def to_rate() -> QuerySet[Delivery]:
    """Deliveries not rated whose article deduplication is through with, or has given up."""
    pending = Pending.objects.filter(article=OuterRef("article"), n_tries__lt=MOST_TRIES)
    return Delivery.objects.filter(~Exists(pending), is_rated=False)


def changed_profiles(now: datetime) -> QuerySet[InterestProfile]:
    """Profiles that are not those their people's articles were rated by, if these are some minutes old."""
    outdated = Q(rated_at__lt=now - RATED_ANEW_AFTER) & ~Q(rated_at=F("changed_at"))
    return InterestProfile.objects.filter(outdated | Q(rated_at=None), changed_at__isnull=False)


def to_train(night: datetime) -> QuerySet[InterestProfile]:
    """People to learn from who were not looked at since `night`."""
    return InterestProfile.objects.filter(Q(trained_at=None) | Q(trained_at__lt=night), is_learning=True)


def rating_waits(now: datetime) -> bool:
    return to_rate().exists() or changed_profiles(now).exists()


def training_waits(night: datetime) -> bool:
    return to_train(night).exists()
