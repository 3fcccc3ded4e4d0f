"""The rows of the attacked installation. Runs inside `manage.py shell` of that installation and prints what it made.

Everything that belongs to the victim holds the word `SECRET`, so a page that shows it to somebody else is caught by
one search for that word.
"""

import json
from datetime import datetime, timedelta
from io import BytesIO
from typing import Any

from django.apps import apps
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django_q.models import Failure, OrmQ, Schedule, Success

from digests.delivery import private_feed
from digests.delivery.enqueue import queue, queue_alerts
from digests.delivery.links import (
    ACTIONS_VALID_FOR,
    ArticleAction,
    EmailAction,
    Subscribed,
    action_token,
    picture_token,
    unsubscribe_token,
)
from digests.delivery.sending import send_one
from digests.models import AlertSettings, Digest, DigestPlan, Mailing, MailingState
from feeds.models import Condition
from feeds.tasks.enqueue import URGENT_QUEUE
from reader.articles.image_proxy import image_address
from reader.models import Preferences
from reader.subscriptions.save_page import remove_page, save_page
from rssmanager.accounts.changes import UNDO_PERIOD, digest_of
from rssmanager.accounts.importing import begin
from rssmanager.accounts.models import AccountChange, ChangeKind, UndoLink
from rssmanager.authentication import app_passwords
from rssmanager.authentication.models import AppPassword
from rssmanager.queueing.allowed_tasks import find_function
from tests import make
from tests.digests import kept
from tests.feeds.push.subscriptions import pushed
from tests.reader.conftest import World, one_of_everything

SECRET = "zqsecret"
VICTIM, MALLORY = "victim", "mallory"
PICTURE = "http://127.0.0.2:9/picture.png"


def fill() -> dict[str, Any]:
    """Make the rows; what stands in the addresses that lead to them."""
    now = timezone.now()
    world = one_of_everything(SECRET)
    User.objects.filter(pk=world.user.pk).update(username=VICTIM, email="victim@example.org")
    victim = User.objects.get(pk=world.user.pk)
    Preferences.objects.create(user=victim)
    mallory = make.user(MALLORY, email="mallory@example.org")
    Preferences.objects.create(user=mallory)
    own = make.subscription(mallory)
    make.delivery(own, make.article(title="Something of their own", feed=own.feed, source=own.feed.source))

    digest = kept.digest(victim, kept.topic(world.subscription, label=SECRET), made_at=now)
    kept.mailing(digest, MailingState.FAILED, n_tries=3)
    kept.front_page(victim, kept.topic(world.subscription, label=SECRET), made_at=now)
    DigestPlan.objects.create(user=victim, kind="morning", at="06:30", by_mail=True)
    AlertSettings.objects.create(user=victim, feeds_by_mail=True, breaking_by_mail=True)
    upload = BytesIO(f'{{"kind": "rssmanager", "version": 1}}\n{{"kind": "tag", "name": "{SECRET}"}}'.encode())
    return {
        "victim": victim.pk,
        "mallory": mallory.pk,
        "own_article": own.feed.items.get().article_id,
        "numbers": _numbers(world, digest)
        | {
            "settings/data/imports": begin(victim, upload, name="m", now=now).pk,
            "settings/account/apps": _app_password(victim, now),
            "saved": save_page(victim, "https://page.example/kept", title=SECRET, now=now)[0].pk,
            "settings/users": victim.pk,
        },
        "tokens": {
            "feed": private_feed.renew_token(victim, now=now),
            "reset": default_token_generator.make_token(victim),
            "uid": urlsafe_base64_encode(force_bytes(victim.pk)),
            "image": image_address(PICTURE),
            "act": action_token(
                ArticleAction(victim.pk, world.article.pk, EmailAction.READ), until=now + ACTIONS_VALID_FOR
            ),
            "picture": picture_token(victim.pk, world.article.pk, until=now + ACTIONS_VALID_FOR),
            "push": _push_key(world, now),
            "undo": _undo_token(victim, now),
            "saved": _removed_page(victim, now),
            "unsubscribe": unsubscribe_token(Subscribed(victim.pk, "morning")),
        },
        "failure": _queue(),
        "first": first_rows(),
    }


def _app_password(victim: User, now: datetime) -> int:
    app_passwords.create(victim, name=SECRET, now=now)
    return AppPassword.objects.get().pk


def _push_key(world: World, now: datetime) -> str:
    """That of a hub of a feed that the victim follows."""
    return pushed(world.subscription.feed, lease_until=now + timedelta(days=9), try_at=now + timedelta(days=7)).key


def _removed_page(victim: User, now: datetime) -> str:
    article, _ = save_page(victim, "https://page.example/removed", title=SECRET, now=now)
    return remove_page(victim, article, now=now)


def _undo_token(victim: User, now: datetime) -> str:
    """That of a link in an email about a download of all data."""
    token = "an-undo-token-of-the-victim"
    change = AccountChange.objects.create(
        user=victim, kind=ChangeKind.EXPORT, made_at=now, expires_at=now + UNDO_PERIOD
    )
    UndoLink.objects.create(digest=digest_of(token), change=change)
    return token


def _numbers(world: World, digest: Digest) -> dict[str, int]:
    """By what stands before the number in an address; the longest that fits counts."""
    return {
        "searches": world.saved.pk,
        "folders": world.folder.pk,
        "feeds": world.subscription.pk,
        "feeds/duplicates": world.duplicate.pk,
        "articles": world.article.pk,
        "highlights": world.highlight.pk,
        "tags": world.tag.pk,
        "rules": world.rule.pk,
        "engagements": world.engagement.pk,
        "sweeps": world.sweep.pk,
        "stories": world.story.pk,
        "imports": world.preview.pk,
        "notifications": world.notification.pk,
        "digests": digest.pk,
    }


def _queue() -> str:
    """One row of each kind that Django Q shows in the admin; the failure's id."""
    now = timezone.now()
    common = {"name": "t", "func": "feeds.tasks.polling.tidy", "started": now, "stopped": now, "args": (), "kwargs": {}}
    Success.objects.create(id="1" * 32, success=True, **common)
    Schedule.objects.get_or_create(func="feeds.tasks.polling.tidy", name="nightly attacks", next_run=None)
    OrmQ.objects.create(key="nobody", payload="", lock=now)
    return str(Failure.objects.create(id="2" * 32, success=False, result=SECRET, **common).pk)


def first_rows() -> dict[str, str]:
    """The first key of each table, by `app_model`, for the addresses of the admin."""
    found = {}
    for model in apps.get_models():
        row = model._default_manager.order_by("pk").values_list("pk", flat=True).first()
        if row is not None:
            found[f"{model._meta.app_label}_{model._meta.model_name}"] = str(row)
    return found


def work_off() -> int:
    """Do what a worker would do of what waits in the queue; how many tasks that was."""
    waiting = list(OrmQ.objects.filter(key__contains=URGENT_QUEUE))
    for each in waiting:
        task = each.task
        function = find_function(task["func"])
        assert function is not None, task["func"]
        function(*task["args"])
        each.delete()
    return len(waiting)


def send_mails() -> int:
    """Mail the victim a digest and an alert now; how many the mail server took."""
    now = timezone.now()
    victim = User.objects.get(username=VICTIM)
    Mailing.objects.all().delete()
    queue(Digest.objects.get(user=victim, kind="morning"), now=now)
    news = make.notification(victim.subscriptions.order_by("pk")[0], kind=Condition.DEAD, text=SECRET, happened_at=now)
    queue_alerts(victim, [news.pk], now=now)
    for mailing in Mailing.objects.all():
        send_one(mailing)
    return Mailing.objects.filter(state=MailingState.SENT).count()


def main() -> None:
    print(json.dumps(fill()))  # noqa: T201 - how the test gets it
