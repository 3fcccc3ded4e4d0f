"""`manage.py serve`: the web server alone, for several machines or containers."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from rssmanager.server.supervisor import listen
from rssmanager.server.web import serve
from rssmanager.wsgi import application


class Command(BaseCommand):
    help = "Start the web server alone; `prepare` must have run."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on (default: %(default)s)")

    def handle(self, *args: Any, **options: Any) -> None:
        serve(application, listen(options["host"], options["port"]))
