"""The mail server and the sender's domain."""

import smtplib
from email.utils import parseaddr
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import get_connection

from feeds.normalizing.domains import registrable_domain
from rssmanager.doctor.result import Result, note, ok, problem

TIMEOUT = 5  # seconds


def server() -> Result:
    if not settings.EMAIL_BACKEND.endswith("smtp.EmailBackend"):
        return note("emails aren't sent", "Set EMAIL_URL to your mail server.")
    try:
        mail = get_connection(timeout=TIMEOUT)
        mail.open()
        mail.close()
    except smtplib.SMTPAuthenticationError as error:
        return problem(
            f"the mail server refuses the user or password ({error.smtp_code})",
            "Check both in EMAIL_URL. Special characters must be percent-encoded, such as %40.",
        )
    except (OSError, smtplib.SMTPException) as error:
        return problem(f"the mail server doesn't respond: {error}", "Check EMAIL_URL.")
    return ok(f"{settings.EMAIL_HOST} responds")


def sender() -> Result:
    """Emails from a domain that isn't ours are treated as spam."""
    if not settings.EMAIL_BACKEND.endswith("smtp.EmailBackend"):
        return ok("emails aren't sent")
    domain = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2].lower()
    if "." not in domain or domain.replace(".", "").isdigit():
        return problem(
            f"the sender is {settings.DEFAULT_FROM_EMAIL}, which receivers reject",
            "Set EMAIL_FROM to an address of your own domain.",
        )
    host = (urlsplit(settings.BASE_URL).hostname or "").lower()
    if "." in host and not host.replace(".", "").isdigit() and registrable_domain(domain) != registrable_domain(host):
        return note(
            f"the sender's domain is {domain}, but links lead to {host}, which some receivers treat as spam",
            "Set EMAIL_FROM to an address of the same domain, and name your mail server in its SPF record.",
        )
    return ok(f"the sender's domain is {domain}")
