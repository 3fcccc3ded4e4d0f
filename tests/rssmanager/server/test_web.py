"""The web server with real connections: half-open ones, slow ones, too large ones, and its end."""

import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from feeds.content.image_proxy import AT_ONCE
from rssmanager.env import PROJECT
from rssmanager.server.web import MAX_HEAD, without_body_of_head
from tests.attacks.site import Browser
from tests.digests.mail_server import free_port
from tests.feeds.servers import ScriptedServer, silent
from tests.rssmanager.installation import installation
from tests.rssmanager.operations.servers import Server, serving
from tests.rssmanager.server.test_supervisor import PATIENCE, answers, wait_until

BIG = 60_000_000  # bytes of a response, more than the system's buffers hold
SLOW = 1.5  # seconds that the slow response takes
PROGRAM = f"""
import sys, time
from rssmanager.server import web
from rssmanager.server.supervisor import listen

def application(environ, start_response):
    path = environ["PATH_INFO"]
    if path == "/slow":
        print("begun", flush=True)
        time.sleep({SLOW})
    body = environ["wsgi.input"].read()
    start_response("200 OK", [("Content-Type", "text/plain")])
    return (bytes(1_000_000) for _ in range({BIG} // 1_000_000)) if path == "/big" else [path.encode(), body]

vars(web).update(PAGE_THREADS=1, CHECK_SECONDS=0.05, **eval(sys.argv[2]))
web.serve(application, listen("127.0.0.1", int(sys.argv[1])))
"""
HEAD = b"GET /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: "
POST = b"POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\n"
HALF_OPEN = {"heads": HEAD, "bodies": POST + bytes(4_000), "silent": b""}


@dataclass(frozen=True, slots=True)
class Program:
    """A web server with another application, one thread and other limits."""

    port: int
    process: "subprocess.Popen[str]"

    def connect(self, sent: bytes = b"") -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        connection.sendall(sent)
        return connection

    def ask(self, path: str, *, method: str = "GET") -> HTTPResponse:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request(method, path)
        return connection.getresponse()


@contextmanager
def program(**limits: float) -> Iterator[Program]:
    command = [sys.executable, "-c", PROGRAM, str(port := free_port()), repr(limits)]
    environment = {"DJANGO_SETTINGS_MODULE": "rssmanager.settings", "IMAGE_PROXY": "false"}
    with subprocess.Popen(command, cwd=PROJECT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            wait_until(lambda: answers(f"http://127.0.0.1:{port}/healthz"), "it does not answer")
            yield Program(port, process)
        finally:
            process.kill()


def is_closed(connection: socket.socket, send: bytes = b"") -> bool:
    """Whether the server has closed it; tries to send this first."""
    connection.settimeout(0.05)
    try:
        connection.sendall(send)
        return connection.recv(1) == b""
    except TimeoutError:
        return False
    except (BrokenPipeError, ConnectionResetError):
        return True


def read_all(connection: socket.socket) -> bytes:
    return b"".join(iter(lambda: connection.recv(2**20), b""))


def seconds_of(is_done: Callable[[], object]) -> float:
    began = time.monotonic()
    assert is_done()
    return time.monotonic() - began


def pss(pid: int) -> float:
    """MB in memory, shared ones by their share."""
    found = re.search(r"^Pss:\s+(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) / 1024


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with installation(tmp_path_factory.mktemp("installation"), is_bare=True) as reader:
        reader.run("prepare")
        with serving(reader) as running:
            assert running.ask("/setup/")[0] == 200  # loads what pages need
            yield running


@pytest.mark.slow
@pytest.mark.parametrize("kind", HALF_OPEN)
def test_1000_half_open_connections_delay_nobody(server: Server, kind: str) -> None:
    before = pss(server.process.pid)
    with ExitStack() as half_open:
        for _ in range(1_000):
            connection = half_open.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE))
            connection.sendall(HALF_OPEN[kind])
        server.ask("/healthz")  # accepted after all of them
        assert max(seconds_of(lambda: server.ask("/healthz") == (200, "ok")) for _ in range(5)) < 1
        assert seconds_of(lambda: server.ask("/setup/")[0] == 200) < 2
        assert pss(server.process.pid) - before < 25


@pytest.mark.slow
def test_slow_images_leave_threads_for_pages(tmp_path: Path) -> None:
    """They take `AT_ONCE` threads; the script of the page asks again for those that are refused."""
    with installation(tmp_path) as reader, ExitStack() as open_ones:
        publishers = [ScriptedServer(address) for address in ("127.0.0.2", "127.0.0.3")]
        urls = [one.on(f"/{n}.png", silent(one)) for one in publishers for n in range(20)]
        for one in publishers:
            open_ones.callback(one.close)
        reader.prepare()
        code = f"from reader.articles.image_proxy import image_address; print(*map(image_address, {urls}))"
        paths = reader.run("shell", "--no-imports", "-c", code).stdout
        server = open_ones.enter_context(serving(reader))
        browser = Browser(f"http://127.0.0.1:{server.port}")
        assert browser.sign_in("owner").status_code == 302
        loading = [open_ones.enter_context(socket.create_connection(("127.0.0.1", server.port))) for _ in urls]
        for connection, path in zip(loading, paths.split(), strict=True):
            request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: sessionid={browser.session_key}\r\n\r\n"
            connection.sendall(request.encode())
        refused = select_until(loading, n=len(urls) - AT_ONCE)
        assert [one.recv(1_000)[:12] for one in refused] == [b"HTTP/1.1 503"] * len(refused)
        assert seconds_of(lambda: browser.get("/settings/").status_code == 200) < 2
        assert seconds_of(lambda: server.ask("/healthz") == (200, "ok")) < 1
        assert select.select(loading, [], [], 0)[0] == []  # the others still wait


def select_until(connections: list[socket.socket], *, n: int) -> list[socket.socket]:
    """The connections with an answer, once there are `n`."""
    wait_until(lambda: len(select.select(connections, [], [], 0)[0]) == n, f"not {n} are answered")
    return select.select(connections, [], [], 0)[0]


@pytest.mark.slow
def test_connections_that_hardly_move_are_closed() -> None:
    """Whatever they send or read, a byte at a time; a client that is merely slow isn't."""
    limits = {"STALL_SECONDS": 1.0, "STALL_BYTES": 1_000}
    with program(**limits) as running, ExitStack() as open_ones:
        head, body, steady = map(open_ones.enter_context, map(running.connect, (HEAD, POST, POST)))
        closed: set[str] = set()

        def drip() -> bool:
            assert not is_closed(steady, bytes(500))
            closed.update(name for name, one in (("head", head), ("body", body)) if is_closed(one, b"x"))
            return closed == {"head", "body"}

        wait_until(drip, "a dripping request stays")
        assert running.ask("/healthz").read() == b"/healthz"
        assert not is_closed(steady, bytes(500))


@pytest.mark.slow
def test_slow_reader_is_closed_and_holds_no_thread() -> None:
    with program(STALL_SECONDS=1.0) as running, running.connect(b"GET /big HTTP/1.1\r\nHost: a\r\n\r\n") as reader:
        n_read, until = 0, time.monotonic() + 4
        while time.monotonic() < until:
            assert running.ask("/healthz").read() == b"/healthz"
            n_read += len(reader.recv(1))
        n_read += len(read_all(reader))
        assert 0 < n_read < BIG
        assert len(running.ask("/big").read()) == BIG


@pytest.mark.slow
def test_the_largest_requests_are_closed_first() -> None:
    with program(HELD=2_000_000) as running, ExitStack() as open_ones:
        sizes = (900_000, 300_000, 800_000, 200_000)  # of 1,000,000
        sent = [open_ones.enter_context(running.connect(POST + bytes(size))) for size in sizes]
        wait_until(lambda: is_closed(sent[0]), "nothing was closed")
        assert [is_closed(one) for one in sent] == [True, False, False, False]
        sent[2].sendall(bytes(1_000_000 - 800_000))
        sent[2].settimeout(PATIENCE)
        assert read_all(sent[2]).startswith(b"HTTP/1.1 200 OK")


@pytest.mark.slow
def test_requests_of_every_kind() -> None:
    with program() as running:
        with running.connect(
            b"POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"
        ) as chunked:
            assert b"/a\r\n6\r\nonetwo\r\n" in read_all(chunked)
        with running.connect(
            b"POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
        ) as waiting:
            assert waiting.recv(1_000) == b"HTTP/1.1 100 Continue\r\n\r\n"
            waiting.sendall(b"one")
            assert b"/b\r\n3\r\none\r\n" in read_all(waiting)
        head = running.ask("/healthz", method="HEAD")
        assert (head.status, head.headers["Content-Length"], head.read()) == (200, "8", b"")
        with running.connect(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000000\r\n\r\n") as large:
            assert read_all(large).startswith(b"HTTP/1.1 413 ")
        with running.connect(HEAD.ljust(MAX_HEAD, b"x")) as long:
            assert read_all(long).startswith(b"HTTP/1.0 431 ")


@pytest.mark.slow
def test_sigterm_lets_running_requests_finish() -> None:
    with program() as running, running.connect(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n") as slow:
        assert running.process.stdout is not None
        assert running.process.stdout.readline() == "begun\n"
        with running.connect(HEAD):  # nobody waits for this one
            running.process.send_signal(signal.SIGTERM)
            assert b"/slow" in read_all(slow)
            assert seconds_of(lambda: running.process.wait(PATIENCE) == 0) < 5


@pytest.mark.slow
def test_sigterm_lets_a_download_finish() -> None:
    with program() as running:
        download = running.ask("/big")
        running.process.send_signal(signal.SIGTERM)
        assert len(download.read()) == BIG
        assert running.process.wait(PATIENCE) == 0


def test_head_is_answered_with_the_length_alone() -> None:
    begun: list[object] = []
    closed = threading.Event()

    class Body(list[bytes]):
        def close(self) -> None:
            closed.set()

    def application(environ: object, start_response: Callable[..., object]) -> Body:
        start_response("200 OK", [("X-Other", "1")])
        return Body([b"one", b"three"])

    body = without_body_of_head(application)({"REQUEST_METHOD": "HEAD"}, lambda *begin: begun.append(begin))
    assert (body, begun) == ([], [("200 OK", [("X-Other", "1"), ("Content-Length", "8")])])
    assert closed.is_set()
