"""Rules, interests, stories, digests and notifications."""

from datetime import timedelta
from typing import Any

import pytest

from digests.access import digests_of
from digests.models.edition_store import edition_of, with_topics
from digests.rendering.as_json import as_json
from reader.models import Notification, Rule, RuleRun, Webhook
from rssmanager.authentication.models import Scope
from tests import make
from tests.digests import kept
from tests.rssmanager.api.v1.conftest import Script, deliver

pytestmark = pytest.mark.django_db

CHESS = {"conditions": [{"field": "title", "test": "contains", "value": "chess"}]}


@pytest.fixture(autouse=True)
def called(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    calls: list[tuple[object, ...]] = []
    monkeypatch.setattr("rssmanager.api.v1.rules.call_worker", lambda *call: calls.append(call))
    return calls


def test_rules_are_created_changed_and_deleted(script: Script, called: list[Any]) -> None:
    folder = make.folder(script.user)
    made = script.post("rules", CHESS | {"stars": True, "tag": "Game", "url": "https://a.example/hook"}, status=201)
    assert made["sentence"] == "If title contains “chess”: star, tag Game, send to a.example"
    assert (made["secret"][:6], made["is_on"], made["last_delivery"]) == ("whsec_", True, None)
    assert called == []
    path = f"rules/{made['id']}"
    changed = script.put(path, CHESS | {"folder_id": folder.pk, "relevance": 10, "is_on": False})
    assert (changed["stars"], changed["tag"], changed["secret"], changed["is_on"]) == (False, "", "", False)
    assert called == [("reader.tasks.recurring.apply_rule", made["id"])]
    assert script.get("rules")["items"] == [script.get(path)] == [changed]
    script.delete(path)
    assert not Rule.objects.exists()


def test_rules_that_make_no_sense_are_refused(script: Script) -> None:
    for body, said in (
        (CHESS, "Choose at least one action."),
        ({"stars": True}, "Set at least one condition."),
        (CHESS | {"url": "ftp://a"}, "Enter a web address, such as https://example.org/hook."),
        (CHESS | {"tag": "a, b"}, "A rule can add one tag. Create another rule for the second tag."),
        (CHESS | {"relevance": 7}, "Some values are invalid."),
    ):
        assert script.post("rules", body, status=422)["detail"] == said
    assert not Rule.objects.exists()


def test_preview_changes_and_sends_nothing(script: Script) -> None:
    deliver(script.user, title="Chess today")
    deliver(script.user)
    found = script.post("rules/preview", CHESS)
    assert (found["n_checked"], found["n_hits"], [row["title"] for row in found["items"]]) == (2, 1, ["Chess today"])
    assert not Webhook.objects.exists()


def test_rule_runs_over_existing_articles_and_is_tested(script: Script, called: list[Any]) -> None:
    rule = script.post("rules", CHESS | {"url": "https://a.example/"}, status=201)
    script.post(f"rules/{rule['id']}/run", {"sends": True}, status=202)
    assert (RuleRun.objects.get().sends, called) == (True, [("reader.tasks.recurring.apply_rule", rule["id"])])
    script.post(f"rules/{rule['id']}/test", status=422)  # no article yet
    deliver(script.user)
    script.post(f"rules/{rule['id']}/test", status=202)
    last = script.get(f"rules/{rule['id']}")["last_delivery"]
    assert last == {"state": "waiting", "status": None, "problem": "", "tried_at": None, "is_test": True}


def test_interests(script: Script) -> None:
    assert script.get("interests") == {"is_learning": True, "n_choices": 0, "items": []}
    [chess] = script.post("interests", {"topics": ["Chess"]})["items"]
    assert (chess["term"], chess["origin"], chess["is_muted"]) == ("chess", "topic", False)
    [muted] = script.post("interests/change", {"terms": ["chess"], "action": "mute"})["items"]
    assert muted["is_muted"]
    script.post("interests/change", {"terms": ["none"], "action": "mute"}, status=404)
    assert script.post("interests/change", {"terms": ["chess"], "action": "remove"})["items"] == []


def test_stories(script: Script) -> None:
    articles = [*deliver(script.user, title="One"), *deliver(script.user, title="Two")]
    story = make.story(*articles)
    [row] = script.get("stories")["items"]
    assert (row["id"], row["n_articles"], row["n_unread"], len(row["sources"])) == (story.pk, 2, 2, 2)
    shown = script.get(f"stories/{story.pk}")
    assert shown["reports"][0]["id"] == row["article_id"]
    assert len(shown["reports"]) == 2
    assert shown["reports"][1]["reason"].startswith("Same event as")


def test_digests_and_today(script: Script) -> None:
    subscription = make.subscription(script.user)
    earlier, later = (
        kept.digest(script.user, kept.topic(subscription), made_at=make.NOW - timedelta(days=n)) for n in (1, 0)
    )
    assert script.ids("digests", limit=1) == [later.pk, earlier.pk]
    shown = script.get(f"digests/{later.pk}")
    assert (shown["version"], shown["kind"], len(shown["topics"])) == (2, "morning", 1)
    assert at_utc(shown) == at_utc(as_json(edition_of(with_topics(digests_of(script.user)).get(pk=later.pk))))
    page = kept.front_page(script.user, kept.topic(subscription, n_related=1), made_at=make.NOW)
    assert script.get("today")["kind"] == "today"
    assert script.ids(list="today") == kept.articles_of(page)
    eve = Script(make.user("eve"))
    eve.get(f"digests/{later.pk}", status=404)
    assert (eve.ids("digests"), eve.get("today", status=404)["status"]) == ([], 404)


def at_utc(value: Any) -> Any:
    """With times in one spelling."""
    if isinstance(value, dict):
        return {name: at_utc(one) for name, one in value.items()}
    if isinstance(value, list):
        return [at_utc(one) for one in value]
    return value.replace("Z", "+00:00") if isinstance(value, str) and "T" in value else value


def test_notifications_are_paged_and_seen(script: Script) -> None:
    subscription = make.subscription(script.user)
    for n in range(3):
        make.notification(subscription, happened_at=make.NOW + timedelta(minutes=n))
    newest, *rest = script.ids("notifications", limit=1)
    assert len(rest) == 2
    script.post("notifications/seen", {"up_to_id": rest[0]}, status=204)
    assert [row["is_seen"] for row in script.get("notifications")["items"]] == [False, True, True]
    assert script.get("notifications")["items"][0]["feed_id"] == subscription.pk
    assert Notification.objects.get(seen_at=None).pk == newest


def test_counts(script: Script) -> None:
    folder = make.folder(script.user)
    subscription = make.subscription(script.user, folder=folder)
    deliver(script.user, 2, subscription=subscription)
    found = script.get("counts")
    expected = {"all": 2, "folders": {str(folder.pk): 2}, "feeds": {str(subscription.pk): 2}, "notifications": 0}
    assert found == expected


def test_reading_scope_sees_no_rules(script: Script) -> None:
    reading = Script(script.user, scopes=(Scope.WRITE, Scope.FEEDS))
    script.post("rules", CHESS | {"url": "https://a.example/secret"}, status=201)
    assert reading.get("rules", status=403)["detail"] == "This app password lacks the scope “rules”."
