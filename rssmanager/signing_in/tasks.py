"""What signing in leaves behind is tidied up. Safe to run twice."""

from django.core.management import call_command
from django.utils import timezone

from rssmanager.signing_in import throttling
from rssmanager.signing_in.sessions import clear_nobodys


def tidy() -> None:
    """Forget old tries and sessions that have ended; daily."""
    now = timezone.now()
    throttling.forget_old(now=now)
    clear_nobodys(now=now)
    call_command("clearsessions")
