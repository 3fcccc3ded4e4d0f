"""Forms of one's own data and account: what people type, checked before it goes further."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django import forms
from django.contrib.auth.forms import PasswordChangeForm, PasswordResetForm, SetPasswordForm
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from digests.languages import in_language_of
from rssmanager.account.document import MOST_UPLOADED
from rssmanager.signing_in import throttling
from rssmanager.signing_in.errors import TooManyTries

JUST_NOW = timedelta(minutes=15)


class DataFileForm(forms.Form):
    """An export to take in."""

    file = forms.FileField(
        label=gettext_lazy("A file"),
        help_text=gettext_lazy("The ZIP that this page gives, or the rssmanager.jsonl in it; up to 100 MB."),
        error_messages={
            "empty": gettext_lazy("This file is empty."),
            "required": gettext_lazy("Choose a file."),
        },
        widget=forms.FileInput(attrs={"accept": ".zip,.jsonl,application/zip"}),
    )

    def clean_file(self) -> UploadedFile:
        upload: UploadedFile = self.cleaned_data["file"]
        if (upload.size or 0) > MOST_UPLOADED:
            raise forms.ValidationError(_("This file is larger than 100 MB, which no export is."))
        return upload


class EmailForm(forms.Form):
    """Where a person is reached."""

    email = forms.EmailField(
        label=gettext_lazy("E-mail"),
        required=False,
        max_length=254,
        help_text=gettext_lazy("For digests, alerts and a forgotten password. Leave empty for none."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )


class ConfirmForm(forms.Form):
    """The password again, before something that somebody at an unlocked screen must not do.

    Who has none, for a provider or a proxy signs them in, must have signed in just now.
    """

    password = forms.CharField(
        label=gettext_lazy("Your password"),
        strip=False,
        max_length=4096,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, user: User, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self._user = user
        if not user.has_usable_password():
            self.fields["password"].required = False
            self.fields["password"].disabled = True
            self.fields["password"].help_text = _("You have none here. Instead, sign in anew within 15 minutes before.")

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if not self._user.has_usable_password():
            if self._user.last_login is None or timezone.now() - self._user.last_login > JUST_NOW:
                raise forms.ValidationError(_("Sign out and in again first, to show that it is you."))
        else:
            _check_password(self._user, password, wrong=_("This is not your password."))
        return password


class DeleteForm(ConfirmForm):
    """The password; and of the only administrator, that they know what they do."""

    knows = forms.BooleanField(
        label=gettext_lazy("I know that nobody can administer this reader afterwards"), required=False
    )

    def __init__(self, user: User, *args: Any, is_only_administrator: bool, **values: Any) -> None:
        super().__init__(user, *args, **values)
        self.fields["knows"].required = is_only_administrator
        self.fields["knows"].error_messages["required"] = _(
            "Say that you know it, or make somebody else administrator."
        )


class NewPasswordForm(PasswordChangeForm):
    """The password before, and a new one twice."""

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self.fields["old_password"].label = _("Your password now")
        self.fields["old_password"].widget.attrs.pop("autofocus", None)
        _say_less(self)

    def clean_old_password(self) -> str:
        password: str = self.cleaned_data["old_password"]
        _check_password(self.user, password, wrong=str(self.error_messages["password_incorrect"]))
        return password


class ResetPasswordForm(SetPasswordForm):
    """A new password twice."""

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        _say_less(self)


class ForgottenForm(PasswordResetForm):
    """Whose password was forgotten."""

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self.fields["email"].label = _("Your e-mail address")

    def get_users(self, email: str) -> Iterator[User]:
        """Whose address it is; without who was sent too many links already, of which nobody is told."""
        now = timezone.now()
        for user in super().get_users(email):
            if throttling.is_free(throttling.Count(throttling.FORGOTTEN, str(user.pk)), now=now):
                yield user

    def send_mail(
        self,
        subject_template_name: str,
        email_template_name: str,
        context: dict[str, Any],
        from_email: str | None,
        to_email: str,
        html_email_template_name: str | None = None,
    ) -> None:
        """In the language of whose account it is, which need not be that of the page."""
        with in_language_of(context["user"].pk):
            super().send_mail(
                subject_template_name, email_template_name, context, from_email, to_email, html_email_template_name
            )


def _check_password(user: User, password: str, *, wrong: str) -> None:
    """Raises ValidationError, also where too many were wrong before."""
    now = timezone.now()
    count = throttling.Count(throttling.AGAIN, str(user.pk))
    try:
        throttling.try_once([count], now=now)
    except TooManyTries as error:
        minutes = error.minutes(now)
        raise forms.ValidationError(
            ngettext(
                "That was tried too often. Try again in %(n)d minute.",
                "That was tried too often. Try again in %(n)d minutes.",
                minutes,
            )
            % {"n": minutes}
        ) from error
    if not user.check_password(password):
        raise forms.ValidationError(wrong)
    throttling.forgive(count)


def _say_less(form: forms.Form) -> None:
    form.fields["new_password1"].label = _("A new password")
    form.fields["new_password1"].help_text = _(
        "At least 10 characters, not a common password. Several words are good, and spaces are allowed."
    )
    form.fields["new_password2"].label = _("The new password again")
    form.fields["new_password2"].help_text = ""
