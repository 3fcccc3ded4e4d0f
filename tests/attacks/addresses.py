"""Every address of the URLconf, the admin's included, filled with what belongs to the victim."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from reader.articles.enclosures import file_key
from tests.reader.conftest import SOUND, VIDEO

# Whoever holds one of these addresses may use it: the token in it is the authority, not the session.
API = {
    "api_call",
    "fever",
    "fever_slash",
    "fever_short",
    "fever_short_slash",
    "google_reader",
    "google_reader_short",
    "google_reader_slash",
    "google_reader_call",
    "google_reader_short_call",
    "google_reader_site_call",
    "google_reader_sign_in",
}
BY_TOKEN = API | {
    "app_icon",
    "forgotten_new",
    "mail_act",
    "mail_picture",
    "mail_unsubscribe",
    "private_feed",
    "push",
    "undo",
}
# Nothing of anybody is on these pages.
PUBLIC = {
    "admin:jsi18n",  # words of the admin's scripts
    "admin:logout",
    "admin:password_change",  # leads to one's own account
    "admin_password_change",
    "admin:login",  # never reached: ours comes first and leads to /login/
    "admin_sign_in",
    "forgotten",
    "forgotten_sent",
    "login",
    "logout",
    "manifest",
    "offline",
    "openapi",
    "openid_begin",
    "openid_return",
    "passkey_options",
    "passkey_sign_in",
    "sample_medium",
    "second_factor",
    "service_worker",
    "setup",
}
# After this form, the test would post signed out.
ENDING = {"account_delete"}
STAFF_ONLY = ("/admin/", "/settings/users/", "/settings/operations/")
_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")


@dataclass(frozen=True, slots=True)
class Address:
    """A named address, filled; `is_of_victim`: it holds a number of something that is the victim's."""

    name: str
    path: str
    is_of_victim: bool = False

    @property
    def is_admin(self) -> bool:
        return self.path.startswith(STAFF_ONLY) and self.name not in PUBLIC


def some_of(values: tuple[Any, ...], number: int) -> tuple[Any, ...]:
    """A third of the values, others for the next address: few places check them, and each value meets many."""
    return values[number % 3 :: 3]


def addresses(rows: dict[str, Any]) -> list[Address]:
    """All of them; those of the admin for tables that hold no row get a number that leads nowhere."""
    return [_filled(name, route, rows) for name, route in _routes(get_resolver())]


def _routes(resolver: URLResolver, before: str = "/", namespace: str = "") -> Iterator[tuple[str, str]]:
    for url_pattern in resolver.url_patterns:
        route = f"{before}{url_pattern.pattern}"
        if isinstance(url_pattern, URLPattern):
            yield f"{namespace}{url_pattern.name or ''}", route
        else:
            yield from _routes(
                url_pattern, route, f"{namespace}{url_pattern.namespace}:" if url_pattern.namespace else namespace
            )


def _filled(name: str, route: str, rows: dict[str, Any]) -> Address:
    if name == "admin:app_list":
        return Address(name, "/admin/auth/")
    if route == "/admin/(?P<url>.*)$":
        return Address(name, "/admin/no-such-page/")
    values = _values(name, route, rows)
    path = _PARAMETER.sub(lambda found: str(values[found[1]]), route)
    is_number = "pk" in values and name != "operations_run"
    return Address(name, path, is_of_victim=is_number or name == "session_end")


def _values(name: str, route: str, rows: dict[str, Any]) -> dict[str, Any]:
    tokens = rows["tokens"]
    by_name: dict[str, dict[str, Any]] = {
        "private_feed": {"token": tokens["feed"]},
        "mail_act": {"token": tokens["act"]},
        "mail_picture": {"token": tokens["picture"]},
        "mail_unsubscribe": {"token": tokens["unsubscribe"]},
        "forgotten_new": {"uidb64": tokens["uid"], "token": tokens["reset"]},
        "push": {"key": tokens["push"]},
        "undo": {"token": tokens["undo"]},
        "saved_restore": {"token": tokens["saved"]},
        "session_end": {"key": rows.get("session", "0" * 12)},
        "icon": {"digest": "0" * 32},
        "article_player": {"pk": rows["numbers"]["articles"], "key": file_key(VIDEO)},
        "article_chapters": {"pk": rows["numbers"]["articles"], "key": file_key(SOUND["url"])},
        "app_icon": {"digest": "0" * 32, "signature": "none"},
        "sample_medium": {"key": "none", "path": "none.png"},
        "operations_run": {"pk": rows["failure"]},
        "admin:auth_user_password_change": {"id": rows["victim"]},
        "admin:view_on_site": {"content_type_id": 1, "object_id": 1},
    }
    if name == "image":
        _, _, signature, address = tokens["image"].split("/")
        return {"signature": signature, "address": address}
    if name in API:
        return {"call": "me" if name == "api_call" else "api/0/user-info"}
    if name in by_name:
        return by_name[name]
    if "<path:object_id>" in route:
        app, _, rest = route.removeprefix("/admin/").partition("/")
        return {"object_id": rows["first"].get(f"{app}_{rest.partition('/')[0]}", 0)}
    before, found, _ = route.partition("<int:pk>")
    return {"pk": rows["numbers"][before.strip("/")]} if found else {}
