"""`manage.py run`: web server and worker together, for one machine."""

import os
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand

from rssmanager.server.supervisor import check_listening, run_together, web_command, worker_command


class Command(BaseCommand):
    help = "Start web server and worker, until you press Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on (default: %(default)s)")

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = options["host"], options["port"]
        check_listening(host, port)
        call_command("prepare", stdout=self.stdout)
        os.environ.setdefault("BASE_URL", f"http://{_browser_host(host)}:{port}")  # for links in emails
        self.stdout.write(f"The app is at http://{host}:{port}. Press Ctrl-C to stop it.")
        self.stdout.flush()
        sys.exit(run_together([web_command(host, port), worker_command()]))


def _browser_host(host: str) -> str:
    """The host name for a browser on this machine."""
    if host in ("0.0.0.0", "::"):  # noqa: S104 - compared, not bound
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
