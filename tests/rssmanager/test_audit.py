"""The package audit: results decide, outages are reported, and only our own mistakes fail."""

import json
import subprocess
from datetime import date
from typing import Any

import pytest

from tests import audit
from tests.audit import Audit, BrokenLockError, Ignored, Vulnerability, read, report

TODAY = date(2026, 11, 22)
SKIPPED = {
    "name": "anyio",
    "skip_reason": "Dependency not found on PyPI and could not be audited: anyio (4.16.0)",
}
SOUND = {"name": "django", "version": "5.2.8", "vulns": []}
VULNERABLE = {
    "name": "requests",
    "version": "2.30.0",
    "vulns": [
        {
            "id": "PYSEC-2023-74",
            "fix_versions": ["2.31.0"],
            "aliases": ["CVE-2023-32681", "GHSA-j8r2-6x86-q33q"],
            "description": "Requests is a HTTP library.",
        }
    ],
}
LEAK = Vulnerability("requests", "2.30.0", ("PYSEC-2023-74", "CVE-2023-32681", "GHSA-j8r2-6x86-q33q"), ("2.31.0",))


def audit_json(*packages: dict[str, Any]) -> str:
    return json.dumps({"dependencies": packages, "fixes": []})


def test_reads_pip_audit_output() -> None:
    assert read(audit_json(SKIPPED, SOUND, VULNERABLE), "") == Audit(2, (LEAK,), {"anyio": SKIPPED["skip_reason"]})


def test_known_vulnerability_fails_with_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(Audit(2, (LEAK,)), False, TODAY) == 1
    assert capsys.readouterr().err.splitlines() == [
        "Known vulnerabilities in 1 packages:",
        "package   version  known as                                            mended in",
        "requests  2.30.0   PYSEC-2023-74, CVE-2023-32681, GHSA-j8r2-6x86-q33q  2.31.0",
    ]


def test_passes_without_vulnerabilities_and_lists_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(read(audit_json(SKIPPED, SOUND), ""), True, TODAY) == 0
    output = capsys.readouterr()
    assert output.out == "No known vulnerabilities in 1 packages.\n"
    assert output.err == f"Not audited: anyio: {SKIPPED['skip_reason']}\n"


@pytest.mark.parametrize(("is_required", "status"), [(False, 0), (True, 1)])
def test_unknown_package_is_reported(is_required: bool, status: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(read(audit_json(SKIPPED), ""), is_required, TODAY) == status
    output = capsys.readouterr()
    assert output.err == f"Nothing could be audited here (1 packages skipped): {SKIPPED['skip_reason']}\n"
    assert output.out == ""


@pytest.mark.parametrize(
    "stderr",
    [
        pytest.param("ERROR:pip_audit._cli:Could not connect to PyPI's vulnerability feed\nTip: another", id="refused"),
        pytest.param("Traceback\nrequests.exceptions.ConnectionError: name or service not known", id="no name"),
        pytest.param("Traceback\nrequests.exceptions.ReadTimeout: read timed out", id="slow"),
        pytest.param("Traceback\npip_audit._service.interface.ServiceError", id="server error"),
    ],
)
def test_unreachable_service_is_not_a_failure(stderr: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(read("", stderr), False, TODAY) == 0
    assert stderr.rpartition("\n")[2] in capsys.readouterr().err


def test_unreadable_lock_file_fails() -> None:
    with pytest.raises(BrokenLockError, match="requirement requests is not hashed"):
        read("", "ERROR:pip_audit._cli:requirement requests is not hashed")


@pytest.mark.parametrize(
    ("until", "status"), [pytest.param(TODAY, 0, id="still"), pytest.param(date(2026, 11, 21), 1, id="judged long ago")]
)
def test_ignores_vulnerabilities_until_their_date(until: date, status: int) -> None:
    ignored = {"CVE-2023-32681": Ignored("No proxy with a password is configured", until)}
    assert report(Audit(2, (LEAK,)), False, TODAY, ignored) == status


def test_gives_up_on_endless_audit(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def hang(*_: object, **__: object) -> None:
        raise subprocess.TimeoutExpired("pip-audit", audit.PATIENCE)

    monkeypatch.setattr(subprocess, "run", hang)
    monkeypatch.setenv("AUDIT", "required")
    assert audit.main() == 1
    assert "no answer within 600 seconds" in capsys.readouterr().err
