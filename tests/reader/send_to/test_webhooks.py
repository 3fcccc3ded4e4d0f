"""Articles sent by rules to a URL on loopback: signed, once, again after failures, and only new ones."""

import hmac
import json
from base64 import b64decode, b64encode
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse

from reader.errors import RuleRefused
from reader.models import Arrival, Notification, Rule, RuleHit, Subscription, Webhook
from reader.rules.apply import apply_to_arrivals
from reader.rules.backfill import request_run, run_rule
from reader.rules.conditions import Conditions
from reader.rules.preview import preview_rule
from reader.rules.store import RuleDraft, save_rule
from reader.send_to import webhooks
from reader.send_to.retrying import LEASE, PAUSES, SLACK
from reader.send_to.webhooks import KEPT_FOR, KEPT_TRYING, check_url, delete_old, request_test, send_due, signature
from reader.tasks.sending import _post, send_articles
from tests import make
from tests.reader.conftest import Enqueued
from tests.reader.send_to.service import Service
from tests.tables import table

pytestmark = pytest.mark.django_db
BEFORE = make.NOW - timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Sender:
    """A rule on a feed, with the URL of a service."""

    rule: Rule
    feed: Subscription
    service: Service

    def arrive(self, n: int = 1, **values: Any) -> None:
        """New articles arrive, and rules are applied."""
        for _ in range(n):
            article = make.article(feed=self.feed.feed, **{"published_at": make.NOW, **values})
            Arrival.objects.create(delivery=make.delivery(self.feed, article))
        apply_to_arrivals(now=make.NOW)


@pytest.fixture
def sender(db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sender]:
    monkeypatch.setattr(settings, "ENV", replace(settings.ENV, FETCH_ALLOW_PRIVATE_NETWORKS=True))
    user = make.user("ada")
    feed = make.subscription(user)
    feed.added_at = BEFORE
    feed.save()
    with Service() as service:
        service.answers = deque([(200, b"")])
        rule, _ = save_rule(user, None, draft(feed, f"{service.url}/hook"), now=make.NOW)
        yield Sender(rule, feed, service)


def draft(feed: Subscription, url: str) -> RuleDraft:
    conditions = Conditions(subscription_id=feed.pk)
    return RuleDraft("Hook", conditions, mutes=False, marks_read=False, stars=False, tag="", url=url)


def test_sends_a_signed_request(sender: Sender) -> None:
    sender.arrive(title="Ünïcode", author="Ada", markup="<p onclick=x>Text</p>")
    assert send_due(_post, now=make.NOW) == 1
    [(path, headers, body)] = sender.service.asked
    row = Webhook.objects.get()
    assert (path, headers["webhook-id"], headers["Content-Type"]) == ("/hook", row.message_id, "application/json")
    assert headers["webhook-timestamp"] == str(int(make.NOW.timestamp()))
    key = b64decode(sender.rule.secret.removeprefix("whsec_"))
    signed = f"{row.message_id}.{headers['webhook-timestamp']}.".encode() + body
    assert headers["webhook-signature"] == "v1," + b64encode(hmac.digest(key, signed, "sha256")).decode()
    sent = json.loads(body)
    assert (sent["type"], sent["data"]["rule"]) == ("article.matched", {"id": sender.rule.pk, "name": "Hook"})
    article = sent["data"]["article"]
    assert (article["title"], article["author"], article["html"]) == ("Ünïcode", "Ada", "<p>Text</p>")
    assert (article["id"], article["feed_id"]) == (row.article_id, sender.feed.pk)
    assert (row.state, row.status, row.tried_at) == ("sent", 200, make.NOW)


def test_signature_of_the_specification() -> None:
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    body = b'{"test": 2432232314}'
    expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body) == expected


def test_an_article_is_sent_once(sender: Sender) -> None:
    sender.arrive()
    for delivery in sender.feed.deliveries.all():
        Arrival.objects.create(delivery=delivery)
    apply_to_arrivals(now=make.NOW)
    request_run(sender.rule, now=make.NOW, sends=True)
    run_rule(sender.rule.pk, now=make.NOW)
    assert [send_due(_post, now=make.NOW) for _ in range(2)] == [1, 0]
    assert RuleHit.objects.get().acts == [f"send:{sender.rule.pk}"]
    with pytest.raises(IntegrityError):
        Webhook.objects.create(
            rule=sender.rule, article_id=Webhook.objects.get().article_id, created_at=make.NOW, try_at=make.NOW
        )


@table(
    ("published_at", "is_uncertain", "seen_at", "n"),
    [
        (BEFORE - timedelta(seconds=1), False, make.NOW, 0),
        (BEFORE, False, make.NOW, 1),
        (BEFORE, False, BEFORE + timedelta(minutes=59), 1),
        (BEFORE, True, BEFORE + timedelta(minutes=59), 0),
        (BEFORE, True, BEFORE + timedelta(hours=1), 1),
    ],
)
def test_sends_what_appeared_after_following(
    sender: Sender, published_at: datetime, is_uncertain: bool, seen_at: datetime, n: int
) -> None:
    Webhook.objects.all().delete()
    sender.arrive(published_at=published_at, date_uncertain=is_uncertain, first_seen_at=seen_at)
    assert Webhook.objects.count() == n


def test_existing_articles_are_sent_only_if_asked_for(sender: Sender) -> None:
    article = make.article(feed=sender.feed.feed, published_at=make.NOW)
    make.delivery(sender.feed, article)
    preview_rule(sender.rule.user, sender.rule.conditions, now=make.NOW)
    request_run(sender.rule, now=make.NOW)
    run_rule(sender.rule.pk, now=make.NOW)
    assert (Webhook.objects.count(), RuleHit.objects.count()) == (0, 1)
    request_run(sender.rule, now=make.NOW, sends=True)
    run_rule(sender.rule.pk, now=make.NOW)
    assert Webhook.objects.get().article == article


def test_a_run_that_sends_restarts_one_that_does_not(sender: Sender) -> None:
    run, _ = request_run(sender.rule, now=make.NOW)
    again, is_new = request_run(sender.rule, now=make.NOW + timedelta(seconds=1), sends=True)
    assert (again.pk, again.sends, again.is_whole, is_new) == (run.pk, True, True, False)


def test_is_retried_with_the_same_id_and_a_new_time(sender: Sender) -> None:
    sender.service.answers = deque([(500, b""), (200, b"")])
    sender.arrive()
    # Workers look every minute, but not to the second: at the next look the minute is over, whatever the clock says.
    early, next_look = make.NOW + PAUSES[0] - SLACK - timedelta(seconds=1), make.NOW + timedelta(seconds=59)
    assert [send_due(_post, now=at) for at in (make.NOW, early, next_look)] == [1, 0, 1]
    first, second = (headers for _, headers, _ in sender.service.asked)
    assert first["webhook-id"] == second["webhook-id"]
    assert int(second["webhook-timestamp"]) - int(first["webhook-timestamp"]) == 59
    row = Webhook.objects.get()
    assert (row.state, row.status, row.problem, row.n_tries) == ("sent", 200, "", 2)
    assert not Notification.objects.exists()


def test_gives_up_after_five_tries_and_says_so_once(sender: Sender) -> None:
    sender.service.answers = deque([(404, b"")])
    sender.arrive(2, title="Morning")
    now = make.NOW
    for _ in range(20):
        send_due(_post, now=now)
        now += timedelta(hours=7)
    assert list(Webhook.objects.values_list("state", "status").distinct()) == [("failed", 404)]
    assert len(sender.service.asked) <= 10
    [told] = Notification.objects.all()
    assert told.text == "“Morning” couldn't be sent to 127.0.0.1. 127.0.0.1 answered with the status 404."
    assert told.path == f"/rules/{sender.rule.pk}/"


@table("status", [410])
def test_a_receiver_that_is_gone_gets_no_second_try(sender: Sender, status: int) -> None:
    sender.service.answers = deque([(status, b"")])
    sender.arrive()
    assert [send_due(_post, now=make.NOW + timedelta(days=n)) for n in (0, 1)] == [1, 0]
    assert Webhook.objects.get().state == "failed"


def test_redirects_are_not_followed(sender: Sender) -> None:
    sender.service.answers = deque([(307, b"")])
    sender.arrive()
    send_due(_post, now=make.NOW)
    assert (len(sender.service.asked), Webhook.objects.get().status) == (1, 307)


def sent(sender: Sender) -> list[str]:
    return [json.loads(body)["data"]["article"]["title"] for *_, body in sender.service.asked]


def minutes(n: int, start: datetime = make.NOW) -> None:
    """As many looks of a worker, which aren't to the second, each until nothing is due."""
    for minute in range(n):
        while send_due(_post, now=start + timedelta(minutes=minute, seconds=[1, 0][minute % 2])):
            continue


def test_sends_in_the_order_of_arrival_while_the_first_fails(sender: Sender) -> None:
    sender.service.answers = deque([(503, b""), (503, b""), (200, b"")])
    sender.arrive(title="First")
    sender.arrive(title="Second", published_at=make.NOW + timedelta(minutes=1))
    sender.arrive(title="Third", published_at=make.NOW + timedelta(seconds=1))
    minutes(11)
    assert sent(sender) == ["First", "First"]
    minutes(1, make.NOW + timedelta(minutes=11))
    assert sent(sender) == ["First", "First", "First", "Second", "Third"]
    assert set(Webhook.objects.values_list("state", flat=True)) == {"sent"}


def test_articles_of_one_poll_are_sent_oldest_first(sender: Sender) -> None:
    for hours in (2, 3, 1):
        article = make.article(feed=sender.feed.feed, title=str(hours), published_at=make.NOW + timedelta(hours=hours))
        Arrival.objects.create(delivery=make.delivery(sender.feed, article))
    apply_to_arrivals(now=make.NOW)
    minutes(1)
    assert sent(sender) == ["1", "2", "3"]


def test_a_refused_article_holds_up_no_other(sender: Sender) -> None:
    sender.service.answers = deque([(422, b""), (200, b"")])
    sender.arrive(title="Refused")
    sender.arrive(title="Fine")
    minutes(2)
    assert sent(sender) == ["Refused", "Fine", "Refused"]


def test_another_rules_url_is_not_held_up(sender: Sender) -> None:
    sender.service.answers = deque([(503, b""), (200, b"")])
    save_rule(sender.rule.user, None, draft(sender.feed, f"{sender.service.url}/other"), now=make.NOW)
    sender.arrive(title="One")
    minutes(1)
    assert [path for path, *_ in sender.service.asked] == ["/hook", "/other"]


def test_a_url_that_fails_gets_few_requests(sender: Sender) -> None:
    sender.service.answers = deque([(503, b"")])
    sender.arrive(3)
    minutes(12 * 60)
    assert sorted(Webhook.objects.values_list("n_tries", "state")) == [(0, "waiting"), (4, "waiting"), (5, "failed")]
    assert len(sender.service.asked) == 9
    send_due(_post, now=make.NOW + KEPT_TRYING + timedelta(seconds=1))
    assert set(Webhook.objects.values_list("state", flat=True)) == {"failed"}


def test_what_waits_is_sent_when_a_test_arrives(sender: Sender) -> None:
    sender.service.answers = deque([(503, b""), (503, b""), (503, b""), (200, b"")])
    sender.arrive(2)
    minutes(12)
    assert set(Webhook.objects.values_list("n_tries", flat=True)) == {0, 3}  # the next try is in an hour
    later = make.NOW + timedelta(minutes=40)
    request_test(sender.rule, now=later)
    minutes(1, later)
    assert set(Webhook.objects.values_list("state", flat=True)) == {"sent"}
    assert len(sender.service.asked) == 6


def test_private_addresses_are_refused(sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "ENV", replace(settings.ENV, FETCH_ALLOW_PRIVATE_NETWORKS=False))
    sender.arrive()
    send_due(_post, now=make.NOW)
    row = Webhook.objects.get()
    assert (sender.service.asked, row.state, row.status) == ([], "failed", None)
    assert "127.0.0.1" in row.problem


def test_is_sent_again_after_a_worker_died(sender: Sender) -> None:
    sender.arrive()

    def killed(outgoing: Any) -> Any:
        _post(outgoing)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        send_due(killed, now=make.NOW)
    assert send_due(_post, now=make.NOW + LEASE - timedelta(seconds=1)) == 0
    assert send_due(_post, now=make.NOW + LEASE) == 1
    first, second = (headers["webhook-id"] for _, headers, _ in sender.service.asked)
    assert first == second  # so that the receiver can ignore the second
    assert Webhook.objects.get().state == "sent"


def test_a_transaction_that_fails_sends_nothing(sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError

    with monkeypatch.context() as patched:
        patched.setattr("reader.rules.apply.add_boosts", fail)
        with pytest.raises(RuntimeError):
            sender.arrive()
    assert (Webhook.objects.count(), RuleHit.objects.count(), Arrival.objects.count()) == (0, 0, 1)
    apply_to_arrivals(now=make.NOW)
    assert Webhook.objects.count() == 1


def test_only_the_rules_of_the_user_send(sender: Sender) -> None:
    eve = make.user("eve")
    other = make.subscription(eve, sender.feed.feed)
    sender.arrive()
    Arrival.objects.create(delivery=make.delivery(other, make.article(feed=other.feed, published_at=make.NOW)))
    apply_to_arrivals(now=make.NOW)
    assert Webhook.objects.count() == 1


def test_test_is_tried_once_and_shown(sender: Sender, client: Client, enqueued: Enqueued) -> None:
    client.force_login(sender.rule.user)
    page, test = reverse("rule_edit", args=[sender.rule.pk]), reverse("rule_test", args=[sender.rule.pk])
    assert "You have no article to send yet." in client.post(test, follow=True).content.decode()
    sender.arrive()
    Webhook.objects.all().delete()
    assert "Nothing has been sent yet." in client.get(page).content.decode()
    sender.service.answers = deque([(500, b""), (204, b"")])
    client.post(test)
    assert enqueued == [("reader.tasks.sending.send_articles",)]
    assert "Waiting to be sent." in client.get(page).content.decode()
    send_articles()
    text = client.get(page).content.decode()
    assert "127.0.0.1 answered with the status 500." in text
    assert sender.rule.secret in text
    assert "Sending failed" in client.get(reverse("rules")).content.decode()
    assert not Notification.objects.exists()
    client.post(test)
    send_articles()
    assert "with the status 204." in client.get(page).content.decode()
    assert [json.loads(body)["data"]["is_test"] for *_, body in sender.service.asked] == [True, True]


def test_another_user_tests_nothing(sender: Sender, client: Client) -> None:
    client.force_login(make.user("eve"))
    sender.arrive()
    assert client.post(reverse("rule_test", args=[sender.rule.pk])).status_code == 404
    assert Webhook.objects.filter(is_test=True).count() == 0


def test_removing_the_url_ends_it(sender: Sender) -> None:
    secret = sender.rule.secret
    sender.arrive()
    changed = replace(draft(sender.feed, ""), stars=True)
    save_rule(sender.rule.user, sender.rule, changed, now=make.NOW)
    assert (Webhook.objects.count(), sender.rule.secret) == (0, "")
    with pytest.raises(RuleRefused):
        request_test(sender.rule, now=make.NOW)
    save_rule(sender.rule.user, sender.rule, draft(sender.feed, "https://a.example"), now=make.NOW)
    assert sender.rule.secret not in ("", secret)


@table("url", ["ftp://a.example", "a.example/hook", "javascript:x", "https://ada:p@a.example", "http://", "http://a:x"])
def test_other_addresses_are_refused(url: str) -> None:
    with pytest.raises(RuleRefused, match="Enter a web address"):
        check_url(url)
    assert check_url(" https://a.example/x ") == "https://a.example/x"


def test_form_saves_the_url(sender: Sender, client: Client) -> None:
    client.force_login(sender.rule.user)
    form = {"act": "save", "place": f"feed-{sender.feed.pk}", "lift": "0", "url": "nowhere"}
    assert "Enter a web address" in client.post(reverse("rule_new"), form).content.decode()
    answer = client.post(reverse("rule_new"), form | {"url": "https://a.example/hook"})
    rule = Rule.objects.latest("pk")
    assert (rule.url, answer["Location"]) == ("https://a.example/hook", f"/rules/{rule.pk}/")  # which shows the secret
    assert "send to a.example" in client.get(reverse("rules")).content.decode()


def test_old_ones_are_deleted(sender: Sender) -> None:
    sender.arrive(2)
    minutes(1)
    delete_old(now=make.NOW + KEPT_FOR)
    assert Webhook.objects.count() == 2
    delete_old(now=make.NOW + KEPT_FOR + timedelta(seconds=1))
    assert Webhook.objects.count() == 0


def test_last_deliveries_are_one_query(sender: Sender, django_assert_num_queries: Any) -> None:
    sender.arrive(3)
    with django_assert_num_queries(1):
        found = webhooks.last_delivery([sender.rule])
    assert found == {sender.rule.pk: Webhook.objects.latest("pk")}
