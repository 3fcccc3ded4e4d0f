"""Each list shows a story once, and no user misses an article because of it."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from feeds.models import Article, Disposition, Story, StoryChange, Tier
from reader.articles.read_state import mark_all_read, mark_read, star
from reader.lists.queries import PAGE_SIZE, all_of, of_folder, of_subscription, page_of, selection_of
from reader.lists.sidebar import sidebar_of
from reader.models import ArticleState, Delivery, Folder, Separation, Subscription
from reader.stories.collapse import CHUNK, Member, decide, fold, fold_queued, queue_fold
from reader.subscriptions.delivery import deliver
from reader.subscriptions.follow import move_merged_subscriptions, rename
from reader.subscriptions.unfollow import unfollow
from reader.tasks.recurring import deliver_new
from tests import make
from tests.tables import table

pytestmark = pytest.mark.vendor

EARLY, LATE = make.NOW, make.NOW + timedelta(hours=1)


def member(
    number: int,
    state: str = "",
    *,
    lead: bool = False,
    words: int = 100,
    tier: int = 3,
    late: bool = False,
    of: str = "",
) -> Member:
    """Article `number`; `state` holds r for read, s for starred, f for folded; `of` the numbers it is a copy of."""
    return Member(
        article_id=number,
        rank=(not lead, -words, tier, LATE if late else EARLY, number),
        is_read="r" in state,
        is_starred="s" in state,
        is_folded="f" in state,
        copies=frozenset(int(pk) for pk in of),
    )


DECIDED = {
    "nothing": ([], set()),
    "one unread": ([member(1)], set()),
    "one that was folded comes up": ([member(1, "f")], set()),
    "one read that was folded comes up": ([member(1, "rf")], set()),
    "the story's lead leads, however short": ([member(1, words=900), member(2, lead=True)], {1}),
    "without it most words": ([member(1, words=100), member(2, words=101, tier=5, late=True)], {1}),
    "then the better tier": ([member(1, tier=2), member(2, tier=1, late=True)], {1}),
    "then the earliest": ([member(1, late=True), member(2)], {1}),
    "then the smaller id": ([member(2), member(1)], {2}),
    "a better newcomer takes over from an unread leader": ([member(1), member(2, "f"), member(3, words=200)], {1, 2}),
    "a folded one may lead again when its leader is not the best": ([member(1), member(2, "f", words=200)], {1}),
    "the leader is gone": ([member(1, "f"), member(2, "f", words=200)], {1}),
    "reading the leader leaves the others folded": ([member(1, "r"), member(2, "f"), member(3, "f")], {2, 3}),
    "read ones all stay": ([member(1, "r"), member(2, "r")], set()),
    "starred ones all stay": ([member(1, "s"), member(2, "s"), member(3, "f")], {3}),
    "a starred one comes up": ([member(1, "r"), member(2, "sf")], set()),
    "a copy of what was read folds": ([member(1, "r"), member(2, of="1")], {2}),
    "a copy of what is starred folds": ([member(1, "s"), member(2, of="1")], {2}),
    "a copy of what was read, folded or not": ([member(1, "r"), member(2, "rf"), member(3, of="2")], {2, 3}),
    "a copy of what was not read is news": ([member(1, "r"), member(2, "f"), member(3, of="2")], {2}),
    "other coverage after reading is news": ([member(1, "r"), member(2)], set()),
    "the best of the news is shown": ([member(1, "r"), member(2), member(3, lead=True), member(4, of="1")], {2, 4}),
    "what was folded is not news": ([member(1, "r"), member(2, "f", lead=True), member(3)], {2}),
    "swept up while folded, they stay folded": ([member(1, "r"), member(2, "rf"), member(3, "rf")], {2, 3}),
    "swept up and leader gone, the best comes up": ([member(1, "rf"), member(2, "rf", words=200)], {1}),
    "unread before swept up when the leader is gone": ([member(1, "rf", lead=True), member(2, "f")], {1}),
}


@table(("group", "folded"), DECIDED.values(), ids=DECIDED.keys())
def test_decides_which_members_fold(group: list[Member], folded: set[int]) -> None:
    assert decide(group) == folded


@table("group", [group for group, _ in DECIDED.values()], ids=DECIDED.keys())
def test_decision_is_stable_and_independent_of_order(group: list[Member]) -> None:
    folded = decide(group)
    flipped = [
        Member(row.article_id, row.rank, row.is_read, row.is_starred, row.article_id in folded, row.copies)
        for row in reversed(group)
    ]
    assert decide(flipped) == folded


@pytest.fixture
def reader(db: None) -> User:
    return make.user()


def make_articles(user: User, n: int, *, folder: Folder | None = None) -> list[Article]:
    """`n` articles, each by its own feed; earlier ones have more words."""
    articles = [
        make.article(
            title=f"{number}", text="", word_count=900 - number, published_at=make.NOW + timedelta(minutes=number)
        )
        for number in range(n)
    ]
    for article in articles:
        make.delivery(make.subscription(user, folder=folder, title=f"Feed {article.title}"), article)
    return articles


def folded_story(
    user: User, n: int, *, folder: Folder | None = None, disposition: str = Disposition.SAME_EVENT
) -> tuple[Article, ...]:
    """A folded story of `n` articles; the first leads."""
    articles = make_articles(user, n, folder=folder)
    make.story(*articles, disposition=disposition)
    fold([articles[0].pk])
    return tuple(articles)


def join(article: Article, story: Story | None, disposition: str = Disposition.SAME_EVENT) -> None:
    """Add the article to the story as the story stage does."""
    for other in story.articles.all() if story else ():
        make.link(article, other, disposition)
    Article.objects.filter(pk=article.pk).update(story=story)
    StoryChange.objects.create(article=article)


def listed(user: User, deliveries: object = None) -> set[str]:
    return {row.article.title for row in page_of(user, deliveries or all_of(user), None, now=make.NOW).rows}  # type: ignore[arg-type]


def flags() -> list[tuple[object, ...]]:
    return list(Delivery.objects.order_by("pk").values_list("pk", "is_read", "is_folded", "is_folded_in_folder"))


def test_story_is_shown_once_in_all_and_in_each_feed(reader: User) -> None:
    articles = folded_story(reader, 3)
    assert listed(reader) == {"0"}
    for article in articles:
        assert listed(reader, of_subscription(Subscription.objects.get(deliveries__article=article))) == {article.title}


def test_other_users_feeds_do_not_hide_articles(reader: User) -> None:
    first, copy = make_articles(reader, 2)
    other = make.user()
    make.delivery(make.subscription(other, Subscription.objects.get(deliveries__article=copy).feed), copy)
    make.story(first, copy, disposition=Disposition.NEAR_DUPLICATE)
    fold([first.pk])
    assert (listed(reader), listed(other)) == ({"0"}, {"1"})


def test_better_tier_leads_and_feeds_tier_wins(reader: User) -> None:
    tiers = ((Tier.T1, None), (Tier.T5, Tier.T2), (Tier.T1, Tier.T4))
    feeds = [make.feed(source=make.source(tier=of_source), tier=of_feed) for of_source, of_feed in tiers]
    articles = [make.article(title=f"{number}", feed=feed, source=feed.source) for number, feed in enumerate(feeds)]
    story = make.story(*articles)
    Story.objects.update(lead=None)
    for feed, article in zip(feeds[1:], articles[1:], strict=True):
        make.delivery(make.subscription(reader, feed), article)
    fold(story.articles.values_list("pk", flat=True))
    assert listed(reader) == {"1"}


def test_folding_again_changes_nothing(reader: User) -> None:
    articles = make_articles(reader, 4, folder=make.folder(reader))
    make.story(*articles)
    assert fold([articles[2].pk]) == 3
    before = flags()
    assert fold([article.pk for article in articles]) == 0
    assert flags() == before


def test_folding_marks_nothing_read_and_counts_nothing(reader: User) -> None:
    folded_story(reader, 3)
    assert not Delivery.objects.filter(is_read=True).exists()
    assert not ArticleState.objects.exists()
    assert [subscription.unread_count for subscription in reader.subscriptions.all()] == [1, 1, 1]


def test_does_not_fold_read_or_starred_articles(reader: User) -> None:
    articles = make_articles(reader, 4)
    mark_read(reader, [articles[2].pk])
    star(reader, articles[3].pk, is_starred=True, now=make.NOW)
    make.story(*articles)
    fold([articles[0].pk])
    assert listed(reader) == {"0", "2", "3"}


def test_reading_the_lead_keeps_others_folded(reader: User) -> None:
    leader, *_ = folded_story(reader, 3)
    mark_read(reader, [leader.pk])
    assert fold([leader.pk]) == 0
    assert (listed(reader), sidebar_of(reader, here="home").n_unread) == ({"0"}, 0)


@pytest.mark.parametrize(
    ("disposition", "shown"),
    [(Disposition.SAME_EVENT, {"0", "news"}), (Disposition.NEAR_DUPLICATE, {"0"})],
    ids=["other coverage is news", "the same text was read"],
)
def test_articles_arriving_after_reading(reader: User, disposition: str, shown: set[str]) -> None:
    leader, *_ = folded_story(reader, 2)
    mark_read(reader, [leader.pk])
    newcomer = make.article(title="news")
    join(newcomer, leader.story, disposition)
    make.item(make.subscription(reader).feed, newcomer)
    deliver_new()
    assert listed(reader) == shown
    assert not Delivery.objects.get(article=newcomer).is_read


def test_opening_or_starring_unfolds_at_once(reader: User) -> None:
    _, second, third = folded_story(reader, 3)
    mark_read(reader, [second.pk])
    star(reader, third.pk, is_starred=True, now=make.NOW)
    assert listed(reader) == {"0", "1", "2"}
    assert fold([second.pk]) == 0


def test_marking_all_read_includes_folded_articles(reader: User) -> None:
    articles = folded_story(reader, 3)
    assert mark_all_read(reader, all_of(reader, with_folded=True), up_to=2**62) == 3
    assert [subscription.unread_count for subscription in reader.subscriptions.all()] == [0, 0, 0]
    assert fold([articles[0].pk]) == 0
    assert listed(reader) == {"0"}


def test_article_split_off_is_unfolded(reader: User) -> None:
    _, second, _ = folded_story(reader, 3)
    join(second, None)
    assert (fold_queued(), fold_queued()) == (1, 0)
    assert listed(reader) == {"0", "1"}


def test_splitting_off_the_lead_makes_a_new_one(reader: User) -> None:
    leader, second, _ = folded_story(reader, 3)
    mark_read(reader, [leader.pk])
    join(leader, None)
    StoryChange.objects.create(article=second)
    fold_queued()
    assert listed(reader) == {"0", "1"}


def test_merged_stories_keep_read_state(reader: User) -> None:
    first, _ = folded_story(reader, 2)
    other = make.article(title="other")
    make.delivery(make.subscription(reader), other, is_read=True)
    mark_read(reader, [first.pk])
    join(other, first.story)
    fold_queued()
    assert listed(reader) == {"0", "other"}


def test_separated_article_is_unfolded_only_for_that_user(reader: User) -> None:
    articles = folded_story(reader, 3)
    other = make.user()
    for subscription in reader.subscriptions.all():
        make.delivery(make.subscription(other, subscription.feed), subscription.deliveries.get().article)
    separation = Separation.objects.create(user=reader, article=articles[1], made_at=make.NOW)
    fold([articles[1].pk], user=reader)
    assert (listed(reader), listed(other)) == ({"0", "1"}, {"0", "1", "2"})
    fold([articles[1].pk])
    assert (listed(reader), listed(other)) == ({"0", "1"}, {"0"})
    separation.delete()
    fold([articles[1].pk], user=reader)
    assert listed(reader) == {"0"}


def test_unfollowing_the_leads_feed_shows_the_next(reader: User) -> None:
    leader, *_ = folded_story(reader, 3)
    unfollow(reader, [Subscription.objects.get(deliveries__article=leader).pk], now=make.NOW)
    assert listed(reader) == {"1"}
    assert not StoryChange.objects.exists()


def test_counts_article_of_several_feeds_once(reader: User) -> None:
    leader, second = folded_story(reader, 2)
    for article in (leader, second):
        make.item(make.subscription(reader).feed, article)
    assert deliver() == 2
    assert list(Delivery.objects.filter(is_folded=True).values_list("article", flat=True)) == [second.pk, second.pk]
    unfollow(reader, [Subscription.objects.filter(deliveries__article=leader).earliest("pk").pk], now=make.NOW)
    assert listed(reader) == {"0"}


def test_folders_fold_independently(reader: User) -> None:
    news, art = make.folder(reader, "News"), make.folder(reader, "Art")
    in_news, in_art, loose = (
        make_articles(reader, 2, folder=news),
        make_articles(reader, 2, folder=art),
        make_articles(reader, 2),
    )
    for number, article in enumerate((*in_news, *in_art, *loose)):
        Article.objects.filter(pk=article.pk).update(title=f"{number}")
    story = make.story(*in_news, *in_art, *loose)
    Article.objects.update(story=story)
    fold([loose[0].pk])
    in_folder = set(Delivery.objects.filter(is_folded_in_folder=True).values_list("article", flat=True))
    assert in_folder == {in_news[1].pk, in_art[1].pk}
    assert Delivery.objects.filter(is_folded=False).count() == 1
    assert [len(listed(reader, of_folder(reader, folder))) for folder in (news, art)] == [1, 1]
    assert [(folder.pk, folder.n_unread) for folder in sidebar_of(reader, here="home").folders] == [
        (art.pk, 1),
        (news.pk, 1),
    ]


def test_moving_a_feed_refolds_both_folders(reader: User) -> None:
    news, art = make.folder(reader, "News"), make.folder(reader, "Art")
    leader, *_ = folded_story(reader, 3, folder=news)
    subscription = Subscription.objects.get(deliveries__article=leader)
    rename(subscription, title="", folder=art)
    assert (listed(reader, of_folder(reader, news)), listed(reader, of_folder(reader, art))) == ({"1"}, {"0"})
    assert listed(reader) == {"0"}
    rename(subscription, title="", folder=news)
    assert listed(reader, of_folder(reader, news)) == {"0"}
    rename(subscription, title="", folder=None)
    assert listed(reader, of_folder(reader, news)) == {"1"}
    assert not StoryChange.objects.exists()


def test_article_folded_in_one_folder_is_unseen_in_another(reader: User) -> None:
    news, art = make.folder(reader, "News"), make.folder(reader, "Art")
    leader, second = folded_story(reader, 2, folder=news)
    there = make.article(title="there", word_count=1)
    make.delivery(make.subscription(reader, folder=art), there)
    mark_read(reader, [there.pk])
    join(there, leader.story)
    fold_queued()
    rename(Subscription.objects.get(deliveries__article=second), title="", folder=art)
    assert listed(reader, of_folder(reader, art)) == {"there", "1"}


def test_selection_shows_story_once_and_fills_up(reader: User) -> None:
    tab = make.folder(reader, item_limit_per_category=2)
    folded_story(reader, 3, folder=tab)
    plain = make.article(title="plain", published_at=make.NOW - timedelta(days=9))
    make.delivery(make.subscription(reader, folder=tab), plain)
    [(_, rows)] = selection_of(reader, tab, now=make.NOW)
    assert [row.article.title for row in rows] == ["0", "plain"]


def test_delivers_story_members_folded(reader: User) -> None:
    articles = [make.article(title=f"{number}", word_count=900 - number) for number in range(3)]
    make.story(*articles)
    for article in articles:
        make.item(make.subscription(reader).feed, article)
    assert deliver() == 3
    assert (listed(reader), sidebar_of(reader, here="home").n_unread) == ({"0"}, 1)
    assert not StoryChange.objects.exists()
    assert [subscription.unread_count for subscription in reader.subscriptions.all()] == [1, 1, 1]


def test_next_delivery_folds_after_interruption(reader: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(changes: object) -> None:
        raise KeyboardInterrupt

    articles = [make.article(title=f"{number}", word_count=900 - number) for number in range(2)]
    make.story(*articles)
    for article in articles:
        make.item(make.subscription(reader).feed, article)
    with monkeypatch.context() as patch:
        patch.setattr("reader.subscriptions.delivery.fold_now", interrupted)
        with pytest.raises(KeyboardInterrupt):
            deliver()
    assert listed(reader) == {"0", "1"}
    deliver_new()
    assert listed(reader) == {"0"}


def test_merging_feeds_hides_no_story(reader: User) -> None:
    news, art = make.folder(reader, "News"), make.folder(reader, "Art")
    leader, second = folded_story(reader, 2, folder=news)
    old = Subscription.objects.get(deliveries__article=leader).feed
    target = make.subscription(reader, make.feed("https://moved.example/f", source=old.source), folder=art)
    make.delivery(target, leader)
    type(old).objects.filter(pk=old.pk).update(status="merged", merged_into=target.feed)
    move_merged_subscriptions()
    assert listed(reader, of_folder(reader, news)) == {second.title}


@pytest.mark.django_db
def test_processes_all_changes_in_chunks() -> None:
    articles = [make.article() for _ in range(3)]
    changes = [StoryChange(article=articles[number % 3]) for number in range(CHUNK + 5)]
    StoryChange.objects.bulk_create(changes)
    assert [fold_queued() for _ in range(3)] == [CHUNK, 5, 0]


def test_stores_one_change_per_story(reader: User) -> None:
    articles = folded_story(reader, 3)
    make.article()
    assert len(queue_fold(Article.objects.all())) == 1
    assert StoryChange.objects.get().article_id == articles[0].pk


@pytest.mark.parametrize("n", [1, 40], ids=["one story", "forty"])
def test_folding_takes_constant_queries(
    reader: User, n: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    articles = []
    for _ in range(n):
        story = make_articles(reader, 2, folder=None)
        make.story(*story)
        articles += story
    make.delivery(make.subscription(make.user()), articles[0])
    # Two for the transaction; stories, their articles, deliveries, links, stars, separations; and the update.
    with django_assert_num_queries(10):
        assert fold([article.pk for article in articles]) == n


def test_row_names_other_feeds_and_counts_their_articles(reader: User) -> None:
    articles = folded_story(reader, 6)
    make.delivery(make.subscription(make.user(), title="Theirs"), articles[5])
    stranger = make.article()
    make.delivery(make.subscription(make.user(), title="Only theirs"), stranger)
    join(stranger, articles[0].story)
    Separation.objects.create(user=reader, article=articles[5], made_at=make.NOW)
    page = page_of(reader, all_of(reader, with_folded=True), None, now=make.NOW)
    rows = {row.article.title: row.story for row in page.rows}
    leading = rows["0"]
    assert leading is not None
    assert (leading.n_more, leading.n_sources, leading.n_unnamed, leading.read_elsewhere) == (4, 4, 0, False)
    assert leading.sources == ("Feed 1", "Feed 2", "Feed 3", "Feed 4")
    assert rows["5"] is None


def test_row_shows_that_story_was_read(reader: User) -> None:
    leader, second = folded_story(reader, 2)
    mark_read(reader, [leader.pk])
    page = page_of(reader, all_of(reader, with_folded=True), None, now=make.NOW)
    rows = {row.article.title: row.story for row in page.rows}
    assert [(row.read_elsewhere, row.n_more) for row in rows.values() if row] == [(True, 1), (False, 1)]
    assert second.title == "1"


def test_row_has_no_story_without_other_articles_of_the_user(reader: User) -> None:
    mine, theirs = make.article(), make.article()
    make.delivery(make.subscription(reader), mine)
    make.delivery(make.subscription(make.user()), theirs)
    make.story(mine, theirs)
    fold([mine.pk])
    [row] = page_of(reader, all_of(reader), None, now=make.NOW).rows
    assert row.story is None


def test_two_articles_of_one_feed_count_as_one_source(reader: User) -> None:
    subscription = make.subscription(reader)
    articles = [make.article(word_count=9), make.article()]
    for article in articles:
        make.delivery(subscription, article)
    make.story(*articles)
    fold([articles[0].pk])
    [row] = page_of(reader, all_of(reader), None, now=make.NOW).rows
    assert row.story is not None
    assert (row.story.n_more, row.story.n_sources, row.story.sources) == (1, 0, ())


@pytest.mark.parametrize("n", [3, 300])
def test_page_of_stories_takes_constant_queries(
    reader: User, n: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    subscriptions = [make.subscription(reader), make.subscription(reader)]
    articles = [make.article() for _ in range(2 * n)]
    for number, article in enumerate(articles):
        make.item(subscriptions[number % 2].feed, article)
    stories = Story.objects.bulk_create([Story() for _ in range(n)])
    for number, article in enumerate(articles):
        article.story = stories[number // 2]
    Article.objects.bulk_update(articles, ["story"])
    deliver()
    # Three rows also query the read half; two load stories.
    with django_assert_num_queries(8 if n == 3 else 7):
        page = page_of(reader, all_of(reader), None, now=make.NOW)
    assert [row.story.n_more for row in page.rows if row.story] == [1] * min(n, PAGE_SIZE)
    assert sidebar_of(reader, here="home").n_unread == n


def test_page_shows_story_once_and_marks_all_of_it_read(reader: User, client: Client) -> None:
    folded_story(reader, 7)
    client.force_login(reader)
    response = client.get("/all/")
    page = response.content.decode()
    assert page.count('<li class="row') == 1
    assert 'title="Also Feed 1, Feed 2, Feed 3, Feed 4 and 2 more (e)"' in page
    assert ("7 sources" in page, "you read this story" in page) == (True, False)
    client.post("/read/", {"up_to": response.context["newest"]})
    assert not Delivery.objects.filter(is_read=False).exists()
    assert client.get("/all/").content.decode().count('<li class="row') == 1


def test_folder_page_marks_folded_articles_read(reader: User, client: Client) -> None:
    folder = make.folder(reader)
    folded_story(reader, 3, folder=folder)
    outside = make.article()
    make.delivery(make.subscription(reader), outside)
    client.force_login(reader)
    client.post(f"/folders/{folder.pk}/read/", {"up_to": 10**9})
    assert list(Delivery.objects.filter(is_read=False).values_list("article", flat=True)) == [outside.pk]


def test_new_article_of_a_read_story_is_labelled(reader: User, client: Client) -> None:
    leader, *_ = folded_story(reader, 2)
    mark_read(reader, [leader.pk])
    newcomer = make.article()
    make.delivery(make.subscription(reader), newcomer)
    join(newcomer, leader.story)
    fold_queued()
    client.force_login(reader)
    page = client.get("/all/").content.decode()
    assert page.count("you read this story") == 1
