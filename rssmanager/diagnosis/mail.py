"""Mail: that there is a server, that it lets us in, and that receivers can believe the sender."""

import smtplib
from email.utils import parseaddr
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import get_connection

from feeds.normalizing.domains import registrable_domain
from rssmanager.diagnosis.seen import Seen, note, problem, well

PATIENCE = 5  # seconds


def server() -> Seen:
    if not settings.EMAIL_BACKEND.endswith("smtp.EmailBackend"):
        return note("mail is not sent", "Set EMAIL_URL to your mail server.")
    try:
        mail = get_connection(timeout=PATIENCE)
        mail.open()
        mail.close()
    except smtplib.SMTPAuthenticationError as error:
        return problem(
            f"the mail server refuses the user or password ({error.smtp_code})",
            "Check both in EMAIL_URL; special characters are written as %40 and the like.",
        )
    except (OSError, smtplib.SMTPException) as error:
        return problem(f"the mail server does not answer: {error}", "Check EMAIL_URL.")
    return well(f"{settings.EMAIL_HOST} answers")


def sender() -> Seen:
    """Mail from a domain that is not ours is taken for spam."""
    if not settings.EMAIL_BACKEND.endswith("smtp.EmailBackend"):
        return well("mail is not sent")
    domain = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2].lower()
    if "." not in domain or domain.replace(".", "").isdigit():
        return problem(
            f"mail comes from {settings.DEFAULT_FROM_EMAIL}, which no receiver believes",
            "Set EMAIL_FROM to an address of your own domain.",
        )
    host = (urlsplit(settings.BASE_URL).hostname or "").lower()
    if "." in host and not host.replace(".", "").isdigit() and registrable_domain(domain) != registrable_domain(host):
        return note(
            f"mail comes from {domain}, and its links lead to {host}: some receivers take that for spam",
            "Set EMAIL_FROM to an address of the same domain, and let its SPF record name your mail server.",
        )
    return well(f"mail comes from {domain}")
