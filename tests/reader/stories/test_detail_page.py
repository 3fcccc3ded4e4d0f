"""A story as one user sees it: articles of their feeds, with copies and reasons, nothing of other feeds."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from feeds.models import Article, Disposition, Feed, Link, Story
from reader.lists.queries import row_of
from reader.models import ArticleState, Separation, Subscription
from reader.stories.detail_page import BESIDE, UNFOLDED, StoryPage, beside, story_page, unfolded
from tests import make

pytestmark = pytest.mark.django_db

COPY, EVENT, REVISED = Disposition.NEAR_DUPLICATE, Disposition.SAME_EVENT, Disposition.REVISION
LONG = "A very long title that says everything there is to say and then some more, and does not end " * 20


@dataclass(slots=True)
class Desk:
    """A user with a story whose articles are an hour apart, each by its own feed."""

    user: User
    articles: list[Article] = field(default_factory=list)
    subscriptions: list[Subscription] = field(default_factory=list)

    def bring(self, title: str, *, words: int = 100, is_mine: bool = True, is_read: bool = False) -> Article:
        feed = make.feed(title=f"Feed of {title[:60]}")
        Feed.objects.filter(pk=feed.pk).update(tier=2)
        time = make.NOW + timedelta(hours=len(self.articles))
        feed.source.name = f"Publisher of {title[:60]}"
        feed.source.save()
        article = make.article(title=title, feed=feed, source=feed.source, word_count=words, published_at=time)
        self.articles.append(article)
        if is_mine:
            self.subscriptions.append(make.subscription(self.user, feed))
            make.delivery(self.subscriptions[-1], article, is_read=is_read)
        else:
            make.item(feed, article)
        return article

    def story(self) -> Story:
        lead = max(self.articles, key=lambda article: article.word_count)
        story = Story.objects.create(lead=lead, n_articles=len(self.articles))
        Article.objects.filter(pk__in=[article.pk for article in self.articles]).update(story=story)
        for member in self.articles:
            member.story = story
        return story

    def page(self) -> StoryPage:
        return story_page(self.user, self.story(), now=make.NOW + timedelta(days=1))


@pytest.fixture
def desk() -> Desk:
    return Desk(make.user())


@pytest.fixture
def browser(desk: Desk, client: Client) -> Client:
    client.force_login(desk.user)
    return client


def report_titles(page: StoryPage) -> list[list[str]]:
    """The titles of each report and its copies, fullest version first."""
    return [[row.article.title for row in (report.head, *report.copies)] for report in page.reports]


def reason_by_title(page: StoryPage) -> dict[str, str]:
    """The reason text of each article, by title."""
    every = [row for report in page.reports for row in (report.head, *report.copies)]
    reasons = {}
    for row in every:
        if row.reason is not None:
            rival = row.reason.rival
            name = f"{rival.title} from {rival.source}" if rival.article_id else f"({rival.source})"
            reasons[row.article.title] = f"{row.reason.opening} {name}{row.reason.closing}"
    return reasons


def kinds(page: StoryPage) -> list[str]:
    """The kinds of the chart's dots, from left to right."""
    return [dot.kind for dot in page.drawing.dots] if page.drawing else []


def text_of(client: Client, url: str) -> str:
    """The visible text of the page."""
    response = client.get(url)
    assert response.status_code == 200
    main = response.content.decode().partition("<main")[2].partition("</main>")[0]
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", main)))


def test_lead_comes_first_then_by_time(desk: Desk) -> None:
    early, late = desk.bring("Early"), desk.bring("Late", words=900)
    middle = desk.bring("Last")
    for article in (early, middle):
        make.link(late, article, evidence="both name Elbufer")
    page = desk.page()
    assert report_titles(page) == [["Late"], ["Early"], ["Last"]]
    assert page.title == "Late"
    assert [row.article.title for row in page.in_order] == ["Early", "Late", "Last"]
    assert kinds(page) == ["report", "lead", "report"]


def test_copies_are_grouped_under_the_fullest(desk: Desk) -> None:
    lead, copy = desk.bring("Lead", words=900), desk.bring("Copy")
    report, short, shorter = desk.bring("Report", words=300), desk.bring("Short"), desk.bring("Shorter")
    make.link(lead, copy, COPY, evidence="SimHash distance 2")
    make.link(short, report, COPY, evidence="SimHash distance 1")
    make.link(short, shorter, COPY, evidence="titles 90% the same")
    make.link(lead, report, EVENT, evidence="both name Elbufer; terms 55% alike")
    page = desk.page()
    assert report_titles(page) == [["Lead", "Copy"], ["Report", "Short", "Shorter"]]
    assert reason_by_title(page) == {
        "Copy": "Near-duplicate of Lead from Publisher of Lead (SimHash distance 2)",
        "Report": "Same event as Lead from Publisher of Lead: both name Elbufer; terms 55% alike",
        "Short": "Near-duplicate of Report from Publisher of Report (SimHash distance 1)",
        "Shorter": "Near-duplicate of Short from Publisher of Short (titles 90% the same)",
    }
    assert kinds(page) == ["lead", "copy", "report", "copy", "copy"]


def test_copies_of_an_unseen_article_are_grouped_together(desk: Desk) -> None:
    one, hidden, two = desk.bring("One", words=200), desk.bring("Hidden", words=900, is_mine=False), desk.bring("Two")
    for article in (one, two):
        make.link(hidden, article, COPY, evidence="SimHash distance 3")
    page = desk.page()
    assert report_titles(page) == [["One", "Two"]]
    assert reason_by_title(page) == {"Two": "Near-duplicate of (Publisher of Hidden) (SimHash distance 3)"}


@pytest.mark.parametrize(
    ("newer", "words"),
    [(True, "Updated version, at another URL, of"), (False, "Earlier version, at another URL, of")],
)
def test_versions_at_other_urls_show_which_is_newer(desk: Desk, newer: bool, words: str) -> None:
    first, second = desk.bring("First", words=100 if newer else 50), desk.bring("Second", words=50 if newer else 100)
    make.link(first, second, REVISED, layer="title", evidence="titles 95% the same, same publisher")
    reasons = reason_by_title(desk.page())
    assert next(iter(reasons.values())).startswith(words)


def test_indirectly_linked_article_has_no_reason(desk: Desk) -> None:
    desk.bring("Lead", words=900)
    desk.bring("Far")
    assert reason_by_title(desk.page()) == {}
    assert "Linked through other articles" in text_of(
        _signed_in(desk), reverse("story", args=[desk.articles[0].story_id])
    )


def _signed_in(desk: Desk) -> Client:
    client = Client()
    client.force_login(desk.user)
    return client


def test_names_a_visible_article_rather_than_a_closer_hidden_one(desk: Desk) -> None:
    lead, hidden, mine = desk.bring("Lead", words=900), desk.bring("Hidden", is_mine=False), desk.bring("Mine")
    make.link(hidden, mine, EVENT, closeness=0.9, evidence="both name Elbufer")
    make.link(lead, mine, EVENT, closeness=0.4, evidence="terms 30% alike")
    assert reason_by_title(desk.page()) == {"Mine": "Same event as Lead from Publisher of Lead: terms 30% alike"}


def test_limits_long_stories(desk: Desk, browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reader.stories.detail_page.MAX_DELIVERIES", 2)
    for title in ("One", "Two"):
        desk.bring(title)
    assert not desk.page().is_cut
    desk.bring("Three")
    page = desk.page()
    assert page.is_cut
    assert [row.article.title for row in page.in_order] == ["One", "Two"]
    assert "Only the earliest articles are shown." in text_of(browser, reverse("story", args=[page.story_id]))


def test_shows_nothing_of_other_users_feeds(desk: Desk, browser: Client) -> None:
    desk.bring("Mine", words=100)
    desk.bring("Hidden lead", words=900, is_mine=False)
    desk.bring("Hidden", is_mine=False)
    mine, lead, hidden = desk.articles
    make.link(mine, lead)
    make.link(mine, hidden)
    stranger = make.subscription(make.user(), lead.feed)
    make.delivery(stranger, lead)
    desk.story()
    words = text_of(browser, reverse("story", args=[mine.story_id]))
    assert "Hidden" not in words
    assert "The only article in this story from your feeds" in words
    assert beside(desk.user, mine) is None


@pytest.mark.parametrize("who", ["a stranger", "somebody whose feed brings none of it", "nobody"])
def test_user_without_its_articles_finds_no_story(desk: Desk, client: Client, who: str) -> None:
    desk.bring("Mine")
    url = reverse("story", args=[desk.story().pk])
    if who == "nobody":
        assert client.get(url)["Location"] == f"/login/?next={url}"
        return
    user = make.user()
    if who != "a stranger":
        make.delivery(make.subscription(user), make.article())
    client.force_login(user)
    assert client.get(url).status_code == 404


def test_user_who_only_starred_it_has_no_story(desk: Desk, client: Client) -> None:
    article = desk.bring("Mine")
    user = make.user()
    ArticleState.objects.create(user=user, article=article, is_starred=True, starred_at=make.NOW)
    client.force_login(user)
    assert client.get(reverse("story", args=[desk.story().pk])).status_code == 404
    assert client.get(reverse("article", args=[article.pk])).status_code == 200


def test_names_all_feeds_of_an_article(desk: Desk) -> None:
    article = desk.bring("Mine")
    second = make.subscription(desk.user, title="My own name")
    make.delivery(second, article)
    page = desk.page()
    assert [(row.source, row.also_in) for row in page.in_order] == [("Publisher of Mine", ("My own name",))]
    assert (page.n_sources, page.n_unread) == (1, 1)


def test_page_describes_each_article(desk: Desk, browser: Client) -> None:
    lead, other = desk.bring("Lead", words=900), desk.bring("Other", words=1, is_read=True)
    make.link(lead, other, COPY, layer="content", evidence="SimHash distance 2")
    Article.objects.filter(pk=lead.pk).update(summary="What happened.", date_uncertain=True)
    url = reverse("story", args=[desk.story().pk])
    words = text_of(browser, url)
    for said in (
        "Story · 2 articles from 2 of your feeds · 1 unread",
        "Publisher of Lead",
        "900 words",
        "1 word ",
        "(date uncertain)",
        "What happened.",
        "1 copy of this text",
        "Near-duplicate of the lead article from Publisher of Lead (SimHash distance 2)",
    ):
        assert said in words
    markup = browser.get(url).content.decode()
    assert f'class="row story-report is-read" id="a{other.pk}"' in markup
    assert 'aria-label="2 articles within 60 min: the first from Publisher of Lead, ' in markup


@pytest.mark.parametrize("n", [3, 30])
def test_page_takes_constant_queries(
    desk: Desk, browser: Client, django_assert_num_queries: DjangoAssertNumQueries, n: int
) -> None:
    articles = [desk.bring(f"Title {number}", words=100 + number) for number in range(n)]
    for number, article in enumerate(articles[1:]):
        make.link(articles[0], article, COPY if number % 2 else EVENT)
    url = reverse("story", args=[desk.story().pk])
    with django_assert_num_queries(15):
        browser.get(url)


@pytest.mark.parametrize("n", [3, 30])
def test_article_page_takes_constant_queries(
    desk: Desk, browser: Client, django_assert_num_queries: DjangoAssertNumQueries, n: int
) -> None:
    articles = [desk.bring(f"Title {number}") for number in range(n)]
    desk.story()
    items = articles[0].items
    items.update(rival=articles[1], disposition=COPY, layer="content", evidence="SimHash distance 2")
    url = reverse("article", args=[articles[0].pk])
    browser.get(url)  # marks it read and sanitizes it
    with django_assert_num_queries(33):
        browser.get(url)


@pytest.mark.parametrize(
    ("title", "language"),
    [(LONG, "en"), ("", ""), ("שיחות בז'נבה", "he"), ("日内瓦会谈结束" * 60, "zh"), ("<i>Tag</i> & “quotes”", "en")],
    ids=["very long", "none", "right to left", "Chinese", "markup"],
)
def test_shows_any_title(desk: Desk, browser: Client, title: str, language: str) -> None:
    lead, other = desk.bring(title, words=900), desk.bring(title)
    Article.objects.update(language=language)
    make.link(lead, other, COPY)
    response = browser.get(reverse("story", args=[desk.story().pk]))
    assert response.status_code == 200
    markup = response.content.decode()
    assert "<i>Tag" not in markup
    if language:
        assert markup.count(f'lang="{language}"') >= 2
    assert browser.get(reverse("article", args=[other.pk])).status_code == 200


def test_deleted_story_redirects_to_its_successor(desk: Desk, browser: Client) -> None:
    one, two = desk.bring("One"), desk.bring("Two")
    old = desk.story().pk
    new = desk.story()
    Story.objects.filter(pk=old).delete()
    assert browser.get(reverse("story", args=[old])).status_code == 404
    response = browser.get(reverse("story", args=[old]), {"of": one.pk}, follow=True)
    assert response.redirect_chain == [(f"/stories/{new.pk}/?of={one.pk}", 302)]
    assert "regrouped in the meantime" in response.content.decode()
    new.delete()
    response = browser.get(reverse("story", args=[old]), {"of": two.pk}, follow=True)
    assert response.redirect_chain == [(f"/articles/{two.pk}/", 302)]


@pytest.mark.parametrize("of", ["", "x", "-1", "9" * 40, "stranger"])
def test_deleted_story_reveals_nothing_to_others(desk: Desk, browser: Client, of: str) -> None:
    of = str(make.article().pk) if of == "stranger" else of
    assert browser.get(reverse("story", args=[10**9]), {"of": of}).status_code == 404


def test_back_link_leads_to_the_row(desk: Desk, browser: Client) -> None:
    article = desk.bring("Mine")
    url = reverse("story", args=[desk.story().pk])
    assert 'href="/folders/3/#a' in browser.get(url, {"of": article.pk, "next": "/folders/3/"}).content.decode()
    assert 'href="/all/" data-back' in browser.get(url, {"next": "https://evil.example"}).content.decode()


def test_marking_read_marks_articles_on_the_page(desk: Desk, browser: Client) -> None:
    one, two = desk.bring("One"), desk.bring("Two")
    desk.bring("Not in it")
    desk.articles.pop()
    story = desk.story()
    page = story_page(desk.user, story, now=make.NOW)
    late = desk.bring("Late")
    Article.objects.filter(pk=late.pk).update(story=story)
    url = reverse("story_read_all", args=[story.pk])
    response = browser.post(url, {"up_to": page.newest, "next": reverse("story", args=[story.pk])})
    assert response["Location"] == reverse("story", args=[story.pk])
    read = ArticleState.objects.filter(user=desk.user, is_read=True).values_list("article_id", flat=True)
    assert set(read) == {one.pk, two.pk}
    assert [subscription.unread_count for subscription in Subscription.objects.order_by("pk")] == [0, 0, 1, 1]
    assert browser.post(url, {"up_to": "x"}).status_code == 400


def test_marking_read_skips_separated_articles(desk: Desk, browser: Client) -> None:
    one, two = desk.bring("One"), desk.bring("Two")
    story = desk.story()
    Separation.objects.create(user=desk.user, article=two, made_at=make.NOW)
    browser.post(reverse("story_read_all", args=[story.pk]), {"up_to": "999999999"})
    assert list(ArticleState.objects.values_list("article", flat=True)) == [one.pk]


def test_marking_read_can_be_undone_by_its_message(desk: Desk, browser: Client) -> None:
    desk.bring("One"), desk.bring("Two"), desk.bring("Three", is_read=True)
    story = reverse("story", args=[desk.story().pk])
    page = browser.post(f"{story}read/", {"up_to": "999999999", "next": story}, follow=True).content.decode()
    assert "2 articles marked as read." in page
    undo = re.search(r'formaction="(/sweeps/\d+/undo/)"', page)
    assert undo is not None
    page_after = browser.post(undo[1], {"next": story}, follow=True).content.decode()
    assert "2 articles unread again." in page_after
    assert [subscription.unread_count for subscription in Subscription.objects.order_by("pk")] == [1, 1, 0]


class TestUnfoldedUnderARow:
    def ask(self, browser: Client, article: Article, **query: str) -> str:
        response = browser.get(reverse("article_unfold", args=[article.pk]), query, headers={"HX-Request": "true"})
        assert response.status_code == 200
        assert "HX-Request" in response["Vary"]
        return response.content.decode()

    def test_shows_others_by_time(self, desk: Desk, browser: Client) -> None:
        row = desk.bring("Row")
        desk.bring("Early"), desk.bring("Late", is_read=True), desk.bring("Not mine", is_mine=False)
        apart = desk.bring("Apart")
        desk.story()
        Separation.objects.create(user=desk.user, article=apart, made_at=make.NOW)
        unfolding = unfolded(desk.user, Article.objects.get(pk=row.pk))
        assert [(other.article.title, other.is_read) for other in unfolding.others] == [
            ("Early", False),
            ("Late", True),
        ]
        page = self.ask(browser, row, next="/folders/7/?after=u.1.2")
        assert page.count("data-row") == 2 + 1  # and the surrounding list
        assert f"?next=%2Ffolders%2F7%2F%3Fafter%3Du.1.2%23a{row.pk}" in page
        assert "<html" not in page

    def test_limits_articles_and_counts_the_rest(self, desk: Desk, browser: Client) -> None:
        row, *_ = [desk.bring(f"Title {number}") for number in range(UNFOLDED + 3)]
        desk.story()
        assert unfolded(desk.user, Article.objects.get(pk=row.pk)).n_more == 2
        assert "2 more in this story" in self.ask(browser, row)

    @pytest.mark.parametrize("n", [2, 12])
    def test_takes_constant_queries(
        self, desk: Desk, browser: Client, django_assert_num_queries: DjangoAssertNumQueries, n: int
    ) -> None:
        row, *_ = [desk.bring(f"Title {number}") for number in range(n)]
        desk.story()
        self.ask(browser, row)
        with django_assert_num_queries(6):  # session, user, settings, article, story, votes
            self.ask(browser, row)

    def test_is_empty_for_article_without_story(self, desk: Desk, browser: Client) -> None:
        assert "None of your other feeds covers" in self.ask(browser, desk.bring("Alone"))
        row = desk.bring("Row")
        desk.story()
        Separation.objects.create(user=desk.user, article=row, made_at=make.NOW)
        assert "None of your other feeds covers" in self.ask(browser, row)

    def test_leads_to_story_without_scripts(self, desk: Desk, browser: Client) -> None:
        row, _ = desk.bring("Row"), desk.bring("Other")
        story = desk.story()
        response = browser.get(reverse("article_unfold", args=[row.pk]))
        assert (response.status_code, response["Location"]) == (302, f"/stories/{story.pk}/?of={row.pk}")


class TestBesideAnArticle:
    def test_names_best_others_and_counts_the_rest(self, desk: Desk, browser: Client) -> None:
        articles = [desk.bring(f"Title {number}", words=100 - number) for number in range(BESIDE + 3)]
        desk.story()
        neighbours = beside(desk.user, articles[3])
        assert neighbours is not None
        assert [other.article.title for other in neighbours.others] == [
            "Title 0",
            "Title 1",
            "Title 2",
            "Title 4",
            "Title 5",
        ]
        assert neighbours.n_more == 2
        words = text_of(browser, reverse("article", args=[articles[3].pk]))
        assert "Also in this story Title 0 Publisher of Title 0 · " in words
        assert "2 more in this story" in words

    def test_is_empty_without_story(self, desk: Desk, browser: Client) -> None:
        article = desk.bring("Alone")
        assert beside(desk.user, article) is None
        assert "Also in this story" not in text_of(browser, reverse("article", args=[article.pk]))


class TestHowItCame:
    def came(self, desk: Desk, browser: Client, rival_id: int, disposition: str = COPY) -> str:
        article = desk.articles[-1]
        article.items.update(rival_id=rival_id, disposition=disposition, layer="content", evidence="SimHash distance 2")
        words = text_of(browser, reverse("article", args=[article.pk]))
        return words.partition("Found in")[2].strip()

    def test_names_a_visible_rival(self, desk: Desk, browser: Client) -> None:
        rival, _ = desk.bring("Rival"), desk.bring("Mine")
        text = self.came(desk, browser, rival.pk)
        assert text.endswith("Near-duplicate of Rival from Publisher of Rival (SimHash distance 2)")
        assert (
            f'href="/articles/{rival.pk}/?next=' in browser.get(f"/articles/{desk.articles[-1].pk}/").content.decode()
        )

    def test_names_only_the_publisher_of_a_hidden_rival(self, desk: Desk, browser: Client) -> None:
        rival, _ = desk.bring("Secret", is_mine=False), desk.bring("Mine")
        Feed.objects.filter(pk=rival.feed_id).update(title="Secret feed")
        rival.source.name = "BBC"
        rival.source.save()
        text = self.came(desk, browser, rival.pk)
        assert text.endswith("Near-duplicate of an article from BBC (SimHash distance 2)")
        assert "Secret" not in browser.get(f"/articles/{desk.articles[-1].pk}/").content.decode()

    def test_mentions_a_deleted_rival(self, desk: Desk, browser: Client) -> None:
        desk.bring("Mine")
        assert self.came(desk, browser, 10**9).endswith("Near-duplicate of a deleted article (SimHash distance 2)")

    @pytest.mark.parametrize(
        ("disposition", "words"),
        [
            (EVENT, "Same event as Rival from Publisher of Rival: SimHash distance 2"),
            (
                REVISED,
                "Updated version, at another URL, of Rival from Publisher of Rival (SimHash distance 2)",
            ),
        ],
    )
    def test_wording_fits_the_disposition(self, desk: Desk, browser: Client, disposition: str, words: str) -> None:
        rival, _ = desk.bring("Rival"), desk.bring("Mine")
        assert self.came(desk, browser, rival.pk, disposition).endswith(words)


def test_loads_link_evidence_once(desk: Desk) -> None:
    one, two = desk.bring("One"), desk.bring("Two")
    make.link(one, two, COPY, layer="title", closeness=0.8, evidence="titles 90% the same")
    make.link(one, two, COPY, layer="content", closeness=0.97, evidence="SimHash distance 2")
    assert list(reason_by_title(desk.page()).values()) == [
        "Near-duplicate of One from Publisher of One (SimHash distance 2)"
    ]
    assert Link.objects.count() == 2


def test_users_see_their_own_feed_titles(desk: Desk, as_user: Callable[[User], Client]) -> None:
    article = desk.bring("Shared")
    story = desk.story()
    other = make.user()
    make.delivery(make.subscription(other, article.feed, title="As I call it"), article)
    words = text_of(as_user(other), reverse("story", args=[story.pk]))
    assert "As I call it" in words
    assert "Feed of Shared" not in words


def test_two_feeds_of_a_publisher_are_one_source(desk: Desk) -> None:
    first = desk.bring("Dam bursts")
    desk.bring("Dam bursts above Ostby")
    world = make.feed(title="World", source=first.source)
    article = make.article(title="Dam bursts, two hurt", feed=world, source=first.source)
    make.delivery(make.subscription(desk.user, world, title="My own name"), article)
    desk.articles.append(article)
    page = desk.page()
    assert (len(page.in_order), page.n_sources) == (3, 2)
    row = row_of(desk.user, Article.objects.get(pk=first.pk), now=make.NOW)
    assert row.story is not None
    assert row.story.n_sources + 1 == page.n_sources
