"""How a person's subscriptions are spread over topics, and where they pile up, as a worker found it within a day."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from digests.diversity_asking import look, state_of
from digests.diversity_words import sentences, strips
from reader.models import Subscription
from reader.preferences import time_zone_of
from reader.views.signed_in import SignedInRequest, page


@require_safe
def diversity(request: SignedInRequest) -> HttpResponse:
    """The spread with what it means; the old one while a new one is being made, progress before the first."""
    now = timezone.now()
    if request.headers.get("X-Fragment") == "state":
        return _state(request)
    own = set(Subscription.objects.filter(user=request.user).values_list("pk", flat=True))
    if not own:
        return page(request, "digests/diversity_empty.html", {}, here="diversity")
    state = look(request.user, now)
    context: dict[str, object] = {"state": state, "is_late": state.is_late(now), "own": own}
    if state.spread is not None:
        context |= {"spread": state.spread, "sentences": sentences(state.spread), "strips": strips(state.spread)}
    with timezone.override(time_zone_of(request.user)):
        return page(request, "digests/diversity.html", context, here="diversity")


def _state(request: SignedInRequest) -> HttpResponse:
    """How far it is, for the script that asks again. Asking is no looking: nobody is called."""
    now = timezone.now()
    state = state_of(request.user, now)
    with timezone.override(time_zone_of(request.user)):
        context = {"state": state, "is_late": state.is_late(now), "now": now}
        return render(request, "digests/_diversity_state.html", context)
