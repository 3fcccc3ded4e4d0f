"""Forms of the digest settings."""

from collections.abc import Mapping
from datetime import time
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from digests.edition.kinds import RULES, Kind
from digests.schedule.period import time_refusal
from digests.schedule.plans import MIN_TOPICS
from reader.models import MailPictures


class PlanForm(forms.Form):
    """When and how a user gets one kind of digest."""

    is_on = forms.BooleanField(label=pgettext_lazy("a digest", "On"), required=False)
    at = forms.TimeField(
        label=pgettext_lazy("a time", "At"),
        input_formats=("%H:%M", "%H:%M:%S"),
        error_messages={"required": _("Enter a time."), "invalid": _("Enter a time like 07:30.")},
        widget=forms.TimeInput(format="%H:%M", attrs={"type": "time", "step": 60}),
    )
    by_mail = forms.BooleanField(label=_("By email"), required=False)

    def __init__(self, kind: Kind, data: Mapping[str, Any] | None = None, *, has_address: bool, **values: Any) -> None:
        super().__init__(data, prefix=kind.value, **values)
        self.kind = kind
        rules = RULES[kind]
        most = rules.sizes.top + rules.sizes.noteworthy + rules.sizes.also
        self.fields["at"].widget.attrs.update(_hours(kind))
        self.fields["n_topics"] = forms.IntegerField(
            label=_("Topics"),
            required=False,
            min_value=MIN_TOPICS,
            max_value=most,
            widget=forms.NumberInput(attrs={"placeholder": pgettext_lazy("number of topics", "any")}),
        )
        if rules.usual_weekday is not None:
            self.fields["weekday"] = forms.TypedChoiceField(
                label=_("Day"), coerce=int, choices=[(number, WEEKDAYS[number]) for number in sorted(rules.weekdays)]
            )
        if not has_address:
            self.fields["by_mail"].disabled = True
            self.initial["by_mail"] = False

    def clean_at(self) -> time:
        at: time = self.cleaned_data["at"]
        if refusal := time_refusal(self.kind, at):
            raise forms.ValidationError(refusal)
        return at


class PicturesForm(forms.Form):
    """Whether and how emails have pictures. Nothing submitted changes nothing."""

    mail_pictures = forms.ChoiceField(
        label=_("Pictures in emails"),
        required=False,
        help_text=_(
            "For up to four top stories. Attached pictures appear right away. "
            "Loaded ones keep emails small, but your mail app may ask first."
        ),
    )

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        field = self.fields["mail_pictures"]
        field.choices = [  # type: ignore[attr-defined]
            choice for choice in MailPictures.choices if choice[0] != MailPictures.SERVER or settings.ENV.IMAGE_PROXY
        ]


class ClockForm(forms.Form):
    """The user's time zone."""

    time_zone = forms.CharField(
        label=_("Time zone"),
        required=False,
        max_length=64,
        widget=forms.TextInput(attrs={"list": "zones", "autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        help_text = gettext("For example Europe/Berlin. Leave empty for the default, %(zone)s.")
        self.fields["time_zone"].help_text = help_text % {"zone": settings.TIME_ZONE}

    def clean_time_zone(self) -> str:
        """The zone's canonical name; "" for the default."""
        given = self.cleaned_data["time_zone"].strip().replace(" ", "_")
        names = {name.casefold(): name for name in available_timezones()}
        if given and given.casefold() not in names:
            raise forms.ValidationError(
                _("There is no time zone “%(name)s”. Start with the continent, as in Asia/Tokyo."),
                params={"name": given},
            )
        return names.get(given.casefold(), "")


class AlertForm(forms.Form):
    """The alerts a user gets."""

    breaking = forms.BooleanField(label=_("Breaking news on the web"), required=False)
    breaking_by_mail = forms.BooleanField(label=_("Breaking news by email"), required=False)
    feeds_by_mail = forms.BooleanField(label=_("Feed problems by email"), required=False)

    def __init__(self, *args: Any, has_address: bool, **values: Any) -> None:
        super().__init__(*args, **values)
        if not has_address:
            for name in ("breaking_by_mail", "feeds_by_mail"):
                self.fields[name].disabled = True
                self.initial[name] = False


def _hours(kind: Kind) -> dict[str, str]:
    """The earliest and latest time for the browser's time field."""
    hours = RULES[kind].hours
    return {"min": f"{hours.first:%H:%M}", "max": f"{hours.last:%H:%M}"} if hours else {}
