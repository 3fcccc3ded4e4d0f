"""Access to all URLs, by visitors, by other users and by the owner, from one table."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django_otp.plugins.otp_totp.models import TOTPDevice

from reader.models import Preferences, Tag
from rssmanager.accounts.models import AccountChange, DataImport, PendingDeletion
from rssmanager.accounts.urls import urlpatterns
from tests import make
from tests.elsewhere import leading_elsewhere
from tests.rssmanager.accounts.conftest import Enqueued
from tests.rssmanager.authentication.conftest import sign_in_earlier

pytestmark = pytest.mark.django_db

# test_views_sessions, test_views_app_passwords, test_openid, test_views_users
ELSEWHERE_TESTED = {
    *("session_end", "app_password_revoke", "provider_connect", "provider_disconnect"),
    *("users", "user_new", "user", "user_delete"),
}
PUBLIC = {"forgotten", "forgotten_sent", "forgotten_new", "undo"}
NEW = "a long enough phrase"


@dataclass(frozen=True, slots=True)
class Address:
    """A named URL: whether it contains the import's id, the form data, the owner's response status, and whether
    the session must be confirmed."""

    name: str
    is_about_import: bool = False
    method: str = "get"
    data: tuple[tuple[str, str], ...] = ()
    status: int = 200
    changes: bool = False
    is_confirmed: bool = False

    def url(self, job: DataImport) -> str:
        return reverse(self.name, args=[job.pk] if self.is_about_import else [])

    def ask(self, client: Client, job: DataImport) -> int:
        return int(getattr(client, self.method)(self.url(job), dict(self.data)).status_code)


PASSWORD = (("form", "password"), ("new-new_password1", NEW), ("new-new_password2", NEW))
EMAIL = (("form", "email"), ("mail-email", "b@example.org"))
ADDRESSES = [
    Address("data"),
    Address("data", method="post", status=422),  # without a file
    Address("data_export", method="post", changes=True, is_confirmed=True),
    Address("confirm", status=302),  # test_confirming
    Address("admin_password_change", status=302),
    Address("admin_password_change", method="post", data=(("old_password", "correct horse"),), status=302),
    Address("data_import", True),
    Address("data_import_confirm", True, "post", (("act", "take"),), 302, changes=True),
    Address("data_import_confirm", True, "post", (("act", "discard"),), 302, changes=True),
    Address("account"),
    Address("account", method="post", data=EMAIL, status=302, changes=True, is_confirmed=True),
    Address("account", method="post", data=PASSWORD, status=302, changes=True, is_confirmed=True),
    Address("account", method="post", data=(("form", "elsewhere"),), status=302, changes=True, is_confirmed=True),
    Address("account", method="post", data=(("form", "nothing"),), status=422, is_confirmed=True),
    Address("second_factor_settings", is_confirmed=True),
    Address(
        "second_factor_settings", method="post", data=(("act", "begin"),), status=302, changes=True, is_confirmed=True
    ),
    Address(
        "second_factor_settings", method="post", data=(("act", "confirm"), ("code", "1")), status=422, is_confirmed=True
    ),
    Address("second_factor_settings", method="post", data=(("act", "nothing"),), status=422, is_confirmed=True),
    Address("passkey_creation_options", method="post", is_confirmed=True),
    Address("app_passwords", is_confirmed=True),
    Address("app_passwords", method="post", data=(("name", "Phone"),), changes=True, is_confirmed=True),
    Address("app_passwords", method="post", status=422, is_confirmed=True),
    Address("app_settings", method="post", data=(("apps_get_copies", "on"),), status=302, changes=True),
    Address("account_delete", is_confirmed=True),
    Address("account_delete", method="post", changes=True, is_confirmed=True),
]
every_address = pytest.mark.parametrize("address", ADDRESSES, ids=lambda address: f"{address.method} {address.name}")


def state(user: User) -> list[object]:
    return [
        list(User.objects.filter(pk=user.pk).values_list("email", "password", "is_active")),
        list(DataImport.objects.filter(user=user).values_list("pk", "status")),
        list(PendingDeletion.objects.filter(user=user).values_list("user")),
        list(TOTPDevice.objects.filter(user=user).values_list("key", "confirmed")),
        list(AccountChange.objects.filter(user=user).values_list("kind")),
        list(Tag.objects.filter(user=user).values_list("name")),
        list(Preferences.objects.filter(user=user).values_list("apps_get_copies")),
    ]


def test_table_is_complete() -> None:
    assert {address.name for address in ADDRESSES} | PUBLIC | ELSEWHERE_TESTED == {
        pattern.name for pattern in urlpatterns
    }


@every_address
def test_visitors_are_redirected_to_sign_in(
    address: Address, client: Client, preview: Callable[[User], DataImport], enqueued: Enqueued
) -> None:
    user = make.user()
    job = preview(user)
    before = state(user)
    assert address.ask(client, job) == 302
    assert client.get(address.url(job))["Location"] == f"/login/?next={address.url(job)}"
    assert (state(user), enqueued) == (before, [])


@every_address
def test_other_users_cannot_see_or_change_it(
    address: Address, client: Client, preview: Callable[[User], DataImport], enqueued: Enqueued
) -> None:
    user = make.user()
    job = preview(user)
    client.force_login(make.user(email="eve@example.org"))
    before = state(user)
    status = address.ask(client, job)
    assert status == (404 if address.is_about_import else address.status)
    assert state(user) == before


@every_address
def test_owner_gets_response(
    address: Address, client: Client, ada: User, preview: Callable[[User], DataImport], enqueued: Enqueued
) -> None:
    job = preview(ada)
    before = state(ada)
    assert address.ask(client, job) == address.status
    assert (state(ada) != before) == address.changes


@pytest.mark.parametrize(
    "address", [address for address in ADDRESSES if address.is_confirmed], ids=lambda address: address.name
)
def test_unconfirmed_session_changes_nothing(
    address: Address, client: Client, ada: User, preview: Callable[[User], DataImport], enqueued: Enqueued
) -> None:
    job = preview(ada)
    sign_in_earlier(client, ada)
    before = state(ada)
    response = getattr(client, address.method)(address.url(job), dict(address.data))
    assert response["Location"].startswith("/settings/account/confirm/?next=%2Fsettings%2F")
    assert (state(ada), enqueued) == (before, [])


@every_address
def test_redirects_to_no_other_site(
    address: Address, client: Client, ada: User, preview: Callable[[User], DataImport], enqueued: Enqueued
) -> None:
    assert leading_elsewhere(client, address.method, address.url(preview(ada)), dict(address.data)) == []


@pytest.mark.parametrize(
    "address", [address for address in ADDRESSES if address.method == "post"], ids=lambda address: address.name
)
def test_changes_need_a_csrf_token(address: Address, preview: Callable[[User], DataImport], enqueued: Enqueued) -> None:
    user = make.user()
    job = preview(user)
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    before = state(user)
    assert address.ask(client, job) == 403
    assert (state(user), enqueued) == (before, [])


def test_confirming_refuses_get(client: Client, ada: User, preview: Callable[[User], DataImport]) -> None:
    assert client.get(reverse("data_import_confirm", args=[preview(ada).pk])).status_code == 405
