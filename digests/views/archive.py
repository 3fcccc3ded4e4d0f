"""Past digests: the list, and a page for each."""

from itertools import groupby

from django.contrib import messages
from django.db.models import OuterRef, Q, Subquery
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from digests.access import digest_of, digests_of
from digests.delivery.enqueue import RESENDABLE, queue, resend
from digests.delivery.smtp import is_printed
from digests.models import Digest, DigestTopic, Mailing
from digests.models.edition_store import edition_of
from digests.schedule.plans import plans_of
from digests.views.edition_context import shown_to
from reader.preferences.store import time_zone_of
from reader.views.base import SignedInRequest, page, whole_number

PAGE_SIZE = 40


@require_safe
def archive(request: SignedInRequest) -> HttpResponse:
    """All digests by day, newest first: kind, first heading, email state."""
    mine = digests_of(request.user)
    last = mine.filter(pk=whole_number(request.GET.get("after", "")) or 0).first()
    if last is not None:
        mine = mine.filter(Q(made_at__lt=last.made_at) | Q(made_at=last.made_at, pk__lt=last.pk))
    rows = list(mine.annotate(led_by=_heading_of_first()).order_by("-made_at", "-pk")[: PAGE_SIZE + 1])
    shown = rows[:PAGE_SIZE]
    context = {
        "days": [(day, list(digests)) for day, digests in groupby(shown, key=lambda row: row.day)],
        "is_first": last is None,
        "plans": [plan for plan in plans_of(request.user) if plan.is_on],
        "mail_is_printed": is_printed(),
        "next_after": shown[-1].pk if len(rows) > PAGE_SIZE else None,
    }
    with timezone.override(time_zone_of(request.user)):
        return page(request, "digests/digest_list.html", context, here="digests")


def _heading_of_first() -> Subquery:
    """The headline of the first new or changed topic, None in a digest without any."""
    first = DigestTopic.objects.filter(digest=OuterRef("pk"), is_unchanged=False, articles__position=0)
    return Subquery(first.order_by("position").values("articles__title")[:1])


@require_safe
def digest(request: SignedInRequest, pk: int) -> HttpResponse:
    """A stored digest and its email's state; `?topic=3` lists all related articles of a topic."""
    edition = digest_of(request.user, pk)
    mailing = _mailing_of(edition)
    context = {
        "digest": edition,
        "shown": shown_to(request.user, edition_of(edition), whole=whole_number(request.GET.get("topic", ""))),
        "mailing": mailing,
        "mail_is_printed": is_printed(),
        "can_be_sent": (mailing is None or mailing.state in RESENDABLE)
        and bool(request.user.email)
        and not is_printed(),
    }
    with timezone.override(time_zone_of(request.user)):
        return page(request, "digests/digest_detail.html", context, here="digest")


@require_POST
def digest_send(request: SignedInRequest, pk: int) -> HttpResponse:
    """Email a digest, unless that was already done successfully or is in progress."""
    edition = digest_of(request.user, pk)
    mailing, now = _mailing_of(edition), timezone.now()
    if is_printed():
        messages.warning(request, _("This server can't send emails yet."))
    elif not request.user.email:
        messages.warning(request, _("Add your email address in the settings first."))
    elif mailing is None:
        queue(edition, now=now)
        messages.success(request, _("Sending to %(address)s within a minute.") % {"address": request.user.email})
    elif resend(mailing, now=now):
        text = _("Sending again to %(address)s within a minute.") % {"address": request.user.email}
        messages.success(request, text)
    else:
        messages.info(request, _("This was already sent, or is being sent."))
    return redirect("digest", pk)


def _mailing_of(digest: Digest) -> Mailing | None:
    return getattr(digest, "mailing", None)
