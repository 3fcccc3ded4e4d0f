"""Tags: naming, adding, removing, and their lists."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from reader.access import visible_articles
from reader.articles.tags import MAX_AT_ONCE, add_tags, read_names, remove_tag, rename_tag, tags_of
from reader.errors import TagRefused
from reader.limits import TAGS
from reader.lists.queries import Cursor, tagged_page
from reader.lists.sidebar import sidebar_of
from reader.models import Tag, TaggedArticle
from reader.subscriptions.unfollow import unfollow
from tests import make
from tests.reader.conftest import World

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        pytest.param("", (), id="nothing"),
        pytest.param(" , ,", (), id="commas only"),
        pytest.param("Chess", ("Chess",), id="one"),
        pytest.param(" deep   sea , Chess", ("deep sea", "Chess"), id="two, white space made one"),
        pytest.param("Chess,CHESS,chess", ("Chess",), id="one in three spellings"),
        pytest.param("Straße, STRASSE", ("Straße",), id="German"),
        pytest.param("围棋、将棋，国际象棋", ("围棋", "将棋", "国际象棋"), id="Chinese commas"),
        pytest.param("ＡＩ, ai", ("ＡＩ",), id="full width"),
        pytest.param("a\0b", ("ab",), id="what no database stores"),
    ],
)
def test_parses_comma_separated_names(text: str, names: tuple[str, ...]) -> None:
    assert read_names(text) == names


@pytest.mark.parametrize("text", ["x" * 61, ",".join(str(n) for n in range(MAX_AT_ONCE + 1))], ids=["long", "many"])
def test_refuses_too_long_or_too_many_names(text: str) -> None:
    with pytest.raises(TagRefused, match="up to"):
        read_names(text)


@pytest.mark.parametrize(("first", "second"), [("Chess", "CHESS"), ("ŽIVOT", "život"), ("Straße", "STRASSE")])
def test_names_differing_in_case_or_spacing_are_one_tag(first: str, second: str) -> None:
    user, article = make.user(), make.article()
    (tag,) = add_tags(user, article, [first], now=make.NOW)
    assert add_tags(user, make.article(), [second], now=make.NOW) == [tag]
    assert (Tag.objects.get().name, TaggedArticle.objects.count()) == (first, 2)
    with pytest.raises(IntegrityError), transaction.atomic():
        Tag.objects.create(user=user, name=second, key=Tag.key_of(second))


def test_users_can_share_a_name() -> None:
    mine, theirs = make.tag(make.user(), "Chess"), make.tag(make.user(), "Chess")
    assert mine != theirs


def test_tagging_again_changes_nothing() -> None:
    user, article = make.user(), make.article()
    add_tags(user, article, ["Chess"], now=make.NOW)
    add_tags(user, article, ["chess"], now=make.NOW + timedelta(hours=1))
    assert TaggedArticle.objects.get().tagged_at == make.NOW


def test_limits_number_of_tags() -> None:
    user, article = make.user(), make.article()
    Tag.objects.bulk_create([Tag(user=user, name=f"t{n}", key=f"t{n}") for n in range(TAGS.most)])
    with pytest.raises(TagRefused):
        add_tags(user, article, ["t1", "one more"], now=make.NOW)
    assert (Tag.objects.count(), TaggedArticle.objects.count()) == (TAGS.most, 0)
    assert add_tags(user, article, ["t1"], now=make.NOW)


def test_removes_tag_only_for_this_user() -> None:
    article, mine, theirs = make.article(), make.user(), make.user()
    tag = make.tag(mine, "Chess", article)
    assert not remove_tag(theirs, article, tag.pk)
    assert tags_of(mine, article) == [tag]
    assert remove_tag(mine, article, tag.pk)
    assert tags_of(mine, article) == []


@pytest.mark.parametrize("name", ["Go", "go", "", "a, b"])
def test_refuses_invalid_or_taken_tag_names(name: str) -> None:
    user = make.user()
    tag = make.tag(user, "Chess")
    make.tag(user, "Go")
    with pytest.raises(TagRefused):
        rename_tag(tag, name)
    tag.refresh_from_db()
    assert tag.name == "Chess"
    rename_tag(tag, "CHESS")
    assert Tag.objects.get(pk=tag.pk).name == "CHESS"


def test_tagged_articles_stay_visible_to_user_only() -> None:
    user, other = make.user(), make.user()
    subscription = make.subscription(user)
    kept, gone = make.article(), make.article()
    make.delivery(subscription, kept)
    make.delivery(subscription, gone)
    make.tag(user, "Chess", kept)
    unfollow(user, [subscription.pk], now=make.NOW)
    assert list(visible_articles(user)) == [kept]
    assert list(visible_articles(other)) == []


def tag_pages(user: User, tag: Tag, size: int) -> list[list[int]]:
    """All pages of a tag's list, as article ids."""
    pages, cursor = [], None
    while True:
        tagged = tagged_page(user, tag, cursor, now=make.NOW, size=size)
        pages.append([row.article.pk for row in tagged.rows])
        if not (cursor := Cursor.decode(tagged.next_cursor)):
            return pages


def test_tag_list_has_pages_newest_first() -> None:
    user = make.user()
    dates = [make.NOW - timedelta(hours=n // 2) for n in range(7)]  # two at a time with the same date
    articles = [make.article(published_at=at) for at in dates]
    for _ in range(2):  # delivered by two feeds
        subscription = make.subscription(user)
        for article in articles:
            make.delivery(subscription, article)
    tag = make.tag(user, "Chess", *articles)
    make.tag(user, "Go", make.article())
    newest = sorted(articles, key=lambda article: (article.published_at, article.pk), reverse=True)
    assert tag_pages(user, tag, 3) == [[article.pk for article in newest[start : start + 3]] for start in (0, 3, 6)]


@pytest.mark.parametrize("n", [1, 20])
def test_list_takes_constant_queries(
    as_user: Callable[[User], Client], n: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    user = make.user()
    subscription = make.subscription(user)
    articles = [make.article() for _ in range(n)]
    for article in articles:
        make.delivery(subscription, article)
    tag = make.tag(user, "Chess", *articles)
    for _ in range(n):
        make.tag(user)
    client = as_user(user)
    with django_assert_num_queries(17):
        assert client.get(reverse("tag", args=[tag.pk])).content.decode().count('class="row"') == n


def test_sidebar_lists_tags_by_name() -> None:
    user = make.user()
    assert sidebar_of(user, here="home").tags == ()
    for name in ("go", "Chess"):
        make.tag(user, name)
    make.tag(make.user(), "other")
    assert [tag.name for tag in sidebar_of(user, here="home").tags] == ["Chess", "go"]


def test_adds_and_removes_without_script(browser: Client, world: World) -> None:
    url = reverse("article_tags", args=[world.article.pk])
    here = f"/articles/{world.article.pk}/#tags"
    response = browser.post(url, {"add": "Deep sea, Chess", "next": here})
    assert response["Location"] == here
    assert [tag.name for tag in tags_of(world.user, world.article)] == ["Chess", "Deep sea", "Morning"]
    browser.post(url, {"remove": world.tag.pk, "next": here})
    assert [tag.name for tag in tags_of(world.user, world.article)] == ["Chess", "Deep sea"]
    text = browser.get(f"/articles/{world.article.pk}/").content.decode()
    assert 'aria-label="Remove tag Deep sea"' in text
    assert '<option value="Morning"></option>' in text


def test_shows_why_tag_is_refused(browser: Client, world: World) -> None:
    url = reverse("article_tags", args=[world.article.pk])
    response = browser.post(url, {"add": "x" * 61}, follow=True)
    assert "A tag can have up to 60 characters." in response.content.decode()
    assert Tag.objects.count() == 1


def test_renaming_and_deleting_keep_articles(browser: Client, world: World) -> None:
    url = reverse("tag_edit", args=[world.tag.pk])
    assert browser.post(url, {"act": "rename", "name": "Evening"})["Location"] == reverse("tag", args=[world.tag.pk])
    assert Tag.objects.get().name == "Evening"
    browser.post(url, {"act": "delete"})
    assert Tag.objects.count() == 0
    assert browser.get(f"/articles/{world.article.pk}/").status_code == 200


def test_empty_tag_explains_how_to_fill_it(browser: Client, world: World) -> None:
    tag = make.tag(world.user, "Empty")
    assert "No articles with this tag." in browser.get(reverse("tag", args=[tag.pk])).content.decode()
