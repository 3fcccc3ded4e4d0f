"""Access to all URLs, by visitors, by other users and by the owner, from one table."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from reader.articles.enclosures import file_key
from reader.urls import urlpatterns
from tests import make
from tests.elsewhere import leading_elsewhere
from tests.reader.conftest import SOUND, VIDEO, Enqueued, World
from tests.tables import table

pytestmark = pytest.mark.django_db

PUBLIC = {"logout", "manifest", "service_worker", "offline"}
# Signed URLs, in test_images; digests, in test_icons; hubs' own addresses, in test_push; in test_saved.
ELSEWHERE_TESTED = {"image", "icon", "push", "saved_page", "saved_remove", "saved_restore"}


@dataclass(frozen=True, slots=True)
class Address:
    """A named URL: the object in its path, the form data, the owner's response status, and what it changes.

    In form data, `{article}` is the id of the owner's article; `{subscription}` and `{folder}` are those of their feed
    and folder.
    """

    name: str
    about: str = ""
    method: str = "get"
    data: tuple[tuple[str, str], ...] = ()
    status: int = 200
    changes: str = ""
    file: str = ""  # the address of the article's file that is asked for

    def url(self, world: World) -> str:
        about = [getattr(world, self.about).pk] if self.about else []
        return reverse(self.name, args=[*about, file_key(self.file)] if self.file else about)

    def ask(self, client: Client, world: World) -> int:
        url = self.url(world)
        numbers = {"article": world.article.pk, "subscription": world.subscription.pk, "folder": world.folder.pk}
        data = {name: value.format(**numbers) for name, value in self.data}
        return int(getattr(client, self.method)(url, data).status_code)


POSITION = (("file", file_key(SOUND["url"])), ("seconds", "75"))
CHESS = (("field", "title"), ("test", "contains"), ("value", "chess"))
FAR = ("up_to", "999999999")
LOOK = (
    ("theme", "dark"),
    ("density", "cards"),
    ("face", "system"),
    ("text_size", "large"),
    ("line_width", "wide"),
    ("line_height", "loose"),
)
ADDRESSES = [
    Address("home"),
    Address("for_you"),
    Address("important"),
    Address("starred"),
    Address("counts"),
    Address("sidebar"),
    Address("feed_polled", "subscription"),
    Address("list_view", "", "post", (("list", "home"), ("density", "cards")), 302, "preferences"),
    Address("search"),
    Address("saved_search", "saved"),
    Address("saved_search_edit", "saved"),
    Address("folder", "folder"),
    Address("selection", "folder"),
    Address("feed", "subscription"),
    Address("feed_edit", "subscription"),
    Address("feed_health", "subscription"),
    Address("feed_unfollow", "subscription"),
    Address("duplicates"),
    Address("duplicate_merge", "duplicate"),
    Address("folders"),
    Address("folder_edit", "folder"),
    Address("article", "article", changes="engagements"),
    Address("article_why", "article"),
    Address("article_changes", "article"),
    Address("article_related", "article"),
    Address("article_player", "article", file=VIDEO),
    Address("article_chapters", "article", file=SOUND["url"]),
    Address("story", "story"),
    Address("stories"),
    Address("article_unfold", "article", status=302),
    Address("highlights"),
    Address("highlights_export"),
    Address("article_highlight", "article", "post", (("quote", "A line."),), 302, "highlights"),
    Address("highlight_edit", "highlight", "post", (("note", "Mine"),), 302, "highlights"),
    Address("highlight_edit", "highlight", "post", (("act", "remove"),), 302, "highlights"),
    Address("article_send", "article", "post", (("service", "linkding"),), 302, "sendings"),
    Address("send_to"),
    Address(
        "send_to",
        method="post",
        data=(("service", "mastodon"), ("mastodon-url", "https://social.example")),
        status=302,
        changes="targets",
    ),
    Address("tag", "tag"),
    Address("rules"),
    Address("rule_new"),
    Address("rule_edit", "rule"),
    Address("muted"),
    Address("subscribe"),
    Address("save_page"),
    Address("import", "job"),
    Address("import", "preview"),
    Address("import_confirm", "preview", "post", (("folder", "0"), ("feed", "0")), 302, "imports"),
    Address("import_confirm", "preview", "post", (("act", "discard"),), 302, "imports"),
    Address("export_opml"),
    Address("health"),
    Address("notifications"),
    Address("interests"),
    Address("interests_export"),
    Address("habits"),
    Address("habits_forget"),
    Address("habits_forget", method="post", status=302, changes="engagements"),
    Address("interests_model"),
    Address("interests_reset"),
    Address("read_all", method="post", data=(FAR,), status=302, changes="deliveries"),
    Address("folder_read_all", "folder", "post", (FAR,), 302, "deliveries"),
    Address("feed_read_all", "subscription", "post", (FAR,), 302, "deliveries"),
    Address("article_full_text", "article", "post", (), 302, "full_texts"),
    Address("article_position", "article", "post", POSITION, 204, "positions"),
    Address("sweep_undo", "sweep", "post", (), 302, "sweeps"),
    Address("article_read", "article", "post", (("is_read", "1"),), 302, "deliveries"),
    Address("article_star", "article", "post", (("is_starred", "1"),), 302, "states"),
    Address("article_engage", "article", "post", (("kind", "skipped"),), 302, "engagements"),
    Address("article_sensitivity", "article", "post", (("score", "5"),), 302, "labels"),
    Address("engagement_undo", "engagement", "post", (), 302, "engagements"),
    Address("article_separate", "article", "post", (), 302, "separations"),
    Address("article_put_back", "article", "post", (), 302),
    Address("article_tags", "article", "post", (("add", "Later"),), 302, "tagged"),
    Address("tag_edit", "tag", "post", (("act", "rename"), ("name", "Other")), 302, "tags"),
    Address("rule_new", method="post", data=(*CHESS, ("act", "try"))),
    Address(
        "rule_new",
        method="post",
        data=(*CHESS, ("stars", "on"), ("act", "save")),
        status=302,
        changes="rules",
    ),
    Address("rule_edit", "rule", "post", (*CHESS, ("act", "try"))),
    Address("rule_edit", "rule", "post", (*CHESS, ("mutes", "on"), ("act", "save")), 302, "rules"),
    Address("rule_undo", "rule", "post", (), 302, "rules"),
    Address("article_mute", "article", "post", (("what", "word"), ("word", "zebra")), 302, "rules"),
    Address("rule_run", "rule", "post", (), 302, "runs"),
    Address("rule_test", "rule", "post", (), 302, "webhooks"),
    Address("rule_switch", "rule", "post", (("is_on", "0"),), 302, "rules"),
    Address("rule_delete", "rule", "post", (), 302, "rules"),
    Address("article_unmute", "muted", "post", (), 302, "muted"),
    Address("story_read_all", "story", "post", (FAR,), 302, "deliveries"),
    Address("feed_edit", "subscription", "post", (("title", "Mine"), ("folder", "")), 302, "subscriptions"),
    Address("feed_rename", "subscription", "post", (("name", "Mine"),), 302, "subscriptions"),
    Address("folder_rename", "folder", "post", (("name", "Other"),), 302, "folders"),
    Address("sidebar_view", method="post", data=(("order", "hand"),), status=302, changes="preferences"),
    Address("sidebar_view", method="post", data=(("open", "{folder}"),), status=302, changes="folders"),
    Address("sidebar_arrange", method="post", data=(("feeds", "{subscription}"),), status=302, changes="subscriptions"),
    Address("sidebar_arrange", method="post", data=(("folders", "{folder}"),), status=302, changes="folders"),
    Address(
        "sidebar_arrange",
        method="post",
        data=(("feed", "{subscription}"), ("new_folder", "Later")),
        status=302,
        changes="subscriptions",
    ),
    Address("feed_unfollow", "subscription", "post", (), 302, "subscriptions"),
    Address(
        "feed_acts",
        method="post",
        data=(("feed", "{subscription}"), ("act", "unfollow")),
        status=302,
        changes="subscriptions",
    ),
    Address("feed_acts", "", "post", (("all", "1"), ("act", "move")), 302, "subscriptions"),
    Address("feed_restore", "unfollowed", "post", (), 302, "subscriptions"),
    Address("duplicate_merge", "duplicate", "post", (), 302, "subscriptions"),
    Address("duplicate_dismiss", "duplicate", "post", (), 302, "duplicates"),
    Address("folder_edit", "folder", "post", (("name", "Other"),), 302, "folders"),
    Address("folder_delete", "folder", "post", (), 302, "folders"),
    Address("feed_poll", "subscription", "post", (), 302, "feeds"),
    Address("feed_follow_found", "subscription", "post", (("url", "https://found.example/feed"),), 302, "imports"),
    Address("subscribe", method="post", data=(("address", "paper.example"),), status=302, changes="imports"),
    Address(
        "notification_settings", method="post", data=(("notifies_minor", "on"),), status=302, changes="preferences"
    ),
    Address("notification_seen", "notification", "post", (), 302, "notifications"),
    Address("notifications_seen", method="post", data=(FAR,), status=302, changes="notifications"),
    Address("rows_seen", method="post", data=(("ids", "{article}"),), status=204, changes="deliveries"),
    Address("interests_add", method="post", data=(("topics", "chess"),), status=302, changes="terms"),
    Address(
        "interests_change", method="post", data=(("term", "morning"), ("act", "raise")), status=302, changes="terms"
    ),
    Address("interests_settings", method="post", data=(("recency", "0.05"),), status=302, changes="profiles"),
    Address("interests_reset", method="post", status=302, changes="terms"),
    Address("interests_put_back", method="post", status=302),
    Address("saved_search_add", method="post", data=(("name", "Mine"), ("query", "a")), status=302, changes="searches"),
    Address("saved_search_edit", "saved", "post", (("name", "Mine"), ("query", "a")), 302, "searches"),
    Address("saved_search_delete", "saved", "post", (), 302, "searches"),
    Address("settings"),
    Address("keys"),
    Address("settings", method="post", data=LOOK, status=302, changes="preferences"),
    Address("interests_import", method="post", status=422),  # without a file
]
every_address = table("address", ADDRESSES, ids=lambda address: f"{address.method} {address.name}")
about_something = table(
    "address",
    [address for address in ADDRESSES if address.about],
    ids=lambda address: f"{address.method} {address.name}",
)


def test_table_is_complete() -> None:
    assert {address.name for address in ADDRESSES} | PUBLIC | ELSEWHERE_TESTED == {
        pattern.name for pattern in urlpatterns
    }


@every_address
def test_visitors_are_redirected_to_sign_in(address: Address, world: World, client: Client, enqueued: Enqueued) -> None:
    before = world.state()
    assert address.ask(client, world) == 302
    url = address.url(world)
    assert getattr(client, address.method)(url)["Location"] == f"/login/?next={url}"
    assert (world.state(), enqueued) == (before, [])


@about_something
def test_other_users_find_and_change_nothing(
    address: Address, world: World, as_user: Callable[[User], Client], enqueued: Enqueued
) -> None:
    before = world.state()
    assert address.ask(as_user(make.user()), world) == 404
    assert (world.state(), enqueued) == (before, [])


@pytest.mark.parametrize(
    "address",
    [address for address in ADDRESSES if not address.about and address.method == "post"],
    ids=lambda address: address.name,
)
def test_bulk_actions_do_not_affect_other_users(
    address: Address, world: World, as_user: Callable[[User], Client], enqueued: Enqueued
) -> None:
    before = world.own_state()
    assert address.ask(as_user(make.user()), world) in (address.status, 404)
    assert world.own_state() == before | {"imports": world.state()["imports"]}


@pytest.mark.vendor
@every_address
def test_owner_gets_response_and_changes_only_what_is_listed(
    address: Address, world: World, browser: Client, enqueued: Enqueued
) -> None:
    before = world.state()
    assert address.ask(browser, world) == address.status
    after = world.state()
    assert bool(address.changes) == (after != before)
    assert not address.changes or after[address.changes] != before[address.changes]


@every_address
def test_redirects_to_no_other_site(address: Address, world: World, browser: Client, enqueued: Enqueued) -> None:
    url = address.url(world)
    numbers = {"article": world.article.pk, "subscription": world.subscription.pk, "folder": world.folder.pk}
    data = {name: value.format(**numbers) for name, value in address.data}
    assert leading_elsewhere(browser, address.method, url, data) == []


@table("address", [address for address in ADDRESSES if address.method == "post"], ids=lambda address: f"{address.name}")
def test_changes_need_a_csrf_token(address: Address, world: World, enqueued: Enqueued) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.user)
    before = world.state()
    assert address.ask(client, world) == 403
    assert (world.state(), enqueued) == (before, [])


@table(
    "name", sorted({a.name for a in ADDRESSES if a.method == "post"} - {a.name for a in ADDRESSES if a.method == "get"})
)
def test_changing_urls_refuse_get(name: str, world: World, browser: Client) -> None:
    address = next(address for address in ADDRESSES if address.name == name)
    before = world.state()
    url = address.url(world)
    assert browser.get(url).status_code == 405
    assert world.state() == before
