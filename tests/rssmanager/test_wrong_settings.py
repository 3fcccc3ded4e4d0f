"""A wrong setting ends every command in one sentence that names it."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from rssmanager.env import PROJECT

WRONG = (
    ("DATABASE_URL", "nonsense", "must be like postgres://user:password@host:5432/name or sqlite:///path."),
    ("DATABASE_URL", "postgres://me:secret@db:port/n", "must be like postgres://user:password@host:5432/name; host or"),
    ("DATABASE_URL", "sqlite:////nowhere/reader.sqlite3", 'must name a file in an existing folder, not "/nowhere/'),
    ("EMAIL_URL", "mail.example.org", "must be like submission://user:password@mail.example.org or smtp://"),
    ("EMAIL_URL", "submission://me:secret@mail.example.org:port", "must be like submission://user:password@mail"),
    ("TIME_ZONE", "Mars", 'must be a time zone like Europe/Berlin, not "Mars".'),
    ("WORKERS", "abc", 'must be a whole number from 1 to 64, not "abc".'),
    ("REDIS_URL", "redis://me:secret@host:port/0", "must be like redis://127.0.0.1:6379/0, rediss://host:6379/0 or "),
    ("BASE_URL", "reader.example.org", "must be like https://reader.example.org or https://example.org/reader, not "),
    ("ALLOWED_HOSTS", "https://reader.example.org", "must be host names like reader.example.org, without scheme and "),
    ("FETCH_TIMEOUT", "fast", 'must be a number from 0.1 to 600 seconds, not "fast".'),
    ("FETCH_MAX_BYTES", "1e6", 'must be a whole number from 1024 to 1073741824, not "1e6".'),
    ("FETCH_ALLOW_PRIVATE_NETWORKS", "perhaps", 'must be true or false, not "perhaps".'),
    ("FETCH_ALLOWED_NETWORKS", "home", "must be networks like 192.168.1.0/24 or 10.0.0.7, separated by commas: "),
    ("DATA_DIR", "/proc/reader", "must be a folder that this user can write to, not /proc/reader: No such file or "),
    ("DATA_DIR", f"{PROJECT}/manage.py", f"must be a folder that this user can write to, not {PROJECT}/manage.py: It"),
)
COMMANDS = ("help", "check", "run", "serve", "qcluster", "prepare", "doctor", "backup", "demo")


def refusal(command: str, name: str, value: str) -> tuple[int, str, str]:
    process = subprocess.run(
        [sys.executable, str(PROJECT / "manage.py"), command],
        env=os.environ | {name: value}, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    return process.returncode, process.stdout, process.stderr


def assert_one_sentence(answer: tuple[int, str, str], name: str, reason: str) -> None:
    status, output, errors = answer
    assert (status, output) == (1, ""), errors
    assert errors.startswith(f"{name} {reason}"), errors
    assert errors.endswith(".\n")
    assert errors.count("\n") == 1
    assert "secret" not in errors


@pytest.mark.slow
def test_every_wrong_value_is_explained_in_one_sentence() -> None:
    with ThreadPoolExecutor(2) as pool:
        answers = pool.map(lambda row: refusal("run", row[0], row[1]), WRONG)
        for (name, _, reason), answer in zip(WRONG, answers, strict=True):
            assert_one_sentence(answer, name, reason)


@pytest.mark.slow
def test_every_command_explains_it() -> None:
    with ThreadPoolExecutor(2) as pool:
        for answer in pool.map(lambda command: refusal(command, "WORKERS", "abc"), COMMANDS):
            assert_one_sentence(answer, "WORKERS", 'must be a whole number from 1 to 64, not "abc".')


@pytest.mark.slow
@pytest.mark.parametrize("command", ["run", "prepare"])
def test_unreachable_database_is_explained(command: str) -> None:
    status, output, errors = refusal(command, "DATABASE_URL", "postgres://me:secret@127.0.0.1:1/reader")
    assert (status, output) == (1, "")
    assert errors.startswith("CommandError: The database of DATABASE_URL doesn't respond: connection failed: ")
    assert "Connection refused" in errors
    assert errors.count("\n") == 1
    assert "secret" not in errors
