"""A user of a reader that benchmarks drive from outside: signs in, opens pages, submits forms."""

import http.cookiejar
import re
import urllib.error
import urllib.parse
import urllib.request

PASSWORD = "correct horse battery"


class Visitor:
    """One browser session with the reader at `port` of loopback."""

    def __init__(self, port: int) -> None:
        self._base = f"http://127.0.0.1:{port}"
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._opener = urllib.request.build_opener(jar)

    def get(self, path: str) -> tuple[int, str]:
        try:
            with self._opener.open(self._base + path, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, ""

    def post(self, path: str, form: dict[str, str], *, page: str = "") -> str:
        """Submit a form of `page` (that of `path` without one); returns the URL that it ends at."""
        shown_at = page or path
        _, shown = self.get(shown_at)
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', shown)
        assert token is not None, f"no form at {shown_at}"
        data = urllib.parse.urlencode({"csrfmiddlewaretoken": token[1]} | form).encode()
        asked = urllib.request.Request(self._base + path, data, {"Referer": self._base + shown_at})
        with self._opener.open(asked, timeout=60) as answer:
            return str(answer.url)

    def sign_in(self, name: str) -> None:
        ended_at = self.post("/login/", {"username": name, "password": PASSWORD})
        assert not ended_at.endswith("/login/"), "not signed in"
