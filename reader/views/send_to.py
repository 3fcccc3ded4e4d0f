"""Send articles to other services, and the settings for that."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from feeds.tasks.enqueue import call_worker
from reader.access import article_of, send_target_of
from reader.models import SendTarget
from reader.send_to.outbox import request_sending
from reader.send_to.services import SERVICES, Service
from reader.views.base import SignedInRequest, back_to_row, page


class TargetForm(forms.Form):
    """The settings of one service. Saved secrets aren't shown; an empty field keeps them, unless the address changes,
    or a changed address could get them."""

    def __init__(self, data: QueryDict | None, *, service: Service, saved: dict[str, str]) -> None:
        shown = {field.name: saved.get(field.name, "") for field in service.settings if not field.is_secret}
        super().__init__(data, initial=shown, prefix=service.key)
        self.service, self.saved = service, saved
        for field in service.settings:
            if field.name == "url":
                self.fields[field.name] = forms.URLField(
                    label=str(field.label),
                    max_length=500,
                    assume_scheme="https",
                    widget=forms.TextInput(attrs={"inputmode": "url", "placeholder": "https://"}),
                )
            else:
                hint = _("Saved. Leave empty to keep it.") if field.is_secret and saved.get(field.name) else ""
                attributes = {"autocomplete": "new-password" if field.is_secret else "off", "placeholder": hint}
                widget = forms.PasswordInput if field.is_secret else forms.TextInput
                self.fields[field.name] = forms.CharField(
                    label=str(field.label), max_length=500, required=not hint, widget=widget(attrs=attributes)
                )

    def clean_url(self) -> str:
        return str(self.cleaned_data["url"]).rstrip("/")

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        moved = self.saved.get("url", "") != values.get("url", "")
        for field in self.service.settings:
            if field.is_secret and not values.get(field.name):
                if moved:
                    self.add_error(field.name, gettext_lazy("Enter this again for the new address."))
                values[field.name] = self.saved.get(field.name, "")
        return values


@require_http_methods(["GET", "HEAD", "POST"])
def send_to(request: SignedInRequest) -> HttpResponse:
    """The services and their settings; a POST saves or removes one."""
    saved = {row.service: row for row in SendTarget.objects.filter(user=request.user)}
    chosen = SERVICES.get(request.POST.get("service", "")) if request.method == "POST" else None
    if chosen and request.POST.get("act") == "remove":
        SendTarget.objects.filter(user=request.user, service=chosen.key).delete()
        messages.success(request, _("Removed %(service)s.") % {"service": chosen.name})
        return redirect("send_to")
    panels = []
    for key, service in SERVICES.items():
        values = saved[key].values if key in saved else {}
        form = TargetForm(request.POST if service is chosen else None, service=service, saved=values)
        if service is chosen and form.is_valid():
            SendTarget.objects.update_or_create(user=request.user, service=key, defaults={"values": form.cleaned_data})
            messages.success(request, _("Saved %(service)s.") % {"service": service.name})
            return redirect("send_to")
        panels.append({"service": service, "form": form, "is_saved": key in saved, "is_open": service is chosen})
    context = {"panels": panels, "section": "send_to"}
    return page(request, "reader/send_to.html", context, here="send_to", status=422 if chosen else 200)


@require_POST
def article_send(request: SignedInRequest, pk: int) -> HttpResponse:
    """Send the article to one of the user's services."""
    article = article_of(request.user, pk)
    service = SERVICES.get(request.POST.get("service", ""))
    if service is None or service.request is None:
        raise Http404
    target = send_target_of(request.user, service.key)
    if request_sending(target, article, now=timezone.now()):
        call_worker("reader.tasks.sending.send_articles")
        messages.success(request, _("Sending to %(service)s.") % {"service": service.name})
    else:
        messages.info(request, _("Already sent to %(service)s.") % {"service": service.name})
    return back_to_row(request, pk)
