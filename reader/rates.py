"""How fast things age here: the rates of the settings, and what a person chose."""

from django.conf import settings
from django.contrib.auth.models import User

from reader.models import InterestProfile
from reader.ratings import Rates
from reader.scoring.recency import LAMBDA


def decay_rates() -> dict[int, float]:
    """Relevance lost per day by time sensitivity, 1 to 5."""
    return dict(enumerate(settings.ENV.DECAY_RATES, start=1))


def rates_of(user: User) -> Rates:
    """The rates that hold for `user`; one query."""
    chosen = InterestProfile.objects.filter(user=user).values_list("recency_rate", flat=True).first()
    return Rates(LAMBDA if chosen is None else chosen, decay_rates())
