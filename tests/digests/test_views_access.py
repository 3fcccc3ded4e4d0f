"""Who may see and do what with digests: one table of all addresses, tried by nobody, by somebody else, by the owner."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import get_resolver, reverse

from digests.delivery import private_feed
from digests.models import AlertSettings, Digest, DigestPlan, Mailing, MailingState, PrivateFeed
from digests.urls import urlpatterns
from reader.models import Preferences
from tests import make
from tests.digests import kept
from tests.digests.conftest import Enqueued
from tests.elsewhere import leading_elsewhere
from tests.tables import table

pytestmark = pytest.mark.django_db

ELSEWHERE = {"mail_act", "mail_picture", "mail_unsubscribe"}  # tested with what they are for
PUBLIC = {"private_feed"}
PLANS = tuple(
    (f"{kind}-{name}", value)
    for kind, at in (("morning", "06:30"), ("midday", "12:00"), ("evening", "18:00"), ("weekly", "08:00"))
    for name, value in (("is_on", "on"), ("at", at), *((("weekday", "6"),) if kind == "weekly" else ()))
)


@dataclass(frozen=True, slots=True)
class World:
    """What one user has: a front page, a digest whose mail failed, plans, alerts, a private feed."""

    user: User
    digest: Digest

    def state(self) -> dict[str, list[tuple[object, ...]]]:
        """Every row that a request about digests could change."""
        return {
            "users": list(User.objects.filter(pk=self.user.pk).values_list("email")),
            "digests": list(Digest.objects.order_by("pk").values_list("pk", "opened_at", "requested_at", "made_at")),
            "mailings": list(Mailing.objects.order_by("pk").values_list("pk", "state", "n_tries")),
            "plans": list(
                DigestPlan.objects.filter(user=self.user).order_by("kind").values_list("kind", "is_on", "at")
            ),
            "alerts": list(AlertSettings.objects.filter(user=self.user).values_list("breaking", "feeds_by_mail")),
            "feeds": list(PrivateFeed.objects.filter(user=self.user).values_list("token_hash", "used_at")),
            "zones": list(Preferences.objects.filter(user=self.user).values_list("time_zone")),
        }


@pytest.fixture
def world() -> World:
    user = make.user(email="ada@example.org")
    subscription = make.subscription(user)
    kept.front_page(user, kept.topic(subscription), made_at=make.NOW)
    digest = kept.digest(user, kept.topic(subscription))
    kept.mailing(digest, MailingState.FAILED, n_tries=3)
    private_feed.renew_token(user, now=make.NOW)
    AlertSettings.objects.create(user=user, breaking=True)
    return World(user, digest)


@dataclass(frozen=True, slots=True)
class Address:
    """A named address: whether the digest's number stands in it, what is sent, what the owner gets, what changes."""

    name: str
    is_about_digest: bool = False
    method: str = "get"
    data: tuple[tuple[str, str], ...] = ()
    status: int = 200
    changes: str = ""

    def url(self, world: World) -> str:
        return reverse(self.name, args=[world.digest.pk] if self.is_about_digest else [])

    def ask(self, client: Client, world: World) -> int:
        return int(getattr(client, self.method)(self.url(world), dict(self.data)).status_code)


ADDRESSES = [
    Address("today", changes="digests"),
    Address("today_refresh", method="post", status=302, changes="digests"),
    Address("digests"),
    Address("digest", True),
    Address("digest_send", True, "post", status=302, changes="mailings"),
    Address("digest_settings"),
    Address("digest_settings", method="post", data=(("form", "plans"), *PLANS), status=302, changes="plans"),
    Address("digest_settings", method="post", data=(("form", "alerts"),), status=302, changes="alerts"),
    Address("time_zone", method="post", data=(("time_zone", "Asia/Tokyo"),), status=302, changes="zones"),
    Address("digest_feed", method="post", data=(("act", "renew"),), changes="feeds"),
    Address("digest_feed", method="post", data=(("act", "off"),), status=302, changes="feeds"),
]


def _name(address: Address) -> str:
    return " ".join([address.method, address.name, *(value for _, value in address.data[:1])])


every_address = table("address", ADDRESSES, ids=_name)
about_the_digest = pytest.mark.parametrize(
    "address", [address for address in ADDRESSES if address.is_about_digest], ids=_name
)
every_change = table("address", [address for address in ADDRESSES if address.method == "post"], ids=_name)


def test_the_table_is_complete() -> None:
    assert len(urlpatterns) > 5
    names = {name for name in get_resolver("digests.urls").reverse_dict if isinstance(name, str)}
    assert {address.name for address in ADDRESSES} | PUBLIC == names - ELSEWHERE


@every_address
def test_nobody_is_sent_to_sign_in(address: Address, world: World, client: Client, enqueued: Enqueued) -> None:
    before = world.state()
    answer = getattr(client, address.method)(address.url(world), dict(address.data))
    assert (answer.status_code, answer["Location"]) == (302, f"/login/?next={address.url(world)}")
    assert (world.state(), enqueued) == (before, [])


@about_the_digest
def test_other_users_get_404_and_change_nothing(
    address: Address, world: World, client: Client, enqueued: Enqueued
) -> None:
    client.force_login(make.user(email="b@example.org"))
    before = world.state()
    assert address.ask(client, world) == 404
    assert (world.state(), enqueued) == (before, [])


@every_address
def test_others_actions_do_not_affect_mine(address: Address, world: World, client: Client, enqueued: Enqueued) -> None:
    other = make.user(email="b@example.org")
    make.subscription(other)
    client.force_login(other)
    before = world.state()
    assert address.ask(client, world) in (address.status, 404)
    after = world.state()
    after["digests"] = [row for row in after["digests"] if row[0] in {row[0] for row in before["digests"]}]
    assert after == before


@pytest.mark.vendor
@every_address
def test_owner_changes_only_what_is_listed(address: Address, world: World, client: Client, enqueued: Enqueued) -> None:
    client.force_login(world.user)
    before = world.state()
    assert address.ask(client, world) == address.status
    after = world.state()
    assert bool(address.changes) == (after != before)
    assert not address.changes or after[address.changes] != before[address.changes]


@every_address
def test_leads_to_no_other_site(address: Address, world: World, client: Client, enqueued: Enqueued) -> None:
    client.force_login(world.user)
    assert leading_elsewhere(client, address.method, address.url(world), dict(address.data)) == []


@every_change
def test_changes_need_the_token_of_the_page(address: Address, world: World, enqueued: Enqueued) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.user)
    before = world.state()
    assert address.ask(client, world) == 403
    assert (world.state(), enqueued) == (before, [])


@pytest.mark.parametrize("name", ["today_refresh", "digest_send", "digest_feed"])
def test_changing_views_refuse_get(name: str, world: World, client: Client) -> None:
    client.force_login(world.user)
    before = world.state()
    address = next(each for each in ADDRESSES if each.name == name)
    assert client.get(address.url(world)).status_code == 405
    assert world.state() == before


@pytest.mark.parametrize("name", ["digest", "digest_send"])
def test_the_front_page_has_no_address_among_past_digests(name: str, world: World, client: Client) -> None:
    client.force_login(world.user)
    today = Digest.objects.get(kind="today")
    call: Callable[..., object] = client.post if name == "digest_send" else client.get
    assert call(reverse(name, args=[today.pk])).status_code == 404  # type: ignore[attr-defined]
