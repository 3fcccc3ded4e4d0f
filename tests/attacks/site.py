"""The attacked installation: a web server, a mail server, and browsers of several people."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests
from requests.adapters import HTTPAdapter

from tests.attacks.filling import MALLORY, VICTIM
from tests.digests.mail_server import RealServer
from tests.rssmanager.installation import PASSWORD, Installation, installation
from tests.rssmanager.operations.servers import Server, serving

BASE_URL = "http://reader.example"
ADMIN = "owner"
METRICS_TOKEN = "a-token-of-more-than-twenty-characters"
_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


class _From(HTTPAdapter):
    """Connections that come from this address of this machine."""

    def __init__(self, address: str) -> None:
        self._address = address
        super().__init__()

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs, source_address=(self._address, 0))


class Browser:
    """One person's requests; redirects are answers, not followed."""

    def __init__(self, base: str, address: str = "127.0.0.1") -> None:
        self.base = base
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.mount("http://", _From(address))
        self.session.headers["Accept"] = "text/html"

    def ask(self, method: str, path: str, **options: Any) -> requests.Response:
        options.setdefault("timeout", 60)
        return self.session.request(method, f"{self.base}{path}", allow_redirects=False, **options)

    def get(self, path: str, **options: Any) -> requests.Response:
        return self.ask("GET", path, **options)

    def post(self, path: str, *, token_of: str = "", **fields: Any) -> requests.Response:
        """With the token that the page `token_of`, or the one before, gave."""
        sent = {"csrfmiddlewaretoken": self.token(token_of or path), **fields}
        return self.ask("POST", path, data=sent)

    def token(self, path: str) -> str:
        found = _TOKEN.search(self.get(path).text)
        assert found is not None, path
        return found[1]

    def sign_in(self, name: str, password: str = PASSWORD) -> requests.Response:
        return self.post("/login/", username=name, password=password)

    @property
    def session_key(self) -> str:
        return str(self.session.cookies.get("sessionid") or "")


@dataclass(slots=True)
class Site:
    """`rows` is what `filling.fill` made."""

    reader: Installation
    server: Server
    mail: RealServer
    rows: dict[str, Any]
    people: dict[str, Browser] = field(default_factory=dict)

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    def browser(self, address: str = "127.0.0.1") -> Browser:
        """Nobody's, fresh."""
        return Browser(self.base, address)

    def signed_in(self, name: str) -> Browser:
        """That person's, fresh."""
        made = self.browser()
        assert made.sign_in(name).status_code == 302
        return made

    def person(self, name: str) -> Browser:
        """That person's, one for the whole module."""
        if name not in self.people:
            self.people[name] = self.signed_in(name)
        return self.people[name]

    @property
    def victim(self) -> Browser:
        return self.person(VICTIM)

    @property
    def mallory(self) -> Browser:
        return self.person(MALLORY)

    @property
    def admin(self) -> Browser:
        return self.person(ADMIN)

    def python(self, code: str) -> str:
        """What the code prints, run in a process of the installation."""
        return self.reader.run("shell", "--no-imports", "-c", code).stdout.strip()

    def work_off(self) -> None:
        """Do what waits for the worker of urgent tasks, such as emails with a link for a new password."""
        assert self.python("from tests.attacks.filling import work_off; print(work_off())") != "0"

    def path_of(self, link: str) -> str:
        """A link of a mail as a path of the server; it must lead to where the operator says the reader is."""
        assert link.startswith(f"{BASE_URL}/"), link
        return link.removeprefix(BASE_URL)


@contextmanager
def attacked(folder: Path, **environment: str) -> Iterator[Site]:
    """An installation with its web server, filled."""
    mail = RealServer()
    try:
        with installation(folder) as reader:
            reader.environment |= {
                "EMAIL_URL": f"smtp://127.0.0.1:{mail.port}",
                "BASE_URL": BASE_URL,
                "METRICS_TOKEN": METRICS_TOKEN,
                "IMAGE_PROXY": "true",
                "FETCH_ALLOWED_NETWORKS": "127.0.0.2/32",
                "WORKERS": "1",
                "DEDUP_MEANING": "false",  # its model takes long to load
                **environment,
            }
            reader.prepare()
            filled = reader.run("shell", "--no-imports", "-c", "from tests.attacks.filling import main; main()")
            with serving(reader) as server:
                yield Site(reader, server, mail, json.loads(filled.stdout))
    finally:
        mail.close()
