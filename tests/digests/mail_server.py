"""Mail servers on loopback: a real one that can be told to refuse, and one that says exactly what a test wrote."""

import asyncio
import contextlib
import socket
import threading
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any, cast

from aiosmtpd.smtp import SMTP, AuthResult

PATIENCE = 20.0  # seconds until a test that waits for something gives up
OK = "250 OK"


@dataclass(frozen=True)
class Received:
    """A mail that was taken: its envelope, its bytes, and how a mail client reads these."""

    sender: str
    recipients: list[str]
    content: bytes

    @property
    def message(self) -> EmailMessage:
        return cast(EmailMessage, message_from_bytes(self.content, policy=policy.default))

    def part(self, kind: str) -> str:
        """The text of the part of that kind (`plain` or `html`), decoded, with the ends of lines that Python has."""
        body = self.message.get_body((kind,))
        assert body is not None
        return str(body.get_content()).replace("\r\n", "\n")


class RealServer:
    """aiosmtpd on the port given, or a free one. `say` makes it answer otherwise; what it takes is in `received`.

    With `n_awaited` it answers no mail before so many connections were made.
    """

    def __init__(self, *, port: int = 0, n_awaited: int = 0, **options: Any) -> None:
        self._n_awaited = n_awaited
        self._all_are_here = asyncio.Event()
        self.received: list[Received] = []
        self.n_connections = 0
        self.logins: list[tuple[bytes, bytes]] = []
        self._answers: defaultdict[str, deque[str]] = defaultdict(deque)
        self._options = {"hostname": "mail.test", "enable_SMTPUTF8": True, **options}
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(self._loop.create_server(self._protocol, "127.0.0.1", port))
        self.port: int = self._server.sockets[0].getsockname()[1]
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def say(self, command: str, *answers: str) -> None:
        """Let the next times of `MAIL`, `RCPT` or `DOT` (the end of the mail) be answered so; then it is well again."""
        self._answers[command].extend(answers)

    def close(self) -> None:
        """Cut every connection."""
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(PATIENCE)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()

    def accept_login(self, server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
        """An authenticator that lets in who says `secret`."""
        self.logins.append((data.login, data.password))
        return AuthResult(success=data.password == b"secret", handled=False)

    async def handle_MAIL(self, server: Any, session: Any, envelope: Any, address: str, options: list[str]) -> str:
        if self._n_awaited:
            await self._all_are_here.wait()
        answer = self._answer("MAIL")
        if answer == OK:
            envelope.mail_from = address
            envelope.mail_options.extend(options)
        return answer

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: list[str]) -> str:
        answer = self._answer("RCPT")
        if answer == OK:
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        answer = self._answer("DOT")
        if answer == OK:
            self.received.append(Received(envelope.mail_from, list(envelope.rcpt_tos), envelope.content))
        return answer

    def _answer(self, command: str) -> str:
        answers = self._answers[command]
        return answers.popleft() if answers else OK

    def _protocol(self) -> SMTP:
        self.n_connections += 1
        if self.n_connections >= self._n_awaited:
            self._all_are_here.set()
        return SMTP(self, loop=self._loop, **self._options)

    async def _stop(self) -> None:
        self._server.close()
        tasks = [each for each in asyncio.all_tasks() if each is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Conversation:
    """One connection, from the server's side."""

    def __init__(self, connection: socket.socket, stopping: threading.Event) -> None:
        self.connection, self._stopping = connection, stopping
        self.lines = connection.makefile("rb")

    def say(self, *lines: str) -> None:
        self.connection.sendall("".join(f"{line}\r\n" for line in lines).encode())

    def until(self, command: str) -> None:
        """Greet, and say yes to every command before this one, which is heard and not answered."""
        self.say("220 mail.test")
        while (line := self.lines.readline().decode()) and not line.upper().startswith(command):
            self.say(OK)

    def body(self) -> bytes:
        """Ask for the mail and hear it whole, with its dot."""
        self.say("354 go ahead")
        heard = b""
        while not heard.endswith(b"\r\n.\r\n") and (line := self.lines.readline()):
            heard += line
        return heard

    def reset(self) -> None:
        """Cut the connection as a machine does that has crashed."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.connection.close()

    def think(self, seconds: float) -> None:
        """Say nothing for so long."""
        self._stopping.wait(seconds)

    def hold(self) -> None:
        """Say nothing more, ever."""
        self.think(PATIENCE)


Script = Callable[[Conversation], None]


class ScriptedServer:
    """Plays one script a connection, the last one again and again. After a script the connection is closed."""

    def __init__(self, *scripts: Script, receive_buffer: int = 0) -> None:
        self.port = 0
        self.n_connections = 0
        self._stopping = threading.Event()
        self._scripts = deque(scripts)
        self._listener = socket.socket()
        if receive_buffer:  # before listening, so that accepted connections have it
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen(16)
        self.port = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def close(self) -> None:
        self._stopping.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in list(self._threads):
            thread.join(PATIENCE)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # the listener is closed
            while True:
                connection, _ = self._listener.accept()
                connection.settimeout(PATIENCE)
                self.n_connections += 1
                script = self._scripts.popleft() if len(self._scripts) > 1 else self._scripts[0]
                thread = threading.Thread(target=self._play, args=(connection, script), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _play(self, connection: socket.socket, script: Script) -> None:
        with contextlib.suppress(OSError), connection:  # the client went away, as some tests want it to
            script(Conversation(connection, self._stopping))


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
