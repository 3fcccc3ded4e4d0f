"""The services that articles can be sent to: their settings, and the request of each. Pure.

Sources: readwise.io/reader_api, instapaper.com/api/simple, doc.wallabag.org (API), linkding.link/api, Mastodon's
/share. All of them keep a URL once however often it is sent, so a repeated request adds no second entry.
"""

import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Values = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Link:
    """What is sent of an article."""

    url: str
    title: str


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A POST request."""

    url: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Setting:
    """A field of a service's settings."""

    name: str
    label: str | Promise
    is_secret: bool = False


@dataclass(frozen=True, slots=True)
class Service:
    """`request` builds the request that saves a link; `token_request` the one before it, whose `access_token` it gets
    as a value. A service without `request` has a page to share with, at `share_url`."""

    key: str
    name: str
    settings: tuple[Setting, ...]
    help: str | Promise = ""
    request: Callable[[Values, Link], Outgoing] | None = None
    token_request: Callable[[Values], Outgoing] | None = None
    share_url: Callable[[Values, Link], str] | None = None


def readwise(values: Values, link: Link) -> Outgoing:
    body = {"url": link.url, "title": link.title, "saved_using": "RSS Manager"}
    return _json("https://readwise.io/api/v3/save/", f"Token {values['token']}", body)


def instapaper(values: Values, link: Link) -> Outgoing:
    pair = b64encode(f"{values['username']}:{values['password']}".encode()).decode()
    form = {"url": link.url, "title": link.title}
    return _form("https://www.instapaper.com/api/add", form, {"Authorization": f"Basic {pair}"})


def wallabag_token(values: Values) -> Outgoing:
    names = ("client_id", "client_secret", "username", "password")
    form = {"grant_type": "password", **{name: values[name] for name in names}}
    return _form(f"{values['url']}/oauth/v2/token", form, {})


def wallabag(values: Values, link: Link) -> Outgoing:
    body = {"url": link.url, "title": link.title}
    return _json(f"{values['url']}/api/entries.json", f"Bearer {values['access_token']}", body)


def linkding(values: Values, link: Link) -> Outgoing:
    body = {"url": link.url, "title": link.title, "unread": True}
    return _json(f"{values['url']}/api/bookmarks/", f"Token {values['token']}", body)


def mastodon(values: Values, link: Link) -> str:
    return f"{values['url']}/share?{urlencode({'text': f'{link.title} {link.url}'.strip()})}"


def _json(url: str, authorization: str, body: Mapping[str, object]) -> Outgoing:
    headers = {"Authorization": authorization, "Content-Type": "application/json", "Accept": "application/json"}
    return Outgoing(url, headers, json.dumps(body).encode())


def _form(url: str, fields: Mapping[str, str], headers: Mapping[str, str]) -> Outgoing:
    return Outgoing(url, {"Content-Type": "application/x-www-form-urlencoded", **headers}, urlencode(fields).encode())


_ADDRESS = Setting("url", _("Address"))
_TOKEN = Setting("token", _("Access token"), is_secret=True)
_USERNAME = Setting("username", _("Username"))
_PASSWORD = Setting("password", _("Password"), is_secret=True)
SERVICES = {
    service.key: service
    for service in (
        Service(
            "readwise",
            "Readwise Reader",
            (_TOKEN,),
            _("Your token is at readwise.io/access_token."),
            request=readwise,
        ),
        Service(
            "instapaper",
            "Instapaper",
            (Setting("username", _("Email or username")), _PASSWORD),
            request=instapaper,
        ),
        Service(
            "wallabag",
            "Wallabag",
            (
                _ADDRESS,
                Setting("client_id", _("Client ID")),
                Setting("client_secret", _("Client secret"), is_secret=True),
                _USERNAME,
                _PASSWORD,
            ),
            _("Create a client in Wallabag under API clients management."),
            request=wallabag,
            token_request=wallabag_token,
        ),
        Service(
            "linkding",
            "Linkding",
            (_ADDRESS, _TOKEN),
            _("Your token is in Linkding under Settings, Integrations."),
            request=linkding,
        ),
        Service(
            "mastodon",
            "Mastodon",
            (_ADDRESS,),
            _("Opens your server's page for a new post, such as mastodon.social."),
            share_url=mastodon,
        ),
    )
}
