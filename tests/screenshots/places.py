"""Which pages are taken, and where each is found in a filled reader."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from io import BytesIO

from django.contrib.auth.models import User
from django.db.models import Count
from django.urls import reverse
from django.utils import timezone

from digests.access import digests_of
from feeds.models import Article, Feed, Revision
from reader.articles.tags import add_tags
from reader.models import Delivery, Folder, Rule, SavedSearch, Subscription
from reader.search.saved import save_search
from reader.subscriptions.duplicates import duplicates_of, find_for
from reader.subscriptions.importer import create_list_import
from reader.subscriptions.save_page import save_page
from rssmanager.accounts.exporting import export_zip
from rssmanager.accounts.importing import begin
from tests import make

LIST = b"""Mornings
https://harbour.example/feed.xml
https://garden.example/atom
gopher://old.example/
"""


@dataclass(frozen=True, slots=True)
class Place:
    """A page: the name of its address, and of what its number is; `query` follows the path.

    `opens`: its second article is opened, which on a desktop stands beside the list.
    """

    name: str
    about: str = ""
    query: str = ""
    opens: bool = False

    @property
    def file(self) -> str:
        """The name of its pictures, without an ending."""
        about = self.about if self.name == "feed_health" else ""
        said = "".join(character if character.isalnum() else "-" for character in self.query).strip("-")
        return "-".join(filter(None, (self.name.replace("_", "-"), about, said, "open" if self.opens else "")))


PLACES = (
    Place("today"),
    Place("for_you"),
    Place("important"),
    Place("home"),
    Place("home", query="?show=unread"),
    Place("home", opens=True),
    Place("folder", "folder"),
    Place("selection", "folder"),
    Place("feed", "subscription"),
    Place("stories"),
    Place("starred"),
    Place("tag", "tag"),
    Place("search", query="?q=station"),
    Place("saved_search", "search"),
    Place("saved_search_edit", "search"),
    Place("article", "article", query="?next=/all/"),
    Place("article_changes", "revised"),
    Place("article_related", "article"),
    Place("article_why", "article"),
    Place("story", "story"),
    Place("notifications"),
    Place("subscribe"),
    Place("import", "preview"),
    Place("save_page", query="?url=https://lighthouse.example/keeper&title=The+keeper+of+the+lighthouse"),
    Place("saved_page", "saved"),
    Place("digests"),
    Place("digest", "digest"),
    Place("digest_settings"),
    Place("interests"),
    Place("interests_model"),
    Place("interests_reset"),
    Place("rules"),
    Place("rule_new"),
    Place("rule_edit", "rule"),
    Place("muted"),
    Place("highlights"),
    Place("health"),
    Place("feed_health", "subscription"),
    Place("feed_health", "troubled"),
    Place("feed_edit", "subscription"),
    Place("folders"),
    Place("folder_edit", "folder"),
    Place("duplicates"),
    Place("duplicate_merge", "duplicate"),
    Place("feed_unfollow", "subscription"),
    Place("habits"),
    Place("habits_forget"),
    Place("settings"),
    Place("data"),
    Place("data_import", "data_preview"),
    Place("account"),
    Place("app_passwords"),
    Place("second_factor_settings"),
    Place("account_delete"),
    Place("users"),
    Place("user_new"),
    Place("user", "member"),
    Place("user_delete", "member"),
    Place("operations"),
    Place("confirm"),
    Place("send_to"),
    Place("keys"),
    Place("offline"),
)


def address(place: Place, numbers: dict[str, int]) -> str:
    """Path and query of a page."""
    return reverse(place.name, args=[numbers[place.about]] if place.about else []) + place.query


def numbers(user: User) -> dict[str, int]:
    """One of everything that a page can be about; what the demo has none of is made."""
    mine = Delivery.objects.filter(user=user)
    longest = Article.objects.filter(deliveries__in=mine, language="en").order_by("-word_count")[0]
    told = mine.filter(article__story__isnull=False).values("article__story")
    found: dict[str, Callable[[], int]] = {
        "folder": lambda: Folder.objects.filter(user=user).annotate(n=Count("subscriptions")).order_by("-n")[0].pk,
        "subscription": lambda: Subscription.objects.filter(user=user).order_by("-unread_count")[0].pk,
        "troubled": lambda: Subscription.objects.filter(user=user).order_by("-feed__consecutive_failures")[0].pk,
        "duplicate": lambda: _duplicate(user),
        "data_preview": lambda: _data_preview(user),
        "article": lambda: longest.pk,
        "revised": lambda: Revision.objects.filter(article__deliveries__in=mine).order_by("pk")[0].article_id,
        "story": lambda: int(told.annotate(n=Count("pk")).order_by("-n")[0]["article__story"]),
        "digest": lambda: digests_of(user).order_by("-pk")[0].pk,
        "tag": lambda: _tag(user, longest),
        "search": lambda: _search(user),
        "rule": lambda: _rule(user),
        "preview": lambda: _preview(user),
        "saved": lambda: _saved(user),
        "member": _member,
    }
    return {name: find() for name, find in found.items()}


def _tag(user: User, article: Article) -> int:
    return add_tags(user, article, ("Read again",), now=timezone.now())[0].pk


def _search(user: User) -> int:
    found = SavedSearch.objects.filter(user=user).first()
    return (found or save_search(user, name="Stations", query="station OR railway")).pk


def _rule(user: User) -> int:
    found = Rule.objects.filter(user=user).first()
    return (found or make.rule(user, name="No transfers", words="transfer", mutes=True)).pk


def _member() -> int:
    """Another user, as an administrator sees them."""
    return (User.objects.filter(username="mira").first() or make.user("mira", email="mira@example.org")).pk


def _preview(user: User) -> int:
    return create_list_import(user, LIST, name="feeds.txt").pk


def _saved(user: User) -> int:
    """A page that is still being fetched."""
    url = "https://lighthouse.example/keeper"
    return save_page(user, url, title="The keeper of the lighthouse", now=timezone.now())[0].pk


def _duplicate(user: User) -> int:
    """Its first feed at another address."""
    one = Subscription.objects.filter(user=user).select_related("feed").order_by("pk")[0]
    same = {"title": one.feed.title, "site_url": one.feed.site_url, "source": one.feed.source}
    other = Feed.objects.create(url=f"{one.feed.url}?again", next_poll_at=timezone.now() + timedelta(days=1), **same)
    Subscription.objects.create(user=user, feed=other, folder=one.folder)
    find_for(user, now=timezone.now())
    return duplicates_of(user)[0].pk


def _data_preview(user: User) -> int:
    now = timezone.now()
    file = BytesIO(b"".join(export_zip(user, now=now)))
    return begin(user, file, name="rssmanager.zip", now=now).pk
