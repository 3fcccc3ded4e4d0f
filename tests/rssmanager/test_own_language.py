"""A user's language, if several are installed: in pages, emails and notifications of that user only."""

from collections.abc import Iterator
from datetime import timedelta
from email.header import decode_header, make_header
from io import BytesIO

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation
from pytest_django import DjangoAssertNumQueries, Settings

from digests.delivery.links import ArticleAction, EmailAction, Subscribed, action_token, unsubscribe_token
from digests.schedule.user_language import in_language_of
from feeds.models import Condition, Feed
from reader.models import Notification, Preferences
from reader.subscriptions.notifications import notify_subscribers
from rssmanager.accounts.importing import begin, confirm, run
from rssmanager.accounts.models import DataLine
from tests import make
from tests.rssmanager.accounts.filled import export_file, import_file
from tests.rssmanager.pseudo import CODE, knowing_marked

pytestmark = pytest.mark.django_db

LOOK = {
    "theme": "dark",
    "density": "cards",
    "face": "system",
    "text_size": "large",
    "line_width": "wide",
    "line_height": "loose",
}
ALONE = [("en", "English")]
NAME = "Esperanto"


@pytest.fixture(autouse=True)
def several(settings: Settings) -> Iterator[None]:
    """English is the default; the other language marks translations."""
    settings.LANGUAGES = [*ALONE, (CODE, NAME)]
    with knowing_marked():
        yield


@pytest.fixture
def ada(client: Client) -> User:
    """Signed in, with the other language."""
    user = make.user("ada", email="ada@example.org")
    Preferences.objects.create(user=user, language=CODE)
    client.force_login(user)
    return user


def page_of(client: Client, path: str) -> str:
    return client.get(path).content.decode()


def test_chosen_language_is_used_from_then_on(client: Client) -> None:
    user = make.user()
    client.force_login(user)
    page = page_of(client, "/settings/")
    assert '<option value="" selected>As in the browser</option>' in page
    assert f'<option value="{CODE}">{NAME}</option>' in page
    page = client.post("/settings/", LOOK | {"language": CODE}, follow=True).content.decode()
    assert Preferences.objects.get(user=user).language == CODE
    assert "⟦Saved.⟧" in page
    assert f'<html lang="{CODE}"' in page
    page = client.post("/settings/", LOOK | {"language": ""}, follow=True).content.decode()
    assert "⟦" not in page


def test_offers_no_choice_of_a_single_language(client: Client, ada: User, settings: Settings) -> None:
    settings.LANGUAGES = ALONE
    assert 'name="language"' not in page_of(client, "/settings/")
    client.post("/settings/", LOOK | {"language": ""})
    assert Preferences.objects.get(user=ada).language == CODE  # it may be installed again


@pytest.mark.parametrize("code", ["xx", "de", "../en", "en\0", "e" * 300])
def test_refuses_language_that_is_not_installed(client: Client, ada: User, code: str) -> None:
    assert client.post("/settings/", LOOK | {"language": code}).status_code == 422
    preferences = Preferences.objects.get(user=ada)
    assert (preferences.language, preferences.theme) == (CODE, "system")


def test_removed_language_falls_back_to_the_default(client: Client, ada: User) -> None:
    Preferences.objects.filter(user=ada).update(language="tlh")
    assert '<html lang="en"' in page_of(client, "/settings/")


@pytest.mark.parametrize("path", ["/settings/", "/interests/", "/articles/404/"])
def test_language_applies_to_one_user_only(client: Client, ada: User, path: str) -> None:
    other = Client()
    other.force_login(make.user())
    assert f'<html lang="{CODE}"' in page_of(client, path)
    assert '<html lang="en"' in page_of(other, path)
    assert f'<html lang="{CODE}"' in page_of(client, path)
    assert '<html lang="en"' in page_of(Client(), "/login/")
    assert translation.get_language() == "en"


def test_browser_chooses_until_the_user_does(client: Client, ada: User) -> None:
    asks = {"HTTP_ACCEPT_LANGUAGE": f"tlh, {CODE};q=0.9, en;q=0.5"}
    assert f'<html lang="{CODE}"' in Client(**asks).get("/login/").content.decode()
    other = Client(**asks)
    other.force_login(make.user())
    assert f'<html lang="{CODE}"' in page_of(other, "/settings/")
    page = other.post("/settings/", LOOK | {"language": "en"}, follow=True).content.decode()
    assert '<html lang="en"' in page
    assert "⟦" not in page.split("</head>")[1].split("<select")[0]
    assert translation.get_language() == "en"


def test_emails_are_in_the_language_of_the_last_sign_in(settings: Settings) -> None:
    user = make.user("ben")
    for accepted, expected in ((CODE, CODE), ("en", "en"), (CODE, CODE)):
        Client(HTTP_ACCEPT_LANGUAGE=accepted).post("/login/", {"username": "ben", "password": "correct horse"})
        with in_language_of(user.pk):
            assert translation.get_language() == expected
    Preferences.objects.filter(user=user).update(language="en")
    with in_language_of(user.pk):
        assert translation.get_language() == "en"


def test_takes_no_query(client: Client, ada: User) -> None:
    counts = []
    for code in ("", CODE):
        Preferences.objects.filter(user=ada).update(language=code)
        with CaptureQueriesContext(connection) as queries:
            client.get("/settings/")
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_background_texts_use_it(
    ada: User, settings: Settings, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(1), in_language_of(ada.pk):
        assert translation.get_language() == CODE
    with translation.override(CODE), in_language_of(make.user().pk):
        assert translation.get_language() == "en"
    settings.LANGUAGES = ALONE
    with django_assert_num_queries(0), in_language_of(ada.pk):
        assert translation.get_language() == "en"


def test_feed_notifications_use_each_users_language(ada: User) -> None:
    feed = make.feed()
    other = make.user()
    for user in (ada, other):
        make.subscription(user, feed, title="Courier")
        Preferences.objects.update_or_create(user=user, defaults={"notifies_minor": True})
    condition = {"condition": Condition.SILENT, "condition_reason": "since May.", "condition_changed_at": make.NOW}
    Feed.objects.filter(pk=feed.pk).update(**condition)
    assert notify_subscribers() == 2
    texts = dict(Notification.objects.values_list("user", "text"))
    assert texts == {
        ada.pk: "⟦Courier has been quiet: since May.⟧",
        other.pk: "Courier has been quiet: since May.",
    }


def test_password_reset_email_uses_it(ada: User) -> None:
    page = Client().post("/forgotten/", {"email": "ada@example.org"}, follow=True).content.decode()
    assert "⟦" not in page
    assert str(make_header(decode_header(mail.outbox[0].subject))) == "⟦Reset your password⟧"
    assert "⟦If it wasn't you" in mail.outbox[0].body


def test_pages_linked_in_emails_use_it(ada: User) -> None:
    article = make.article()
    make.delivery(make.subscription(ada), article)
    act = action_token(ArticleAction(ada.pk, article.pk, EmailAction.READ), until=timezone.now() + timedelta(days=1))
    stop = unsubscribe_token(Subscribed(ada.pk, "morning"))
    for path in (f"/mail/act/{act}/", f"/mail/unsubscribe/{stop}/"):
        assert f'<html lang="{CODE}"' in page_of(Client(), path)
    assert translation.get_language() == "en"


def test_is_exported_and_imported(ada: User) -> None:
    file = export_file(ada)
    other = make.user("elsewhere")
    import_file(other, file)
    assert Preferences.objects.get(user=other).language == CODE


def test_import_ignores_language_that_is_not_installed(ada: User, settings: Settings) -> None:
    file = export_file(ada)
    settings.LANGUAGES = ALONE
    other = make.user("elsewhere")
    Preferences.objects.create(user=other, language="en", theme="dark")
    job = import_file(other, file)
    assert job.n_refused == 0
    assert Preferences.objects.get(user=other).language == "en"


def test_refusals_are_translated(ada: User) -> None:
    file = BytesIO(b'{"kind": "rssmanager", "version": 1}\n{"kind": "preferences", "language": 5}')
    job = begin(ada, file, name="mine.jsonl", now=make.NOW)
    confirm(job)
    run(job.pk, now=make.NOW, max_items=10)
    assert DataLine.objects.get().reason == "⟦“language” is not text.⟧"
