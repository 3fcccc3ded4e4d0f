"""Checks for redirects to another site, reading URLs as browsers do."""

from urllib.parse import urlsplit

from django.http import HttpResponse
from django.test import Client

EVIL = (
    "https://evil.example/",
    "//evil.example/",
    "///evil.example/",
    "/\\evil.example/",
    "\\\\evil.example",
    "/\t/evil.example/",
    "http:evil.example",
    "javascript:alert(1)",
    "https://testserver@evil.example/",
    "https://testserver.evil.example/",
)


def leads_elsewhere(answer: HttpResponse) -> bool:
    """Whether the response redirects to another site. Browsers drop tabs and line breaks, and read \\ as /."""
    where = str(answer.get("Location", "")).translate({9: None, 10: None, 13: None}).replace("\\", "/").strip()
    parts = urlsplit(where)
    return parts.netloc not in ("", "testserver") or parts.scheme not in ("", "http", "https") or where.startswith("//")


def leading_elsewhere(client: Client, method: str, url: str, data: dict[str, str]) -> list[str]:
    """The hostile values of `next`, in query and form, that redirect to another site."""
    leading = []
    for target in EVIL:
        query = {"next": target}
        response = (
            client.get(url, query | data) if method == "get" else client.post(url, data | query, query_params=query)
        )
        if leads_elsewhere(response):
            leading.append(target)
    return leading
