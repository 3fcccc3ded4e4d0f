"""Several workers and sudden deaths, with real processes: no mail is lost, and none arrives twice."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from digests.models import MailingState
from tests.digests.mail_server import PATIENCE, Conversation, RealServer, Script, ScriptedServer
from tests.faults.processes import let_claims_expire, n_rows, sql
from tests.rssmanager.installation import Installation, installation

pytestmark = [pytest.mark.slow, pytest.mark.vendor]

N_MAILS = 20
ADDRESS = "owner@example.org"
SEND = "from digests.tasks.mail import send; send()"
QUEUE = """
from datetime import date, timedelta
from django.contrib.auth.models import User
from django.utils import timezone
from digests.delivery.enqueue import queue
from tests.digests.editions import edition, topic
from tests.digests.mails import stored
user = User.objects.get()
for n in range({n}):
    queue(stored(user, edition(topic(), day=date(2026, 1, 1) + timedelta(days=n))), now=timezone.now())
"""


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Installation]:
    with installation(tmp_path) as made:
        yield made


@pytest.fixture
def real() -> Iterator[RealServer]:
    server = RealServer()
    yield server
    server.close()


@pytest.fixture
def scripted() -> Iterator[Callable[[Script], ScriptedServer]]:
    made: list[ScriptedServer] = []

    def make(script: Script) -> ScriptedServer:
        made.append(ScriptedServer(script, receive_buffer=4096))
        return made[-1]

    yield make
    for each in made:
        each.close()


def run(reader: Installation, code: str) -> str:
    return reader.run("shell", "--no-imports", "-c", code).stdout.strip()


def states(reader: Installation) -> set[str]:
    """The states of all emails."""
    return {state for (state,) in sql(reader, "SELECT state FROM digests_mailing")}


def use(reader: Installation, server: RealServer | ScriptedServer) -> None:
    reader.environment["EMAIL_URL"] = f"smtp://127.0.0.1:{server.port}"


def kill_while_sending(reader: Installation, server: ScriptedServer, reached: threading.Event, code: str) -> None:
    """Start a worker and kill it once the server says that it has come so far."""
    use(reader, server)
    worker = reader.start("shell", "--no-imports", "-c", code)
    try:
        assert reached.wait(PATIENCE)
    finally:
        worker.kill()
        worker.communicate()


def test_two_workers_send_each_mail_once(reader: Installation) -> None:
    server = RealServer(n_awaited=2)
    try:
        use(reader, server)
        run(reader, QUEUE.format(n=N_MAILS))
        workers = [reader.start("shell", "--no-imports", "-c", SEND) for _ in range(2)]
        for worker in workers:
            _, err = worker.communicate(timeout=120)
            assert worker.returncode == 0, err
    finally:
        server.close()
    ids = [str(each.message["Message-ID"]) for each in server.received]
    assert len(ids) == len(set(ids)) == N_MAILS
    assert server.n_connections == 2
    assert states(reader) == {MailingState.SENT}
    assert not n_rows(reader, "reader_notification")


def _connected(reached: threading.Event) -> Script:
    def script(talk: Conversation) -> None:
        reached.set()
        talk.hold()

    return script


def _before_the_text(reached: threading.Event) -> Script:
    def script(talk: Conversation) -> None:
        talk.until("DATA")
        reached.set()
        talk.hold()

    return script


@pytest.mark.parametrize("script", [_connected, _before_the_text], ids=["before sending", "before the text"])
def test_killed_before_data_loses_and_repeats_no_email(
    reader: Installation,
    real: RealServer,
    scripted: Callable[[Script], ScriptedServer],
    script: Callable[[threading.Event], Script],
) -> None:
    run(reader, QUEUE.format(n=1))
    reached = threading.Event()
    kill_while_sending(reader, scripted(script(reached)), reached, SEND)
    assert states(reader) == {MailingState.WAITING}
    use(reader, real)
    run(reader, SEND)
    assert not real.received  # for the dead worker's claim still stands
    let_claims_expire(reader)
    for _ in range(2):
        run(reader, SEND)
    assert [each.recipients for each in real.received] == [[ADDRESS]]
    assert states(reader) == {MailingState.SENT}
    assert not n_rows(reader, "reader_notification")


def test_killed_after_data_leaves_uncertain_email(
    reader: Installation, real: RealServer, scripted: Callable[[Script], ScriptedServer]
) -> None:
    run(reader, QUEUE.format(n=1))
    reached = threading.Event()
    heard: list[bytes] = []

    def script(talk: Conversation) -> None:
        talk.until("DATA")
        heard.append(talk.body())
        reached.set()
        talk.hold()

    kill_while_sending(reader, scripted(script), reached, SEND)
    assert heard[0].endswith(b"\r\n.\r\n")  # the server has it whole
    assert states(reader) == {MailingState.HANDING_OVER}
    let_claims_expire(reader)
    use(reader, real)
    for _ in range(2):
        run(reader, SEND)
    assert not real.received
    assert states(reader) == {MailingState.UNCERTAIN}
    [(digest_id,)] = sql(reader, "SELECT id FROM digests_digest")
    assert sql(reader, "SELECT kind, path FROM reader_notification") == [("mail", f"/digests/{digest_id}/")]
