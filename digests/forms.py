"""Forms of the settings of digests: what people type, checked before it goes further."""

from collections.abc import Mapping
from datetime import time
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.conf import settings

from digests.kinds import RULES, Kind
from digests.period import time_refusal
from digests.plans import FEWEST_TOPICS

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class PlanForm(forms.Form):
    """When one kind of digest is wanted, and how."""

    is_on = forms.BooleanField(label="On", required=False)
    at = forms.TimeField(
        label="At",
        input_formats=("%H:%M", "%H:%M:%S"),
        error_messages={"required": "Say at what time.", "invalid": "Write the time like 07:30."},
        widget=forms.TimeInput(format="%H:%M", attrs={"type": "time", "step": 60}),
    )
    by_mail = forms.BooleanField(label="By mail", required=False)

    def __init__(self, kind: Kind, data: Mapping[str, Any] | None = None, *, has_address: bool, **values: Any) -> None:
        super().__init__(data, prefix=kind.value, **values)
        self.kind = kind
        rules = RULES[kind]
        most = rules.sizes.top + rules.sizes.noteworthy + rules.sizes.also
        self.fields["at"].widget.attrs.update(_hours(kind))
        self.fields["n_topics"] = forms.IntegerField(
            label="Topics",
            required=False,
            min_value=FEWEST_TOPICS,
            max_value=most,
            widget=forms.NumberInput(attrs={"placeholder": "any"}),
        )
        if rules.usual_weekday is not None:
            self.fields["weekday"] = forms.TypedChoiceField(
                label="Day", coerce=int, choices=[(number, WEEKDAYS[number]) for number in sorted(rules.weekdays)]
            )
        if not has_address:
            self.fields["by_mail"].disabled = True
            self.initial["by_mail"] = False

    def clean_at(self) -> time:
        at: time = self.cleaned_data["at"]
        if refusal := time_refusal(self.kind, at):
            raise forms.ValidationError(refusal)
        return at


class PersonForm(forms.Form):
    """Where a person is reached, and by which clock they live."""

    email = forms.EmailField(
        label="E-mail",
        required=False,
        max_length=254,
        help_text="Digests and alerts by mail go here. Leave empty for none.",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    time_zone = forms.CharField(
        label="Time zone",
        required=False,
        max_length=64,
        widget=forms.TextInput(attrs={"list": "zones", "autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self.fields[
            "time_zone"
        ].help_text = f"Such as Europe/Berlin. Leave empty for this reader's own, {settings.TIME_ZONE}."

    def clean_time_zone(self) -> str:
        """The zone's own name, however it was written; "" for the installation's."""
        given = self.cleaned_data["time_zone"].strip().replace(" ", "_")
        names = {name.casefold(): name for name in available_timezones()}
        if given and given.casefold() not in names:
            raise forms.ValidationError(
                f"No time zone is called “{given}”. Begin with the continent, as in Asia/Tokyo."
            )
        return names.get(given.casefold(), "")


class AlertForm(forms.Form):
    """What a person is told at once."""

    breaking = forms.BooleanField(label="Breaking news in the reader", required=False)
    breaking_by_mail = forms.BooleanField(label="Breaking news by mail", required=False)
    feeds_by_mail = forms.BooleanField(label="News of feeds by mail", required=False)

    def __init__(self, *args: Any, has_address: bool, **values: Any) -> None:
        super().__init__(*args, **values)
        if not has_address:
            for name in ("breaking_by_mail", "feeds_by_mail"):
                self.fields[name].disabled = True
                self.initial[name] = False


def _hours(kind: Kind) -> dict[str, str]:
    """The earliest and the latest time, for a field of the browser's own."""
    hours = RULES[kind].hours
    return {"min": f"{hours.first:%H:%M}", "max": f"{hours.last:%H:%M}"} if hours else {}
