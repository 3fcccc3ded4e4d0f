"""`manage.py demo`: a filled reader from sample feeds, without internet and without touching your own data."""

import json
import os
import shutil
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from feeds.models import Feed, Poll
from reader.owner import create_owner
from rssmanager.demo import tour
from rssmanager.demo.choices import make_own_lists
from rssmanager.demo.server import DemoServer
from rssmanager.env import PROJECT
from rssmanager.serving import check_listening, run_together, web_command, worker_command

FOLDER = "demo"
HOST = "127.0.0.1"
ROUNDS = 3  # generations of the sample publishers


class Command(BaseCommand):
    help = "Fill a reader of its own (in var/demo, made anew) from sample feeds on loopback, and serve it."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="port to serve on (default: %(default)s)")
        parser.add_argument("--no-serve", action="store_true", help="end after printing what was found")
        parser.add_argument("--json", action="store_true", help="print what was found as one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["no_serve"]:
            check_listening(HOST, options["port"])
        if not settings.ENV.DEMO:
            self._begin_apart(options["port"])
        if settings.DATA_DIR.name != FOLDER:
            raise CommandError("DEMO is set outside the demo; unset it.")
        call_command("prepare", verbosity=0, stdout=self.stderr)
        with DemoServer(timezone.now()) as server:
            findings = self._tour(server, quiet=options["json"])
            self.stdout.write(json.dumps(asdict(findings)) if options["json"] else _in_words(findings))
            self.stdout.flush()
            if not options["no_serve"]:
                self._serve(options["port"])

    def _begin_apart(self, port: int) -> None:
        """Start again with settings of the demo's own, so that nothing here can reach the user's data."""
        folder = PROJECT / "var" / FOLDER
        shutil.rmtree(folder, ignore_errors=True)
        environment = os.environ | {
            "DEMO": "true",
            "DATA_DIR": str(folder),
            "DATABASE_URL": "",
            "REDIS_URL": "",
            "BASE_URL": f"http://{HOST}:{port}",
            "FETCH_ALLOWED_NETWORKS": "127.0.0.0/8",
            "LOG_LEVEL": "WARNING",
        }
        os.execve(sys.executable, [sys.executable, *sys.argv], environment)  # noqa: S606 - ourselves, once more

    def _tour(self, server: DemoServer, *, quiet: bool) -> tour.TourFindings:
        owner = create_owner(username="demo", email="demo@example.org", password=os.urandom(12).hex())
        tour.subscribe(owner, server, now=timezone.now())
        n_polled = 0

        def show(feed: Feed, poll: Poll) -> None:
            nonlocal n_polled
            n_polled += 1
            if not quiet:
                self.stderr.write(f"  {n_polled:>3}  {poll.get_outcome_display():<22} {poll.n_new:>3} new  {feed}")

        for number in range(ROUNDS):
            if number:
                server.advance()
            if not quiet:
                self.stderr.write(f"Round {number + 1} of {ROUNDS}")
            tour.poll_round(now=timezone.now(), on_poll=show)
        if not quiet:
            self.stderr.write("Reading for stories")
        tour.tell_stories(on_batch=lambda n: None if quiet else self.stderr.write(f"  {n:>3} articles read"))
        tour.rate(owner, now=timezone.now())
        tour.tell(owner, now=timezone.now())
        make_own_lists(owner, now=timezone.now())
        return tour.look_around(owner, server)

    def _serve(self, port: int) -> None:
        self.stdout.write(f"\nThe reader is at http://{HOST}:{port} - you are signed in. Ctrl-C stops it.")
        self.stdout.flush()
        sys.exit(run_together([web_command(HOST, port), worker_command()]))


def _in_words(findings: tour.TourFindings) -> str:
    languages = ", ".join(f"{n} {name or 'unknown'}" for name, n in findings.languages.items())
    conditions = ", ".join(f"{n} {name.lower()}" for name, n in findings.conditions.items())
    lines = [
        f"{findings.n_feeds} feeds delivered {findings.n_entries} entries: {findings.n_articles} articles "
        f"({languages}), {findings.n_folded} duplicates folded, {findings.n_revisions} revisions kept.",
        f"{findings.n_tied} of them tell {findings.n_stories} stories together.",
        f"{findings.n_rated} rated by what the demo's person named and by {findings.n_choices} things they did.",
        f"Today's page tells {findings.n_topics} topics.",
        f"Feeds: {conditions}.",
        "What the troubled ones did:",
        *(f"  {title}: {message}" for title, message in findings.troubles.items()),
    ]
    return "\n".join(lines)
