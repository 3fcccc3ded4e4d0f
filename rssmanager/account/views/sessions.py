"""Where a person is signed in, and ending it there."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from reader.views.signed_in import SignedInRequest
from rssmanager.account.access import session_of


@require_POST
def session_end(request: SignedInRequest, key: str) -> HttpResponse:
    """Sign that browser out."""
    session_of(request.user, key).delete()
    messages.success(request, _("That browser is signed out."))
    return redirect("account")
