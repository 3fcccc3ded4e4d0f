"""An action marks an article and is logged in one transaction."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from feeds.models import Article
from reader.articles import actions
from reader.articles.actions import open_article, record_screen, set_read, skip_article, star_article, undo_act, vote
from reader.models import ArticleState, Delivery, Engagement, Subscription
from tests import make

pytestmark = pytest.mark.django_db

LATER = make.NOW + timedelta(hours=1)


@pytest.fixture
def reader() -> User:
    return make.user()


@pytest.fixture
def subscription(reader: User) -> Subscription:
    return make.subscription(reader)


@pytest.fixture
def article(subscription: Subscription) -> Article:
    return make_delivery(subscription)


def make_delivery(subscription: Subscription) -> Article:
    article = make.article()
    make.delivery(subscription, article)
    return article


def kinds() -> list[str]:
    """The kinds of all logged actions that weren't undone."""
    return list(Engagement.active.order_by("pk").values_list("kind", flat=True))


def is_read(article: Article) -> bool:
    return Delivery.objects.get(article=article).is_read


def test_opening_marks_read_and_logs_once(reader: User, article: Article) -> None:
    open_article(reader, article, is_read=False, now=make.NOW)
    open_article(reader, article, is_read=True, now=LATER)
    assert (is_read(article), kinds()) == (True, ["opened"])


def test_opening_read_article_is_logged(reader: User, article: Article) -> None:
    set_read(reader, article, is_read=True, now=make.NOW)
    assert kinds() == []
    open_article(reader, article, is_read=True, now=LATER)
    assert kinds() == ["opened"]


def test_opening_counts_again_after_skip(reader: User, article: Article) -> None:
    open_article(reader, article, is_read=False, now=make.NOW)
    skip_article(reader, article, now=make.NOW)
    open_article(reader, article, is_read=True, now=LATER)
    assert kinds() == ["opened", "skipped", "opened"]


def test_logs_keeping_unread(reader: User, article: Article) -> None:
    open_article(reader, article, is_read=False, now=make.NOW)
    set_read(reader, article, is_read=False, now=LATER)
    assert (is_read(article), kinds()) == (False, ["opened", "unread"])


def test_unstarring_unlearns(reader: User, article: Article) -> None:
    star_article(reader, article, is_starred=True, now=make.NOW)
    assert (ArticleState.objects.get().is_starred, kinds()) == (True, ["starred"])
    star_article(reader, article, is_starred=False, now=LATER)
    assert (ArticleState.objects.get().is_starred, kinds()) == (False, [])


@pytest.mark.parametrize("was_read", [False, True], ids=["unread", "read"])
def test_undoing_skip_restores_state(reader: User, article: Article, was_read: bool) -> None:
    if was_read:
        set_read(reader, article, is_read=True, now=make.NOW)
    action = skip_article(reader, article, now=make.NOW)
    assert (action.was_unread, is_read(article), kinds()) == (not was_read, True, ["skipped"])
    skipped = Engagement.objects.get(pk=action.engagement_id)
    assert undo_act(reader, skipped, make_unread=action.was_unread, now=LATER)
    assert (is_read(article), kinds()) == (was_read, [])


def test_undoing_twice_changes_nothing(reader: User, article: Article) -> None:
    action = skip_article(reader, article, now=make.NOW)
    skipped = Engagement.objects.get(pk=action.engagement_id)
    assert undo_act(reader, skipped, make_unread=True, now=LATER)
    set_read(reader, article, is_read=True, now=LATER)
    assert not undo_act(reader, skipped, make_unread=True, now=LATER)
    assert is_read(article)


def test_only_undoing_skip_marks_unread(reader: User, article: Article) -> None:
    open_article(reader, article, is_read=False, now=make.NOW)
    liked = Engagement.objects.get(pk=vote(reader, article, "liked", now=make.NOW).engagement_id)
    assert undo_act(reader, liked, make_unread=True, now=LATER)
    assert is_read(article)


def test_undoing_star_unstars(reader: User, article: Article) -> None:
    star_article(reader, article, is_starred=True, now=make.NOW)
    assert undo_act(reader, Engagement.objects.get(), make_unread=False, now=LATER)
    assert not ArticleState.objects.get().is_starred


def test_does_not_undo_action_of_another_user(reader: User, article: Article) -> None:
    skipped = Engagement.objects.get(pk=skip_article(reader, article, now=make.NOW).engagement_id)
    assert not undo_act(make.user(), skipped, make_unread=True, now=LATER)
    assert (is_read(article), kinds()) == (True, ["skipped"])


def test_latest_vote_counts_until_withdrawn(reader: User, article: Article) -> None:
    other = make_delivery(Subscription.objects.get())
    for kind in ("liked", "disliked"):
        vote(reader, article, kind, now=make.NOW)
    vote(reader, other, "liked", now=make.NOW)
    assert actions.votes_of(reader, [article.pk, other.pk]) == {article.pk: "disliked", other.pk: "liked"}
    actions.withdraw_vote(reader, article, now=LATER)
    assert actions.votes_of(reader, [article.pk, other.pk]) == {other.pk: "liked"}
    assert actions.votes_of(make.user(), [article.pk, other.pk]) == {}


def test_undoing_vote_restores_previous_vote(reader: User, article: Article) -> None:
    vote(reader, article, "disliked", now=make.NOW)
    liked = Engagement.objects.get(pk=vote(reader, article, "liked", now=make.NOW).engagement_id)
    undo_act(reader, liked, make_unread=False, now=LATER)
    assert actions.votes_of(reader, [article.pk]) == {article.pk: "disliked"}


def test_rolls_back_if_logging_fails(reader: User, article: Article, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the log is full")

    monkeypatch.setattr(actions, "record_action", fail)
    with pytest.raises(RuntimeError):
        skip_article(reader, article, now=make.NOW)
    assert not is_read(article)


def test_skips_articles_above_the_opened_one(reader: User, subscription: Subscription) -> None:
    above, opened, below = (make_delivery(subscription) for _ in range(3))
    record_screen(reader, [above.pk, opened.pk, below.pk], [above.pk], opened.pk, now=make.NOW)
    assert list(Engagement.objects.values_list("article", "kind")) == [(above.pk, "passed")]
    assert not Delivery.objects.filter(is_seen=False).exists()


def test_scrolling_past_only_marks_seen(reader: User, subscription: Subscription) -> None:
    first, second = make_delivery(subscription), make_delivery(subscription)
    record_screen(reader, [first.pk], [first.pk], None, now=make.NOW)
    assert list(Delivery.objects.order_by("article").values_list("article", "is_seen")) == [
        (first.pk, True),
        (second.pk, False),
    ]
    assert not Engagement.objects.exists()


def test_ignores_articles_user_cannot_see(reader: User, article: Article) -> None:
    hidden = make.article()
    make.delivery(make.subscription(make.user()), hidden)
    record_screen(reader, [hidden.pk, 10**9], [article.pk], hidden.pk, now=make.NOW)  # opening someone else's article
    record_screen(reader, [], [hidden.pk, 10**9], article.pk, now=make.NOW)  # scrolling past it
    assert not Engagement.objects.exists()
    assert not Delivery.objects.filter(is_seen=True).exists()
