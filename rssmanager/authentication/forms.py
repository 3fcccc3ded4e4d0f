"""Forms that ask for a code or a password."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from reader.views.base import SignedInRequest
from reader.views.forms import OwnerForm
from rssmanager.authentication import confirmation, second_factor
from rssmanager.authentication.errors import NotConfirmed
from rssmanager.authentication.setup_code import is_setup_code


class SetupForm(OwnerForm):
    """The owner's account, and the setup code where it is needed."""

    code = forms.CharField(
        label=gettext_lazy("Setup code"),
        max_length=40,
        help_text=gettext_lazy("Printed when the server started. Run “manage.py prepare” to see it again."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )

    def __init__(self, needs_code: bool, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        if not needs_code:
            del self.fields["code"]

    def clean_code(self) -> str:
        code: str = self.cleaned_data["code"]
        if not is_setup_code(code):
            raise forms.ValidationError(_("This isn't the setup code."))
        return code


class CodeForm(forms.Form):
    """A code from an app, or a recovery code."""

    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=40,
        widget=forms.TextInput(
            attrs={
                "autocomplete": "one-time-code",
                "autocapitalize": "characters",
                "spellcheck": "false",
                "autofocus": True,
            }
        ),
    )


class ConfirmForm(forms.Form):
    """The user's password or a code; a valid form has confirmed the session (`confirming`)."""

    password = forms.CharField(
        strip=False,
        max_length=4096,
        error_messages={"required": gettext_lazy("Enter this to confirm that it's you.")},
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password", "autofocus": True}),
    )

    def __init__(self, request: SignedInRequest, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self._request = request
        self.fields["password"].label = _label(request.user)

    def clean_password(self) -> str:
        """Raises TooManyTries."""
        password: str = self.cleaned_data["password"]
        now = timezone.now()
        try:
            confirmation.check(self._request.user, password, now=now)
        except NotConfirmed as error:
            raise forms.ValidationError(_error_message(self._request.user)) from error
        confirmation.mark_confirmed(self._request, now=now)
        return password


def _label(user: User) -> str:
    if not second_factor.is_on(user):
        return _("Your password")
    return _("Your password or a code") if user.has_usable_password() else _("A code")


def _error_message(user: User) -> str:
    if not second_factor.is_on(user):
        return _("This is not your password.")
    return _("This is neither your password nor a valid code. Each code works once.")
