"""Files for operators to copy: systemd units and proxy settings are valid and name existing files."""

import configparser
import re
import shlex
import subprocess
from pathlib import Path
from shutil import which

import pytest
import yaml
from django.core.management import get_commands

from rssmanager.accounts.format import MAX_UPLOADED
from rssmanager.env import PROJECT
from rssmanager.server.supervisor import GRACE

FOLDER = PROJECT / "rssmanager/deploy"
UNITS = sorted((FOLDER / "systemd").iterdir())
SERVICES = [path for path in UNITS if path.suffix == ".service"]
PROXIES = sorted((FOLDER / "proxies").iterdir())
WHERE = "/opt/rssmanager"  # where the units expect the project
WORST = 20  # systemd's exposure level in tenths, from 0 to 100


def by_name(path: Path) -> str:
    return path.name


def joined(path: Path) -> str:
    """Its text, with continued lines joined."""
    return path.read_text().replace("\\\n", " ")


def unit(path: Path) -> dict[str, dict[str, str]]:
    """Sections of a unit; a repeated key has its last value."""
    parser = configparser.RawConfigParser(strict=False, comment_prefixes=("#",), delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(joined(path))
    return {name: dict(parser[name]) for name in parser.sections()}


@pytest.mark.parametrize("path", SERVICES, ids=by_name)
def test_service_runs_an_existing_command_unprivileged(path: Path) -> None:
    service = unit(path)["Service"]
    commands = [shlex.split(line) for line in re.findall(r"^ExecStart(?:Pre)?=(.*)$", joined(path), re.MULTILINE)]
    assert commands
    for program, module, name, *_ in commands:
        assert program == f"{WHERE}/.venv/bin/python"
        assert module == "manage.py"
        assert name in get_commands()
    assert (service["User"], service["WorkingDirectory"]) == ("rssmanager", WHERE)
    assert f"DATA_DIR=/var/lib/{service['StateDirectory']}" in service["Environment"].split()
    assert (service["ProtectSystem"], service["NoNewPrivileges"]) == ("strict", "yes")


@pytest.mark.parametrize("path", [path for path in SERVICES if "backup" not in path.name], ids=by_name)
def test_service_restarts_and_has_time_to_stop(path: Path) -> None:
    service = unit(path)["Service"]
    assert (service["Restart"], service["KillMode"]) == ("always", "mixed")
    assert int(service["TimeoutStopSec"]) > GRACE


@pytest.mark.skipif(which("systemd-analyze") is None, reason="systemd is not installed here")
def test_systemd_verifies_units_as_well_confined(tmp_path: Path) -> None:
    for path in UNITS:
        (tmp_path / path.name).write_text(path.read_text().replace(WHERE, str(PROJECT)))
    names = [path.name.replace("@.", "@1.") for path in UNITS]
    result = run("systemd-analyze", "verify", *(str(tmp_path / name) for name in names))
    assert [line for line in result.stderr.splitlines() if "rssmanager" in line] == []
    for path in SERVICES:
        output = run("systemd-analyze", "security", "--offline=yes", f"--threshold={WORST}", str(tmp_path / path.name))
        assert output.returncode == 0, output.stdout[-300:]


@pytest.mark.skipif(which("caddy") is None, reason="Caddy is not installed here")
def test_caddy_accepts_its_settings() -> None:
    result = run("caddy", "validate", "--adapter", "caddyfile", "--config", str(FOLDER / "proxies/Caddyfile"))
    assert result.returncode == 0, result.stderr


def test_labels_name_existing_services() -> None:
    labelled = yaml.safe_load((FOLDER / "proxies/traefik.yaml").read_text())["services"]
    services = yaml.safe_load((PROJECT / "compose.yaml").read_text())["services"]
    assert set(labelled) == {name for name, service in services.items() if "ports" in service}


@pytest.mark.parametrize("path", PROXIES, ids=by_name)
def test_proxy_limits_match_the_apps(path: Path) -> None:
    """The largest upload is a data export; the form adds little to it."""
    megabytes = [int(match) for match in re.findall(r"(?:size|max_size) (\d+)(?:m|MB)\b", path.read_text())]
    limits = [
        int(match) for match in re.findall(r"(?:LimitRequestBody |maxRequestBodyBytes: \")(\d+)", path.read_text())
    ]
    largest = [1_000_000 * megabyte for megabyte in megabytes] + limits
    assert len(largest) == 1
    assert largest[0] > MAX_UPLOADED


def run(*command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
