"""`manage.py demo`: a filled app from sample feeds, without internet and without touching your own data."""

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
from reader.preferences.owner import create_owner
from rssmanager.demo import populate
from rssmanager.demo.seed_engagement import make_own_lists
from rssmanager.demo.server import DemoServer
from rssmanager.env import PROJECT
from rssmanager.server.supervisor import check_listening, run_together, web_command, worker_command

FOLDER = "demo"
HOST = "127.0.0.1"
ROUNDS = 3  # generations of the sample publishers


class Command(BaseCommand):
    help = "Create a new demo in var/demo from sample feeds on loopback, and serve it."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="port to serve on (default: %(default)s)")
        parser.add_argument("--no-serve", action="store_true", help="print a summary and exit")
        parser.add_argument("--json", action="store_true", help="print the summary as one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["no_serve"]:
            check_listening(HOST, options["port"])
        if not settings.ENV.DEMO:
            self._restart(options["port"])
        if settings.DATA_DIR.name != FOLDER:
            raise CommandError("DEMO is set outside the demo; unset it.")
        call_command("prepare", verbosity=0, stdout=self.stderr)
        with DemoServer(timezone.now()) as server:
            findings = self._tour(server, quiet=options["json"])
            self.stdout.write(json.dumps(asdict(findings)) if options["json"] else _describe(findings))
            self.stdout.flush()
            if not options["no_serve"]:
                self._serve(options["port"])

    def _restart(self, port: int) -> None:
        """Start again with the demo's own settings, so that nothing can touch the user's data."""
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
        os.execve(sys.executable, [sys.executable, *sys.argv], environment)  # noqa: S606 - this command again

    def _tour(self, server: DemoServer, *, quiet: bool) -> populate.DemoSummary:
        owner = create_owner(username="demo", email="demo@example.org", password=os.urandom(12).hex())
        populate.subscribe(owner, server, now=timezone.now())
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
            populate.poll_round(now=timezone.now(), on_poll=show)
        if not quiet:
            self.stderr.write("Detecting events")
        populate.find_stories(on_batch=lambda n: None if quiet else self.stderr.write(f"  {n:>3} articles read"))
        populate.rate(owner, now=timezone.now())
        populate.tell(owner, now=timezone.now())
        make_own_lists(owner, now=timezone.now())
        return populate.count_results(owner, server)

    def _serve(self, port: int) -> None:
        self.stdout.write(f"\nThe demo is at http://{HOST}:{port}; you are signed in. Press Ctrl-C to stop it.")
        self.stdout.flush()
        sys.exit(run_together([web_command(HOST, port), worker_command()]))


def _describe(findings: populate.DemoSummary) -> str:
    languages = ", ".join(f"{n} {name or 'unknown'}" for name, n in findings.languages.items())
    conditions = ", ".join(f"{n} {name.lower()}" for name, n in findings.conditions.items())
    lines = [
        f"{findings.n_feeds} feeds delivered {findings.n_entries} entries: {findings.n_articles} articles "
        f"({languages}), {findings.n_folded} duplicates, {findings.n_revisions} revisions.",
        f"{findings.n_tied} of them are in {findings.n_stories} stories.",
        f"{findings.n_rated} rated by the demo user's interests and {findings.n_choices} actions.",
        f"The front page has {findings.n_topics} topics.",
        f"Feeds: {conditions}.",
        "Feeds with problems:",
        *(f"  {title}: {message}" for title, message in findings.troubles.items()),
    ]
    return "\n".join(lines)
