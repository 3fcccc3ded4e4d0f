"""Forms for reading, following feeds and settings."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import BaseUserCreationForm
from django.contrib.auth.models import User
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from feeds.discovery.feed_address import InvalidAddress, feed_address
from reader.models import Preferences
from reader.preferences.store import installed_languages
from reader.subscriptions.bulk_actions import Act

TYPED_ADDRESS = {"inputmode": "url", "autocapitalize": "none", "autocomplete": "off", "spellcheck": "false"}
MAX_PASTED = 2 * 2**20  # characters; Django itself takes no form above 2.5 MB


class AddressForm(forms.Form):
    """A feed or a site; the folder is only suggested, in a later step."""

    address = forms.CharField(
        label=_("Feed or website address"),
        max_length=2000,
        widget=forms.TextInput(attrs=TYPED_ADDRESS | {"placeholder": "example.org"}),
    )
    folder = forms.CharField(required=False, max_length=200, widget=forms.HiddenInput)


class ListForm(forms.Form):
    """A list of subscriptions: a file, the text of one, or its address."""

    file = forms.FileField(
        label=_("File"),
        required=False,
        help_text=_("OPML, feeds.yaml, or a text file with one address per line, up to 8 MiB."),
        error_messages={"empty": _("This file is empty.")},
        widget=forms.FileInput(attrs={"accept": ".opml,.xml,.yaml,.yml,.txt,text/*,application/xml"}),
    )
    text = forms.CharField(
        label=_("Or paste the list"),
        required=False,
        max_length=MAX_PASTED,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false", "placeholder": "https://example.org/feed.xml"}),
    )
    address = forms.CharField(
        label=_("Or enter its address"),
        required=False,
        max_length=2000,
        widget=forms.TextInput(
            attrs={"placeholder": "example.org/feeds.opml", "inputmode": "url", "autocapitalize": "none"}
        ),
    )

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        n_given = sum(bool(str(found.get(name) or "").strip()) for name in ("file", "text", "address"))
        if not self.errors and n_given != 1:
            raise forms.ValidationError(
                gettext("Choose only one: a file, a pasted list or an address.")
                if n_given
                else gettext("Choose a file, paste a list, or enter its address.")
            )
        return found


class SubscriptionForm(forms.Form):
    """The settings of a feed: title, folder, full text, noise limits, address."""

    title = forms.CharField(
        label=_("Custom name"), required=False, max_length=300, help_text=_("Leave empty to use the feed's own name.")
    )
    folder = forms.CharField(
        label=_("Folder"),
        required=False,
        max_length=200,
        help_text=_("Choose a folder or enter a new name. Optional."),
        widget=forms.TextInput(attrs={"list": "folders", "autocomplete": "off"}),
    )
    category = forms.CharField(
        label=_("Category"),
        required=False,
        max_length=100,
        help_text=_("The heading for its articles in digests. Leave empty to use the folder's name."),
    )
    fetches_full_text = forms.BooleanField(
        label=_("Always fetch the full text"),
        required=False,
        help_text=_("For feeds with shortened articles."),
    )
    most_a_day = forms.IntegerField(
        label=_("Maximum articles per day"),
        required=False,
        min_value=1,
        max_value=1000,
        help_text=_("Further articles appear only in the feed's own list. Leave empty for no limit."),
    )
    is_digest_only = forms.BooleanField(label=_("Show in digests only"), required=False)
    quiet_until = forms.DateField(
        label=_("Quiet until"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text=_("Until that day, articles appear only in the feed's own list."),
    )
    has_alerts = forms.BooleanField(
        label=_("Allow breaking news alerts"),
        required=False,
        help_text=_("Requires alerts to be turned on in the digest settings."),
    )
    tells_of_trouble = forms.BooleanField(label=_("Notify me about problems with this feed"), required=False)
    asks_again = forms.BooleanField(
        label=_("Suggest unfollowing again"),
        required=False,
        help_text=_("You chose to keep this feed."),
    )
    url = forms.CharField(
        label=_("Feed address"),
        required=False,
        max_length=2000,
        widget=forms.TextInput(attrs={"inputmode": "url", "autocapitalize": "none", "spellcheck": "false"}),
    )
    username = forms.CharField(
        label=_("User name"),
        required=False,
        max_length=200,
        help_text=_("For feeds that need a password (HTTP Basic)."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )
    password = forms.CharField(
        label=_("Password"),
        required=False,
        max_length=200,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    is_private = forms.BooleanField(
        label=_("Private feed"),
        required=False,
        help_text=_("For feeds whose address only you should know. Their articles aren't merged with others."),
    )
    forgets_login = forms.BooleanField(label=_("Remove the saved user name and password"), required=False)

    def clean_url(self) -> str:
        if not self.cleaned_data["url"]:
            return ""  # unchanged
        try:
            return feed_address(self.cleaned_data["url"])
        except InvalidAddress as error:
            raise forms.ValidationError(
                gettext("This address can't be followed: %(reason)s.") % {"reason": error}
            ) from error

    @property
    def login(self) -> tuple[str, str] | None:
        """A new user name and password; None to keep the saved one, empty to remove it."""
        username, password = self.cleaned_data["username"], self.cleaned_data["password"]
        if username or password:
            return username, password
        return ("", "") if self.cleaned_data["forgets_login"] else None

    @property
    def opens_more(self) -> bool:
        """Whether a setting behind "More" has an error."""
        return self.is_bound and bool(self.errors.keys() - {"title", "folder"})


class FolderForm(forms.Form):
    """A folder's name and the size of its selection."""

    name = forms.CharField(label=_("Name"), max_length=200, widget=forms.TextInput(attrs={"autocomplete": "off"}))
    item_limit_per_category = forms.IntegerField(
        label=_("Articles per category in the selection"),
        required=False,
        min_value=1,
        max_value=1000,
        help_text=_("Leave empty to turn the selection off."),
    )


class ManyForm(forms.Form):
    """A bulk action on feeds."""

    act = forms.ChoiceField(choices=[(act.value, act.value) for act in Act])
    folder = forms.CharField(required=False, max_length=200)
    until = forms.DateField(required=False)


class SavedSearchForm(forms.Form):
    """A query and the name of its list."""

    name = forms.CharField(label=_("Name"), max_length=100, widget=forms.TextInput(attrs={"autocomplete": "off"}))
    query = forms.CharField(
        label=_("Query"),
        max_length=500,
        help_text=_("Uses the search syntax."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "dir": "auto"}),
    )


class OwnerForm(BaseUserCreationForm):
    """The owner's account."""

    email = forms.EmailField(
        label=_("Email"), required=False, help_text=_("For digests and password resets. Optional.")
    )

    error_messages = {"password_mismatch": _("The two passwords don't match.")}  # noqa: RUF012 - as in Django

    class Meta:
        model = User
        fields = ("username", "email")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].help_text = _("Letters, digits and @ . + - _")
        self.fields["password1"].help_text = _(
            "At least 10 characters, not a common password. Several words work well; spaces are allowed."
        )
        self.fields["password2"].label = _("Repeat password")
        self.fields["password2"].help_text = ""
        self.fields["email"].widget.attrs["autocomplete"] = "email"


class NotificationForm(forms.ModelForm):
    """Which conditions of feeds become notifications."""

    notifies_broken = forms.BooleanField(label=_("feeds that stop working, go quiet or are gone"), required=False)
    notifies_minor = forms.BooleanField(label=_("feeds that work again"), required=False)

    class Meta:
        model = Preferences
        fields = ("notifies_broken", "notifies_minor")


class PreferencesForm(forms.ModelForm):
    """Appearance and behaviour of pages and lists, and the language if there is a choice."""

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
            "line_width",
            "line_height",
            "reads_on_scroll",
            "has_keys",
        )
        labels = {"theme": _("Theme")}  # noqa: RUF012
        widgets = dict.fromkeys(
            ("theme", "density", "face", "text_size", "line_width", "line_height"), forms.RadioSelect
        )

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        if settings.ENV.IMAGE_PROXY:
            self.fields["has_pictures"].help_text = _(
                "Loaded through this server, so publishers can't see who is reading."
            )
        languages = installed_languages()
        if len(languages) > 1:
            choices = [("", _("As in the browser")), *languages.items()]
            self.fields["language"] = forms.ChoiceField(label=_("Language"), choices=choices, required=False)
        else:
            del self.fields["language"]
