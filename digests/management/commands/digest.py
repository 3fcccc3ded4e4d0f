"""`manage.py digest`: assemble a digest, print it, and with `--send` store and email it."""

import json
from argparse import ArgumentParser
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from digests.assembly.llm_summaries import writer_from_settings
from digests.assembly.make import closed_after, make, preview
from digests.delivery.sending import send_one
from digests.edition.document import Edition
from digests.edition.kinds import PLANNED, Kind
from digests.models import Digest, Mailing, MailingState
from digests.models.edition_store import edition_of, with_topics
from digests.rendering.as_json import as_json
from digests.rendering.html import as_html
from digests.rendering.markdown import as_markdown
from digests.rendering.text import as_text
from digests.schedule.user_language import in_language_of
from reader.management.user_option import add_user_option, user_of

MAX_TOPICS = 60  # of the largest digest


FORMATS: dict[str, Callable[[Edition], str]] = {
    "text": as_text,
    "markdown": as_markdown,
    "html": as_html,
    "json": lambda edition: json.dumps(as_json(edition), ensure_ascii=False, indent=2),
}


class Command(BaseCommand):
    help = "Print a user's current digest. With --send, store it (once per kind and day) and email it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_user_option(parser)
        parser.add_argument(
            "--kind", choices=[kind.value for kind in (*PLANNED, Kind.TODAY)], default=Kind.MORNING.value
        )
        parser.add_argument("--topics", type=int, metavar="K", help="cluster into K topics")
        parser.add_argument("--format", choices=FORMATS, default="text", help="default: %(default)s")
        parser.add_argument("--send", action="store_true", help="store and email the digest")
        parser.add_argument("--now", metavar="ISO", help="as of this time, such as 2026-11-21T07:00+01:00")

    def handle(self, *args: Any, **options: Any) -> None:
        user, kind, now = user_of(options), Kind(options["kind"]), _moment(options["now"])
        if options["topics"] is not None and not 1 <= options["topics"] <= MAX_TOPICS:
            raise CommandError(f"--topics must be from 1 to {MAX_TOPICS}.")
        with in_language_of(user.pk):
            self._do(user, kind, now, options)

    def _do(self, user: User, kind: Kind, now: datetime, options: dict[str, Any]) -> None:
        if not options["send"]:
            with closed_after(writer_from_settings()) as writer:
                edition = preview(user, kind, now=now, n_topics=options["topics"], writer=writer)
            self.stdout.write(FORMATS[options["format"]](edition))
            return
        if kind is Kind.TODAY:
            raise CommandError("The front page can't be sent. Choose another kind.")
        self._send(user, kind, now, options)

    def _send(self, user: User, kind: Kind, now: datetime, options: dict[str, Any]) -> None:
        with closed_after(writer_from_settings()) as writer:
            result = make(user, kind, now=now, n_topics=options["topics"], by_mail=True, writer=writer)
        digest = with_topics(Digest.objects.filter(pk=result.digest.pk)).get()
        self.stdout.write(FORMATS[options["format"]](edition_of(digest)))
        if not result.is_new:
            self.stderr.write(f"The {kind.label.lower()} of {digest.day} already exists and stays unchanged.")
        mailing = Mailing.objects.filter(digest=digest).first()
        if mailing is None:
            self.stderr.write("Not sent, because it has no news.")
            return
        was_sent = mailing.state == MailingState.SENT
        if not was_sent:
            send_one(mailing)
            mailing.refresh_from_db()
        if mailing.state != MailingState.SENT:
            raise CommandError(f"Not sent: {mailing.answer or mailing.get_state_display()}")
        self.stderr.write(f"{'Already sent' if was_sent else 'Sent'} to {user.email}.")


def _moment(text: str | None) -> datetime:
    """The requested time, by default in the installation's time zone. Raises CommandError."""
    if text is None:
        return timezone.now()
    try:
        moment = parse_datetime(text)
    except ValueError as error:
        raise CommandError(f"--now {text}: {error}.") from error
    if moment is None:
        raise CommandError(f"--now {text} is not a time like 2026-11-21T07:00+01:00.")
    return moment if timezone.is_aware(moment) else timezone.make_aware(moment)
