"""`manage.py digest`: assemble a digest, print it, keep it and send it."""

import json
from argparse import ArgumentParser
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from digests.delivery.sending import send_one
from digests.edition import Edition
from digests.keeping import edition_of, with_topics
from digests.kinds import PLANNED, Kind
from digests.languages import in_language_of
from digests.making import closed_after, make, preview
from digests.models import Digest, Mailing, MailingState
from digests.rendering.as_json import as_json
from digests.rendering.document import as_html
from digests.rendering.markdown import as_markdown
from digests.rendering.text import as_text
from digests.summary_writing import writer_from_settings
from reader.management.whose import add_user_option, user_of

MOST_TOPICS = 60  # as many as the largest digest has


def _json(edition: Edition) -> str:
    return json.dumps(as_json(edition), ensure_ascii=False, indent=2)


FORMATS: dict[str, Callable[[Edition], str]] = {
    "text": as_text,
    "markdown": as_markdown,
    "html": as_html,
    "json": _json,
}


class Command(BaseCommand):
    help = "Print the digest of a user as it is now. With --send it is kept, once a kind and day, and mailed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_user_option(parser)
        parser.add_argument(
            "--kind", choices=[each.value for each in (*PLANNED, Kind.TODAY)], default=Kind.MORNING.value
        )
        parser.add_argument("--topics", type=int, metavar="K", help="gather into K topics")
        parser.add_argument("--format", choices=FORMATS, default="text", help="default: %(default)s")
        parser.add_argument("--send", action="store_true", help="keep it, and mail it")
        parser.add_argument("--now", metavar="ISO", help="as of this time, such as 2026-11-21T07:00+01:00")

    def handle(self, *args: Any, **options: Any) -> None:
        user, kind, now = user_of(options), Kind(options["kind"]), _moment(options["now"])
        if options["topics"] is not None and not 1 <= options["topics"] <= MOST_TOPICS:
            raise CommandError(f"--topics is a number from 1 to {MOST_TOPICS}.")
        with in_language_of(user.pk):
            self._do(user, kind, now, options)

    def _do(self, user: User, kind: Kind, now: datetime, options: dict[str, Any]) -> None:
        if not options["send"]:
            with closed_after(writer_from_settings()) as writer:
                edition = preview(user, kind, now=now, n_topics=options["topics"], writer=writer)
            self.stdout.write(FORMATS[options["format"]](edition))
            return
        if kind is Kind.TODAY:
            raise CommandError("The front page is not sent. Choose another kind.")
        self._send(user, kind, now, options)

    def _send(self, user: User, kind: Kind, now: datetime, options: dict[str, Any]) -> None:
        with closed_after(writer_from_settings()) as writer:
            made = make(user, kind, now=now, n_topics=options["topics"], by_mail=True, writer=writer)
        digest = with_topics(Digest.objects.filter(pk=made.digest.pk)).get()
        self.stdout.write(FORMATS[options["format"]](edition_of(digest)))
        if not made.is_new:
            self.stderr.write(f"The {kind.label.lower()} of {digest.day} was made before; it stays as it is.")
        mailing = Mailing.objects.get(digest=digest)
        was_sent = mailing.state == MailingState.SENT
        if not was_sent:
            send_one(mailing)
            mailing.refresh_from_db()
        if mailing.state != MailingState.SENT:
            raise CommandError(f"It was not sent: {mailing.answer or mailing.get_state_display()}")
        self.stderr.write(f"{'It was sent before' if was_sent else 'Sent'} to {user.email}.")


def _moment(text: str | None) -> datetime:
    """The time asked for; without a zone it is the installation's. Raises CommandError."""
    if text is None:
        return timezone.now()
    try:
        moment = parse_datetime(text)
    except ValueError as error:
        raise CommandError(f"--now {text}: {error}.") from error
    if moment is None:
        raise CommandError(f"--now {text} is no time such as 2026-11-21T07:00+01:00.")
    return moment if timezone.is_aware(moment) else timezone.make_aware(moment)
