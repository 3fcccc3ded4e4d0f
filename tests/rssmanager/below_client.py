"""A test client for a site below a path that finds URLs leading out of it."""

import re
from typing import Any
from urllib.parse import unquote

from django.http import HttpResponse
from django.test import Client

BELOW = "/feeds"  # also the beginning of paths within the site

# Everything in a page that a browser or one of our scripts requests.
_ADDRESS = re.compile(
    r"""\s((?:form)?action|href|src|poster|hx-get|hx-post|content|value|data-(?!key=)[\w-]+)=["'](/[^"']*)"""
)
_NEXT = re.compile(r"""[?&;]next=([^"'&#]+)""")


def leading_out(html: str) -> list[str]:
    """URLs in a page that begin at the root of the host, not below the site's path."""
    urls = [*_ADDRESS.findall(html), *(("next", unquote(url)) for url in _NEXT.findall(html))]
    return [f"{name}={url}" for name, url in urls if not url.startswith((f"{BELOW}/", "//"))]


class ClientBelow(Client):
    """Makes requests as a WSGI server does; `faults` are URLs that lead out of the site."""

    def __init__(self, **defaults: Any) -> None:
        super().__init__(**defaults)
        self.faults: list[str] = []
        self.n_pages = 0

    def request(self, **asked: Any) -> HttpResponse:
        path = asked["PATH_INFO"]
        assert path.startswith(f"{BELOW}/"), path
        response = super().request(**asked | {"SCRIPT_NAME": BELOW, "PATH_INFO": path.removeprefix(BELOW)})
        location = response.headers.get("Location", f"{BELOW}/")
        if not location.startswith(f"{BELOW}/"):
            self.faults.append(f"{path} redirects to {location}")
        if response.headers.get("Content-Type", "").startswith("text/html") and not response.streaming:
            self.n_pages += 1
            self.faults += [f"{path}: {url}" for url in leading_out(response.content.decode())]
        return response
