"""What is unread now, for a page that has stood open while its reader read."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from reader.access import subscription_of
from reader.sidebar import sidebar_of
from reader.views.signed_in import SignedInRequest, whole_number


@require_safe
@never_cache
def counts(request: SignedInRequest) -> HttpResponse:
    """The counts of the sidebar, and of the list itself: the `folder` that is open there, and the `feed`."""
    folder_id, feed = (whole_number(request.GET.get(name, "")) for name in ("folder", "feed"))
    subscription = subscription_of(request.user, feed) if feed is not None else None
    sidebar = sidebar_of(request.user, here="", folder_id=folder_id)
    n_unread = subscription.unread_count if subscription else sidebar.n_unread_here
    return render(request, "reader/_counts.html", {"sidebar": sidebar, "n_unread": n_unread})
