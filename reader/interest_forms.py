"""Forms of the page of interests."""

import json
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from reader.interest_page import RECENCY_RATES

MOST_BYTES = 2 * 2**20  # of a file of interests; 5,000 terms are about 600 KB


class TopicsForm(forms.Form):
    """Topics, with commas between; and whether to begin with the categories of one's feeds."""

    topics = forms.CharField(
        label=_("Topics, with commas between"),
        required=False,
        max_length=2000,
        widget=forms.TextInput(attrs={"placeholder": _("vaccines, chess, Geneva"), "autocomplete": "off"}),
    )
    categories = forms.BooleanField(label=_("The categories and folders of my feeds"), required=False)

    def clean_topics(self) -> list[str]:
        return [topic for topic in (each.strip() for each in self.cleaned_data["topics"].split(",")) if topic]

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        if not found.get("topics") and not found.get("categories") and not self.errors:
            self.add_error("topics", _("Name at least one topic."))
        return found


class LearningForm(forms.Form):
    """Whether to learn, and how fast importance lets recency go."""

    is_learning = forms.BooleanField(label=_("Learn from what I open, skip, like and dislike"), required=False)
    recency = forms.TypedChoiceField(
        label=_("How often I read"),
        coerce=float,
        choices=[(str(rate), words) for rate, words in RECENCY_RATES.items()],
        widget=forms.RadioSelect,
    )


class InterestFileForm(forms.Form):
    """A file of interests as it was exported."""

    file = forms.FileField(
        label=_("A file of interests"),
        help_text=_("JSON as exported here, up to 2 MB. Terms that you have take the file's weight; others stay."),
        error_messages={"required": _("Choose a file first."), "empty": _("This file is empty.")},
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
    )

    def clean_file(self) -> object:
        """What the file says, read as JSON."""
        upload: UploadedFile = self.cleaned_data["file"]
        if (upload.size or 0) > MOST_BYTES:
            raise forms.ValidationError(_("This file is larger than 2 MB; no export of interests is."))
        try:
            return json.loads(upload.read())
        except (ValueError, RecursionError):
            raise forms.ValidationError(_("This file is not JSON.")) from None
