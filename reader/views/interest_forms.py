"""Forms of the interests page."""

import json
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from feeds.normalizing.text import split_list
from reader.interests.overview import RECENCY_RATES

MAX_TICKED = 100  # suggested topics
MAX_BYTES = 2 * 2**20  # of a file of interests; 5,000 terms are about 600 KB


class TopicsForm(forms.Form):
    """Topics to add, typed or ticked (`topic`), and whether to add the categories of the user's feeds."""

    topics = forms.CharField(
        label=_("Topics, separated by commas"),
        required=False,
        max_length=2000,
        widget=forms.TextInput(attrs={"placeholder": _("vaccines, chess, Geneva"), "autocomplete": "off"}),
    )
    categories = forms.BooleanField(label=_("Categories and folders of my feeds"), required=False)

    def clean_topics(self) -> list[str]:
        ticked = self.data.getlist("topic")[:MAX_TICKED] if hasattr(self.data, "getlist") else []
        return [*split_list(self.cleaned_data["topics"]), *(topic[:100].strip() for topic in ticked if topic.strip())]

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        if not found.get("topics") and not found.get("categories") and not self.errors:
            self.add_error("topics", _("Enter at least one topic."))
        return found


class LearningForm(forms.Form):
    """Whether to learn, and how fast recency decays."""

    is_learning = forms.BooleanField(label=_("Learn from what I open, skip, like and dislike"), required=False)
    recency = forms.TypedChoiceField(
        label=_("How often I read"),
        coerce=float,
        choices=[(str(rate), words) for rate, words in RECENCY_RATES.items()],
        widget=forms.RadioSelect,
    )


class InterestFileForm(forms.Form):
    """An exported file of interests."""

    file = forms.FileField(
        label=_("File"),
        help_text=_("JSON exported from this page, up to 2 MB. Weights of existing interests are replaced."),
        error_messages={"required": _("Choose a file first."), "empty": _("This file is empty.")},
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
    )

    def clean_file(self) -> object:
        """The parsed JSON."""
        upload: UploadedFile = self.cleaned_data["file"]
        if (upload.size or 0) > MAX_BYTES:
            raise forms.ValidationError(_("This file is larger than 2 MB, so it isn't an interests export."))
        try:
            return json.loads(upload.read())
        except (ValueError, RecursionError):
            raise forms.ValidationError(_("This file isn't valid JSON.")) from None
