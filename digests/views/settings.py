"""The settings of digests (kinds, times, alerts, the private feed), and the time zone."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urljoin

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

from digests.access import alerts_of, private_feed_of
from digests.delivery import private_feed
from digests.delivery.pictures import mail_pictures_of
from digests.delivery.preferences import PlanChoice, change_time_zone, choose_alerts, save_mail_pictures, save_plans
from digests.delivery.smtp import is_printed
from digests.edition.kinds import RULES, Kind
from digests.models import DigestPlan
from digests.schedule.plans import plans_of
from digests.views.forms import AlertForm, ClockForm, PicturesForm, PlanForm
from reader.preferences.store import time_zone_of
from reader.views.base import SignedInRequest, page

ALERT_FIELDS = ("breaking", "breaking_by_mail", "feeds_by_mail")


@dataclass(frozen=True, slots=True)
class _Planned:
    """One kind of digest on the page: its description, its form, and when it is due next."""

    kind: Kind
    words: str
    form: PlanForm
    due: str


@dataclass(slots=True)
class _Forms:
    """The forms of the page; `pictures` is submitted with the plans."""

    plans: list[PlanForm]
    pictures: PicturesForm
    alerts: AlertForm


@require_http_methods(["GET", "HEAD", "POST"])
def digest_settings(request: SignedInRequest) -> HttpResponse:
    """Two forms on one page; `form` says which was submitted: plans or alerts."""
    posted = request.POST.get("form", "") if request.method == "POST" else ""
    if request.method == "POST" and posted not in _SAVE:
        return HttpResponseBadRequest("form must be plans or alerts")
    forms = _forms(request, posted)
    if posted and _SAVE[posted](request, forms):
        return redirect("digest_settings")
    return _page(request, forms, status=422 if posted else 200)


@require_POST
def time_zone(request: SignedInRequest) -> HttpResponse:
    """Save the time zone from the main settings page."""
    form = ClockForm(request.POST)
    if form.is_valid():
        change_time_zone(request.user, form.cleaned_data["time_zone"], now=timezone.now())
        messages.success(request, _("Saved. Times and digests now use this time zone."))
    else:
        messages.warning(request, " ".join(map(str, form.errors["time_zone"])))
    return redirect("settings")


def _forms(request: SignedInRequest, posted: str) -> _Forms:
    user, has_address = request.user, bool(request.user.email)
    data = {name: request.POST if posted == name else None for name in _SAVE}
    alerts = alerts_of(user)
    return _Forms(
        [_plan_form(plan, data["plans"], has_address) for plan in plans_of(user)],
        PicturesForm(data["plans"], initial={"mail_pictures": mail_pictures_of(user)}),
        AlertForm(
            data["alerts"], initial={name: getattr(alerts, name) for name in ALERT_FIELDS}, has_address=has_address
        ),
    )


def _plan_form(plan: DigestPlan, data: Any, has_address: bool) -> PlanForm:
    names = ("is_on", "at", "weekday", "by_mail", "n_topics")
    initial = {name: getattr(plan, name) for name in names}
    return PlanForm(Kind(plan.kind), data, initial=initial, has_address=has_address)


def _save_plans(request: SignedInRequest, forms: _Forms) -> bool:
    are_valid = [form.is_valid() for form in (*forms.plans, forms.pictures)]  # validate all to show all errors
    if not all(are_valid):
        return False
    choices = [PlanChoice(form.kind, **{"weekday": None, **form.cleaned_data}) for form in forms.plans]
    save_plans(request.user, choices, now=timezone.now())
    if pictures := forms.pictures.cleaned_data["mail_pictures"]:
        save_mail_pictures(request.user, pictures)
    messages.success(request, _("Saved."))
    return True


def _save_alerts(request: SignedInRequest, forms: _Forms) -> bool:
    if not forms.alerts.is_valid():
        return False
    choose_alerts(request.user, **forms.alerts.cleaned_data, now=timezone.now())
    messages.success(request, _("Saved."))
    return True


_SAVE: dict[str, Callable[[SignedInRequest, _Forms], bool]] = {
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
        "feed": private_feed_of(request.user),
        "feed_address": urljoin(settings.BASE_URL, reverse("private_feed", args=[token])) if token else "",
    }
    with timezone.override(zone):
        return page(request, "digests/settings.html", context, here="digest_settings", status=status)


def _words(kind: Kind) -> str:
    """What a kind covers and when: `Articles since the last digest. Choose a time between 11:30 and 13:00.`"""
    rules = RULES[kind]
    covered = _("The last seven days") if rules.window > timedelta(days=1) else _("The last 24 hours")
    if rules.since_last:
        covered = _("Articles since the last digest")
    if not rules.hours:
        return covered
    values = {"covered": covered, "first": f"{rules.hours.first:%H:%M}", "last": f"{rules.hours.last:%H:%M}"}
    return _("%(covered)s. Choose a time between %(first)s and %(last)s.") % values


def _due(moment: datetime | None, now: datetime) -> str:
    """A future time in the zone of `now`: `today, 18:00`, `tomorrow, 07:00`, `Saturday, 08:00`, `5 Dec, 08:00`."""
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
    """Renew the private feed's address and show it once (`act=renew`), or turn the feed off (`act=off`)."""
    act = request.POST.get("act", "")
    if act == "off":
        if private_feed.switch_off(request.user):
            messages.success(request, _("The private feed is off. Its address no longer works."))
        return redirect("digest_settings")
    if act != "renew":
        return HttpResponseBadRequest("act must be renew or off")
    token = private_feed.renew_token(request.user, now=timezone.now())
    return _page(request, _forms(request, ""), token=token)
