"""Dockerfile and compose.yaml, read as text: errors that a build or `docker compose config` would find, and our rules.

The suite runs without a container engine, so these tests check that named files exist and options are set.
"""

import json
import re
from typing import Any

import pytest
import yaml
from django.core.management import get_commands, load_command_class

from rssmanager.env import PROJECT
from rssmanager.server.supervisor import GRACE

TEXT = (PROJECT / "Dockerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((PROJECT / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = [name for name, service in SERVICES.items() if "build" in service]
PROFILES = {"one": {"reader"}, "several": {"prepare", "web", "worker", "database", "redis"}}
NEEDED = {"manage.py", "feeds", "reader", "digests", "rssmanager", "templates", "static"}


def instructions(text: str) -> list[tuple[str, str]]:
    """Name and arguments of each instruction, with continued lines joined and without comments."""
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    return [
        (name, words.strip())
        for line in re.sub(r"\s*\\\n\s*", " ", lines).splitlines()
        if line.strip()
        for name, _, words in [line.partition(" ")]
    ]


STAGES = [instructions(f"FROM {stage}") for stage in re.split(r"^FROM ", TEXT, flags=re.MULTILINE)[1:]]
FINAL = STAGES[-1]


def of_final(name: str) -> list[str]:
    return [words for instruction, words in FINAL if instruction == name]


def test_both_stages_use_one_pinned_python() -> None:
    """An environment needs the interpreter it was created with; `latest` would change every month."""
    bases = {stage[0][1].split()[0] for stage in STAGES}
    assert len(bases) == 1
    assert re.fullmatch(r"python:3\.\d+-slim-[a-z]+", bases.pop())


def test_packages_are_installed_from_the_lock_file_with_hashes() -> None:
    installing = [
        words for stage in STAGES for _, words in stage if "pip" in words.split("&&")[-1] and "install" in words
    ]
    assert len([step for step in installing if "requirements.lock" in step]) == 1
    assert all(option in installing[0] for option in ("--require-hashes", "--no-deps", "--no-cache-dir"))


def test_final_stage_has_no_build_tools_or_package_lists() -> None:
    for run in of_final("RUN"):
        assert not re.search(r"\bpip\b|\bgcc\b|build-essential|-dev\b|\bcurl\b", run)
        if "apt-get install" in run:
            assert "--no-install-recommends" in run
            assert run.endswith("rm -rf /var/lib/apt/lists/*")


def test_copies_only_files_needed_to_run() -> None:
    """Folder by folder, so that `.env`, `var` and `.git` can't be included."""
    copied = {words.split()[0] for words in of_final("COPY") if not words.startswith("--from")}
    assert copied == NEEDED
    assert all((PROJECT / path).exists() for path in copied)
    assert "ADD" not in {name for stage in STAGES for name, _ in stage}


def test_image_runs_unprivileged_with_one_data_folder() -> None:
    assert of_final("USER") == ["1000:1000"]
    names = [name for name, _ in FINAL]
    assert names.index("USER") > max(number for number, name in enumerate(names) if name in ("RUN", "COPY"))
    assert of_final("VOLUME") == ["/data"]
    assert "DATA_DIR=/data" in " ".join(of_final("ENV"))


def test_signals_and_health_checks_reach_the_container() -> None:
    assert of_final("STOPSIGNAL") == ["SIGTERM"]
    assert json.loads(of_final("ENTRYPOINT")[0]) == ["tini", "--"]
    assert "tini" in " ".join(of_final("RUN"))
    command = json.loads(of_final("CMD")[0])
    assert command[:2] == ["python", "manage.py"]
    assert command[2] in get_commands()
    check = json.loads(of_final("HEALTHCHECK")[0].partition("CMD ")[2])
    compile(check[-1], "HEALTHCHECK", "exec")
    assert "/healthz" in check[-1]


def test_backup_programs_match_the_server_version() -> None:
    """`pg_dump` refuses servers newer than itself."""
    client = re.findall(r"postgresql-client-(\d+)", TEXT)
    assert client == [SERVICES["database"]["image"].removeprefix("postgres:")]


def test_every_service_belongs_to_one_profile() -> None:
    assert {name: service["profiles"] for name, service in SERVICES.items()} == {
        name: [profile] for profile, names in PROFILES.items() for name in names
    }


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_services_name_existing_volumes_and_services(name: str) -> None:
    service = SERVICES[name]
    for other, wanted in service.get("depends_on", {}).items():
        assert SERVICES[other]["profiles"] == service["profiles"]
        condition = wanted["condition"]
        assert condition in ("service_healthy", "service_completed_successfully")
        assert condition != "service_healthy" or "test" in SERVICES[other]["healthcheck"]
    volumes = {volume.partition(":")[0] for volume in service.get("volumes", ())}
    assert volumes <= set(COMPOSE["volumes"])


def test_services_restart_and_wait_for_dependencies() -> None:
    restarts = {name: service["restart"] for name, service in SERVICES.items()}
    assert restarts.pop("prepare") == "on-failure"
    assert set(restarts.values()) == {"unless-stopped"}
    assert all(service.get("image") for service in SERVICES.values())


def test_services_are_read_only_and_stop_in_time() -> None:
    for name in OURS:
        service = SERVICES[name]
        assert (service["read_only"], service["cap_drop"], service["tmpfs"]) == (True, ["ALL"], ["/tmp"])  # noqa: S108
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert int(service["stop_grace_period"].removesuffix("s")) > GRACE
        assert service["volumes"] == ["data:/data"]


def test_publishes_no_port_to_the_world() -> None:
    published = [port for service in SERVICES.values() for port in service.get("ports", ())]
    assert published
    assert all(port.startswith("127.0.0.1:") for port in published)


def test_contains_no_secret() -> None:
    text = (PROJECT / "compose.yaml").read_text()
    secrets = [value for _, value in re.findall(r"(PASSWORD|KEY): (\S+)", text)]
    assert secrets == ["${POSTGRES_PASSWORD-}"]
    assert re.findall(r"postgres://reader:([^@]+)@", text) == ["${POSTGRES_PASSWORD-}"]


def test_no_profile_needs_values_of_the_other() -> None:
    """Compose resolves variables of all services, whichever are started: `:?` would break the small profile."""
    assert ":?" not in (PROJECT / "compose.yaml").read_text()


def test_redis_persists_tasks() -> None:
    assert SERVICES["redis"]["command"][1:] == ["--appendonly", "yes", "--maxmemory-policy", "noeviction"]


@pytest.mark.parametrize("name", [name for name in OURS if "command" in SERVICES[name]])
def test_services_run_existing_commands(name: str) -> None:
    program, script, command, *options = SERVICES[name]["command"]
    assert (program, script) == ("python", "manage.py")
    assert command in get_commands()
    load_command_class(get_commands()[command], command).create_parser("manage.py", command).parse_args(options)
