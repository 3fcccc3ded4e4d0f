"""Users under Settings: who may see and change them, every action, and what is refused."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from digests.models import Mailing
from digests.tasks.mail import send
from reader.models import EngagementKind
from rssmanager.accounts import users as accounts
from rssmanager.accounts.changes import UNDO_PERIOD
from rssmanager.accounts.deletion import delete_data
from rssmanager.accounts.errors import ActionRefused
from rssmanager.accounts.models import AccountChange, PendingDeletion
from rssmanager.authentication import app_passwords
from rssmanager.authentication.models import AppPassword, Identity
from tests import make
from tests.markup import tight
from tests.rssmanager.accounts.test_changes import link_in, notices
from tests.rssmanager.accounts.test_views_account import is_signed_in, signed_in
from tests.rssmanager.authentication.conftest import sign_in_earlier

pytestmark = pytest.mark.django_db

USERS = "/settings/users/"
NEW = "a long enough phrase"
ACTIONS: dict[str, dict[str, str]] = {
    "link": {},
    "promote": {},
    "demote": {},
    "deactivate": {},
    "activate": {},
    "email": {"mail-email": "new@example.org"},
    "password": {"new-new_password1": NEW, "new-new_password2": NEW},
}


@pytest.fixture
def root(client: Client) -> User:
    """An administrator, signed in just now."""
    user = make.user("root", email="root@example.org", is_staff=True, is_superuser=True)
    client.force_login(user)
    return user


@pytest.fixture
def bob() -> User:
    return make.user("bob", email="bob@example.org")


@pytest.fixture
def queued(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    calls: list[tuple[object, ...]] = []
    monkeypatch.setattr(
        "rssmanager.accounts.views.users.call_worker", lambda *given: calls.append(given) is None
    )  # returns True
    return calls


@pytest.fixture
def without_mail(settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"


def page_of(user: User) -> str:
    return f"{USERS}{user.pk}/"


def act(client: Client, user: User, name: str, **given: str) -> int:
    return int(client.post(page_of(user), {"act": name, **ACTIONS[name], **given}).status_code)


def state() -> list[object]:
    columns = ("username", "email", "password", "is_active", "is_staff", "is_superuser")
    return [
        list(User.objects.order_by("pk").values_list(*columns)),
        list(PendingDeletion.objects.values_list("user")),
        len(mail.outbox),
    ]


def staff(*permissions: str) -> User:
    user = make.user(is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    assert user.user_permissions.count() == len(permissions)
    return user


def everything(bob: User) -> list[Callable[[Client], int]]:
    """Requests to all pages, and each action."""
    new = {"username": "eve", "password1": NEW, "password2": NEW}
    return [
        lambda client: client.get(USERS).status_code,
        lambda client: client.get(page_of(bob)).status_code,
        lambda client: client.get(f"{USERS}new/").status_code,
        lambda client: client.post(f"{USERS}new/", new).status_code,
        lambda client: client.get(f"{page_of(bob)}delete/").status_code,
        lambda client: client.post(f"{page_of(bob)}delete/").status_code,
        *(lambda client, name=name: act(client, bob, name) for name in ACTIONS),
    ]


class TestAccess:
    def test_visitors_are_redirected_to_sign_in(self, client: Client, bob: User) -> None:
        before = state()
        assert {ask(client) for ask in everything(bob)} == {302}
        assert client.get(page_of(bob))["Location"] == f"/login/?next={page_of(bob)}"
        assert state() == before

    @pytest.mark.parametrize("is_staff", [False, True], ids=["user", "staff without permissions"])
    def test_others_see_and_change_nothing(self, client: Client, bob: User, is_staff: bool) -> None:
        client.force_login(make.user(is_staff=is_staff))
        before = state()
        assert {ask(client) for ask in everything(bob)} == {403}
        assert state() == before
        assert USERS not in client.get("/settings/").content.decode()

    def test_permissions_without_staff_are_not_enough(self, client: Client, bob: User) -> None:
        user = staff("view_user", "add_user", "change_user", "delete_user")
        User.objects.filter(pk=user.pk).update(is_staff=False)
        client.force_login(User.objects.get(pk=user.pk))
        before = state()
        assert {ask(client) for ask in everything(bob)} == {403}
        assert state() == before

    def test_staff_that_may_view_changes_nothing(self, client: Client, bob: User) -> None:
        client.force_login(staff("view_user"))
        before = state()
        assert client.get(USERS).status_code == 200
        assert "You can't change this account." in client.get(page_of(bob)).content.decode()
        assert [ask(client) for ask in everything(bob)[2:]] == [403] * (len(everything(bob)) - 2)
        assert state() == before

    @pytest.mark.parametrize("values", [{"is_staff": True}, {"is_staff": True, "is_superuser": True}])
    def test_staff_does_not_change_accounts_with_rights(self, client: Client, values: dict[str, bool]) -> None:
        """They could otherwise take over the account of an administrator."""
        make.user("spare", is_staff=True, is_superuser=True)
        other = make.user("other", email="other@example.org", **values)
        client.force_login(staff("view_user", "add_user", "change_user", "delete_user"))
        before = state()
        assert {act(client, other, name) for name in ACTIONS} == {403}
        assert client.post(f"{page_of(other)}delete/").status_code == 403
        assert state() == before

    def test_staff_makes_no_administrators(self, client: Client, bob: User) -> None:
        client.force_login(staff("view_user", "add_user", "change_user"))
        assert act(client, bob, "promote") == 422
        assert client.post(f"{USERS}new/", {"username": "eve", "password1": NEW, "password2": NEW,
                                            "is_administrator": "on"}).status_code == 302  # fmt: skip
        assert not User.objects.filter(is_superuser=True).exists()
        assert User.objects.filter(username="eve", is_staff=False).exists()
        assert act(client, bob, "deactivate") == 302
        assert not User.objects.get(pk=bob.pk).is_active

    def test_changes_need_recent_confirmation(self, client: Client, root: User, bob: User) -> None:
        sign_in_earlier(client, root)
        before = state()
        for ask in everything(bob)[2:]:
            assert ask(client) == 302
        assert state() == before
        response = client.post(page_of(bob), {"act": "deactivate"})
        assert response["Location"] == f"/settings/account/confirm/?next=%2Fsettings%2Fusers%2F{bob.pk}%2F"
        html = client.get(page_of(bob)).content.decode()
        assert "Confirm that it's you to change this…" in html
        assert "Deactivate account" not in html

    def test_nobody_changes_their_own_account_here(self, client: Client, root: User) -> None:
        make.user("second", is_staff=True, is_superuser=True)
        before = state()
        assert {act(client, root, name) for name in ACTIONS} == {403}
        assert client.post(f"{page_of(root)}delete/").status_code == 403
        assert state() == before
        assert "This is you." in client.get(page_of(root)).content.decode()

    def test_unknown_users_and_actions(self, client: Client, root: User, bob: User) -> None:
        before = state()
        assert client.get(f"{USERS}{bob.pk + 99}/").status_code == 404
        assert client.post(page_of(bob), {"act": "impersonate"}).status_code == 422
        assert client.post(page_of(bob)).status_code == 422
        assert state() == before


class TestList:
    def test_shows_figures(self, client: Client, root: User, bob: User, settings: Settings) -> None:
        now = timezone.now()
        subscription = make.subscription(bob)
        make.subscription(bob, unfollowed_at=now)
        article = make.article(feed=subscription.feed)
        for days in (1, 2, 40):
            make.engagement(bob, article, EngagementKind.OPENED, happened_at=now - timedelta(days=days))
        make.engagement(bob, make.article(), EngagementKind.LIKED, happened_at=now)
        app_passwords.create(bob, name="Phone", now=now)
        Identity.objects.create(user=bob, issuer=settings.ENV.OIDC_ISSUER, subject="1", connected_at=now)
        row = next(row for row in rows() if row.user == bob)
        assert (row.n_feeds, row.n_opened, row.last_active_at) == (1, 1, None)
        assert row.ways_in == ("password", settings.ENV.OIDC_NAME, "app passwords")
        html = tight(client.get(USERS).content.decode())
        for words in ("bob@example.org", "Never signed in", "2 accounts", "Administrator", "You"):
            assert words in html

    def test_last_active_is_the_latest_of_browsers_and_apps(self, bob: User) -> None:
        now = timezone.now()
        signed_in(bob)
        (row,) = rows()
        assert row.last_active_at is not None
        assert abs(row.last_active_at - now) < timedelta(minutes=1)
        app_passwords.create(bob, name="Phone", now=now)
        AppPassword.objects.update(last_used_at=now + timedelta(hours=1))
        assert rows()[0].last_active_at == now + timedelta(hours=1)

    def test_marks_closed_accounts(self, client: Client, root: User, bob: User) -> None:
        accounts.deactivate(bob)
        assert "Deactivated" in client.get(USERS).content.decode()
        accounts.activate(bob, now=timezone.now())
        accounts.delete(bob, now=timezone.now())
        html = client.get(USERS).content.decode()
        assert "Deleted" in html
        assert "Deactivated" not in html

    def test_queries_do_not_grow_with_users(
        self, client: Client, root: User, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        cache.clear()
        client.get(USERS)
        with django_assert_max_num_queries(30) as few:
            client.get(USERS)
        for _ in range(20):
            user = make.user()
            make.subscription(user)
            app_passwords.create(user, name="Phone", now=timezone.now())
        with django_assert_max_num_queries(len(few)):
            html = client.get(USERS).content.decode()
        assert html.count("App passwords") + html.count("app passwords") == 20

    def test_many_users_are_paged(self, client: Client, root: User, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("rssmanager.accounts.views.users.PER_PAGE", 2)
        for name in ("ada", "bea", "cleo"):
            make.user(name)
        first, second = (client.get(f"{USERS}?page={number}").content.decode() for number in (1, 2))
        assert re.findall(r'dir="auto">(ada|bea|cleo|root)<', first) == ["ada", "bea"]
        assert re.findall(r'dir="auto">(ada|bea|cleo|root)<', second) == ["cleo", "root"]
        assert 'href="?page=2"' in first
        assert 'href="?page=1"' in second


def rows() -> list[accounts.UserRow]:
    users = accounts.with_figures(User.objects.order_by("username"), now=timezone.now())
    return [accounts.row_of(user) for user in users]


class TestAdding:
    def test_with_password(self, client: Client, root: User, without_mail: None) -> None:
        page = client.get(f"{USERS}new/").content.decode()
        assert "This server can't send emails" in tight(page)
        response = client.post(f"{USERS}new/", {"username": "eve", "password1": NEW, "password2": NEW})
        assert response["Location"] == USERS
        eve = User.objects.get(username="eve")
        assert (eve.check_password(NEW), eve.is_active, eve.is_staff, eve.is_superuser) == (True, True, False, False)

    def test_administrator(self, client: Client, root: User) -> None:
        given = {"username": "eve", "password1": NEW, "password2": NEW, "is_administrator": "on"}
        client.post(f"{USERS}new/", given)
        eve = User.objects.get(username="eve")
        assert (eve.is_staff, eve.is_superuser) == (True, True)

    def test_by_a_link_to_choose_a_password(self, client: Client, root: User, queued: list[tuple[object, ...]]) -> None:
        client.post(f"{USERS}new/", {"username": "eve", "email": "eve@example.org"})
        eve = User.objects.get(username="eve")
        assert not eve.has_usable_password()
        assert queued == [("digests.tasks.mail.send",)]
        send()
        (letter,) = mail.outbox
        assert letter.to == ["eve@example.org"]
        assert "Your username is eve." in letter.body
        theirs = Client()
        path = re.search(r"http://[^/]+(/forgotten/\S+)", letter.body)
        assert path is not None
        form = theirs.get(path[1])["Location"]
        assert theirs.post(form, {"new_password1": NEW, "new_password2": NEW}).status_code == 302
        eve.refresh_from_db()
        assert eve.check_password(NEW)
        assert is_signed_in(theirs)

    @pytest.mark.parametrize(
        ("given", "error"),
        [
            ({"username": "BOB", "password1": NEW, "password2": NEW}, "already exists"),
            ({"username": "eve"}, "Enter an email address, or a password."),
            ({"username": "eve", "password1": NEW}, "The two passwords don"),
            ({"username": "eve", "password2": NEW}, "The two passwords don"),
            ({"username": "eve", "password1": "short", "password2": "short"}, "too short"),
            ({"email": "eve@example.org"}, "This field is required."),
        ],
    )
    def test_refuses(self, client: Client, root: User, bob: User, given: dict[str, str], error: str) -> None:
        before = state()
        response = client.post(f"{USERS}new/", given)
        assert response.status_code == 422
        assert error in response.content.decode()
        assert state() == before

    def test_without_mail_server_a_password_is_required(self, client: Client, root: User, without_mail: None) -> None:
        assert client.post(f"{USERS}new/", {"username": "eve", "email": "eve@example.org"}).status_code == 422
        assert not User.objects.filter(username="eve").exists()


class TestActions:
    def test_administrator_rights(self, client: Client, root: User, bob: User) -> None:
        assert act(client, bob, "promote") == 302
        bob.refresh_from_db()
        assert (bob.is_staff, bob.is_superuser) == (True, True)
        assert act(client, bob, "demote") == 302
        bob.refresh_from_db()
        assert (bob.is_staff, bob.is_superuser) == (False, False)

    def test_deactivating_signs_out_and_activating_lets_in_again(self, client: Client, root: User, bob: User) -> None:
        theirs = signed_in(bob)
        assert act(client, bob, "deactivate") == 302
        assert not is_signed_in(theirs)
        given = {"username": "bob", "password": "correct horse"}
        assert Client().post("/login/", given).status_code == 200  # the form again
        assert act(client, bob, "activate") == 302
        assert Client().post("/login/", given).status_code == 302

    def test_password_is_set_and_reported(self, client: Client, root: User, bob: User) -> None:
        theirs = signed_in(bob)
        assert act(client, bob, "password") == 302
        bob.refresh_from_db()
        assert bob.check_password(NEW)
        assert not is_signed_in(theirs)
        assert "By: an administrator" in notices()["bob@example.org"]

    def test_bad_password_is_refused(self, client: Client, root: User, bob: User) -> None:
        before = state()
        assert act(client, bob, "password", **{"new-new_password2": "another phrase"}) == 422
        assert state() == before

    def test_email_is_changed_and_reported_to_the_old_address(self, client: Client, root: User, bob: User) -> None:
        assert act(client, bob, "email") == 302
        bob.refresh_from_db()
        assert bob.email == "new@example.org"
        emails = notices()
        assert list(emails) == ["bob@example.org"]
        Client().post(link_in(emails["bob@example.org"]))
        bob.refresh_from_db()
        assert bob.email == "bob@example.org"
        assert act(client, bob, "email", **{"mail-email": "nonsense"}) == 422

    def test_link_is_sent_three_times_an_hour(
        self, client: Client, root: User, bob: User, queued: list[tuple[object, ...]]
    ) -> None:
        assert [act(client, bob, "link") for _ in range(4)] == [302] * 4
        assert queued == [("digests.tasks.mail.send",)] * 3
        assert list(Mailing.objects.values_list("recipient", "kind")) == [("bob@example.org", "invite")] * 3
        assert "was sent several links already" in client.get(page_of(bob)).content.decode()

    def test_link_is_sent_directly_if_the_queue_is_down(
        self, client: Client, root: User, bob: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("rssmanager.accounts.views.users.call_worker", lambda *given: False)
        act(client, bob, "link")
        assert [letter.to for letter in mail.outbox] == [["bob@example.org"]]
        assert "sent you this link to choose a new password" in mail.outbox[0].body

    @pytest.mark.parametrize("reason", ["no address", "deactivated", "provider", "no mail server"])
    def test_link_that_reaches_no_one_is_refused(
        self, client: Client, root: User, bob: User, settings: Settings, reason: str, queued: list[tuple[object, ...]]
    ) -> None:
        if reason == "no address":
            bob.email = ""
        elif reason == "deactivated":
            bob.is_active = False
        elif reason == "provider":
            bob.set_unusable_password()
            Identity.objects.create(user=bob, issuer=settings.ENV.OIDC_ISSUER, subject="1", connected_at=timezone.now())
        else:
            settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
        bob.save()
        assert "Send a link" not in client.get(page_of(bob)).content.decode()
        assert act(client, bob, "link") == 422
        assert queued == []


class TestDeleting:
    def test_user_with_address_can_be_restored_for_a_week(
        self, client: Client, root: User, bob: User, queued: list[tuple[object, ...]]
    ) -> None:
        theirs = signed_in(bob)
        assert "bob@example.org" in client.get(f"{page_of(bob)}delete/").content.decode()
        assert User.objects.get(pk=bob.pk).is_active
        assert client.post(f"{page_of(bob)}delete/")["Location"] == USERS
        assert not User.objects.get(pk=bob.pk).is_active
        assert not is_signed_in(theirs)
        due_at = PendingDeletion.objects.get(user=bob).due_at
        assert abs(due_at - timezone.now() - UNDO_PERIOD) < timedelta(minutes=1)
        assert queued == []
        assert "Restore account" in client.get(page_of(bob)).content.decode()
        assert act(client, bob, "activate") == 302
        assert User.objects.get(pk=bob.pk).is_active
        assert not PendingDeletion.objects.exists()

    def test_link_of_a_restored_deletion_is_spent(self, client: Client, root: User, bob: User) -> None:
        """It would otherwise let someone in who was deactivated since."""
        client.post(f"{page_of(bob)}delete/")
        link = link_in(notices()["bob@example.org"])
        act(client, bob, "activate")
        act(client, bob, "deactivate")
        assert Client().post(link).status_code == 410
        assert not User.objects.get(pk=bob.pk).is_active

    def test_user_can_restore_it_too(self, client: Client, root: User, bob: User) -> None:
        client.post(f"{page_of(bob)}delete/")
        Client().post(link_in(notices()["bob@example.org"]))
        assert User.objects.get(pk=bob.pk).is_active

    def test_user_without_address_is_deleted_at_once(
        self, client: Client, root: User, queued: list[tuple[object, ...]]
    ) -> None:
        nemo = make.user("nemo")
        assert "Immediately and permanently." in client.get(f"{page_of(nemo)}delete/").content.decode()
        client.post(f"{page_of(nemo)}delete/")
        assert queued == [("rssmanager.accounts.tasks.remove_account", nemo.pk)]
        client.post(page_of(nemo), {"act": "activate"})
        assert not User.objects.get(pk=nemo.pk).is_active
        assert delete_data(nemo.pk, now=timezone.now())
        assert not User.objects.filter(pk=nemo.pk).exists()

    def test_deactivated_user_gets_no_link_that_lets_them_in(self, client: Client, root: User, bob: User) -> None:
        act(client, bob, "deactivate")
        client.post(f"{page_of(bob)}delete/")
        assert not AccountChange.objects.exists()
        assert PendingDeletion.objects.get(user=bob).due_at <= timezone.now()


class TestLastAdministrator:
    """No page gets there alone, as nobody changes their own account; two administrators at once could."""

    @pytest.mark.parametrize(
        "take_away",
        [
            lambda user: accounts.set_administrator(user, is_administrator=False),
            accounts.deactivate,
            lambda user: accounts.delete(user, now=timezone.now()),
        ],
        ids=["rights", "access", "account"],
    )
    def test_stays(self, take_away: Callable[[User], object]) -> None:
        first, second = (make.user(name, is_staff=True, is_superuser=True) for name in ("one", "two"))
        make.user("gone", is_staff=True, is_superuser=True, is_active=False)
        take_away(first)
        before = state()
        with pytest.raises(ActionRefused, match="This is the only active administrator"):
            take_away(second)
        assert state() == before

    def test_page_shows_the_reason(
        self, client: Client, root: User, bob: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        act(client, bob, "promote")
        monkeypatch.setattr("rssmanager.accounts.users.is_only_administrator", lambda user: True)
        before = state()
        for name in ("demote", "deactivate"):
            assert act(client, bob, name) == 302
            assert "This is the only active administrator." in client.get(page_of(bob)).content.decode()
        assert client.post(f"{page_of(bob)}delete/")["Location"] == page_of(bob)
        assert state() == before
