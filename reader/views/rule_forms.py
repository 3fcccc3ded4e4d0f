"""The form of a rule."""

from itertools import islice
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from reader.articles.tags import read_names
from reader.errors import RuleRefused, TagRefused
from reader.models import Rule, Tag
from reader.rules.conditions import MAX_ROWS, Comparison, Condition, Conditions, Field, check
from reader.rules.store import RuleDraft, check_acts
from reader.send_to.webhooks import check_url


class RuleForm(forms.Form):
    """`places` are the user's folders and feeds, as choices. The conditions aren't fields of the form: `rows`."""

    data: QueryDict

    name = forms.CharField(
        label=gettext_lazy("Name"),
        required=False,
        max_length=100,
        help_text=gettext_lazy("Only for you. Optional."),
    )
    is_any = forms.ChoiceField(
        label=gettext_lazy("Conditions"),
        required=False,
        choices=(("", gettext_lazy("If all of these are true")), ("1", gettext_lazy("If any of these is true"))),
    )
    place = forms.ChoiceField(label=gettext_lazy("Feed or folder"), required=False)
    marks_read = forms.BooleanField(label=gettext_lazy("Mark read"), required=False)
    stars = forms.BooleanField(label=pgettext_lazy("what a rule does", "Star"), required=False)
    mutes = forms.BooleanField(label=gettext_lazy("Mute: hide from all lists"), required=False)
    tag = forms.CharField(
        label=gettext_lazy("Add tag"),
        required=False,
        max_length=Tag.MAX_CHARACTERS,
        widget=forms.TextInput(attrs={"list": "known-tags", "autocomplete": "off"}),
    )
    lift = forms.TypedChoiceField(
        label=gettext_lazy("Relevance"),
        required=False,
        coerce=int,
        initial=0,
        choices=(
            (20, gettext_lazy("Much more of this (+20)")),
            (10, gettext_lazy("More of this (+10)")),
            (0, gettext_lazy("No change")),
            (-10, gettext_lazy("Less of this (−10)")),
            (-20, gettext_lazy("Much less of this (−20)")),
        ),
        help_text=gettext_lazy(
            "Points out of 100, in For you and Important. Ends with the rule; your interests don't learn from it."
        ),
    )
    url = forms.CharField(
        label=gettext_lazy("Send to URL"),
        required=False,
        max_length=2000,
        help_text=gettext_lazy("Sends each new match as signed JSON. Optional."),
        widget=forms.TextInput(attrs={"inputmode": "url", "autocapitalize": "none", "placeholder": "https://"}),
    )
    also_here = forms.BooleanField(label=gettext_lazy("Also apply to existing articles"), required=False)
    sends_here = forms.BooleanField(label=gettext_lazy("Also send existing articles to the URL"), required=False)

    ACTS = ("marks_read", "stars", "mutes")

    def __init__(self, *args: Any, places: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["place"] = forms.ChoiceField(
            label=gettext_lazy("Feed or folder"), required=False, choices=[("", gettext("Everywhere")), *places]
        )

        self.rows = rows_in(self.data) if self.is_bound else ()

        for name in ("is_any", "place"):  # their choices are sentences; a label is only for screen readers
            self.fields[name].widget.attrs["aria-label"] = self.fields[name].label

    @staticmethod
    def initial_of(rule: Rule) -> dict[str, object]:
        """The form's initial values for an existing rule."""
        place = f"folder-{rule.folder_id}" if rule.folder_id else ""
        acts = {name: getattr(rule, name) for name in RuleForm.ACTS}
        tag = rule.tag.name if rule.tag else ""
        place = f"feed-{rule.subscription_id}" if rule.subscription_id else place
        own = {"name": rule.name, "is_any": "1" if rule.is_any else "", "lift": rule.lift, "place": place, "tag": tag}
        return acts | own | {"url": rule.url}

    def clean_url(self) -> str:
        try:
            return check_url(self.cleaned_data["url"])
        except RuleRefused as refusal:
            raise forms.ValidationError(str(refusal)) from refusal

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        try:
            check(self.conditions())
            read_names(values.get("tag", ""))
        except (RuleRefused, TagRefused) as refusal:
            raise forms.ValidationError(str(refusal)) from refusal
        return values

    def conditions(self) -> Conditions:
        """The conditions, without invalid ones."""
        values = self.cleaned_data
        kind, _, number = values.get("place", "").partition("-")
        return Conditions(
            rows=self.rows,
            is_any=bool(values.get("is_any")),
            subscription_id=int(number) if kind == "feed" else None,
            folder_id=int(number) if kind == "folder" else None,
        )

    def draft(self) -> RuleDraft:
        """The rule to save. Raises RuleRefused if it does nothing."""
        values = self.cleaned_data
        draft = RuleDraft(
            name=values["name"],
            conditions=self.conditions(),
            mutes=values["mutes"],
            marks_read=values["marks_read"],
            stars=values["stars"],
            tag=values["tag"],
            lift=values["lift"] or 0,
            url=values["url"],
        )
        check_acts(draft)
        return draft


def rows_in(query: QueryDict) -> tuple[Condition, ...]:
    """The rows of a rule in a form or a query: `field`, `test` and `value`, once for each; without empty ones."""
    rows = zip(query.getlist("field"), query.getlist("test"), query.getlist("value"), strict=False)
    return tuple(
        Condition(Field(field), Comparison(test), value.strip().replace("\0", ""))
        for field, test, value in islice(rows, MAX_ROWS + 1)
        if value.strip() and field in set(Field) and test in set(Comparison)
    )
