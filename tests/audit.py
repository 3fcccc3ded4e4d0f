"""`python -m tests.audit`: whether what `requirements.lock` installs has publicly known vulnerabilities.

pip-audit asks PyPI's vulnerability service for each package. An answer of that service decides; its silence does not,
because an outage elsewhere must not stop a release: what could not be audited is said on stderr, and fails only with
`AUDIT=required`. A lock that pip-audit cannot read is our own mistake and always fails.
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
PATIENCE = 600.0  # seconds for all packages; a service that answers takes about ten
UNREACHABLE = re.compile(
    r"Could not connect|ConnectionError|Timeout|ServiceError|not redirecting properly|JSONDecodeError"
)


@dataclass(frozen=True, slots=True)
class Ignored:
    """A vulnerability that does not concern this program: why not, and when that is to be judged anew."""

    reason: str
    until: date


IGNORED: dict[str, Ignored] = {}  # by any of its names, such as CVE-2026-1234


@dataclass(frozen=True, slots=True)
class Vulnerability:
    package: str
    version: str
    names: tuple[str, ...]
    mended_in: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Audit:
    """What pip-audit told; `skipped` is the reason by package, `trouble` why there was no answer at all."""

    n_audited: int = 0
    vulnerabilities: tuple[Vulnerability, ...] = ()
    skipped: Mapping[str, str] = field(default_factory=dict)
    trouble: str = ""


class BrokenLockError(Exception):
    """pip-audit failed for a reason that is not its service's."""


def main() -> int:
    """The exit status: 1 where something is known to be vulnerable, or nothing was audited though it must be."""
    try:
        run = subprocess.run(COMMAND, cwd=PROJECT, capture_output=True, text=True, timeout=PATIENCE)
        audit = read(run.stdout, run.stderr)
    except subprocess.TimeoutExpired:
        audit = Audit(trouble=f"no answer within {PATIENCE:.0f} seconds")
    return report(audit, os.environ.get("AUDIT") == "required", datetime.now(UTC).date())


def read(stdout: str, stderr: str) -> Audit:
    """What pip-audit's JSON says. Raises BrokenLockError with its last words where they are not about its service."""
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
    """Says what was found; 1 if that must stop a release, else 0."""
    found = [vulnerability for vulnerability in audit.vulnerabilities if not _is_ignored(vulnerability, today, ignored)]
    if found:
        packages_found = {vulnerability.package for vulnerability in found}
        sys.stderr.write(f"Known vulnerabilities in {len(packages_found)} packages:\n{_table(found)}")
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
