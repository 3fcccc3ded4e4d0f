"""What an operator sees of digests."""

import pytest
from django.test import Client
from django.urls import reverse

from digests.delivery import private_feed
from digests.models import AlertSettings, Digest, DigestPlan, Mailing, PrivateFeed
from tests import make
from tests.digests import editions, kept

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(make.user(is_staff=True, is_superuser=True))
    return client


@pytest.fixture
def token() -> str:
    """A person with one of everything; the token of their feed."""
    user = make.user("ada")
    topic = editions.topic(1, label="Geneva: talks", lead=editions.entry(article_id=None))
    kept.mailing(kept.digest(user, topic, report=editions.full_edition().report), "failed", answer="550: no such user")
    DigestPlan.objects.create(user=user, kind="morning", at="07:00")
    AlertSettings.objects.create(user=user)
    return private_feed.renew_token(user, now=make.NOW)


MODELS = {
    "digestplan": DigestPlan,
    "digest": Digest,
    "mailing": Mailing,
    "alertsettings": AlertSettings,
    "privatefeed": PrivateFeed,
}


@pytest.mark.parametrize("name", MODELS)
def test_lists_and_pages_open_and_nothing_is_typed_there(operator: Client, token: str, name: str) -> None:
    listed = operator.get(reverse(f"admin:digests_{name}_changelist"))
    assert (listed.status_code, "ada" in listed.content.decode()) == (200, True)
    page = reverse(f"admin:digests_{name}_change", args=[MODELS[name].objects.get().pk])
    shown = operator.get(page)
    assert shown.status_code == 200
    for secret in ("Geneva: talks", "Morgenpost", PrivateFeed.objects.get().token_hash, token):
        assert secret not in shown.content.decode()
    before = MODELS[name].objects.values().get()
    assert operator.post(page, {"state": "sent"}).status_code == 403
    assert operator.get(reverse(f"admin:digests_{name}_add")).status_code == 403
    assert MODELS[name].objects.values().get() == before


def test_list_shows_why_email_failed(operator: Client, token: str) -> None:
    assert "550: no such user" in operator.get(reverse("admin:digests_mailing_changelist")).content.decode()


def test_deleting_a_private_feed_shuts_it(operator: Client, token: str) -> None:
    pk = PrivateFeed.objects.get().pk
    operator.post(reverse("admin:digests_privatefeed_delete", args=[pk]), {"post": "yes"})
    assert private_feed.user_of_token(token, now=make.NOW) is None
