"""What a person wants of digests: which, when and how, by which clock, what at once, and a feed for other programs."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urljoin
from zoneinfo import available_timezones

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.dateformat import format as dated
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from digests import private_feed
from digests.access import alerts_of, private_feed_of
from digests.delivery.smtp import is_printed
from digests.forms import AlertForm, ClockForm, PersonForm, PlanForm
from digests.kinds import RULES, Kind
from digests.models import DigestPlan
from digests.plans import plans_of
from digests.wishes import Wish, choose_alerts, live_by, plan_digests, settle
from reader.models import Preferences
from reader.preferences import time_zone_of
from reader.views.signed_in import SignedInRequest, page

ALERT_FIELDS = ("breaking", "breaking_by_mail", "feeds_by_mail")


@dataclass(frozen=True, slots=True)
class _Planned:
    """One kind of digest on the page: what it is, its form, and when it is due next, in words."""

    kind: Kind
    words: str
    form: PlanForm
    due: str


@dataclass(slots=True)
class _Forms:
    """The three forms of the page, one of them perhaps as it was posted."""

    person: PersonForm
    plans: list[PlanForm]
    alerts: AlertForm


@require_http_methods(["GET", "HEAD", "POST"])
def digest_settings(request: SignedInRequest) -> HttpResponse:
    """Three forms on one page; `form` says which was posted: person, plans or alerts."""
    posted = request.POST.get("form", "") if request.method == "POST" else ""
    if request.method == "POST" and posted not in _SAVE:
        return HttpResponseBadRequest("form must be person, plans or alerts")
    forms = _forms(request, posted)
    if posted and _SAVE[posted](request, forms):
        return redirect("digest_settings")
    return _page(request, forms, status=422 if posted else 200)


@require_POST
def time_zone(request: SignedInRequest) -> HttpResponse:
    """The clock alone, from the page of all settings."""
    form = ClockForm(request.POST)
    if form.is_valid():
        live_by(request.user, form.cleaned_data["time_zone"], now=timezone.now())
        messages.success(request, _("Saved. Times are shown, and digests made, by this clock."))
    else:
        messages.warning(request, " ".join(map(str, form.errors["time_zone"])))
    return redirect("settings")


def _forms(request: SignedInRequest, posted: str) -> _Forms:
    user, has_address = request.user, bool(request.user.email)
    data = {name: request.POST if posted == name else None for name in _SAVE}
    zone = Preferences.objects.filter(user=user).values_list("time_zone", flat=True).first()
    alerts = alerts_of(user)
    return _Forms(
        PersonForm(data["person"], initial={"email": user.email, "time_zone": zone or ""}),
        [_plan_form(plan, data["plans"], has_address) for plan in plans_of(user)],
        AlertForm(
            data["alerts"], initial={name: getattr(alerts, name) for name in ALERT_FIELDS}, has_address=has_address
        ),
    )


def _plan_form(plan: DigestPlan, data: Any, has_address: bool) -> PlanForm:
    names = ("is_on", "at", "weekday", "by_mail", "n_topics")
    initial = {name: getattr(plan, name) for name in names}
    return PlanForm(Kind(plan.kind), data, initial=initial, has_address=has_address)


def _save_person(request: SignedInRequest, forms: _Forms) -> bool:
    if not forms.person.is_valid():
        return False
    stopped = settle(request.user, **forms.person.cleaned_data, now=timezone.now())
    messages.success(request, _("Saved. Nothing is sent by mail any more.") if stopped else _("Saved."))
    return True


def _save_plans(request: SignedInRequest, forms: _Forms) -> bool:
    are_valid = [form.is_valid() for form in forms.plans]  # of each, so that all that is wrong is told at once
    if not all(are_valid):
        return False
    wishes = [Wish(form.kind, **{"weekday": None, **form.cleaned_data}) for form in forms.plans]
    plan_digests(request.user, wishes, now=timezone.now())
    messages.success(request, _("Saved."))
    return True


def _save_alerts(request: SignedInRequest, forms: _Forms) -> bool:
    if not forms.alerts.is_valid():
        return False
    choose_alerts(request.user, **forms.alerts.cleaned_data, now=timezone.now())
    messages.success(request, _("Saved."))
    return True


_SAVE: dict[str, Callable[[SignedInRequest, _Forms], bool]] = {
    "person": _save_person,
    "plans": _save_plans,
    "alerts": _save_alerts,
}


def _page(request: SignedInRequest, forms: _Forms, *, status: int = 200, token: str = "") -> HttpResponse:
    zone = time_zone_of(request.user)
    now = timezone.now()
    due = {plan.kind: plan.next_at for plan in plans_of(request.user) if plan.is_on}
    context = {
        "forms": forms,
        "section": "digests",
        "planned": [
            _Planned(form.kind, _words(form.kind), form, _due(due.get(form.kind), now.astimezone(zone)))
            for form in forms.plans
        ],
        "zone": zone.key,
        "mail_is_printed": is_printed(),
        "zones": sorted(available_timezones()),
        "feed": private_feed_of(request.user),
        "feed_address": urljoin(settings.BASE_URL, reverse("private_feed", args=[token])) if token else "",
    }
    with timezone.override(zone):
        return page(request, "digests/settings.html", context, here="digest_settings", status=status)


def _words(kind: Kind) -> str:
    """What a kind covers and when it is sent: `What came since the last digest; between 11:30 and 13:00.`"""
    rules = RULES[kind]
    covered = _("The last seven days") if rules.window > timedelta(days=1) else _("The last 24 hours")
    if rules.since_last:
        covered = _("What came since the last digest")
    if not rules.hours:
        return covered
    told = {"covered": covered, "first": f"{rules.hours.first:%H:%M}", "last": f"{rules.hours.last:%H:%M}"}
    return _("%(covered)s; between %(first)s and %(last)s.") % told


def _due(moment: datetime | None, now: datetime) -> str:
    """A moment to come by the clock of `now`: `today, 18:00`, `tomorrow, 07:00`, `Saturday, 08:00`, `5 Dec, 08:00`."""
    if moment is None:
        return ""
    local = moment.astimezone(now.tzinfo)
    days = (local.date() - now.date()).days
    if days <= 0:
        day = _("today")
    elif days == 1:
        day = _("tomorrow")
    else:
        day = dated(local, "l" if days < 7 else pgettext("date format", "j M"))
    return _("%(day)s, %(time)s") % {"day": day, "time": f"{local:%H:%M}"}


@never_cache
@require_POST
def digest_feed(request: SignedInRequest) -> HttpResponse:
    """Make the private feed's address anew, and show it this once (`act=renew`); or let nobody read it (`act=off`)."""
    act = request.POST.get("act", "")
    if act == "off":
        if private_feed.switch_off(request.user):
            messages.success(request, _("The private feed is off. Its address leads nowhere now."))
        return redirect("digest_settings")
    if act != "renew":
        return HttpResponseBadRequest("act must be renew or off")
    token = private_feed.renew_token(request.user, now=timezone.now())
    return _page(request, _forms(request, ""), token=token)
