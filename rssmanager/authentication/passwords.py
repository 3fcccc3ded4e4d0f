"""Refuses passwords that are the name of the service.

Source: NIST SP 800-63B, 3.1.1.2. Require length and refuse expected values such as the service's name, without rules
about characters or expiry.
"""

from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _


class ServiceNameValidator:
    """Refuses the app's name and host name, also with digits and punctuation added."""

    def validate(self, password: str, user: User | None = None) -> None:
        host = urlsplit(settings.BASE_URL).hostname or ""
        bare = _letters(password)
        if bare in {"rssmanager", _letters(host), *map(_letters, host.split("."))}:
            raise ValidationError(_("This is the name of this service, which is easy to guess."))

    def get_help_text(self) -> str:
        return _("Your password can't be the name of this service.")


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text)).casefold()
