"""Forms: what people type, checked before it goes further."""

from typing import Any

from django import forms
from django.contrib.auth.forms import BaseUserCreationForm
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile

MOST_BYTES = 20 * 2**20  # of a subscription list; 36,000 feeds are about 8 MB


class AddressForm(forms.Form):
    """A feed or a site, and the folder for it."""

    address = forms.CharField(
        label="Address of a feed or a site",
        max_length=2000,
        widget=forms.TextInput(
            attrs={"placeholder": "example.org", "inputmode": "url", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
    folder = forms.CharField(
        label="Folder",
        required=False,
        max_length=200,
        help_text="An existing one or a new name; leave empty for none.",
        widget=forms.TextInput(attrs={"list": "folders", "autocomplete": "off"}),
    )


class ListFileForm(forms.Form):
    """A file of subscriptions."""

    file = forms.FileField(
        label="Subscription list",
        help_text="OPML from another reader, a feeds.yaml, or a text file with one address a line; up to 20 MB.",
        error_messages={"required": "Choose a file first.", "empty": "This file is empty."},
        widget=forms.FileInput(attrs={"accept": ".opml,.xml,.yaml,.yml,.txt,text/*,application/xml"}),
    )

    def clean_file(self) -> UploadedFile:
        upload: UploadedFile = self.cleaned_data["file"]
        if (upload.size or 0) > MOST_BYTES:
            raise forms.ValidationError("This file is larger than 20 MB. Split it and import the parts.")
        return upload


class SubscriptionForm(forms.Form):
    """A person's own title for a feed, and its folder."""

    title = forms.CharField(
        label="Your name for it", required=False, max_length=300, help_text="Leave empty to use the feed's own."
    )
    folder = AddressForm.base_fields["folder"]


class OwnerForm(BaseUserCreationForm):
    """The owner's account."""

    email = forms.EmailField(label="E-mail", required=False, help_text="For digests by mail; may be empty.")

    class Meta:
        model = User
        fields = ("username", "email")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].help_text = "Letters, digits and @ . + - _"
        self.fields["password1"].help_text = "At least 8 characters, not a common password."
        self.fields["password2"].help_text = ""
        self.fields["email"].widget.attrs["autocomplete"] = "email"
