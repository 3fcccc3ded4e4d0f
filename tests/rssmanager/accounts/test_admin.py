"""Users and groups in the admin site: the administrator confirms, guesses are stopped, and users are told."""

import pytest
from django.contrib.auth.models import Group, User
from django.core import mail
from django.test import Client
from django.urls import reverse

from rssmanager.accounts.models import AccountChange
from tests import make
from tests.rssmanager.accounts.test_changes import link_in, notices
from tests.rssmanager.accounts.test_views_account import is_signed_in, signed_in
from tests.rssmanager.authentication.conftest import sign_in_earlier

pytestmark = pytest.mark.django_db

NEW = "a long enough phrase"
PASSWORD = {"password1": NEW, "password2": NEW, "usable_password": "true"}
CONFIRM = "/settings/account/confirm/"


@pytest.fixture
def root(client: Client) -> User:
    """Signed in an hour ago."""
    user = make.user("root", email="root@example.org", is_staff=True, is_superuser=True)
    sign_in_earlier(client, user)
    return user


@pytest.fixture
def bob() -> User:
    return make.user("bob", email="bob@example.org")


def values(user: User, **changed: str) -> dict[str, str]:
    """The form data of a user's admin page."""
    joined = {"date_joined_0": f"{user.date_joined:%Y-%m-%d}", "date_joined_1": f"{user.date_joined:%H:%M:%S}"}
    return {"username": user.username, "email": user.email, "is_active": "on", **joined, **changed}


def pages(bob: User) -> dict[str, dict[str, str]]:
    """URLs that change users or groups, with their form data."""
    group = Group.objects.get_or_create(name="editors")[0]
    return {
        reverse("admin:auth_user_change", args=[bob.pk]): values(bob, is_superuser="on", email="evil@example.org"),
        reverse("admin:auth_user_password_change", args=[bob.pk]): PASSWORD,
        reverse("admin:auth_user_delete", args=[bob.pk]): {"post": "yes"},
        reverse("admin:auth_user_add"): {"username": "eve", **PASSWORD},
        reverse("admin:auth_user_changelist"): {
            "action": "delete_selected",
            "_selected_action": str(bob.pk),
            "post": "yes",
        },
        reverse("admin:auth_group_change", args=[group.pk]): {"name": "renamed"},
        reverse("admin:auth_group_add"): {"name": "another"},
        reverse("admin:auth_group_delete", args=[group.pk]): {"post": "yes"},
    }


def state() -> list[object]:
    users = User.objects.order_by("pk").values_list("username", "email", "password", "is_superuser")
    return [list(users), list(Group.objects.order_by("pk").values_list("name", flat=True))]


def test_changes_need_recent_confirmation(client: Client, root: User, bob: User) -> None:
    forms = pages(bob)
    before = state()
    for path, form in forms.items():
        assert client.post(path, form)["Location"].startswith(f"{CONFIRM}?next=%2Fadmin%2Fauth%2F"), path
    assert state() == before


def test_confirming_returns_and_applies_the_change(client: Client, root: User, bob: User) -> None:
    for path, form in pages(bob).items():
        before = state()
        sign_in_earlier(client, root)
        confirmation = client.post(path, form)["Location"]
        assert client.post(confirmation, {"password": "correct horse"})["Location"] == path
        assert client.post(path, form).status_code == 302, path
        assert state() != before, path
        if not User.objects.filter(pk=bob.pk).exists():
            User(pk=bob.pk, username="bob", email="bob@example.org", date_joined=bob.date_joined).save()


def test_lists_need_no_confirmation(client: Client, root: User, bob: User) -> None:
    assert client.get(reverse("admin:auth_user_changelist")).status_code == 200


def test_wrong_guesses_stop_after_five(client: Client, root: User, bob: User) -> None:
    confirmation = client.get(reverse("admin:auth_user_password_change", args=[bob.pk]))["Location"]
    answers = [client.post(confirmation, {"password": f"wrong {n}"}) for n in range(12)]
    assert [answer.status_code for answer in answers] == [422] * 5 + [429] * 7
    assert client.post(confirmation, {"password": "correct horse"}).status_code == 429


def test_admin_password_form_redirects_to_settings(client: Client, root: User) -> None:
    form = {"old_password": "correct horse", "new_password1": NEW, "new_password2": NEW}
    for ask in (client.get, client.post):
        for path in ("/admin/password_change/", reverse("admin:auth_user_password_change", args=[root.pk])):
            response = ask(path, form)
            assert (response.status_code, response["Location"]) == (302, "/settings/account/")
    root.refresh_from_db()
    assert root.check_password("correct horse")
    assert 'href="/admin/password_change/"' in client.get("/admin/").content.decode()


@pytest.mark.parametrize("what", ["password", "email"])
def test_user_is_notified_of_an_administrators_change(client: Client, root: User, bob: User, what: str) -> None:
    theirs = signed_in(bob)
    client.force_login(root)
    client.post(CONFIRM, {"password": "correct horse"})
    before = User.objects.values_list("email", "password").get(pk=bob.pk)
    if what == "password":
        client.post(reverse("admin:auth_user_password_change", args=[bob.pk]), PASSWORD)
        assert not is_signed_in(theirs)
    else:
        client.post(reverse("admin:auth_user_change", args=[bob.pk]), values(bob, email="bob2@example.org"))
    assert User.objects.values_list("email", "password").get(pk=bob.pk) != before
    emails = notices()
    assert list(emails) == ["bob@example.org"]
    assert "By: an administrator" in emails["bob@example.org"]
    Client().post(link_in(emails["bob@example.org"]))
    assert User.objects.values_list("email", "password").get(pk=bob.pk) == before
    assert is_signed_in(client)


def test_refused_form_sends_no_notice(client: Client, root: User, bob: User) -> None:
    client.post(CONFIRM, {"password": "correct horse"})
    path = reverse("admin:auth_user_password_change", args=[bob.pk])
    assert client.post(path, PASSWORD | {"password2": "another phrase"}).status_code == 200
    assert client.post(reverse("admin:auth_user_change", args=[bob.pk]), values(bob)).status_code == 302
    assert not AccountChange.objects.exists()
    assert mail.outbox == []
