"""App passwords: made, used, revoked; nothing usable is stored."""

from datetime import timedelta
from hashlib import md5

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from rssmanager.authentication import app_passwords, throttling
from rssmanager.authentication.models import AppPassword, Try
from tests import make
from tests.rssmanager.authentication.conftest import set_up_app

pytestmark = pytest.mark.django_db

LOGIN, INFO = "/api/greader.php/accounts/ClientLogin", "/api/greader.php/reader/api/0/user-info"


def create(user: User) -> str:
    return app_passwords.create(user, name="Phone", now=make.NOW)


def sign_in(name: str, password: str) -> str:
    """The token; "" if it was refused."""
    answer = Client().post(LOGIN, {"Email": name, "Passwd": password, "service": "reader"})
    return answer.content.decode().partition("Auth=")[2].strip() if answer.status_code == 200 else ""


def status_with(authorization: str) -> int:
    return Client().get(INFO, headers={"Authorization": authorization}).status_code


def test_stores_only_digests(ada: User) -> None:
    password = create(ada)
    assert len(password.replace("-", "")) * 5 >= 128
    row = str(AppPassword.objects.values_list().get())
    key = app_passwords.fever_key("ada", password)
    assert key == md5(f"ada:{password}".encode(), usedforsecurity=False).hexdigest()
    assert not any(secret in row for secret in (password, key, app_passwords.token_of(AppPassword.objects.get())))


def test_signs_in_with_its_user_only(ada: User) -> None:
    make.user("eve")
    password = create(ada)
    assert sign_in("ada", password) == sign_in("ADA ", password) != ""
    assert [sign_in(*given) for given in (("eve", password), ("ada", "correct horse"), ("ada", ""))] == [""] * 3


def test_second_factor_is_not_asked_for(ada: User) -> None:
    set_up_app(ada)
    token = sign_in("ada", create(ada))
    assert status_with(f"GoogleLogin auth={token}") == 200


def test_token_ends_with_the_password(ada: User) -> None:
    tokens = [sign_in("ada", create(ada)), sign_in("ada", create(ada))]
    forms = [f"GoogleLogin auth={tokens[0]}", f"Bearer {tokens[0]}", f'GoogleLogin auth="{tokens[0]}"']
    assert [status_with(form) for form in forms] == [200] * 3
    AppPassword.objects.order_by("pk")[0].delete()
    assert [status_with(f"GoogleLogin auth={token}") for token in tokens] == [401, 200]
    ada.is_active = False
    ada.save()
    assert status_with(f"GoogleLogin auth={tokens[1]}") == 401


@pytest.mark.parametrize("form", ["", "GoogleLogin", "Bearer 1.x", "Basic !", "GoogleLogin auth=" + "9" * 40 + ".x"])
def test_other_headers_are_refused(ada: User, form: str) -> None:
    create(ada)
    assert status_with(form) == 401


def test_cookies_are_ignored(ada: User, client: Client) -> None:
    client.force_login(ada)
    assert client.get(INFO).status_code == 401


def test_wrong_passwords_are_slowed(ada: User) -> None:
    password = create(ada)
    answers = [
        Client().post(LOGIN, {"Email": "ada", "Passwd": "x"}).status_code for _ in range(throttling.APP.most + 1)
    ]
    assert answers == [401] * throttling.APP.most + [429]
    assert sign_in("ada", password) != ""
    assert Client().get(LOGIN).status_code == 401  # without a password, it is no guess
    assert set(Try.objects.values_list("limit", flat=True)) == {"app password"}


def test_last_use_is_noted_once_an_hour(ada: User) -> None:
    password, now = create(ada), timezone.now()
    uses = []
    for minutes in (0, 59, 60):
        app_passwords.by_password("ada", password, now=now + timedelta(minutes=minutes))
        uses.append(AppPassword.objects.get().last_used_at)
    assert uses == [now, now, now + timedelta(minutes=60)]
