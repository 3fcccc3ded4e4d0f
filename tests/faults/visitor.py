"""A browser of a signed-in user, talking to a real web server."""

import re

import requests

from tests.rssmanager.installation import Installation
from tests.rssmanager.operations.servers import Server


class Visitor:
    """A session signed in as the installation's owner."""

    def __init__(self, server: Server, reader: Installation) -> None:
        self._session = requests.Session()
        self._at = f"http://127.0.0.1:{server.port}"
        response = self.post("/login/", username="owner", password=reader.environment["DJANGO_SUPERUSER_PASSWORD"])
        assert response.url.endswith("/")
        assert "login" not in response.url

    def get(self, path: str) -> requests.Response:
        return self._session.get(self._at + path, headers={"Accept": "text/html"}, timeout=60)

    def post(self, path: str, **fields: str) -> requests.Response:
        """Send the form that the page at `path` shows."""
        return self.send(path, self.token_of(path), **fields)

    def token_of(self, path: str) -> str:
        match = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.get(path).text)
        assert match is not None
        return match[1]

    def send(self, path: str, token: str, **fields: str) -> requests.Response:
        sent = {"csrfmiddlewaretoken": token, **fields}
        return self._session.post(
            self._at + path, sent, headers={"Accept": "text/html", "Referer": self._at}, timeout=60
        )
