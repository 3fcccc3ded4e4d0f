"""The settings of digests."""

import re
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from digests.delivery import private_feed
from digests.edition.kinds import PLANNED, RULES, Kind
from digests.models import AlertSettings, DigestPlan, PrivateFeed
from digests.schedule.plans import save_plan
from reader.models import Preferences
from tests import make
from tests.digests.conftest import SetClock
from tests.markup import tight

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

PATH = "/digests/settings/"
ZONE = "/settings/time-zone/"
NOW = make.NOW  # Wednesday 4 March 2026, 12:00 UTC
USUAL = {
    "form": "plans",
    "morning-at": "07:00",
    "midday-at": "12:00",
    "evening-at": "18:00",
    "weekly-at": "08:00",
    "weekly-weekday": "5",
}


@pytest.fixture
def ada(client: Client) -> User:
    user = make.user("ada", email="ada@example.org")
    client.force_login(user)
    return user


def page(client: Client, data: dict[str, str] | None = None, status: int = 200) -> str:
    answer = client.get(PATH) if data is None else client.post(PATH, data, follow=status == 200)
    assert answer.status_code == status
    return tight(answer.content.decode())


def test_planned_kinds_have_forms_with_defaults(client: Client, ada: User) -> None:
    found = page(client)
    legends = re.findall(r"<legend>(.+?) <span", found)
    assert (
        legends
        == [str(kind.label) for kind in PLANNED]
        == [
            "Morning brief",
            "Midday update",
            "Evening recap",
            "Weekly roundup",
        ]
    )
    for kind in PLANNED:
        assert f'name="{kind.value}-at" value="{RULES[kind].hours.usual:%H:%M}"' in found  # type: ignore[union-attr]
    assert "Articles since the last digest. Choose a time between 11:30 and 13:00." in found
    assert "The last seven days. Choose a time between 06:00 and 12:00." in found


def test_saved_plans_show_their_next_time(client: Client, ada: User) -> None:
    found = page(
        client,
        USUAL
        | {
            "morning-is_on": "on",
            "morning-at": "06:45",
            "morning-by_mail": "on",
            "morning-n_topics": "12",
            "weekly-is_on": "on",
            "weekly-weekday": "6",
            "evening-is_on": "on",
        },
    )
    assert re.findall(r"next: ([^<]+)<", found) == ["tomorrow, 06:45", "today, 18:00", "Sunday, 08:00"]
    assert found.count("· off") == 1
    morning = DigestPlan.objects.get(kind=Kind.MORNING)
    assert (morning.user, morning.is_on, morning.at, morning.by_mail, morning.n_topics) == (
        ada,
        True,
        time(6, 45),
        True,
        12,
    )
    assert not DigestPlan.objects.get(kind=Kind.MIDDAY).is_on
    assert 'id="id_morning-by_mail" checked' in found


def test_pictures_in_emails_are_attached_unless_chosen_otherwise(client: Client, ada: User) -> None:
    assert '<option value="attached" selected>Attached to the email</option>' in page(client)
    page(client, USUAL | {"mail_pictures": "server"})
    assert Preferences.objects.get(user=ada).mail_pictures == "server"
    page(client, USUAL)
    assert Preferences.objects.get(user=ada).mail_pictures == "server"


def test_pictures_are_loaded_only_through_the_image_proxy(client: Client, ada: User, settings: Settings) -> None:
    settings.ENV = replace(settings.ENV, IMAGE_PROXY=False)
    assert 'value="server"' not in page(client)
    page(client, USUAL | {"mail_pictures": "server"}, status=422)
    assert not Preferences.objects.filter(mail_pictures="server").exists()


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("morning-at", "09:00", "The morning brief is sent between 06:00 and 08:00."),
        ("evening-at", "16:59", "The evening recap is sent between 17:00 and 19:00."),
        ("midday-at", "noon", "Enter a time like 07:30."),
        ("midday-at", "", "Enter a time."),
        ("weekly-weekday", "2", "Select a valid choice."),
        ("morning-n_topics", "1", "greater than or equal to 2"),
        ("midday-n_topics", "21", "less than or equal to 20"),
        ("morning-n_topics", "many", "Enter a whole number."),
    ],
)
def test_invalid_plan_is_reported_and_not_saved(client: Client, ada: User, field: str, value: str, words: str) -> None:
    found = page(client, USUAL | {"morning-is_on": "on", field: value}, status=422)
    assert words in found
    assert not DigestPlan.objects.exists()


@pytest.mark.parametrize(("kind", "most"), [("morning", 35), ("midday", 20), ("evening", 35), ("weekly", 60)])
def test_topic_count_is_limited_to_a_digests_size(client: Client, ada: User, kind: str, most: int) -> None:
    page(client, USUAL | {f"{kind}-n_topics": str(most)})
    assert DigestPlan.objects.get(kind=kind).n_topics == most


def test_all_errors_are_reported_together(client: Client, ada: User) -> None:
    found = page(client, USUAL | {"morning-at": "09:00", "midday-at": "09:00"}, status=422)
    assert ("between 06:00 and 08:00.</li>" in found, "between 11:30 and 13:00.</li>" in found) == (True, True)
    assert found.count('value="09:00"') == 2


def test_without_an_address_nothing_can_be_mailed(client: Client, ada: User) -> None:
    User.objects.update(email="")
    found = page(client)
    assert len(re.findall(r'by_mail"[^>]* disabled', found)) == 6
    assert 'add an <a href="/settings/account/">address</a> first' in found
    page(client, USUAL | {"morning-is_on": "on", "morning-by_mail": "on"})
    assert not DigestPlan.objects.filter(by_mail=True).exists()
    page(client, {"form": "alerts", "breaking": "on", "breaking_by_mail": "on", "feeds_by_mail": "on"})
    assert list(AlertSettings.objects.values_list("breaking", "breaking_by_mail", "feeds_by_mail")) == [
        (True, False, False)
    ]


@pytest.mark.parametrize(("backend", "is_said"), [("console", True), ("smtp", False)])
def test_explains_email_without_a_server(
    client: Client, ada: User, settings: Settings, backend: str, is_said: bool
) -> None:
    settings.EMAIL_BACKEND = f"django.core.mail.backends.{backend}.EmailBackend"
    assert ("can't send emails yet" in page(client)) is is_said


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("Asia/Tokyo", "Asia/Tokyo"),
        ("asia/tokyo", "Asia/Tokyo"),
        (" America/new york ", "America/New_York"),
        ("", ""),
    ],
)
def test_a_time_zone_is_kept_by_its_own_name(client: Client, ada: User, given: str, kept: str) -> None:
    client.post(ZONE, {"time_zone": given})
    assert Preferences.objects.get(user=ada).time_zone == kept


@pytest.mark.parametrize("given", ["Mars/Olympus", "../../etc/passwd"])
def test_invalid_zone_changes_nothing(client: Client, ada: User, given: str) -> None:
    found = client.post(ZONE, {"time_zone": given}, follow=True).content.decode()
    assert f"There is no time zone “{given}”." in found
    assert not Preferences.objects.exists()


@pytest.mark.parametrize("name", ["person", "alerts"])
def test_the_address_is_changed_in_the_account_settings_alone(client: Client, ada: User, name: str) -> None:
    client.post("/digests/settings/", {"form": name, "email": "evil@example.org", "time_zone": ""})
    assert User.objects.get(pk=ada.pk).email == "ada@example.org"
    assert 'Emails go to ada@example.org. <a href="/settings/account/">' in page(client)


def test_plans_follow_the_persons_clock(client: Client, ada: User) -> None:
    save_plan(ada, Kind.MORNING, is_on=True, at=time(7), weekday=None, by_mail=True, n_topics=None, now=NOW)
    client.post(ZONE, {"time_zone": "America/Los_Angeles"})
    found = page(client)
    assert "next: today, 07:00" in found
    assert "Times are in America/Los_Angeles." in found
    assert DigestPlan.objects.get().next_at == datetime(2026, 3, 4, 15, 0, tzinfo=UTC)


def test_alerts_are_saved_and_mail_begins_now(client: Client, ada: User) -> None:
    assert 'name="breaking" id="id_breaking">' in page(client)
    page(client, {"form": "alerts", "feeds_by_mail": "on"})
    chosen = AlertSettings.objects.get(user=ada)
    assert (chosen.breaking, chosen.breaking_by_mail, chosen.feeds_by_mail, chosen.mail_from) == (
        False,
        False,
        True,
        NOW,
    )


@pytest.mark.parametrize("form", ["", "other"])
def test_a_form_that_is_none_is_refused(client: Client, ada: User, form: str) -> None:
    assert client.post(PATH, {"form": form}).status_code == 400


def test_the_address_of_the_feed_is_shown_once(client: Client, ada: User) -> None:
    answer = client.post("/digests/feed/", {"act": "renew"})
    [address] = re.findall(r'href="(http[^"]+/digests/feed/[^"]+)"', answer.content.decode())
    token = address.split("/")[-2]
    assert private_feed.user_of_token(token, now=NOW) == ada
    assert "no-store" in answer["Cache-Control"]
    found = page(client)
    assert token not in found
    assert "last read" in found
    assert token not in str(dict(client.session))


def test_feed_settings_show_last_use(client: Client, ada: User) -> None:
    assert "Create address" in page(client)
    private_feed.renew_token(ada, now=NOW - timedelta(days=2))
    found = page(client)
    assert ("not read yet" in found, "Create new address" in found, "Turn off" in found) == (True, True, True)


def test_a_feed_is_switched_off(client: Client, ada: User) -> None:
    private_feed.renew_token(ada, now=NOW)
    answer = client.post("/digests/feed/", {"act": "off"}, follow=True)
    assert "Its address no longer works." in answer.content.decode()
    assert not PrivateFeed.objects.exists()
    assert "no longer works" not in client.post("/digests/feed/", {"act": "off"}, follow=True).content.decode()


@pytest.mark.parametrize("act", ["", "other"])
def test_an_act_that_is_none_is_refused(client: Client, ada: User, act: str) -> None:
    private_feed.renew_token(ada, now=NOW)
    before = PrivateFeed.objects.get().token_hash
    assert client.post("/digests/feed/", {"act": act}).status_code == 400
    assert PrivateFeed.objects.get().token_hash == before


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (datetime(2026, 3, 4, 6, 0, tzinfo=UTC), "today, 07:00"),
        (datetime(2026, 3, 4, 8, 0, tzinfo=UTC), "tomorrow, 07:00"),
        (datetime(2026, 12, 31, 23, 0, tzinfo=UTC), "tomorrow, 07:00"),
    ],
)
def test_shows_the_next_due_time(client: Client, ada: User, clock: SetClock, now: datetime, words: str) -> None:
    clock(now)
    client.force_login(ada)
    assert f"next: {words}" in page(client, USUAL | {"morning-is_on": "on"})
