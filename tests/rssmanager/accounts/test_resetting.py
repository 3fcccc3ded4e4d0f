"""Sending password reset links."""

import pytest
from django.core import mail
from django.test import Client

from tests import make

pytestmark = pytest.mark.django_db

ADDRESS = "ada@example.org"


@pytest.mark.parametrize("address", [ADDRESS, "unknown@example.org"])
def test_worker_looks_up_the_address(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    make.user("ada", email=ADDRESS)
    queued: list[tuple[str, str]] = []
    monkeypatch.setattr(
        "rssmanager.accounts.views.password_reset.call_worker",
        lambda *call: queued.append(call) is None,  # returns True
    )
    assert Client().post("/forgotten/", {"email": address}).status_code == 302
    assert queued == [("rssmanager.accounts.tasks.send_reset", address)]
    assert mail.outbox == []


def test_link_is_sent_directly_if_the_queue_is_down(monkeypatch: pytest.MonkeyPatch) -> None:
    make.user("ada", email=ADDRESS)
    monkeypatch.setattr("rssmanager.accounts.views.password_reset.call_worker", lambda *call: False)
    Client().post("/forgotten/", {"email": ADDRESS})
    assert [letter.to for letter in mail.outbox] == [[ADDRESS]]
