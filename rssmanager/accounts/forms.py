"""Forms for data and account settings."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.contrib.auth.forms import PasswordResetForm, SetPasswordForm
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from reader.models import Preferences
from reader.views.forms import OwnerForm
from rssmanager.accounts.format import MAX_UPLOADED
from rssmanager.authentication import throttling
from rssmanager.authentication.app_passwords import OF_READING_APPS
from rssmanager.authentication.models import Scope


class DataFileForm(forms.Form):
    """An export to import."""

    file = forms.FileField(
        label=gettext_lazy("File"),
        help_text=gettext_lazy("The ZIP file from this page, or the rssmanager.jsonl in it; up to 100 MB."),
        error_messages={
            "empty": gettext_lazy("This file is empty."),
            "required": gettext_lazy("Choose a file."),
        },
        widget=forms.FileInput(attrs={"accept": ".zip,.jsonl,application/zip"}),
    )

    def clean_file(self) -> UploadedFile:
        upload: UploadedFile = self.cleaned_data["file"]
        if (upload.size or 0) > MAX_UPLOADED:
            raise forms.ValidationError(_("This file is larger than 100 MB, so it isn't an export."))
        return upload


class EmailForm(forms.Form):
    """The user's email address."""

    email = forms.EmailField(
        label=gettext_lazy("Email"),
        required=False,
        max_length=254,
        help_text=gettext_lazy("For digests, alerts and password resets. Optional."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )


class AppPasswordForm(forms.Form):
    """A new app password."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=100,
        help_text=gettext_lazy("The app and the device, such as “Reeder on my phone”."),
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("Besides reading, it can"),
        required=False,
        choices=Scope.choices,
        initial=OF_READING_APPS,
        widget=forms.CheckboxSelectMultiple,
    )


class AppSettingsForm(forms.ModelForm):
    """What reading apps get."""

    class Meta:
        model = Preferences
        fields = ("apps_get_sources", "apps_get_lists", "apps_get_copies")


class PasskeyForm(forms.Form):
    """A new passkey: its name, and what the browser's script fills in."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=100, help_text=gettext_lazy("To recognize it later."))
    passkey = forms.CharField(widget=forms.HiddenInput, required=False)


class DeleteForm(forms.Form):
    """Asks the only administrator to accept the consequences."""

    knows = forms.BooleanField(
        label=gettext_lazy("I understand that nobody can administer this installation afterwards"), required=False
    )

    def __init__(self, *args: Any, is_only_administrator: bool, **values: Any) -> None:
        super().__init__(*args, **values)
        self.fields["knows"].required = is_only_administrator
        self.fields["knows"].error_messages["required"] = _("Check this box, or make another user an administrator.")


class NewPasswordForm(SetPasswordForm):
    """A new password, entered twice."""

    error_messages = {"password_mismatch": gettext_lazy("The two passwords don't match.")}  # noqa: RUF012 - as in Django

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self.fields["new_password1"].label = _("New password")
        self.fields["new_password1"].help_text = _(
            "At least 10 characters, not a common password. Several words work well; spaces are allowed."
        )
        self.fields["new_password2"].label = _("Repeat new password")
        self.fields["new_password2"].help_text = ""


class NewUserForm(OwnerForm):
    """An account that an administrator adds.

    `can_invite`: without a password, the user is emailed a link to choose one. `can_promote`: it may be another
    administrator.
    """

    is_administrator = forms.BooleanField(
        label=gettext_lazy("Administrator"),
        required=False,
        help_text=gettext_lazy("Can manage users, feeds and all records."),
    )

    def __init__(self, *args: Any, can_invite: bool, can_promote: bool, **values: Any) -> None:
        super().__init__(*args, **values)
        self._can_invite = can_invite
        self.fields["email"].help_text = _("For digests, alerts and password resets. Optional.")
        if can_invite:
            self.fields["password1"].required = self.fields["password2"].required = False
            self.fields["password1"].help_text = _("Leave empty to email them a link to choose their own.")
        if not can_promote:
            del self.fields["is_administrator"]

    def clean_username(self) -> str:
        """Refuse names that differ only in case."""
        name: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=name).exists():
            raise self.instance.unique_error_message(User, ("username",))
        return name

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or self.cleaned_data
        first, second = given.get("password1"), given.get("password2")
        if bool(first) != bool(second) and not self.errors:
            self.add_error("password2", self.error_messages["password_mismatch"])
        if self._can_invite and not first and not given.get("email") and not self.errors:
            self.add_error("email", _("Enter an email address, or a password."))
        return given

    def save(self, commit: bool = True) -> User:
        """The new user, without a password if none was given."""
        user: User = super().save(commit=False)
        if not self.cleaned_data["password1"]:
            user.set_unusable_password()
        user.is_staff = user.is_superuser = self.cleaned_data.get("is_administrator", False)
        if commit:
            user.save()
        return user


class ForgottenForm(PasswordResetForm):
    """Asks for the email address of the account."""

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self.fields["email"].label = _("Email address")

    def get_users(self, email: str) -> Iterator[User]:
        """Users with that address, silently without those who were sent too many links already."""
        now = timezone.now()
        for user in super().get_users(email):
            if throttling.allow(throttling.Count(throttling.FORGOTTEN, str(user.pk)), now=now):
                yield user
