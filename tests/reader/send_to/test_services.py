"""The request of each service."""

import json
from base64 import b64encode
from urllib.parse import parse_qs

from reader.send_to import services
from reader.send_to.services import Link

LINK = Link("https://paper.example/a?b=c", "Café & tea")


def test_readwise() -> None:
    sent = services.readwise({"token": "t"}, LINK)
    assert sent.url == "https://readwise.io/api/v3/save/"
    assert sent.headers["Authorization"] == "Token t"
    assert json.loads(sent.body) == {"url": LINK.url, "title": LINK.title, "saved_using": "RSS Manager"}


def test_instapaper() -> None:
    sent = services.instapaper({"username": "ada", "password": "é:x"}, LINK)
    assert sent.url == "https://www.instapaper.com/api/add"
    assert sent.headers["Authorization"] == "Basic " + b64encode("ada:é:x".encode()).decode()
    assert parse_qs(sent.body.decode()) == {"url": [LINK.url], "title": [LINK.title]}


def test_wallabag() -> None:
    values = {"url": "https://bag.example", "client_id": "1", "client_secret": "s", "username": "ada", "password": "p"}
    asked = services.wallabag_token(values)
    assert asked.url == "https://bag.example/oauth/v2/token"
    assert parse_qs(asked.body.decode())["grant_type"] == ["password"]
    sent = services.wallabag({**values, "access_token": "a"}, LINK)
    assert (sent.url, sent.headers["Authorization"]) == ("https://bag.example/api/entries.json", "Bearer a")
    assert json.loads(sent.body) == {"url": LINK.url, "title": LINK.title}


def test_linkding() -> None:
    sent = services.linkding({"url": "https://links.example", "token": "t"}, LINK)
    assert (sent.url, sent.headers["Authorization"]) == ("https://links.example/api/bookmarks/", "Token t")
    assert json.loads(sent.body) == {"url": LINK.url, "title": LINK.title, "unread": True}


def test_mastodon() -> None:
    address = services.mastodon({"url": "https://social.example"}, LINK)
    assert address == ("https://social.example/share?text=Caf%C3%A9+%26+tea+https%3A%2F%2Fpaper.example%2Fa%3Fb%3Dc")
