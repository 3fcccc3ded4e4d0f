"""`python -m tests.audit`: check the packages in `requirements.lock` for known vulnerabilities.

pip-audit asks PyPI's vulnerability service about each package. Only a response of that service counts as a result,
because an outage elsewhere must not stop a release: packages not audited are listed on stderr, and fail only with
`AUDIT=required`. A lock file that pip-audit can't read is our own mistake and always fails.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from rssmanager.env import PROJECT

COMMAND = (
    *(sys.executable, "-m", "pip_audit", "-r", "requirements.lock", "--disable-pip", "--require-hashes"),
    *("--progress-spinner", "off", "--aliases", "on", "-f", "json"),
)
PATIENCE = 600.0  # seconds for all packages; usually takes about ten
UNREACHABLE = re.compile(
    r"Could not connect|ConnectionError|Timeout|ServiceError|not redirecting properly|JSONDecodeError"
)


@dataclass(frozen=True, slots=True)
class Ignored:
    """A vulnerability that doesn't affect this app: the reason, and when to review it."""

    reason: str
    until: date


IGNORED: dict[str, Ignored] = {}  # any of its ids, such as CVE-2026-1234


@dataclass(frozen=True, slots=True)
class Vulnerability:
    package: str
    version: str
    names: tuple[str, ...]
    mended_in: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of pip-audit; `skipped` has reasons by package, `trouble` says why there is no result."""

    n_audited: int = 0
    vulnerabilities: tuple[Vulnerability, ...] = ()
    skipped: Mapping[str, str] = field(default_factory=dict)
    trouble: str = ""


class BrokenLockError(Exception):
    """pip-audit failed for a reason other than its service."""


def main() -> int:
    """Return the exit status: 1 for known vulnerabilities, or if a required audit failed."""
    try:
        run = subprocess.run(COMMAND, cwd=PROJECT, capture_output=True, text=True, timeout=PATIENCE)
        audit = read(run.stdout, run.stderr)
    except subprocess.TimeoutExpired:
        audit = Audit(trouble=f"no answer within {PATIENCE:.0f} seconds")
    return report(audit, os.environ.get("AUDIT") == "required", datetime.now(UTC).date())


def read(stdout: str, stderr: str) -> Audit:
    """Parse pip-audit's JSON. Raises BrokenLockError with its last line unless its service failed."""
    if not stdout.strip():
        last_words = stderr.strip().rpartition("\n")[2]
        if UNREACHABLE.search(stderr):
            return Audit(trouble=last_words)
        raise BrokenLockError(last_words or "pip-audit said nothing")
    packages: list[dict[str, Any]] = json.loads(stdout)["dependencies"]
    audited = [package for package in packages if "skip_reason" not in package]
    return Audit(
        len(audited),
        tuple(_vulnerability(package, told) for package in audited for told in package["vulns"]),
        {package["name"]: package["skip_reason"] for package in packages if "skip_reason" in package},
    )


def report(audit: Audit, is_required: bool, today: date, ignored: Mapping[str, Ignored] = IGNORED) -> int:
    """Print the result; return 1 if it must stop a release, else 0."""
    remaining = [
        vulnerability for vulnerability in audit.vulnerabilities if not _is_ignored(vulnerability, today, ignored)
    ]
    if remaining:
        packages_found = {vulnerability.package for vulnerability in remaining}
        sys.stderr.write(f"Known vulnerabilities in {len(packages_found)} packages:\n{_table(remaining)}")
        return 1
    if not audit.n_audited:
        why = audit.trouble or next(iter(audit.skipped.values()), "requirements.lock names no package")
        sys.stderr.write(f"Nothing could be audited here ({len(audit.skipped)} packages skipped): {why}\n")
        return int(is_required)
    for package, reason in sorted(audit.skipped.items()):
        sys.stderr.write(f"Not audited: {package}: {reason}\n")
    sys.stdout.write(f"No known vulnerabilities in {audit.n_audited} packages.\n")
    return 0


def _vulnerability(package: dict[str, Any], told: dict[str, Any]) -> Vulnerability:
    names = (told["id"], *told.get("aliases", ()))
    return Vulnerability(package["name"], package["version"], names, tuple(told["fix_versions"]))


def _is_ignored(vulnerability: Vulnerability, today: date, ignored: Mapping[str, Ignored]) -> bool:
    return any(name in ignored and today <= ignored[name].until for name in vulnerability.names)


def _table(found: list[Vulnerability]) -> str:
    rows = [("package", "version", "known as", "mended in")]
    rows += [
        (
            vulnerability.package,
            vulnerability.version,
            ", ".join(vulnerability.names),
            ", ".join(vulnerability.mended_in) or "-",
        )
        for vulnerability in found
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n" for row in rows
    )


if __name__ == "__main__":
    sys.exit(main())
