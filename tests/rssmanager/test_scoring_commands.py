"""`score`, `train` and `explain`: text and JSON output, and errors."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from feeds.models import Article, Feed
from reader.interests.learning.holdout import MIN_PER_CLASS
from reader.interests.terms import add_starting_interests, set_learning
from reader.models import Assessment, Delivery, IdfTable, InterestProfile, RelevanceModel
from reader.preferences.owner import create_owner
from reader.scoring.assess import assess
from reader.scoring.importance import WEIGHTS
from reader.scoring.rate import rate_waiting
from tests import make

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


@pytest.fixture
def owner() -> User:
    return create_owner(username="owner", email="o@example.org", password="correct horse battery")


@pytest.fixture
def feed() -> Feed:
    return make.feed(title="The Paper", source=make.source("paper.example", tier=2, name="Paper"))


def make_delivered(user: User, feed: Feed, **values: object) -> Article:
    """An article that a feed delivered to a user an hour ago."""
    subscription = user.subscriptions.filter(feed=feed).first() or make.subscription(user, feed)
    values = {"source": feed.source, "feed": feed, "published_at": timezone.now() - HOUR, **values}
    article = make.article(**values)
    make.delivery(subscription, article)
    return article


def test_score_rates_all_users_and_lists_the_top(owner: User, feed: Feed) -> None:
    long, short = (
        make_delivered(owner, feed, title="Long", word_count=1500),
        make_delivered(owner, feed, title="Short", word_count=150),
    )
    other = make.user("ben")
    make_delivered(other, feed, title="Theirs")
    lines = run("score").splitlines()
    assert lines[0].startswith("3 list entries rated in ")
    points = [
        round(Assessment.objects.get(article=article).shared_importance + 5 + 10 + 0.2 * 97.04)
        for article in (long, short)
    ]
    assert lines[1:5] == ["", "owner", f"{points[0]:>4}  Long (Paper)", f"{points[1]:>4}  Short (Paper)"]
    assert lines[5:7] == ["", "ben"]
    assert not Delivery.objects.filter(is_rated=False).exists()


def test_score_prints_json(owner: User, feed: Feed) -> None:
    article = make_delivered(owner, feed, title="Größe 尺寸")
    report = json.loads(run("score", "--json"))
    assert report["rated"] == 1
    assert report["seconds"] >= 0
    [top] = report["users"]["owner"]["articles"]
    assert (top["id"], top["title"], top["source"]) == (article.pk, "Größe 尺寸", "Paper")
    assert report["users"]["owner"]["anomaly"] == ""


def test_score_without_articles(owner: User) -> None:
    assert run("score").startswith("0 list entries")
    assert json.loads(run("score", "--json"))["users"] == {}


def test_score_follows_a_change_of_tiers(owner: User, feed: Feed) -> None:
    article = make_delivered(owner, feed)
    run("score")
    Feed.objects.update(tier=1)
    Article.objects.update(word_count=1200)  # the same text with another word count
    run("score")
    assessment = Assessment.objects.get(article=article)
    assert (assessment.authority, assessment.depth) == (95, 100)
    assert Delivery.objects.get().static_importance == pytest.approx(assessment.shared_importance + 5 + 10)


def test_score_of_one_user_skips_others(owner: User, feed: Feed) -> None:
    make_delivered(owner, feed)
    other = make.user("ben")
    theirs = make_delivered(other, feed)
    rate_waiting()
    Delivery.objects.update(relevance=1.0)
    report = json.loads(run("score", "--user", "owner", "--json"))
    assert report["rated"] == 1
    assert list(report["users"]) == ["owner"]
    assert Delivery.objects.get(article=theirs).relevance == 1.0
    assert Delivery.objects.get(user=owner).relevance == 50


def test_score_flags_an_unverified_top_source(owner: User) -> None:
    make_delivered(owner, make.feed(source=make.source("farm.example", tier=5)), title="Cure", word_count=2000)
    make_delivered(owner, make.feed(source=make.source("paper.example", tier=4), health_score=0.1), title="News")
    printed = run("score")
    assert "      “Cure” scored highest (" in printed
    assert "though its source is unverified" in printed
    assert "“Cure”" in json.loads(run("score", "--json"))["users"]["owner"]["anomaly"]


def make_choices(user: User, feed: Feed, n_opened: int, n_skipped: int) -> None:
    InterestProfile.objects.get_or_create(user=user)
    for kind, title, n in (("opened", "Harbour cranes", n_opened), ("skipped", "Library poems", n_skipped)):
        articles = [make.article(title=f"{title} {number}", feed=feed, source=feed.source) for number in range(n)]
        assess([article.pk for article in articles], now=make.NOW)
        for article in articles:
            make.engagement(user, article, kind, happened_at=timezone.now() - HOUR)


def test_train_reports_model_quality(owner: User, feed: Feed) -> None:
    make_choices(owner, feed, MIN_PER_CLASS, MIN_PER_CLASS)
    for title in ("Library poems again", "Library poems once more", "Harbour cranes again"):
        make_delivered(owner, feed, title=title)
    lines = run("train").splitlines()
    assert lines[0].startswith("owner: 50 opened or liked, 50 skipped or disliked; on 20 held out: precision ")
    assert lines[0].endswith(": it is used.")
    assert len(lines) == 1  # no sensitivity labels
    assert RelevanceModel.objects.get().is_used
    assert IdfTable.objects.count() == 1
    assert (
        Delivery.objects.get(article__title="Harbour cranes again").relevance or 0
    ) > 60  # already rated by the model


def test_train_reports_missing_data(owner: User, feed: Feed) -> None:
    make_choices(owner, feed, 3, 1)
    assert run("train").splitlines()[0] == (
        "owner: 3 opened or liked, 1 skipped or disliked; 49 more of the rarer kind are needed to train a model."
    )
    assert not RelevanceModel.objects.exists()


def test_train_prints_json(owner: User, feed: Feed) -> None:
    make_choices(owner, feed, MIN_PER_CLASS, MIN_PER_CLASS)
    make_choices(make.user("ben"), feed, 2, 0)
    report = json.loads(run("train", "--json"))
    mine = report["users"]["owner"]
    row = RelevanceModel.objects.get()
    assert (mine["positive"], mine["negative"], mine["is_used"]) == (50, 50, True)
    assert mine["average_precision"] == round(row.average_precision, 4)
    assert report["users"]["ben"] == {"positive": 2, "negative": 0, "is_used": False}


def test_train_of_one_user_skips_others(owner: User, feed: Feed) -> None:
    make_choices(owner, feed, 1, 1)
    make_choices(make.user("ben"), feed, 1, 1)
    assert list(json.loads(run("train", "--user", "ben", "--json"))["users"]) == ["ben"]


def test_train_without_choices(owner: User) -> None:
    assert run("train") == "No user has opened, liked or skipped anything yet.\n"
    assert json.loads(run("train", "--json")) == {"users": {}, "judge_labels": 0}


def test_train_skips_users_who_opted_out(owner: User, feed: Feed) -> None:
    make_choices(owner, feed, 1, 1)
    set_learning(owner, False, timezone.now())
    assert json.loads(run("train", "--json"))["users"] == {}


def test_explain_lists_reasons(owner: User, feed: Feed) -> None:
    article = make_delivered(
        owner, feed, title="Harbour cranes come down", text="Cranes of the harbour.", language="en"
    )
    add_starting_interests(owner, ["harbour"], [], timezone.now())
    rate_waiting()
    lines = run("explain", str(article.pk)).splitlines()
    points, _, title = lines[0].partition("  ")
    assert (points.isdigit(), title) == (True, "Harbour cranes come down")
    assert [line.split()[0] for line in lines[2:7]] == list(WEIGHTS)
    assert "████████████████" in lines[2]  # authority 80: 16 of 20
    assert " 80.0 × 0.25 = 20.0  " in lines[2]
    assert "Top contributions to relevance:" in lines
    assert any(line.endswith("  harbour") for line in lines)
    assert lines[-2].startswith("Time sensitivity: ")
    assert lines[-1].startswith("Time-adjusted relevance now: ")


def test_explain_prints_json(owner: User, feed: Feed) -> None:
    article = make_delivered(owner, feed)
    rate_waiting()
    report = json.loads(run("explain", str(article.pk), "--json"))
    assert report["article_id"] == article.pk
    assert sum(part["contribution"] for part in report["parts"]) == pytest.approx(report["importance"])
    assert report["weights"] == WEIGHTS


def test_explain_names_the_original_of_a_copy(owner: User, feed: Feed) -> None:
    lead, copy = make_delivered(owner, feed, title="The lead", word_count=9), make_delivered(owner, feed)
    make.story(lead, copy, disposition="near_duplicate")
    rate_waiting()
    assert run("explain", str(copy.pk)).splitlines()[-1] == (
        f"It is a copy of 'The lead' ({lead.pk}) and grouped under it."
    )


ADDRESSES = {
    "as it is": "https://paper.example/harbour?id=3",
    "with a tracker": "https://paper.example/harbour?utm_source=x&id=3",
    "another host's spelling": "http://www.PAPER.example/harbour?id=3",
}


@pytest.mark.parametrize("address", ADDRESSES.values(), ids=ADDRESSES)
def test_explain_accepts_a_url(owner: User, feed: Feed, address: str) -> None:
    from_url = Feed.key_of("https://paper.example/harbour?id=3")
    article = make_delivered(owner, feed, url="https://paper.example/harbour?id=3", url_key=from_url)
    rate_waiting()
    assert json.loads(run("explain", address, "--json"))["article_id"] == article.pk


@pytest.mark.parametrize(
    "wanted", ["4711", "99999999999999999999999", "https://elsewhere.example/", "", "-1", "²", "x y"]
)
def test_explain_refuses_an_undelivered_article(owner: User, wanted: str) -> None:
    with pytest.raises(CommandError, match="The user has no article"):
        run("explain", "--", wanted)


def test_explain_refuses_another_users_article(owner: User, feed: Feed) -> None:
    article = make_delivered(make.user("ben"), feed)
    rate_waiting()
    with pytest.raises(CommandError, match="The user has no article"):
        run("explain", str(article.pk))
    assert run("explain", str(article.pk), "--user", "ben").splitlines()


def test_explain_suggests_score_before_assessment(owner: User, feed: Feed) -> None:
    article = make_delivered(owner, feed)
    with pytest.raises(CommandError, match="hasn't been assessed yet"):
        run("explain", str(article.pk))


@pytest.mark.parametrize("command", [("score",), ("train",), ("explain", "1")], ids=lambda command: command[0])
def test_refuses_unknown_user(owner: User, command: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match="No user is called nobody") as caught:
        run(*command, "--user", "nobody")
    assert caught.value.returncode == 1
    assert not Assessment.objects.exists()


def test_explain_without_an_account_suggests_a_command() -> None:
    with pytest.raises(CommandError, match="no account yet"):
        run("explain", "1")
