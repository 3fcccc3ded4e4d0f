"""How fast things age here: the rates of the settings, and what a person chose."""

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import QuerySet

from reader.models import InterestProfile
from reader.prepared import prepared
from reader.ratings import Rates
from reader.scoring.recency import LAMBDA


def decay_rates() -> dict[int, float]:
    """Relevance lost per day by time sensitivity, 1 to 5."""
    return dict(enumerate(settings.ENV.DECAY_RATES, start=1))


def rates_of(user: User) -> Rates:
    """The rates that hold for `user`; one query."""
    chosen = next((rate for [rate] in _recency_rate(user.pk)), None)
    return Rates(LAMBDA if chosen is None else chosen, decay_rates())


@prepared
def _recency_rate(user_id: int) -> QuerySet[InterestProfile, tuple[float | None]]:
    return InterestProfile.objects.filter(user=user_id).values_list("recency_rate")
