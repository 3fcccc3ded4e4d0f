"""Several workers and sudden deaths while digests are made, with real processes: each digest once, each mail once."""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from digests.models import MailingState
from tests.digests.mail_server import RealServer
from tests.rssmanager.installation import Installation, installation

pytestmark = pytest.mark.slow

N_PEOPLE = 10
DEADLINE = 60.0  # seconds in which a process that loads what making needs comes as far as a test wants it
LOOK_EVERY = 0.02  # seconds
SEND = "from digests.tasks.mail import send; send()"
# People for whom it is about noon, whatever the hour, with an article each and a digest that is due from now on.
FILL = """
from datetime import time
from django.utils import timezone
from digests.models import DigestPlan
from reader.preferences.store import set_time_zone
from tests import make
from tests.digests.windows import came
now = timezone.now()
east = 12 - now.hour
for n in range({n_people}):
    user = make.user(f"reader{{n}}", email=f"reader{{n}}@example.org")
    set_time_zone(user, f"Etc/GMT{{-east:+d}}" if east else "Etc/GMT")
    paper = make.subscription(user, make.feed(title="Paper"))
    text = "Pears won the first prize at the autumn fair in Ghent on Tuesday, said the jury."
    came(paper, now=now, points=95.0, title="Orchard prize", text=text)
    DigestPlan.objects.create(user=user, kind="midday", at=time(12), by_mail=True, next_at=now)
"""
MAKE = "from digests.tasks.make import make_due; make_due()"
# A worker that makes what is due and, right before or after the step named, waits to be killed.
STOP_AT = """
import pathlib, signal
from {module} import {name} as right
import {module}
def stopped(*arguments, **options):
    if {is_done}:
        right(*arguments, **options)
    pathlib.Path({reached!r}).touch()
    signal.pause()
{module}.{name} = stopped
""" + MAKE.replace("from digests.tasks.make import make_due", "from digests.tasks import make as make_task").replace(
    "make_due()", "make_task.make_due()"
)
# A worker that, in the middle of its first digest, waits until all others are in the middle of one.
TOGETHER = """
import os, pathlib, time
from django.contrib.auth.models import User
from django.utils import timezone
from digests.assembly import make
from digests.tasks import make as make_task
folder, right = pathlib.Path({folder!r}), make.preview
def together(*arguments, **options):
    (folder / str(os.getpid())).touch()
    ends = time.monotonic() + {deadline}
    while len(list(folder.iterdir())) < {n_workers} and time.monotonic() < ends:
        time.sleep(0.01)
    return right(*arguments, **options)
make.preview = together
{task}
"""
CLEAR = """
from django.contrib.auth.models import User
from feeds.models import Article, Feed, Poll, Story
User.objects.filter(username__startswith="reader").delete()
for each in (Article, Story, Poll, Feed):
    each.objects.all().delete()
"""
STEPS = [
    pytest.param("digests.assembly.pipeline", "cluster_window", True, id="in the middle of assembling"),
    pytest.param("digests.assembly.make", "store", True, id="stored, its mail not queued"),
    pytest.param("digests.assembly.make", "move_on", True, id="all written, nothing committed"),
]


# A process that runs what it is told, for what need not die: loading what making needs takes seconds.
CONSOLE = """
import json, sys
for line in sys.stdin:
    exec(json.loads(line), {})
    print(END, flush=True)
"""
END = "-- done --"


class Reader:
    """An installation, its mail server, and a process that runs code in it."""

    def __init__(self, installed: Installation, mail: RealServer) -> None:
        self.installed, self.mail = installed, mail
        self.reached, self.meeting = installed.folder / "reached", installed.folder / "making"
        installed.environment["EMAIL_URL"] = f"smtp://127.0.0.1:{mail.port}"
        code = CONSOLE.replace("END", repr(END))
        self._console = subprocess.Popen(
            installed.command("shell", "--no-imports", "-c", code),
            env=installed.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(self, code: str) -> "subprocess.Popen[str]":
        return self.installed.start("shell", "--no-imports", "-c", code)

    def run(self, code: str) -> str:
        """What the code printed."""
        assert self._console.stdin
        assert self._console.stdout
        self._console.stdin.write(json.dumps(code) + "\n")
        self._console.stdin.flush()
        lines = list(iter(self._console.stdout.readline, f"{END}\n"))
        assert "" not in lines, "the console died; its traceback is above"
        return "".join(lines).strip()

    def ask(self, expression: str) -> str:
        return self.run(f"from digests.models import *; print({expression})")

    def recipients(self) -> list[str]:
        return sorted(address for each in self.mail.received for address in each.recipients)

    def clear(self) -> None:
        self.run(CLEAR)
        self.mail.received.clear()
        self.reached.unlink(missing_ok=True)
        shutil.rmtree(self.meeting, ignore_errors=True)

    def close(self) -> None:
        self._console.kill()
        self._console.communicate()


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    mail = RealServer()
    with installation(tmp_path_factory.mktemp("installed")) as made:
        reader = Reader(made, mail)
        yield reader
        reader.close()
    mail.close()


@pytest.fixture
def reader(installed: Reader) -> Iterator[Reader]:
    """The same one for all tests, for it takes long to make; what each brings is taken away."""
    yield installed
    installed.clear()


def fill(reader: Reader, n_people: int) -> None:
    reader.run(FILL.format(n_people=n_people))


def let_time_pass(reader: Reader) -> None:
    """Let the claims of workers that died expire."""
    reader.ask("DigestPlan.objects.exclude(claimed_until=None).update(claimed_until='2020-01-01 00:00Z')")


def wait_for(path: Path, worker: "subprocess.Popen[str]") -> None:
    """Until the worker says that it has come so far."""
    ends = time.monotonic() + DEADLINE
    while not path.exists():
        assert worker.poll() is None, worker.communicate()[1]
        assert time.monotonic() < ends, "the worker never came so far"
        time.sleep(LOOK_EVERY)


def kill_at(reader: Reader, module: str, name: str, *, is_done: bool) -> None:
    """Start a worker and kill it before that function runs, or once it has."""
    code = STOP_AT.format(module=module, name=name, is_done=is_done, reached=str(reader.reached))
    worker = reader.start(code)
    try:
        wait_for(reader.reached, worker)
    finally:
        worker.kill()
        worker.communicate()


def at_once(reader: Reader, *tasks: str) -> list[str]:
    """What these tasks printed, each in a process of its own, all in the middle of making a digest at one moment."""
    folder = reader.meeting
    folder.mkdir()
    values = {"folder": str(folder), "n_workers": len(tasks), "deadline": DEADLINE}
    workers = [reader.start(TOGETHER.format(task=task, **values)) for task in tasks]
    printed = []
    for worker in workers:
        out, err = worker.communicate(timeout=2 * DEADLINE)
        assert worker.returncode == 0, err
        printed.append(out.strip())
    assert len(list(folder.iterdir())) == len(tasks)  # else they did not meet
    return printed


@pytest.mark.parametrize(("module", "name", "is_done"), STEPS)
def test_killed_while_making_digest_is_made_once(reader: Reader, module: str, name: str, is_done: bool) -> None:
    fill(reader, 1)
    kill_at(reader, module, name, is_done=is_done)
    assert reader.ask("Digest.objects.count(), DigestTopic.objects.count(), Mailing.objects.count()") == "0 0 0"
    reader.run(MAKE)
    assert reader.ask("Digest.objects.count()") == "0"  # for the dead worker's claim still stands
    let_time_pass(reader)
    for _ in range(2):
        reader.run(f"{MAKE}; {SEND}")
    assert reader.ask("Digest.objects.count(), DigestTopic.objects.count(), DigestArticle.objects.count()") == "1 1 1"
    assert reader.recipients() == ["reader0@example.org"]
    assert (
        reader.ask("DigestPlan.objects.filter(claimed_until=None, next_at__gt=Digest.objects.get().made_at).count()")
        == "1"
    )


def test_killed_before_sending_email_is_sent_once(reader: Reader) -> None:
    fill(reader, 1)
    reader.run(MAKE)
    code = STOP_AT.format(module="digests.delivery.sending", name="compose", is_done=False, reached=str(reader.reached))
    worker = reader.start(code.replace("make_task.make_due()", SEND))
    try:
        wait_for(reader.reached, worker)
    finally:
        worker.kill()
        worker.communicate()
    reader.ask("Mailing.objects.update(claimed_until='2020-01-01 00:00Z')")
    for _ in range(2):
        reader.run(f"{MAKE}; {SEND}")
    assert reader.recipients() == ["reader0@example.org"]
    assert reader.ask("Digest.objects.count(), Mailing.objects.get().state") == f"1 {MailingState.SENT.value}"


def test_two_workers_make_ten_digests_that_are_due_each_once(reader: Reader) -> None:
    fill(reader, N_PEOPLE)
    at_once(reader, "make_task.make_due()", "make_task.make_due()")
    assert reader.ask("Digest.objects.count(), Digest.objects.values('user').distinct().count()") == "10 10"
    assert reader.ask("DigestTopic.objects.count(), Mailing.objects.count()") == "10 10"
    assert reader.ask("DigestPlan.objects.filter(claimed_until=None).count()") == "10"
    reader.run(SEND)
    assert reader.recipients() == sorted(f"reader{n}@example.org" for n in range(N_PEOPLE))


BY_HAND = """
made = make.make(User.objects.get(username="reader0"), make.Kind.MIDDAY, now=timezone.now(), by_mail=True)
print(made.is_new)
"""
AT_NIGHT = """
plan = make.DigestPlan.objects.get()
print(make.make_planned(plan, now=timezone.now()).is_new)
"""


def test_user_and_worker_make_one_digest_together(reader: Reader) -> None:
    fill(reader, 1)
    assert sorted(at_once(reader, BY_HAND, AT_NIGHT)) == ["False", "True"]
    reader.run(f"{MAKE}; {SEND}")
    assert reader.ask("Digest.objects.count(), DigestTopic.objects.count(), Mailing.objects.count()") == "1 1 1"
    assert reader.recipients() == ["reader0@example.org"]
