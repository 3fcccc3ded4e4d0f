"""The form of a rule: what it looks for, what it does."""

from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from reader.errors import RuleRefused, TagRefused
from reader.models import Rule, Tag
from reader.rulebook import Wish
from reader.rules.conditions import LONGEST_PATTERN, Conditions, check
from reader.tagging import read_names


class RuleForm(forms.Form):
    """`places` are the folders and feeds of the person, as choices."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        required=False,
        max_length=100,
        help_text=gettext_lazy("For yourself; may be empty."),
    )
    words = forms.CharField(
        label=pgettext_lazy("of an article", "Words"),
        required=False,
        max_length=2000,
        help_text=gettext_lazy(
            "Any of these words or phrases, in the title or the text, with commas between. “art” does not find "
            "“start”; “econom*” finds “economy”."
        ),
    )
    author = forms.CharField(
        label=gettext_lazy("Author"), required=False, max_length=500, help_text=gettext_lazy("A name or part of it.")
    )
    category = forms.CharField(
        label=gettext_lazy("Category"),
        required=False,
        max_length=500,
        help_text=gettext_lazy("As the feed calls it, whole; several with commas."),
    )
    pattern = forms.CharField(
        label=gettext_lazy("Pattern"),
        required=False,
        max_length=LONGEST_PATTERN,
        help_text=gettext_lazy(
            "For the title or one line of the text: * is anything between, | is either. “iphone*review” finds "
            "“iPhone 17: our review”."
        ),
    )
    language = forms.CharField(
        label=gettext_lazy("Language"), required=False, max_length=8, help_text=gettext_lazy("Its code: en, de, zh.")
    )
    place = forms.ChoiceField(label=gettext_lazy("Feed or folder"), required=False)
    marks_read = forms.BooleanField(label=gettext_lazy("Mark read"), required=False)
    stars = forms.BooleanField(label=pgettext_lazy("what a rule does", "Star"), required=False)
    mutes = forms.BooleanField(label=gettext_lazy("Mute: keep it out of all lists"), required=False)
    tag = forms.CharField(
        label=gettext_lazy("Tag it"),
        required=False,
        max_length=Tag.MOST_CHARACTERS,
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
            (0, gettext_lazy("As it is")),
            (-10, gettext_lazy("Less of this (−10)")),
            (-20, gettext_lazy("Much less of this (−20)")),
        ),
        help_text=gettext_lazy(
            "Points of 100, in For you and Important. Taken back when the rule changes; your interests learn nothing."
        ),
    )
    also_here = forms.BooleanField(label=gettext_lazy("Also apply it to what is here already"), required=False)

    CONDITIONS = ("words", "author", "category", "pattern", "language", "place")
    ACTS = ("marks_read", "stars", "mutes")

    def __init__(self, *args: Any, places: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["place"] = forms.ChoiceField(
            label=gettext_lazy("Feed or folder"), required=False, choices=[("", gettext("Everywhere")), *places]
        )

    @staticmethod
    def initial_of(rule: Rule) -> dict[str, object]:
        """What the form shows of a rule that there is."""
        place = f"folder-{rule.folder_id}" if rule.folder_id else ""
        values = {name: getattr(rule, name) for name in ("name", "words", "author", "category", "pattern", "language")}
        acts = {name: getattr(rule, name) for name in RuleForm.ACTS}
        tag = rule.tag.name if rule.tag else ""
        place = f"feed-{rule.subscription_id}" if rule.subscription_id else place
        return values | acts | {"lift": rule.lift, "place": place, "tag": tag}

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        try:
            check(self.conditions())
            read_names(values.get("tag", ""))
        except (RuleRefused, TagRefused) as refusal:
            raise forms.ValidationError(str(refusal)) from refusal
        return values

    def conditions(self) -> Conditions:
        """What the rule looks for, of what is valid so far."""
        values = self.cleaned_data
        kind, _, number = values.get("place", "").partition("-")
        return Conditions(
            **{name: values.get(name, "") for name in self.CONDITIONS if name != "place"},
            subscription_id=int(number) if kind == "feed" else None,
            folder_id=int(number) if kind == "folder" else None,
        )

    def wish(self) -> Wish:
        """The rule as it is to be saved. Raises RuleRefused if it does nothing."""
        values = self.cleaned_data
        if not (values["tag"] or values["lift"] or any(values[name] for name in self.ACTS)):
            raise RuleRefused(gettext("Say what is to be done with the articles."))
        return Wish(
            name=values["name"],
            conditions=self.conditions(),
            mutes=values["mutes"],
            marks_read=values["marks_read"],
            stars=values["stars"],
            tag=values["tag"],
            lift=values["lift"] or 0,
        )
