"""Password, email address, other sessions, password reset, and deleting the account."""

import re
from datetime import timedelta
from io import BytesIO

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django_otp.plugins.otp_totp.models import TOTPDevice
from pytest_django import DjangoAssertNumQueries, Settings

from digests.models import DigestPlan
from feeds.models import Article, Feed
from reader.models import Delivery, Engagement, Owner, Tag
from rssmanager.accounts.deletion import close_permanently, delete_data
from rssmanager.accounts.models import DataImport
from rssmanager.accounts.tasks import import_data, remove_account, resume
from tests import make
from tests.rssmanager.accounts.conftest import Enqueued
from tests.rssmanager.accounts.filled import export_file, import_file, person
from tests.rssmanager.authentication.conftest import sign_in_earlier

pytestmark = pytest.mark.django_db

NEW = "a long enough phrase"
ADDRESSES = ("ada@example.org", "eve@example.org")
BOTH = ("new-new_password1", "new-new_password2")
CHANGE = {"form": "password"} | dict.fromkeys(BOTH, NEW)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def is_signed_in(client: Client) -> bool:
    return client.get("/keys/").status_code == 200


def test_new_password_signs_out_other_browsers_only(client: Client, ada: User) -> None:
    other = signed_in(ada)
    client.post("/settings/account/", CHANGE)
    ada.refresh_from_db()
    assert ada.check_password(NEW)
    assert (is_signed_in(client), is_signed_in(other)) == (True, False)


@pytest.mark.parametrize(
    "change",
    [
        {"new-new_password2": "another phrase"},
        dict.fromkeys(BOTH, "short"),
    ],
    ids=["two that differ", "too short"],
)
def test_invalid_password_changes_nothing(client: Client, ada: User, change: dict[str, str]) -> None:
    response = client.post("/settings/account/", CHANGE | change)
    assert response.status_code == 422
    assert "errorlist" in response.content.decode()
    ada.refresh_from_db()
    assert ada.check_password("correct horse")


def test_signing_out_other_browsers_keeps_this_one(client: Client, ada: User) -> None:
    other = signed_in(ada)
    client.post("/settings/account/", {"form": "elsewhere"})
    ada.refresh_from_db()
    assert ada.check_password("correct horse")
    assert (is_signed_in(client), is_signed_in(other)) == (True, False)


def test_sends_no_email_without_address(client: Client, ada: User) -> None:
    plan = DigestPlan.objects.create(user=ada, kind="morning", at="06:30", by_mail=True)
    form = {"form": "email", "mail-email": ""}
    response = client.post("/settings/account/", form, follow=True)
    assert "You won&#x27;t get any more emails." in response.content.decode()
    plan.refresh_from_db()
    assert not plan.by_mail


def test_forgotten_password_is_reset_by_email(client: Client, settings: Settings) -> None:
    settings.BASE_URL = "https://reader.example"
    user = make.user("ada", email="ada@example.org")
    response = client.post("/forgotten/", {"email": "ada@example.org"}, headers={"host": "127.0.0.1"}, follow=True)
    assert "Check your email" in response.content.decode()
    body = mail.outbox[0].body
    link = re.search(r"https?://\S+", str(body))
    assert link is not None
    path = "/" + link[0].split("/", 3)[3]
    page = client.get(path, follow=True)
    client.post(page.redirect_chain[-1][0], {"new_password1": NEW, "new_password2": NEW})
    user.refresh_from_db()
    assert user.check_password(NEW)
    assert is_signed_in(client)
    assert "no longer works" in Client().get(path).content.decode()


def test_unknown_account_gets_the_same_response(client: Client) -> None:
    make.user("ada", email="ada@example.org")
    answers = [client.post("/forgotten/", {"email": address}, follow=True) for address in ADDRESSES]
    assert len({re.sub(r"csrf.*", "", answer.content.decode()) for answer in answers}) == 1
    assert len(mail.outbox) == 1


def test_without_mail_server_names_who_can_help(client: Client, settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    make.user("ada", email="ada@example.org")
    for response in (client.get("/forgotten/"), client.post("/forgotten/", {"email": "ada@example.org"})):
        assert "manage.py changepassword" in response.content.decode()


def test_deletes_everything_of_the_user_and_nothing_else(client: Client, enqueued: Enqueued) -> None:
    user = person()
    file = export_file(user)
    other = make.user("bob")
    import_file(other, file)
    copies = Article.objects.filter(title__startswith="Title").count()
    make.delivery(make.subscription(user), make.article())
    client.force_login(other)
    response = client.post("/settings/account/delete/")
    assert "Your account is deleted" in response.content.decode()
    assert enqueued == [("rssmanager.accounts.tasks.remove_account", other.pk)]
    assert not client.login(username="bob", password="correct horse")
    before = (Feed.objects.count(), Delivery.objects.filter(user=user).count(), Tag.objects.filter(user=user).count())
    remove_account(other.pk)
    remove_account(other.pk)
    assert not User.objects.filter(username="bob").exists()
    after = (Feed.objects.count(), Delivery.objects.filter(user=user).count(), Tag.objects.filter(user=user).count())
    assert after == before
    assert Article.objects.filter(title__startswith="Title").count() == copies - 3
    assert not DataImport.objects.exists()


def test_only_closed_accounts_are_removed() -> None:
    user = make.user()
    assert not delete_data(user.pk, now=make.NOW)
    assert User.objects.filter(pk=user.pk).exists()


def test_interrupted_work_is_resumed(enqueued: Enqueued) -> None:
    user = make.user()
    close_permanently(user, now=make.NOW)
    resume()
    assert not User.objects.exists()


def test_warns_the_only_administrator(client: Client, enqueued: Enqueued) -> None:
    owner = User.objects.create_superuser("owner", password="correct horse")
    Owner.objects.create(user=owner)
    make.user("bob")
    client.force_login(owner)
    page = client.get("/settings/account/delete/").content.decode()
    assert "You are the only administrator." in page
    assert "1 other user has an account here" in page
    assert client.post("/settings/account/delete/").status_code == 422
    assert User.objects.get(username="owner").is_active
    client.post("/settings/account/delete/", {"knows": "on"})
    assert not User.objects.get(username="owner").is_active


def test_upload_is_shown_and_imported_by_a_worker(client: Client, enqueued: Enqueued) -> None:
    user = person()
    file = export_file(user)
    file.name = "mine.zip"
    other = make.user("bob")
    client.force_login(other)
    response = client.post("/settings/data/", {"file": file}, follow=True)
    page = response.content.decode()
    assert "Articles you read, starred, tagged or rated" in page
    assert not Engagement.objects.filter(user=other).exists()
    job = DataImport.objects.get(user=other)
    client.post(f"/settings/data/imports/{job.pk}/confirm/", {"act": "take"})
    assert enqueued == [("rssmanager.accounts.tasks.import_data", job.pk)]
    import_data(job.pk)
    assert "Done:" in client.get(f"/settings/data/imports/{job.pk}/").content.decode()
    bare = client.get(f"/settings/data/imports/{job.pk}/", headers={"X-Fragment": "progress"})
    assert "<html" not in bare.content.decode()


@pytest.mark.parametrize("data", [b"", b"nonsense"], ids=["empty", "nonsense"])
def test_invalid_file_is_refused_at_its_field(client: Client, ada: User, data: bytes) -> None:
    file = BytesIO(data)
    file.name = "x.zip"
    response = client.post("/settings/data/", {"file": file})
    assert response.status_code == 422
    assert "errorlist" in response.content.decode()
    assert not DataImport.objects.exists()


def test_only_one_import_is_pending_at_a_time(client: Client, ada: User, preview: object) -> None:
    preview(ada)  # type: ignore[operator]
    preview(ada)  # type: ignore[operator]
    assert DataImport.objects.count() == 1
    DataImport.objects.update(status="running")
    file = BytesIO(b'{"kind": "rssmanager", "version": 1}')
    file.name = "x.jsonl"
    assert "already running" in client.post("/settings/data/", {"file": file}).content.decode()


@pytest.mark.parametrize("n", [1, 30])
def test_data_page_query_count_is_constant(
    client: Client, ada: User, n: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    subscription = make.subscription(ada)
    for _ in range(n):
        article = make.article()
        make.delivery(subscription, article)
        make.engagement(ada, article)
    with django_assert_num_queries(27):
        client.get("/settings/data/")


@pytest.mark.parametrize(("minutes", "is_confirmed"), [(9, True), (10, False)])
def test_recent_sign_in_confirms_without_password(client: Client, ada: User, minutes: int, is_confirmed: bool) -> None:
    ada.set_unusable_password()
    ada.save()
    phone = signed_in(ada)
    sign_in_earlier(client, ada, ago=timedelta(minutes=minutes))
    page = client.get("/settings/account/").content.decode()
    assert "You have no password here." in page
    client.post("/settings/account/second-factor/", {"act": "begin"})
    form_page = client.get("/settings/account/confirm/", follow=True).content.decode()
    assert ("Sign out and in again" in form_page) is not is_confirmed
    assert TOTPDevice.objects.exists() is is_confirmed
    client.post("/settings/account/", {"form": "elsewhere"})
    ada.refresh_from_db()
    assert not ada.has_usable_password()
    assert is_signed_in(phone) is not is_confirmed
