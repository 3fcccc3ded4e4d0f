"""Past digests: the list of all, and each on its own page."""

from itertools import groupby

from django.contrib import messages
from django.db.models import Case, F, OuterRef, Q, Subquery, TextField, When
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from digests.access import digest_of, digests_of
from digests.delivery.queueing import CAN_BE_SENT_AGAIN, queue, send_again
from digests.edition import SectionName
from digests.keeping import edition_of
from digests.models import Digest, DigestTopic, Mailing
from digests.plans import plans_of
from digests.showing import shown_to
from reader.preferences import time_zone_of
from reader.views.signed_in import SignedInRequest, page, whole_number

PAGE_SIZE = 40


@require_safe
def archive(request: SignedInRequest) -> HttpResponse:
    """Newest first, by day: kind, what led it, what became of its mail."""
    mine = digests_of(request.user)
    last = mine.filter(pk=whole_number(request.GET.get("after", "")) or 0).first()
    if last is not None:
        mine = mine.filter(Q(made_at__lt=last.made_at) | Q(made_at=last.made_at, pk__lt=last.pk))
    found = list(mine.annotate(led_by=_heading_of_first()).order_by("-made_at", "-pk")[: PAGE_SIZE + 1])
    shown = found[:PAGE_SIZE]
    context = {
        "days": [(day, list(digests)) for day, digests in groupby(shown, key=lambda each: each.day)],
        "is_first": last is None,
        "plans": [plan for plan in plans_of(request.user) if plan.is_on],
        "next_after": shown[-1].pk if len(found) > PAGE_SIZE else None,
    }
    with timezone.override(time_zone_of(request.user)):
        return page(request, "digests/digest_list.html", context, here="digests")


def _heading_of_first() -> Subquery:
    """What the first topic stands under (`edition.Topic.heading`), None in an empty digest."""
    first = DigestTopic.objects.filter(digest=OuterRef("pk"), position=0, articles__position=0)
    is_top = When(section=SectionName.TOP, then=F("label"))
    heading = Case(is_top, default=F("articles__title"), output_field=TextField())
    return Subquery(first.values(heading=heading))


@require_safe
def digest(request: SignedInRequest, pk: int) -> HttpResponse:
    """One digest as it was made, and what became of its mail; `?topic=3` lists all related articles of a topic."""
    found = digest_of(request.user, pk)
    mailing = _mailing_of(found)
    context = {
        "digest": found,
        "shown": shown_to(request.user, edition_of(found), whole=whole_number(request.GET.get("topic", ""))),
        "mailing": mailing,
        "can_be_sent": _can_be_sent(mailing) and bool(request.user.email),
    }
    with timezone.override(time_zone_of(request.user)):
        return page(request, "digests/digest_detail.html", context, here="digest")


@require_POST
def digest_send(request: SignedInRequest, pk: int) -> HttpResponse:
    """Mail a digest that was not mailed, or whose mail failed or is in doubt; what was sent is not sent twice."""
    found = digest_of(request.user, pk)
    mailing, now = _mailing_of(found), timezone.now()
    if not request.user.email:
        messages.warning(request, _("There is no address to send it to. Give one in the settings of digests."))
    elif mailing is None:
        queue(found, now=now)
        messages.success(request, _("It is sent to %(address)s within a minute.") % {"address": request.user.email})
    elif send_again(mailing, now=now):
        told = _("It is sent once more to %(address)s, within a minute.") % {"address": request.user.email}
        messages.success(request, told)
    else:
        messages.info(request, _("It was sent, or is on its way."))
    return redirect("digest", pk)


def _mailing_of(found: Digest) -> Mailing | None:
    return getattr(found, "mailing", None)


def _can_be_sent(mailing: Mailing | None) -> bool:
    return mailing is None or mailing.state in CAN_BE_SENT_AGAIN
