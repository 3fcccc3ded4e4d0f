"""The form of a rule."""

from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from reader.articles.tags import read_names
from reader.errors import RuleRefused, TagRefused
from reader.models import Rule, Tag
from reader.rules.conditions import MAX_PATTERN_LENGTH, Conditions, check
from reader.rules.store import RuleDraft


class RuleForm(forms.Form):
    """`places` are the user's folders and feeds, as choices."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        required=False,
        max_length=100,
        help_text=gettext_lazy("Only for you. Optional."),
    )
    words = forms.CharField(
        label=pgettext_lazy("of an article", "Words"),
        required=False,
        max_length=2000,
        help_text=gettext_lazy(
            "Any of these comma-separated words or phrases in the title or text. “art” doesn't match “start”; "
            "“econom*” matches “economy”."
        ),
    )
    author = forms.CharField(
        label=gettext_lazy("Author"), required=False, max_length=500, help_text=gettext_lazy("A name, or part of one.")
    )
    category = forms.CharField(
        label=gettext_lazy("Category"),
        required=False,
        max_length=500,
        help_text=gettext_lazy("Exactly as in the feed. Separate several with commas."),
    )
    pattern = forms.CharField(
        label=gettext_lazy("Pattern"),
        required=False,
        max_length=MAX_PATTERN_LENGTH,
        help_text=gettext_lazy(
            "Matched against the title and each line of the text: * is anything, | is or. “iphone*review” matches "
            "“iPhone 17: our review”."
        ),
    )
    language = forms.CharField(
        label=gettext_lazy("Language"),
        required=False,
        max_length=8,
        help_text=gettext_lazy("A code, such as en, de or zh."),
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
    also_here = forms.BooleanField(label=gettext_lazy("Also apply to existing articles"), required=False)

    CONDITIONS = ("words", "author", "category", "pattern", "language", "place")
    ACTS = ("marks_read", "stars", "mutes")

    def __init__(self, *args: Any, places: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["place"] = forms.ChoiceField(
            label=gettext_lazy("Feed or folder"), required=False, choices=[("", gettext("Everywhere")), *places]
        )

    @staticmethod
    def initial_of(rule: Rule) -> dict[str, object]:
        """The form's initial values for an existing rule."""
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
        """The conditions, without invalid ones."""
        values = self.cleaned_data
        kind, _, number = values.get("place", "").partition("-")
        return Conditions(
            **{name: values.get(name, "") for name in self.CONDITIONS if name != "place"},
            subscription_id=int(number) if kind == "feed" else None,
            folder_id=int(number) if kind == "folder" else None,
        )

    def draft(self) -> RuleDraft:
        """The rule to save. Raises RuleRefused if it does nothing."""
        values = self.cleaned_data
        if not (values["tag"] or values["lift"] or any(values[name] for name in self.ACTS)):
            raise RuleRefused(gettext("Choose at least one action."))
        return RuleDraft(
            name=values["name"],
            conditions=self.conditions(),
            mutes=values["mutes"],
            marks_read=values["marks_read"],
            stars=values["stars"],
            tag=values["tag"],
            lift=values["lift"] or 0,
        )
