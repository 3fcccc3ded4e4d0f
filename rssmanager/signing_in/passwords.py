"""What a password must not be, beside short and common: what the page says at its top.

NIST SP 800-63B, 3.1.1.2: length and lists of what is expected, words of the service among them; no rules of which
characters, which make passwords no harder to guess, and no renewal without a reason.
"""

from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _


class NotThisReaderValidator:
    """Refuses the reader's own name and address, also with figures and signs around."""

    def validate(self, password: str, user: User | None = None) -> None:
        host = urlsplit(settings.BASE_URL).hostname or ""
        bare = _letters(password)
        if bare in {"rssmanager", _letters(host), *map(_letters, host.split("."))}:
            raise ValidationError(_("This is the name of this reader, which is guessed first."))

    def get_help_text(self) -> str:
        return _("Your password can’t be the name of this reader.")


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text)).casefold()
