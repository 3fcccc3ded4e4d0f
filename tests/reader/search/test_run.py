"""Searches find articles delivered to the user, by words and filters, each once."""

import random
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from feeds.models import Article
from feeds.search import indexer
from reader.articles.actions import skip_article, star_article, vote
from reader.articles.tags import add_tags
from reader.lists.queries import COUNTED_UP_TO
from reader.models import Delivery, Subscription
from reader.search.parser import parse
from reader.search.run import Found, MatchCursor, Order, n_found, newest, search
from reader.subscriptions.unfollow import unfollow
from tests import make
from tests.tables import table

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]


@pytest.fixture
def reader() -> User:
    return make.user()


@pytest.fixture
def paper(reader: User) -> Subscription:
    return make.subscription(reader)


def bring(subscription: Subscription, title: str, *, is_read: bool = False, **values: object) -> Article:
    article = make.article(title=title, **values)
    make.delivery(subscription, article, is_read=is_read)
    indexer.queue_articles([article.pk])
    indexer.index_waiting()
    return article


def ask(user: User, query: str, after: str = "", size: int = 50, order: Order = Order.NEWEST) -> Found:
    return search(user, parse(query, today=make.NOW.date()).tree, after, order=order, now=make.NOW, size=size)


def titles(user: User, query: str) -> list[str]:
    return [row.article.title for row in ask(user, query).page.rows]


@pytest.fixture
def library(reader: User, paper: Subscription) -> None:
    sea = make.subscription(reader, title="Harbour log", folder=make.folder(reader, "At sea"))
    bring(paper, "whale", author="Melville", text="call me", published_at=make.NOW - timedelta(days=3))
    bring(paper, "東京都の天気", language="ja", text="晴れ", published_at=make.NOW - timedelta(days=2))
    bring(sea, "ship", is_read=True, text="", published_at=make.NOW - timedelta(hours=2))
    bring(paper, "both", text="ship whale", revised_at=make.NOW, published_at=make.NOW)


@table(
    ("query", "found"),
    [
        pytest.param("whale", ["both", "whale"], id="a word"),
        pytest.param("whale ship", ["both"], id="two words"),
        pytest.param('"whale ship"', [], id="not in a row"),
        pytest.param('"ship whale"', ["both"], id="in a row"),
        pytest.param("whale -ship", ["whale"], id="without"),
        pytest.param("-whale", ["ship", "東京都の天気"], id="all without"),
        pytest.param("whale OR ship", ["both", "ship", "whale"], id="either"),
        pytest.param("天気", ["東京都の天気"], id="two characters"),
        pytest.param("京", ["東京都の天気"], id="one character"),
        pytest.param("title:whale", ["whale"], id="in the title"),
        pytest.param("author:melville", ["whale"], id="by the author"),
        pytest.param("is:read", ["ship"], id="read"),
        pytest.param("is:unread whale", ["both", "whale"], id="unread and a word"),
        pytest.param("is:read OR title:whale", ["ship", "whale"], id="read or a word"),
        pytest.param("-is:read -whale", ["東京都の天気"], id="neither"),
        pytest.param("lang:ja", ["東京都の天気"], id="language"),
        pytest.param("after:2026-03-04", ["both", "ship"], id="from a day on"),
        pytest.param("before:2026-03-04", ["東京都の天気", "whale"], id="before a day"),
        pytest.param("feed:harbour", ["ship"], id="feed by its own name"),
        pytest.param(
            "feed:feed", ["both", "東京都の天気", "whale"], id="by the publisher's name, where it has no other"
        ),
        pytest.param("folder:sea", ["ship"], id="folder"),
        pytest.param("-feed:harbour whale", ["both", "whale"], id="not of the feed"),
        pytest.param("is:updated", ["both"], id="updated"),
        pytest.param("nothing", [], id="nothing"),
    ],
)
@pytest.mark.usefixtures("library")
def test_finds(reader: User, query: str, found: list[str]) -> None:
    assert titles(reader, query) == found
    assert ask(reader, query).n_found == len(found)


@table(
    ("query", "found"),
    [
        pytest.param("중앙은행", ["물가", "금리"], id="with particles, and without"),
        pytest.param("은행", ["물가", "금리"], id="at the end of a longer noun"),
        pytest.param("기준금리", ["금리"], id="before a particle"),
        pytest.param("중앙은행이", ["금리"], id="with its particle"),
        pytest.param("책", ["책방"], id="one syllable"),
        pytest.param("LG전자", ["공장"], id="after letters"),
        pytest.param("lg", ["공장"], id="letters before Hangul"),
        pytest.param("3분기", ["공장"], id="after a number"),
        pytest.param('"공장을 짓는다"', ["공장"], id="in a row"),
        pytest.param("title:금리", ["금리"], id="in the title"),
        pytest.param("은행나무", [], id="another word"),
    ],
)
def test_finds_korean_words_without_their_particles(
    reader: User, paper: Subscription, query: str, found: list[str]
) -> None:
    texts = {
        "금리": "중앙은행이 기준금리를 그대로 두기로 했다.",
        "물가": "중앙은행은 물가가 곧 안정된다고 밝혔다.",
        "공장": "LG전자는 3분기에 새 공장을 짓는다.",
        "책방": "동네마다 작은 책방이 문을 연다.",
    }
    for days, (title, text) in enumerate(texts.items()):
        bring(paper, title, text=text, language="ko", published_at=make.NOW - timedelta(days=9 - days))
    assert titles(reader, query) == found


def test_marks_a_korean_word_and_not_its_particle(reader: User, paper: Subscription) -> None:
    bring(paper, "서울에서", text="회의가 서울에서 열린다.", language="ko")
    [row] = ask(reader, "서울").page.rows
    assert [(piece.text, piece.is_found) for piece in row.marked_title] == [("서울", True), ("에서", False)]


def test_filters_by_user_actions(reader: User, paper: Subscription) -> None:
    for act in ("liked", "changed", "skipped", "starred", "left"):
        bring(paper, act)
    by_title = {article.title: article for article in Article.objects.all()}
    vote(reader, by_title["liked"], "liked", now=make.NOW)
    vote(reader, by_title["changed"], "liked", now=make.NOW)
    vote(reader, by_title["changed"], "disliked", now=make.NOW + timedelta(seconds=1))
    skip_article(reader, by_title["skipped"], now=make.NOW)
    star_article(reader, by_title["starred"], is_starred=True, now=make.NOW)
    vote(make.user(), by_title["left"], "liked", now=make.NOW)
    by_state = {state: titles(reader, f"is:{state}") for state in ("liked", "disliked", "skipped", "starred", "opened")}
    assert by_state == {
        "liked": ["liked"],
        "disliked": ["changed"],
        "skipped": ["skipped"],
        "starred": ["starred"],
        "opened": [],
    }


def test_importance_is_current(reader: User, paper: Subscription) -> None:
    fresh, old = (bring(paper, name, published_at=make.NOW - age) for name, age in AGES.items())
    bring(paper, "not rated")
    Delivery.objects.filter(article=fresh).update(static_importance=60.0)
    Delivery.objects.filter(article=old).update(static_importance=60.0, date_uncertain=True)
    assert titles(reader, "score>79") == ["fresh"]  # 60 + 0.2 · 100 · e^(−0.03 · 1) = 79.4
    assert titles(reader, "score>80") == []
    assert titles(reader, "score<62") == ["old"]  # 60 + 0.2 · 80 · e^(−0.03 · 72) = 61.8
    assert titles(reader, "score<61") == []


AGES = {"fresh": timedelta(hours=1), "old": timedelta(hours=72)}


def test_does_not_find_feeds_of_other_users(reader: User, paper: Subscription) -> None:
    bring(make.subscription(make.user(), title="Secret"), "whale")
    mine = bring(paper, "whale, too")
    other = make.user()
    assert titles(reader, "whale") == ["whale, too"]
    assert titles(reader, "feed:secret") == titles(other, "whale") == titles(other, "-ship") == []
    assert ask(reader, "whale").n_found == 1
    Delivery.objects.filter(article=mine).delete()
    assert titles(reader, "whale") == []


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("size", [1, 2, 5])
def test_pages_list_every_article_once(reader: User, paper: Subscription, size: int, order: Order) -> None:
    second = make.subscription(reader)
    for number in range(7):
        article = bring(
            paper, f"whale {number}", is_read=number % 2 == 0, published_at=make.NOW - timedelta(number // 3)
        )
        make.delivery(second, article)
    ids, after = [], ""
    while True:
        result = ask(reader, "whale", after, size, order)
        ids += [row.article.pk for row in result.page.rows]
        assert result.n_found == 7
        if not result.page.next_cursor:
            break
        after = result.page.next_cursor
    newest = Article.objects.order_by("-published_at", "-pk").values_list("pk", flat=True)
    assert sorted(ids, reverse=True) == sorted(newest, reverse=True)
    assert order == Order.BEST or ids == list(newest)


def test_finds_folded_articles(reader: User, paper: Subscription) -> None:
    bring(paper, "whale")
    Delivery.objects.update(is_folded=True, is_folded_in_folder=True)
    assert titles(reader, "whale") == ["whale"]


def test_rows_mark_matches(reader: User, paper: Subscription) -> None:
    bring(paper, "A Whale", text="It is a <i>whale</i>.")
    row = ask(reader, "whale").page.rows[0]
    assert [piece.text for piece in row.marked_title if piece.is_found] == ["Whale"]
    assert "".join(piece.text for piece in row.snippet) == "It is a <i>whale</i>."
    row = ask(reader, "is:unread").page.rows[0]
    assert (row.marked_title, row.snippet) == ((), ())


def test_counting_stops(reader: User, paper: Subscription, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reader.search.run.COUNTED_UP_TO", 2)
    for _ in range(3):
        bring(paper, "whale")
    assert (ask(reader, "whale").n_found, COUNTED_UP_TO) == (2, 1000)


@table(
    "query",
    ["'", '"', "a AND", "NEAR(a b)", "a*b", "{title}: a", "title:", "^a", "a'b\\c", "(a OR", "-", "a:b:c", "\x00", "🙂",
     "%s", "is:liked OR -a", "-is:read OR -score>3 OR after:1d"],
)  # fmt: skip
def test_no_query_fails(reader: User, paper: Subscription, query: str) -> None:
    bring(paper, "a b c")
    tree = parse(query, today=make.NOW.date()).tree
    assert tree is None or ask(reader, query).n_found in (0, 1)


def best(user: User, query: str) -> list[str]:
    return [row.article.title for row in ask(user, query, order=Order.BEST).page.rows]


def test_best_match_comes_first(reader: User, paper: Subscription) -> None:
    filler = "Something else is told here at some length. " * 30
    bring(paper, "Tides and other things", text=f"{filler} A whale.")
    bring(paper, "Whale", text="The whale and the whale.")
    bring(paper, "Boats", text="A whale, a whale, a whale.")
    bring(paper, "What was seen from the boats of the harbour: a whale", text=filler)
    expected = ["Whale", "What was seen from the boats of the harbour: a whale", "Boats", "Tides and other things"]
    assert best(reader, "whale") == expected
    assert best(reader, "is:unread") == titles(reader, "is:unread")
    assert ask(reader, "is:unread", order=Order.BEST).order == Order.NEWEST


def test_orders_only_newest_by_match_with_note(
    reader: User, paper: Subscription, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        bring(paper, f"whale {'in a long title ' * number}", published_at=make.NOW - timedelta(hours=4 - number))
    assert not ask(reader, "whale", order=Order.BEST).is_cut
    monkeypatch.setattr("reader.search.run.CANDIDATES", 3)
    result = ask(reader, "whale", order=Order.BEST)
    assert (result.is_cut, len(result.page.rows)) == (True, 3)
    assert len(ask(reader, "whale").page.rows) == 4


@pytest.mark.parametrize("text", ["", "u.1.1", "1.5", "1.5_x", "x_1", "1_2_3", f"1_{'9' * 5000}"])
def test_invalid_cursor_is_none(text: str) -> None:
    assert MatchCursor.decode(text) is None


def test_cursor_survives_url() -> None:
    cursor = MatchCursor(1.2345678901234567, 12)
    assert MatchCursor.decode(cursor.encode()) == cursor
    assert "+" not in cursor.encode()


@pytest.fixture
def forms(paper: Subscription) -> None:
    for language, words in {
        "en": ["election", "elections", "electing", "electricity", "voters", "news", "new"],
        "de": ["zeitungen", "neue"],
        "ru": ["книги"],
        "fr": ["élevées"],
        "zh": ["人工智能"],
    }.items():
        for word in words:
            bring(paper, word, language=language, text="Voters." if word == "elections" else "")


@table(
    ("query", "found"),
    [
        pytest.param("elections", ["electing", "election", "elections"], id="other forms"),
        pytest.param("election", ["electing", "election", "elections"], id="and back"),
        pytest.param('"elections"', ["elections"], id="as it is written"),
        pytest.param("title:elections", ["electing", "election", "elections"], id="in the title"),
        pytest.param("voters -elections", ["voters"], id="left out in all forms"),
        pytest.param("news", ["news"], id="by the language of the word"),
        pytest.param("zeitung", ["zeitungen"], id="of a form that nobody wrote"),
        pytest.param("книга", ["книги"], id="in Cyrillic"),
        pytest.param("eleve", ["élevées"], id="without accents"),
        pytest.param("人工", ["人工智能"], id="a script without spaces"),
        pytest.param("elect*", ["electing", "election", "elections", "electricity"], id="a beginning"),
    ],
)
@pytest.mark.usefixtures("forms")
def test_finds_all_forms_of_a_word(reader: User, query: str, found: list[str]) -> None:
    assert sorted(titles(reader, query)) == found


def test_marks_all_forms(reader: User, paper: Subscription) -> None:
    bring(paper, "An election", language="en")
    bring(paper, "Elections", language="en")
    rows = ask(reader, "elections").page.rows
    marked = [piece.text for row in rows for piece in row.marked_title if piece.is_found]
    assert sorted(marked) == ["Elections", "election"]


def unfollow_feed_of(user: User, article: Article) -> None:
    """Unfollow the article's feed."""
    bringing = Subscription.objects.filter(user=user, deliveries__article=article)
    unfollow(user, list(bringing.values_list("pk", flat=True)), now=make.NOW)


@table(
    "query",
    ["whale", "is:starred", "whale is:starred", "lang:en", "after:2026-01-01", "feed:gone", "-is:read",
     "whale OR nothing", "-nothing", "is:unread whale"],
)  # fmt: skip
@table("order", Order)
def test_finds_saved_articles_after_unfollowing(reader: User, query: str, order: Order) -> None:
    gone = make.subscription(reader, make.feed(title="Gone"))
    starred, tagged, neither = (bring(gone, "whale", language="en", feed=gone.feed) for _ in range(3))
    star_article(reader, starred, is_starred=True, now=make.NOW)
    add_tags(reader, tagged, ["sea"], now=make.NOW)
    other = make.user()
    star_article(other, neither, is_starred=True, now=make.NOW)
    unfollow_feed_of(reader, starred)
    ids = {row.article.pk for row in ask(reader, query, order=order).page.rows}
    assert ids == ({starred.pk} if "is:starred" in query else {starred.pk, tagged.pk})
    assert n_found(reader, parse(query, today=make.NOW.date()).tree, now=make.NOW) == len(ids)
    star_article(reader, starred, is_starred=False, now=make.NOW)
    assert starred.pk not in {row.article.pk for row in ask(reader, query, order=order).page.rows}


@pytest.mark.parametrize("query", ["folder:sea", "score>0", "is:read", "feed:paper"])
def test_saved_article_has_no_folder_or_importance(reader: User, query: str) -> None:
    gone = make.subscription(reader, make.feed(title="Gone"), folder=make.folder(reader, "At sea"))
    article = bring(gone, "whale")
    star_article(reader, article, is_starred=True, now=make.NOW)
    unfollow_feed_of(reader, article)
    assert titles(reader, query) == []


def test_saved_articles_are_paged_with_others(reader: User, paper: Subscription) -> None:
    gone = make.subscription(reader, make.feed())
    for number in range(6):
        article = bring(gone if number % 2 else paper, f"whale {number}", published_at=make.NOW - timedelta(number))
        star_article(reader, article, is_starred=True, now=make.NOW)
    unfollow_feed_of(reader, article)
    titles_found, after = [], ""
    while True:
        page = ask(reader, "whale", after, 2).page
        titles_found += [row.article.title for row in page.rows]
        after = page.next_cursor
        if not after:
            break
    assert titles_found == [f"whale {number}" for number in range(6)]


@pytest.mark.parametrize("query", ["whale", "-whale is:liked OR feed:paper score>0 folder:news"])
def test_takes_constant_queries(reader: User, paper: Subscription, query: str) -> None:
    counts = set()
    for n in (1, 12):
        for _ in range(n):
            bring(paper, "whale")
        Delivery.objects.update(static_importance=50.0)
        with CaptureQueriesContext(connection) as captured:
            ask(reader, query)
        counts.add(len(captured))
    assert len(counts) == 1


@pytest.mark.parametrize("seed", range(4))
def test_scanning_newest_first_finds_the_same(
    reader: User, paper: Subscription, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Articles have dates in any order; some belong to others, some are saved from an unfollowed feed."""
    chance = random.Random(seed)
    gone, theirs = make.subscription(reader), make.subscription(make.user())
    brought = []
    shares = {"whale": 0.9, "ship": 0.5, "ice": 0.1}
    for number in range(40):
        subscription = chance.choices((paper, gone, theirs), (6, 2, 2))[0]
        date = make.NOW - timedelta(hours=40 - number + chance.choice((0, 0, 0, 15, -15)))
        words = " ".join(word for word, share in shares.items() if chance.random() < share)
        brought.append(bring(subscription, f"{words} {number}", published_at=date, feed=subscription.feed))
        if subscription == gone and chance.random() < 0.5:
            star_article(reader, brought[-1], is_starred=True, now=make.NOW)
    unfollow_feed_of(reader, next(article for article in brought if article.feed_id == gone.feed_id))
    trees = [
        parse(query, today=make.NOW.date()).tree for query in ("whale", "ship -ice", "-whale", "is:starred", "ice")
    ]
    limits = (1, 3, 7, 60)
    whole = [[newest(reader, tree, limit, now=make.NOW) for limit in limits] for tree in trees]
    monkeypatch.setattr("reader.search.run.WINDOW", 3)
    monkeypatch.setattr("reader.search.run.WIDER", 2)
    assert [[newest(reader, tree, limit, now=make.NOW) for limit in limits] for tree in trees] == whole
    paged = [titles_by_pages(reader, query, 4) for query in ("whale", "ship -ice")]
    assert paged == [titles(reader, query) for query in ("whale", "ship -ice")]


def titles_by_pages(user: User, query: str, size: int) -> list[str]:
    all_titles: list[str] = []
    after = ""
    while True:
        page = ask(user, query, after, size).page
        all_titles += [row.article.title for row in page.rows]
        after = page.next_cursor
        if not after:
            return all_titles


def test_scans_only_the_newest_for_common_words(
    reader: User, paper: Subscription, monkeypatch: pytest.MonkeyPatch
) -> None:
    articles = [bring(paper, "whale", published_at=make.NOW - timedelta(hours=20 - number)) for number in range(20)]
    monkeypatch.setattr("reader.search.run.WINDOW", 6)
    tree = parse("whale", today=make.NOW.date()).tree
    with CaptureQueriesContext(connection) as captured:
        articles_found = newest(reader, tree, 5, now=make.NOW)
    assert [pk for _, pk in articles_found] == [article.pk for article in reversed(articles[-5:])]
    searching = [
        query["sql"] for query in captured if "feeds_search" in query["sql"] and "published_at" in query["sql"]
    ]
    assert len(searching) == 2  # delivered, then saved articles
    assert all(f">= {articles[-1].pk - 6}" in sql for sql in searching)
