"""Forms of signing in."""

from django import forms
from django.utils.translation import gettext_lazy


class CodeForm(forms.Form):
    """A code of the second factor, or a recovery code."""

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
