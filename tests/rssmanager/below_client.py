"""A browser of a site that lies below a path, which finds what leads out of it."""

import re
from typing import Any
from urllib.parse import unquote

from django.http import HttpResponse
from django.test import Client

BELOW = "/feeds"  # a name that paths within the site begin with too

# Everything of a page that a browser or one of our scripts asks for.
_ADDRESS = re.compile(
    r"""\s((?:form)?action|href|src|poster|hx-get|hx-post|content|value|data-(?!key=)[\w-]+)=["'](/[^"']*)"""
)
_NEXT = re.compile(r"""[?&;]next=([^"'&#]+)""")


def leading_out(html: str) -> list[str]:
    """The addresses in a page that begin at the root of the host, and not below the site's path."""
    found = [*_ADDRESS.findall(html), *(("next", unquote(url)) for url in _NEXT.findall(html))]
    return [f"{name}={url}" for name, url in found if not url.startswith((f"{BELOW}/", "//"))]


class ClientBelow(Client):
    """Asks as the WSGI application is asked; `faults` are the addresses that lead out of the site."""

    def __init__(self, **defaults: Any) -> None:
        super().__init__(**defaults)
        self.faults: list[str] = []
        self.n_pages = 0

    def request(self, **asked: Any) -> HttpResponse:
        path = asked["PATH_INFO"]
        assert path.startswith(f"{BELOW}/"), path
        answer = super().request(**asked | {"SCRIPT_NAME": BELOW, "PATH_INFO": path.removeprefix(BELOW)})
        location = answer.headers.get("Location", f"{BELOW}/")
        if not location.startswith(f"{BELOW}/"):
            self.faults.append(f"{path} redirects to {location}")
        if answer.headers.get("Content-Type", "").startswith("text/html") and not answer.streaming:
            self.n_pages += 1
            self.faults += [f"{path}: {url}" for url in leading_out(answer.content.decode())]
        return answer
