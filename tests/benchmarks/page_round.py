"""Every list page of the first person, as a browser gets it: `Installation.run("page_round")` after rating.

Folders of thirty feeds, half of everything read, some starred. Pages are asked for in turn, `REQUESTS` times each after
one that is not counted, by one client that takes compressed answers, through every middleware and template. In a
process that only serves pages: it must not load numpy. `n_bytes` are those sent.
"""

import json
import re
import sys
from dataclasses import replace
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import F, Value
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reader.models import ArticleState, Delivery, Folder, ListOrder, Subscription
from reader.preferences.list_views import save_view, usual_view
from reader.preferences.store import preferences_of
from reader.subscriptions import read_rates
from tests.benchmarks.clock import Spent, milliseconds, spent
from tests.benchmarks.memory import memory
from tests.benchmarks.tidying import tidy

REQUESTS = 200
FEEDS_A_FOLDER = 30
STARRED_EVERY = 500
DEEP = 20  # pages down a list
_MORE = re.compile(r'[?&;]after=([^"&]+)"')


def main() -> None:
    user = User.objects.order_by("pk")[0]
    arrange(user)
    read_rates.count_for(user, now=timezone.now())
    tidy()
    client = Client(HTTP_HOST="localhost")
    client.force_login(user)
    pages = _pages(client, user)
    browser = Client(HTTP_HOST="localhost", HTTP_ACCEPT_ENCODING="gzip")
    browser.force_login(user)
    taken: dict[str, list[Spent]] = {name: [] for name in pages}
    for name, url in pages.items():
        assert browser.get(url).status_code == 200, name
    for _ in range(REQUESTS):
        for name, url in pages.items():
            with spent() as serving:
                browser.get(url)
            taken[name].append(serving)
    found = {name: milliseconds(several) | _size(browser, pages[name]) for name, several in taken.items()}
    printed = {"n_deliveries": Delivery.objects.count(), "n_feeds": Subscription.objects.filter(user=user).count()}
    print(json.dumps(printed | {"pages": found, "loads_numpy": "numpy" in sys.modules, **memory()}))


def arrange(user: User) -> None:
    mine = Subscription.objects.filter(user=user).order_by("pk")
    Folder.objects.bulk_create(Folder(user=user, name=f"Folder {n}") for n in range(-(-mine.count() // FEEDS_A_FOLDER)))
    folders = list(Folder.objects.filter(user=user).order_by("pk"))
    for number, subscription in enumerate(mine):
        folder = folders[number // FEEDS_A_FOLDER]
        Subscription.objects.filter(pk=subscription.pk).update(folder=folder)
        Delivery.objects.filter(subscription=subscription).update(folder=folder)
    deliveries = Delivery.objects.filter(user=user)
    read = deliveries.alias(odd=F("article_id") % Value(2)).filter(odd=1)
    articles = list(read.values_list("article_id", flat=True))
    read.update(is_read=True)
    ArticleState.objects.bulk_create(
        (
            ArticleState(user=user, article_id=pk, is_read=True, **_star(pk // 2 % (STARRED_EVERY // 2) == 0))
            for pk in articles
        ),
        batch_size=5_000,
    )
    for subscription in mine:
        n_unread = Delivery.objects.filter(subscription=subscription, is_read=False).count()
        Subscription.objects.filter(pk=subscription.pk).update(unread_count=n_unread)


def _star(is_starred: bool) -> dict[str, Any]:
    return {"is_starred": is_starred, "starred_at": timezone.now() if is_starred else None}


def _pages(client: Client, user: User) -> dict[str, str]:
    folder, by_age, by_importance = Folder.objects.filter(user=user).order_by("pk")[:3]
    for ordered, order in ((by_age, ListOrder.OLDEST), (by_importance, ListOrder.IMPORTANT)):
        usual = usual_view(preferences_of(user), f"folder.{ordered.pk}")
        save_view(user, replace(usual, order=order))
    subscription = Subscription.objects.filter(user=user).order_by("pk")[0]
    newest = Delivery.objects.filter(user=user).order_by("-published_at", "-article")[0]
    story = (
        newest.article.story_id or Delivery.objects.filter(user=user, article__story__isnull=False)[0].article.story_id
    )
    pages = {
        "today": "/",
        "all": "/all/",
        "unread": "/all/?show=unread",
        "newest": "/all/?show=newest",
        "for you": "/for-you/",
        "important": "/important/",
        "starred": "/starred/",
        "stories": "/stories/",
        "folder": f"/folders/{folder.pk}/",
        "folder, oldest": f"/folders/{by_age.pk}/",
        "folder, most important": f"/folders/{by_importance.pk}/",
        "feed": f"/feeds/{subscription.pk}/",
        "article": f"/articles/{newest.article_id}/",
        "why": f"/articles/{newest.article_id}/why/",
        "story": f"/stories/{story}/",
        "digests": "/digests/",
        "notifications": "/notifications/",
        "interests": "/interests/",
        "feeds": "/health/",
    }
    for name in ("all", "for you", "important", "folder"):
        pages[f"{name}, page {DEEP}"] = _further(client, pages[name])
    return pages


def _further(client: Client, url: str) -> str:
    """The address of a page far down."""
    address = url
    for _ in range(DEEP - 1):
        following = _MORE.search(client.get(address).content.decode())
        if following is None:
            break  # the list is shorter
        address = f"{url}?after={following[1]}"
    return address


def _size(client: Client, url: str) -> dict[str, int]:
    with CaptureQueriesContext(connection) as captured:
        answer = client.get(url)
    return {"n_statements": len(captured), "n_bytes": len(answer.content)}


if __name__ == "__main__":
    main()
