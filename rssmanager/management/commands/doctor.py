"""`manage.py doctor`."""

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from rssmanager.doctor import examine

_SIGNS = {"ok": "✓", "note": "·", "problem": "✗"}


class Command(BaseCommand):
    help = "Check the installation for common problems and explain how to fix them. Exit status 1 if there are any."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print a JSON array")

    def handle(self, *args: Any, **options: Any) -> None:
        findings = list(examine())
        if options["json"]:
            self.stdout.write(json.dumps([asdict(finding) for finding in findings]))
        else:
            for finding in findings:
                to_do = f" → {finding.to_do}" if finding.to_do else ""
                self.stdout.write(f"{_SIGNS[finding.level]} {finding.subject:<15} {finding.seen}{to_do}")
        if any(finding.level == "problem" for finding in findings):
            sys.exit(1)
