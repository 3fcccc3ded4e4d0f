"""Old polls told in words where a feed moved to; those words become an address of its own."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from feeds.models import Poll
from tests import make

pytestmark = pytest.mark.django_db

take_out = import_module("feeds.migrations.0010_poll_moves_from_words").take_out


@pytest.mark.parametrize(
    ("told", "message", "moved_to"),
    [
        ("moved permanently to https://b.example/f", "", "https://b.example/f"),
        ("repaired: 2 bare &; moved permanently to https://b.example/f", "repaired: 2 bare &", "https://b.example/f"),
        ("moved permanently to https://b.example/f?a=1,2", "", "https://b.example/f?a=1,2"),
        ("moved permanently to https://c.example/f, which is followed already; merged", "", "https://c.example/f"),
        ("moved to https://d.example/; it stays here", "moved to https://d.example/; it stays here", ""),
        ("moved permanently to", "moved permanently to", ""),
        ("", "", ""),
    ],
    ids=["alone", "after other words", "with a comma", "merged", "not for good", "cut off", "nothing"],
)
def test_words_become_an_address(told: str, message: str, moved_to: str) -> None:
    poll = make.poll(make.feed(), message=told)
    for _ in range(2):  # safe to repeat
        take_out(apps, connection.schema_editor())
    poll.refresh_from_db()
    assert (poll.message, poll.moved_to) == (message, moved_to)


def test_what_was_taken_out_stays() -> None:
    poll = make.poll(make.feed(), message="fine", moved_to="https://b.example/f")
    take_out(apps, connection.schema_editor())
    assert Poll.objects.get() == poll
    assert Poll.objects.get().moved_to == "https://b.example/f"
