"""Throttling of attempts: counts, windows, and attempts that don't count."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.utils import timezone

from rssmanager.authentication import throttling
from rssmanager.authentication.errors import TooManyTries
from rssmanager.authentication.models import Try
from rssmanager.authentication.tasks import delete_expired
from rssmanager.authentication.throttling import Count, Limit
from tests import make
from tests.rssmanager.authentication.conftest import is_signed_in

pytestmark = pytest.mark.django_db

FEW = Limit("few", 2, timedelta(minutes=15))
MINUTE = timedelta(minutes=1)
SECRET = "my password in the wrong field"
HERE, ELSEWHERE = "203.0.113.9", "198.51.100.1"


def sign_in(client: Client, password: str, *, name: str = "ada", address: str = HERE) -> int:
    form = {"username": name, "password": password}
    return int(client.post("/login/", form, REMOTE_ADDR=address).status_code)


def test_refused_requests_do_not_extend_the_window() -> None:
    count = Count(FEW, "ada")
    for minutes in (0, 5):
        throttling.count_try([count], now=make.NOW + minutes * MINUTE)
    for minutes in (6, 14):
        with pytest.raises(TooManyTries) as refusal:
            throttling.count_try([count], now=make.NOW + minutes * MINUTE)
        assert refusal.value.until == make.NOW + FEW.window
    assert Try.objects.count() == 2
    throttling.count_try([count], now=make.NOW + FEW.window)


def test_counts_nothing_if_one_count_is_full() -> None:
    full, free = Count(FEW, "full"), Count(FEW, "free")
    for _ in range(FEW.most):
        throttling.count_try([full], now=make.NOW)
    with pytest.raises(TooManyTries):
        throttling.count_try([free, full], now=make.NOW)
    assert not Try.objects.filter(key=free.key).exists()


@pytest.mark.parametrize(
    ("one", "other", "are_same"),
    [
        pytest.param("2001:db8:1:2::7", "2001:db8:1:2:ffff::1", True, id="one household"),
        pytest.param("2001:db8:1:2::7", "2001:db8:1:3::7", False, id="two households"),
        pytest.param(HERE, ELSEWHERE, False, id="two addresses"),
    ],
)
def test_counts_ipv6_by_network(one: str, other: str, are_same: bool) -> None:
    limit = throttling.PASSWORD_ADDRESS
    assert (throttling.address_count(limit, one).key == throttling.address_count(limit, other).key) is are_same


def test_five_wrong_passwords_block_even_the_right_one(client: Client, ada: User) -> None:
    assert [sign_in(client, f"wrong {n}") for n in range(5)] == [200] * 5
    response = client.post("/login/", {"username": "Ada", "password": "correct horse"}, REMOTE_ADDR=HERE)
    assert response.status_code == 429
    assert "Try again in 15 minutes." in response.content.decode()
    assert 0 < int(response["Retry-After"]) <= 900
    assert not is_signed_in(client)


@pytest.mark.parametrize("written", [" ada", "ada ", "Ada", "ada\u3000", "\uff41da"], ids=ascii)
def test_counts_spellings_of_a_name_together(written: str) -> None:
    assert throttling.password_counts(written, HERE)[0].key == throttling.password_counts("ada", HERE)[0].key


def test_stranger_does_not_lock_the_owner_out(client: Client, ada: User) -> None:
    assert [sign_in(Client(), "guess", address=ELSEWHERE) for _ in range(6)][-1] == 429
    assert sign_in(client, "correct horse") == 302
    assert is_signed_in(client)


def test_opens_after_a_quarter_of_an_hour(client: Client, ada: User) -> None:
    for n in range(6):
        sign_in(client, f"wrong {n}")
    Try.objects.update(at=timezone.now() - throttling.QUARTER)
    assert sign_in(client, "correct horse") == 302


def test_limits_names_per_address(client: Client, ada: User) -> None:
    statuses = [sign_in(client, "Summer2026", name=f"name{n}") for n in range(21)]
    assert statuses == [200] * 20 + [429]
    assert sign_in(client, "correct horse") == 429
    assert not is_signed_in(client)


def test_success_resets_the_count(ada: User) -> None:
    for _ in range(3):
        assert [sign_in(Client(), "wrong") for _ in range(4)] == [200] * 4
        assert sign_in(Client(), "correct horse") == 302
    assert Try.objects.filter(limit=throttling.PASSWORD.name).count() == 0
    assert (
        Try.objects.filter(limit=throttling.PASSWORD_ADDRESS.name).count() == 12
    )  # guesses for other names still count


def test_names_and_addresses_are_stored_hashed(client: Client, ada: User) -> None:
    sign_in(client, "wrong", name=SECRET)
    rows = str(list(Try.objects.values()))
    assert SECRET not in rows
    assert HERE not in rows


def test_limits_password_reset_links(ada: User) -> None:
    answers = [
        Client().post("/forgotten/", {"email": ada.email}, REMOTE_ADDR=f"203.0.113.{n}").status_code for n in range(5)
    ]
    assert (answers, len(mail.outbox)) == ([302] * 5, 3)  # the response is the same


def test_limits_resets_for_many_addresses(client: Client, ada: User) -> None:
    answers = [client.post("/forgotten/", {"email": f"{n}@example.org"}).status_code for n in range(11)]
    assert answers == [302] * 10 + [429]
    assert client.post("/forgotten/", {"email": ada.email}).status_code == 429
    assert mail.outbox == []


def test_old_attempts_are_deleted() -> None:
    now = timezone.now()
    for age in (timedelta(hours=25), timedelta(hours=23)):
        Try.objects.create(limit="few", key="x", at=now - age)
    delete_expired()
    assert [now - attempt.at for attempt in Try.objects.all()] == [timedelta(hours=23)]
