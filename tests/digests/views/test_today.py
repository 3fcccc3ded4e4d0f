"""The front page."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db.models import QuerySet
from django.test import Client
from pytest_django import DjangoAssertNumQueries
from redis.exceptions import ConnectionError as RedisConnectionError

from digests import access
from digests.edition.document import Finding, LeftOut, SectionName, SummaryBy, Topic, Trend
from digests.models import Digest, DigestArticle
from digests.models.edition_store import with_topics
from digests.today.refresh import TASK
from feeds.models import Article, Feed
from reader.models import ArticleState, Preferences, Subscription
from tests import make
from tests.digests import editions, kept
from tests.digests.conftest import Enqueued, SetClock
from tests.markup import tight

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

NOW = make.NOW
MINUTE = timedelta(minutes=1)
TOP, NOTEWORTHY, ALSO = SectionName
FRAGMENT = {"X-Fragment": "state"}


@pytest.fixture
def subscription(client: Client) -> Subscription:
    """Of the signed-in reader, to a feed that brought nothing for a day."""
    user = make.user("ada")
    made = make.subscription(user, make.feed(last_new_at=NOW - timedelta(days=1)), title="My paper")
    Subscription.objects.update(added_at=NOW - timedelta(days=9))
    client.force_login(user)
    return made


def page(client: Client) -> str:
    answer = client.get("/")
    assert answer.status_code == 200
    return tight(answer.content.decode())


def show(client: Client, subscription: Subscription, *topics: Topic, **values: object) -> str:
    kept.front_page(subscription.user, *topics, **{"made_at": NOW - 2 * MINUTE, **values})  # type: ignore[arg-type]
    return page(client)


def test_first_visit_requests_a_page_and_shows_it(
    client: Client, subscription: Subscription, enqueued: Enqueued
) -> None:
    found = page(client)
    assert "Preparing your first digest" in found
    assert '<progress aria-label="Working">' in found
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in found
    assert ('href="/all/"' in found, 'href="/subscribe/"' in found) == (True, True)
    page(client)
    assert enqueued == [(TASK, subscription.user_id)]


def test_user_without_feeds_is_invited_to_follow(client: Client, enqueued: Enqueued) -> None:
    client.force_login(make.user())
    found = page(client)
    assert "You aren't following any feeds yet." in found
    assert 'class="button button-main" href="/subscribe/"' in found
    assert (enqueued, Digest.objects.count()) == ([], 0)


def test_a_queue_that_fails_does_not_break_the_page(
    client: Client, subscription: Subscription, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise RedisConnectionError("refused")

    monkeypatch.setattr("feeds.tasks.enqueue.async_task", fail)
    found = page(client)
    assert "the task queue isn't responding" in found
    assert "http-equiv" not in found
    kept.front_page(subscription.user, made_at=NOW - 60 * MINUTE)
    Feed.objects.update(last_new_at=NOW)
    assert "updating" not in page(client)
    answer = client.post("/today/refresh/", follow=True)
    assert "The task queue isn&#x27;t responding" in answer.content.decode()


def test_outdated_page_shows_its_age_and_is_renewed(
    client: Client, subscription: Subscription, enqueued: Enqueued
) -> None:
    Feed.objects.update(last_new_at=NOW)
    found = show(client, subscription, kept.topic(subscription), made_at=NOW - 40 * MINUTE)
    assert ">40 min ago</time></span><span>updating…</span>" in found
    assert "Article 1" in found
    assert enqueued == [(TASK, subscription.user_id)]


def test_fresh_page_is_renewed_only_on_request(client: Client, subscription: Subscription, enqueued: Enqueued) -> None:
    Feed.objects.update(last_new_at=NOW)
    assert "updating" not in show(client, subscription)
    assert enqueued == []
    assert client.post("/today/refresh/")["Location"] == "/"
    assert "updating" in page(client)
    client.post("/today/refresh/")
    assert enqueued == [(TASK, subscription.user_id)]


def test_a_script_learns_how_far_it_is_without_asking_for_more(
    client: Client, subscription: Subscription, enqueued: Enqueued, clock: SetClock
) -> None:
    def state() -> list[str]:
        markup = client.get("/", headers=FRAGMENT).content.decode()
        assert "<main" not in markup
        return re.findall(r'data-made="(\d*)" data-over="(\w+)"', markup)

    assert state() == [("", "true")]
    assert enqueued == []
    client.get("/")
    assert state() == [("", "false")]
    clock(NOW + 2 * MINUTE)
    assert "longer than usual" in client.get("/", headers=FRAGMENT).content.decode()
    kept.front_page(subscription.user, made_at=NOW + 2 * MINUTE)
    assert state() == [(str(int((NOW + 2 * MINUTE).timestamp())), "true")]
    assert len(enqueued) == 1


def test_counts_articles_and_names_feeds_that_need_attention_once(client: Client, subscription: Subscription) -> None:
    report = editions.full_edition().report
    found = show(client, subscription, kept.topic(subscription), n_articles=131, n_feeds=41, report=report)
    assert "<h1>Wednesday 4 March 2026</h1>" in found
    assert "<span>131 articles from 41 feeds</span>" in found
    assert found.count('<a href="/health/">2 feeds need attention</a>') == 1
    assert "<bdi>Morgenpost</bdi>: It has not answered since Tuesday" in found
    assert not any(words in found for words in ("duplicates removed", "polled 312 times", "checks"))


def test_topic_shows_summary_sources_and_reason(client: Client, subscription: Subscription) -> None:
    topic = kept.topic(
        subscription,
        n_related=2,
        label="Geneva: talks",
        trend=Trend.EMERGING,
        summary="They met. They parted.",
        moved="Again: now also covered by DW.",
    )
    topic = replace(topic, label="Geneva: text, round", sources=("DW", "NYT", "Al Jazeera", "NPR", "ANSA", "AP"))
    pk = topic.lead.article_id
    found = show(client, subscription, topic)
    assert f'<article class="topic" id="a{pk}" data-row>' in found
    assert '<span class="trend trend-emerging">▲ Emerging</span><bdi lang="en">Geneva</bdi>' in found
    assert f'<a href="/articles/{pk}/?next=%2F" data-url="https://paper.example/1" data-open>Geneva: talks</a>' in found
    assert re.search(r'<span class="source" title="[^"]+">.*?<span dir="auto">Paper</span></span>', found)
    assert "Reported by 7 sources · <bdi>DW</bdi>, <bdi>NYT</bdi>, <bdi>Al Jazeera</bdi>, <bdi>NPR</bdi> +2" in found
    assert "They met. They parted.</p>" in found
    assert '<p class="topic-moved">Again: now also covered by DW.</p>' in found
    assert f'href="/articles/{pk}/why/?next=%2F%23a{pk}"' in found
    assert '<span class="dots dots-3"></span>' in found
    assert "<summary>2 related</summary>" in found
    assert "by a language model" not in found
    for act in ("liked", "disliked", "skipped", "read", "star"):
        assert len(re.findall(f'formaction="/articles/{pk}/[a-z]+/"[^>]* data-act="{act}"', found)) == 1


def test_model_summary_is_labelled(client: Client, subscription: Subscription) -> None:
    assert "Summary by a language model." in show(
        client, subscription, kept.topic(subscription, summary_by=SummaryBy.MODEL)
    )


def test_other_sources_link_to_the_story(client: Client, subscription: Subscription) -> None:
    topic = kept.topic(subscription, n_related=1)
    lead, other = (Article.objects.get(pk=entry.article_id) for entry in topic.entries)
    assert "data-story" not in show(client, subscription, topic)
    story = make.story(lead, other)
    assert (
        f'sources · <a href="/stories/{story.pk}/?of={lead.pk}&amp;next=%2F" title="Open story (t)" data-story>'
        in page(client)
    )


def test_read_titles_fade_and_ratings_are_pressed(client: Client, subscription: Subscription) -> None:
    topic = kept.topic(subscription, n_related=1)
    other = kept.topic(subscription, NOTEWORTHY)
    for entry in (topic.lead, topic.related[0], other.lead):
        ArticleState.objects.create(
            user=subscription.user, article_id=entry.article_id, is_read=True, is_starred=True, starred_at=NOW
        )
    make.engagement(subscription.user, Article.objects.get(pk=topic.lead.article_id), "disliked")
    found = show(client, subscription, topic, other)
    assert [
        f'class="{name} is-read" id="a{pk}"' in found
        for name, pk in (("topic", topic.lead.article_id), ("row note", other.lead.article_id))
    ] == [True, True]
    assert f'<li id="a{topic.related[0].article_id}" class="is-read">' in found
    pressed = re.findall(r'aria-pressed="true" data-act="(\w+)"', found)
    assert pressed == ["disliked", "read", "star", "read", "star"]


def test_purged_article_keeps_title_and_publisher_link(client: Client, subscription: Subscription) -> None:
    topic = kept.topic(subscription)
    kept.front_page(subscription.user, topic, made_at=NOW)
    kept.purge(topic.lead.article_id or 0)
    found = page(client)
    assert '<a href="https://paper.example/1" data-url="https://paper.example/1" rel="noopener noreferrer"' in found
    assert "Article 1</a>" in found
    assert f"/articles/{topic.lead.article_id}/" not in found
    assert "data-act=" not in found


def test_missing_article_has_no_link(client: Client, subscription: Subscription) -> None:
    lead = editions.entry(article_id=None, url="javascript:alert(1)")
    found = show(client, subscription, editions.topic(1, lead=lead))
    assert re.search(r'<h3 class="topic-title" dir="auto" lang="en">Article 1 ?</h3>', found)
    assert ("javascript:" in found, '<article class="topic" data-row' in found) == (False, False)


def test_noteworthy_is_by_category_also_mentioned_in_rows(client: Client, subscription: Subscription) -> None:
    found = show(
        client,
        subscription,
        kept.topic(subscription, NOTEWORTHY, category="Science", summary="One line of it."),
        kept.topic(subscription, NOTEWORTHY, category="科學"),
        kept.topic(subscription, ALSO, category="Science"),
    )
    headings = re.findall(r"<(h[23])[^>]*>([^<]+)</h[23]>", found)
    assert [heading for heading in headings if heading[1] in ("Noteworthy", "Science", "科學", "Also mentioned")] == [
        ("h2", "Noteworthy"),
        ("h3", "Science"),
        ("h3", "科學"),
        ("h2", "Also mentioned"),
    ]
    assert (found.count('<li class="row note"'), found.count("One line of it.")) == (3, 1)
    assert "Top stories" not in found


@pytest.mark.parametrize(("n_topics", "has_contents"), [(5, False), (6, True)])
def test_contents_begin_with_more_than_five_topics(
    client: Client, subscription: Subscription, n_topics: int, has_contents: bool
) -> None:
    found = show(client, subscription, *(kept.topic(subscription, label=f"Label {place}") for place in range(n_topics)))
    lines = re.findall(r'<a href="#(topic-\d)"><span><bdi>(Label \d)</bdi>', found)
    assert lines == ([(f"topic-{place + 1}", f"Label {place}") for place in range(6)] if has_contents else [])
    assert all(f'id="{anchor}"' in found for anchor, _ in lines)


def test_reports_omissions_and_failed_checks(client: Client, subscription: Subscription) -> None:
    findings = (Finding("labels", True, "Two were the same.", True), Finding("summaries", False, "One is short."))
    found = show(client, subscription, kept.topic(subscription), findings=findings, left_out=LeftOut(6, 3))
    assert "6 more topics didn&#x27;t fit; 3 are unchanged since the last digest." in found
    assert "<summary>2 checks, 1 repaired, 1 failed</summary>" in found
    assert '<li class="check-repaired"><strong>Labels</strong> Two were the same.</li>' in found
    assert '<li class="check-fault"><strong>Summaries</strong> One is short.</li>' in found


def test_the_rest_of_a_large_topic_is_one_link_away(client: Client, subscription: Subscription) -> None:
    small, large = kept.topic(subscription, n_related=1), kept.topic(subscription, n_related=15)
    found = show(client, subscription, small, large)
    assert '<a href="?topic=2#topic-2">and 3 more</a>' in found
    last = large.related[-1].article_id
    assert f'id="a{last}"' not in found
    whole = client.get("/", {"topic": "2"}).content.decode()
    assert (f'id="a{last}"' in whole, whole.count('class="related" open')) == (True, 1)
    assert f"/articles/{last}/?next=%2F%3Ftopic%3D2" in whole
    assert client.get("/", {"topic": "x"}).status_code == 200


def test_empty_window_is_explained(client: Client, subscription: Subscription) -> None:
    found = show(client, subscription, n_articles=0, n_duplicates=0)
    assert "Nothing new between Tue 3 Mar, 11:58 and Wed 4 Mar, 11:58." in found


def test_times_are_those_of_the_persons_clock(client: Client, subscription: Subscription) -> None:
    Preferences.objects.create(user=subscription.user, time_zone="Asia/Tokyo")
    found = show(client, subscription)
    assert 'title="Wednesday 4 March 2026, 20:58 JST">2 min ago</time>' in found


def test_what_publishers_write_stays_text(client: Client, subscription: Subscription) -> None:
    bad = "\"'><script>alert(1)</script>{{ 7318054|add:1 }}"
    entry = editions.entry(title=bad, source=bad, language='"><b>', url='https://a.example/"><script>alert(1)</script>')
    topic = replace(kept.topic(subscription), related=(replace(entry, article_id=None),), sources=(bad,))
    lead = replace(topic.lead, title=bad, source=bad, url=entry.url)
    top = replace(topic, lead=lead, label=bad, summary=bad, moved=bad, category=bad)
    note = replace(top, section=NOTEWORTHY, lead=replace(entry, article_id=None), related=())
    report = editions.full_edition().report
    report = replace(report, unhealthy=tuple(replace(each, name=bad, reason=bad) for each in report.unhealthy))
    found = show(client, subscription, top, note, report=report, findings=(Finding(bad, True, bad),))
    assert found.count("&lt;script&gt;alert(1)") > 12
    for markup in ("<script>alert", '"><b>', "7318055"):  # no token of a form has that by chance
        assert markup not in found


def test_the_page_of_another_person_is_not_shown(
    client: Client, subscription: Subscription, enqueued: Enqueued
) -> None:
    other = make.subscription(make.user())
    kept.front_page(other.user, kept.topic(other, label="Theirs"), made_at=NOW)
    assert "Theirs" not in page(client)


def test_rereads_topics_replaced_while_reading(subscription: Subscription, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.front_page(subscription.user, kept.topic(subscription), made_at=NOW)
    reads: list[int] = []

    def torn(digests: QuerySet[Digest]) -> QuerySet[Digest]:
        """The first read finds topics whose articles are gone."""
        reads.append(1)
        topics = with_topics(digests)
        if len(reads) == 1:
            nothing = DigestArticle.objects.none()
            [prefetch] = topics._prefetch_related_lookups  # type: ignore[attr-defined]
            [articles] = prefetch.queryset._prefetch_related_lookups
            articles.queryset = nothing
        return topics

    monkeypatch.setattr(access, "with_topics", torn)
    found = access.today_of(subscription.user)
    assert found is not None
    assert [len(topic.articles.all()) for topic in found.topics.all()] == [1]
    assert len(reads) == 2


def test_thin_page_continues_with_the_latest(client: Client, subscription: Subscription) -> None:
    make.delivery(subscription, make.article(title="Of last week", published_at=NOW - timedelta(days=7)))
    found = show(client, subscription, kept.topic(subscription))
    assert "Latest from your feeds" in found
    ids = re.findall(r'id="(a\d+)"', found)
    assert ("Of last week" in found, len(ids)) == (True, len(set(ids)))


def test_full_page_has_topics_only(client: Client, subscription: Subscription) -> None:
    make.delivery(subscription, make.article(title="Of last week", published_at=NOW - timedelta(days=7)))
    assert "Latest from your feeds" not in show(client, subscription, *(kept.topic(subscription) for _ in range(4)))


def test_first_visit_shows_the_latest_meanwhile(client: Client, subscription: Subscription, enqueued: Enqueued) -> None:
    make.delivery(subscription, make.article(title="Of last week", published_at=NOW - timedelta(days=7)))
    found = page(client)
    assert ("Preparing your first digest" in found, "Of last week" in found) == (True, True)


def test_user_without_feeds_still_sees_the_last_page(
    client: Client, subscription: Subscription, enqueued: Enqueued
) -> None:
    kept.front_page(subscription.user, kept.topic(subscription), made_at=NOW)
    subscription.delete()
    assert "Article 1" in page(client)


@pytest.mark.parametrize(("n_topics", "n_related"), [(4, 1), (15, 6)], ids=["four topics", "fifteen with six articles"])
def test_the_page_costs_the_same_whatever_it_holds(
    client: Client,
    subscription: Subscription,
    django_assert_num_queries: DjangoAssertNumQueries,
    n_topics: int,
    n_related: int,
) -> None:
    other = make.subscription(subscription.user)
    topics = [kept.topic(subscription, n_related=n_related, by=other) for _ in range(n_topics)]
    for topic in topics:
        make.story(*(Article.objects.get(pk=entry.article_id) for entry in topic.entries))
    kept.front_page(subscription.user, *topics, made_at=NOW - MINUTE)
    client.get("/")
    with django_assert_num_queries(18):
        client.get("/")


def test_script_request_needs_few_queries(
    client: Client, subscription: Subscription, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    kept.front_page(subscription.user, kept.topic(subscription), made_at=NOW)
    with django_assert_num_queries(4):  # session, user, front page, time zone
        client.get("/", headers=FRAGMENT)


def test_every_page_leads_to_today(client: Client, subscription: Subscription, enqueued: Enqueued) -> None:
    found = client.get("/all/").content.decode()
    assert re.search(r'<p class="wordmark">\s*<a href="/">', found)
    assert len(re.findall(r'<a href="/"[^>]*><svg', tight(found))) == 2  # in the sidebar and in the bar of a phone
    assert len(re.findall(r'<a href="/" aria-current="page">', page(client))) == 2


def test_signing_in_leads_to_today(client: Client) -> None:
    make.user("bob")
    assert client.post("/login/", {"username": "bob", "password": "correct horse"})["Location"] == "/"


def test_an_unchanged_top_story_has_one_line_with_its_actions(client: Client, subscription: Subscription) -> None:
    topic = replace(kept.topic(subscription, label="Dam bursts"), is_unchanged=True)
    found = show(client, subscription, topic)
    pk = topic.lead.article_id
    assert '<span class="quiet">Still:</span>' in found
    assert f'<li class="row note" id="a{pk}" data-row>' in found
    assert f'formaction="/articles/{pk}/star/"' in found
    assert 'class="topic-summary"' not in found
