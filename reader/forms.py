"""Forms: what people type, checked before it goes further."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import BaseUserCreationForm
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from reader.feed_acts import Act
from reader.models import Preferences
from reader.preferences import installed_languages, language_named

MOST_BYTES = 20 * 2**20  # of a subscription list; 36,000 feeds are about 8 MB
MOST_PASTED = 2 * 2**20  # characters; Django itself takes no form above 2.5 MB


class AddressForm(forms.Form):
    """A feed or a site, and the folder for it."""

    address = forms.CharField(
        label=_("Address of a feed or a site"),
        max_length=2000,
        widget=forms.TextInput(
            attrs={"placeholder": "example.org", "inputmode": "url", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
    folder = forms.CharField(
        label=_("Folder"),
        required=False,
        max_length=200,
        help_text=_("An existing one or a new name; leave empty for none."),
        widget=forms.TextInput(attrs={"list": "folders", "autocomplete": "off"}),
    )


class ListForm(forms.Form):
    """A list of subscriptions: a file, the text of one, or its address."""

    file = forms.FileField(
        label=_("A file"),
        required=False,
        help_text=_("OPML from another reader, a feeds.yaml, or a text file with one address a line; up to 20 MB."),
        error_messages={"empty": _("This file is empty.")},
        widget=forms.FileInput(attrs={"accept": ".opml,.xml,.yaml,.yml,.txt,text/*,application/xml"}),
    )
    text = forms.CharField(
        label=_("Or paste it"),
        required=False,
        max_length=MOST_PASTED,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false", "placeholder": "https://example.org/feed.xml"}),
    )
    address = forms.CharField(
        label=_("Or give its address"),
        required=False,
        max_length=2000,
        widget=forms.TextInput(
            attrs={"placeholder": "example.org/feeds.opml", "inputmode": "url", "autocapitalize": "none"}
        ),
    )

    def clean_file(self) -> UploadedFile | None:
        upload: UploadedFile | None = self.cleaned_data["file"]
        if upload and (upload.size or 0) > MOST_BYTES:
            raise forms.ValidationError(gettext("This file is larger than 20 MB. Split it and import the parts."))
        return upload

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        n_given = sum(bool(str(found.get(name) or "").strip()) for name in ("file", "text", "address"))
        if not self.errors and n_given != 1:
            raise forms.ValidationError(
                gettext("One of the three at a time.")
                if n_given
                else gettext("Choose a file, paste a list, or give its address.")
            )
        return found


class SubscriptionForm(forms.Form):
    """A person's own title for a feed, and its folder."""

    title = forms.CharField(
        label=_("Your name for it"), required=False, max_length=300, help_text=_("Leave empty to use the feed's own.")
    )
    folder = AddressForm.base_fields["folder"]
    category = forms.CharField(
        label=_("Category"),
        required=False,
        max_length=100,
        help_text=_("The heading that its articles stand under in digests. Leave empty for the folder's name."),
    )
    fetches_full_text = forms.BooleanField(
        label=_("Always fetch the full text"),
        required=False,
        help_text=_("For feeds that give only the beginning: new articles are fetched from their own pages."),
    )
    most_a_day = forms.IntegerField(
        label=_("At most so many articles of one day"),
        required=False,
        min_value=1,
        max_value=1000,
        help_text=_(
            "The first to come, and of those that come together the newest; the others stand in the feed's own list. "
            "Leave empty for all."
        ),
    )
    is_digest_only = forms.BooleanField(
        label=_("Digests only: not in All, For you and folders, and not counted as unread"), required=False
    )
    quiet_until = forms.DateField(
        label=_("Quiet until"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text=_("What comes before that day stands in the feed's own list only."),
    )
    has_alerts = forms.BooleanField(
        label=_("Breaking news of this feed may alert me"),
        required=False,
        help_text=_("Where alerts are on at all: that is among the settings of digests."),
    )
    tells_of_trouble = forms.BooleanField(
        label=_("Tell me when this feed is in trouble, and when it is well again"), required=False
    )
    asks_again = forms.BooleanField(
        label=_("Ask me again whether to keep it"),
        required=False,
        help_text=_("You said that you keep it, so no advice is given on this feed."),
    )


class FolderForm(forms.Form):
    """A folder's name, and how its selection is made."""

    name = forms.CharField(label=_("Name"), max_length=200, widget=forms.TextInput(attrs={"autocomplete": "off"}))
    item_limit_per_category = forms.IntegerField(
        label=_("Articles of each category in its selection"),
        required=False,
        min_value=1,
        max_value=1000,
        help_text=_("Leave empty for no selection."),
    )


class ManyForm(forms.Form):
    """What is to be done with the chosen feeds."""

    act = forms.ChoiceField(choices=[(each.value, each.value) for each in Act])
    folder = forms.CharField(required=False, max_length=200)
    until = forms.DateField(required=False)


class SavedSearchForm(forms.Form):
    """A query and the name of its list."""

    name = forms.CharField(label=_("Name"), max_length=100, widget=forms.TextInput(attrs={"autocomplete": "off"}))
    query = forms.CharField(
        label=_("Query"),
        max_length=500,
        help_text=_("What the page Search understands."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "dir": "auto"}),
    )


class OwnerForm(BaseUserCreationForm):
    """The owner's account."""

    email = forms.EmailField(label=_("E-mail"), required=False, help_text=_("For digests by mail; may be empty."))

    class Meta:
        model = User
        fields = ("username", "email")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].help_text = _("Letters, digits and @ . + - _")
        self.fields["password1"].help_text = _(
            "At least 10 characters, not a common password. Several words are good, and spaces are allowed."
        )
        self.fields["password2"].help_text = ""
        self.fields["email"].widget.attrs["autocomplete"] = "email"


class PreferencesForm(forms.ModelForm):
    """How pages look and lists behave; in which language, where there is a choice."""

    class Meta:
        model = Preferences
        fields = (
            "language",
            "theme",
            "density",
            "has_pictures",
            "has_columns",
            "face",
            "text_size",
            "reads_on_scroll",
            "has_keys",
        )
        labels = {"theme": _("Theme")}  # noqa: RUF012
        widgets = dict.fromkeys(("theme", "density", "face", "text_size"), forms.RadioSelect)

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        if settings.ENV.IMAGE_PROXY:
            self.fields["has_pictures"].help_text = _(
                "They come through this reader: publishers do not learn who looks."
            )
        languages = installed_languages()
        if len(languages) > 1:
            usual = _("This reader's own: %(name)s") % {"name": languages[language_named("")]}
            choices = [("", usual), *languages.items()]
            self.fields["language"] = forms.ChoiceField(label=_("Language"), choices=choices, required=False)
        else:
            del self.fields["language"]
