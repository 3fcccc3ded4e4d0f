"""Pages are compressed for browsers that accept it."""

import gzip

import pytest
from django.test import Client

from reader.lists.queries import PAGE_SIZE
from tests import make

pytestmark = pytest.mark.django_db

FIRST_PAGE = 100_000  # bytes as sent, at most


def test_full_list_is_compressed_and_small(client: Client) -> None:
    user = make.user("ada")
    subscription = make.subscription(user)
    for number in range(PAGE_SIZE + 10):
        make.delivery(subscription, make.article(title=f"Title {number}", feed=subscription.feed))
    client.force_login(user)
    response = client.get("/all/", headers={"Accept-Encoding": "gzip, deflate, br"})
    assert response["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in response["Vary"]
    assert gzip.decompress(response.content).count(b"data-row>") == PAGE_SIZE
    assert len(response.content) < FIRST_PAGE
    assert client.get("/all/").get("Content-Encoding") is None
