"""Which articles the language model rates, in which order, and the effect of its answers and failures."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries, Settings

from feeds.models import Article, Disposition
from reader.llm import Answer, Failure, FailureKind, LanguageModel, Server
from reader.models import Assessment, Delivery, LanguageModelRequest, LanguageModelUsage, SensitivityLabel, Subscription
from reader.scoring.llm_sensitivity import RunReport, StopReason, queue, run_configured, run_queue
from rssmanager.env import Environment
from tests import make
from tests.reader.assessed import assess, make_assessed
from tests.reader.language_server import LanguageServer, errs, rating, says, stalls

pytestmark = pytest.mark.django_db

FIVE = Answer(5, "high", "It is unfolding.")
USELESS = Failure(FailureKind.ANSWER, "The answer held no JSON object.")
DOWN = Failure(FailureKind.SERVER, "models.example did not answer.")


class Scripted:
    """A model with scripted outcomes, repeating the last one; it requests admission and records titles."""

    def __init__(self, *outcomes: Answer | Failure, then: Callable[[], object] = lambda: None) -> None:
        self.outcomes = list(outcomes)
        self.asked: list[str] = []
        self._then = then

    def ask(self, title: str, text: str, *, admit_request: Callable[[], bool]) -> Answer | Failure:
        if not admit_request():
            return Failure(FailureKind.BUDGET, "No more.")
        self.asked.append(title)
        self._then()
        return self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]


class Clock:
    """Advances by a second on every call."""

    def __init__(self, now: datetime = make.NOW) -> None:
        self.now = now

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def run(model: Scripted, *, at: datetime = make.NOW, seconds: float = 600, limit: int = 20) -> RunReport:
    return run_queue(model, until=at + timedelta(seconds=seconds), limit_per_minute=limit, clock=Clock(at))


@pytest.fixture
def reader() -> User:
    return make.user()


@pytest.fixture
def subscription(reader: User) -> Subscription:
    return make.subscription(reader)


def waiting_titles(limit: int = 20) -> list[str]:
    titles = dict(Article.objects.values_list("pk", "title"))
    return [titles[pk] for pk in queue(now=make.NOW, limit=limit)]


def test_the_newest_come_first(subscription: Subscription) -> None:
    for confidence, hours_old in (("high", 1), ("low", 9), ("medium", 2), ("low", 3), ("high", 5), ("medium", 1)):
        make_assessed(subscription, title=f"{confidence} {hours_old}", confidence=confidence, hours_old=hours_old)
    expected = ["medium 1", "high 1", "medium 2", "low 3", "high 5", "low 9"]
    assert waiting_titles() == expected
    assert [waiting_titles(limit) for limit in range(7)] == [expected[:limit] for limit in range(7)]


@pytest.mark.vendor
def test_only_recent_classified_articles_wait(subscription: Subscription) -> None:
    waits = make_assessed(subscription, title="waits")
    make_assessed(subscription, title="waits, of the third day", hours_old=71)
    make_assessed(subscription, title="old", hours_old=73)
    Delivery.objects.filter(article=make_assessed(subscription, title="read")).update(is_read=True)
    Delivery.objects.filter(article=make_assessed(subscription, title="folded")).update(is_folded=True)
    copy = make_assessed(subscription, title="folded copy")
    make.link(waits, copy, Disposition.NEAR_DUPLICATE)
    Delivery.objects.filter(article=copy).update(is_folded=True)
    assess(make.article(title="nobody's"))
    make.delivery(subscription, make.article(title="not assessed"))
    Article.objects.filter(pk=make_assessed(subscription, title="revised since").pk).update(content_hash=-1)
    Assessment.objects.filter(pk=make_assessed(subscription, title="judged").pk).update(source="llm")
    assert sorted(waiting_titles()) == ["folded", "read", "waits", "waits, of the third day"]


@pytest.mark.parametrize(
    ("revised_hours_ago", "titles"),
    [
        pytest.param(None, [], id="not-revised"),
        pytest.param(3, [], id="revised-before"),
        pytest.param(1, ["labelled"], id="revised-after"),
    ],
)
def test_asks_once_per_revision(subscription: Subscription, revised_hours_ago: int | None, titles: list[str]) -> None:
    revised_at = None if revised_hours_ago is None else make.NOW - timedelta(hours=revised_hours_ago)
    article = make_assessed(subscription, title="labelled", revised_at=revised_at)
    SensitivityLabel.objects.create(
        article=article, source="llm", score=2, confidence="low", made_at=make.NOW - timedelta(hours=2)
    )
    assert waiting_titles() == titles


def test_asks_despite_label_by_user(subscription: Subscription, reader: User) -> None:
    article = make_assessed(subscription, title="corrected")
    SensitivityLabel.objects.create(
        article=article, user=reader, source="user", score=2, confidence="high", made_at=make.NOW
    )
    assert waiting_titles() == ["corrected"]


def test_finding_articles_takes_one_query(
    subscription: Subscription, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(12):
        make_assessed(subscription, confidence=("low", "medium", "high")[number % 3])
    with django_assert_num_queries(1):
        assert len(list(queue(now=make.NOW, limit=20))) == 12


@pytest.mark.vendor
def test_answer_updates_label_assessment_and_ratings(subscription: Subscription, reader: User) -> None:
    article, other = make_assessed(subscription), make_assessed(subscription, hours_old=80)
    model = Scripted(FIVE)
    assert run(model) == RunReport(n_answered=1, n_changed=1)
    label = SensitivityLabel.objects.get()
    assert (label.article_id, label.user_id, label.source, label.score) == (article.pk, None, "llm", 5)
    assert (label.confidence, label.explanation) == ("high", "It is unfolding.")
    judged = Assessment.objects.get(pk=article.pk)
    assert (judged.sensitivity, judged.source, judged.confidence) == (5, "llm", "high")
    assert (judged.explanation, judged.shared_importance) == ("It is unfolding.", 15.5)
    assert dict(Delivery.objects.values_list("article", "is_rated")) == {article.pk: False, other.pk: True}
    assert not LanguageModelRequest.objects.exists()
    assert LanguageModelUsage.objects.get().answered_at is not None

    assert run(model, at=make.NOW + timedelta(hours=1)) == RunReport()
    assert len(model.asked) == 1


def test_confirming_answer_queues_no_rating(subscription: Subscription) -> None:
    article = make_assessed(subscription)
    assert run(Scripted(Answer(3, "high", "It goes on."))) == RunReport(n_answered=1)
    assert Delivery.objects.get().is_rated
    assert Assessment.objects.get(pk=article.pk).source == "llm"


def test_answer_keeps_label_by_user(subscription: Subscription, reader: User) -> None:
    article = make_assessed(subscription)
    SensitivityLabel.objects.create(
        article=article, user=reader, source="user", score=1, confidence="high", made_at=make.NOW
    )
    run(Scripted(FIVE))
    labels = set(SensitivityLabel.objects.values_list("user", "source", "score"))
    assert labels == {(reader.pk, "user", 1), (None, "llm", 5)}


def test_new_answer_after_revision_replaces_label(subscription: Subscription) -> None:
    article = make_assessed(subscription, revised_at=make.NOW)
    SensitivityLabel.objects.create(
        article=article, source="llm", score=2, confidence="low", made_at=make.NOW - timedelta(hours=2)
    )
    run(Scripted(FIVE))
    assert [(label.score, label.confidence) for label in SensitivityLabel.objects.all()] == [(5, "high")]


@pytest.mark.parametrize("model", [Article, Assessment], ids=["revised", "assessed-anew"])
def test_drops_answer_if_article_was_revised_meanwhile(
    subscription: Subscription, model: type[Article] | type[Assessment]
) -> None:
    article = make_assessed(subscription)
    report = run(Scripted(FIVE, then=lambda: model.objects.update(content_hash=-1)))
    assert report == RunReport(n_outdated=1)
    assert not SensitivityLabel.objects.exists()
    assert not LanguageModelRequest.objects.exists()
    assert Assessment.objects.get(pk=article.pk).source == "local"
    assert Delivery.objects.get().is_rated


def test_drops_answer_if_article_was_deleted_meanwhile(subscription: Subscription) -> None:
    make_assessed(subscription)
    report = run(Scripted(FIVE, then=lambda: Article.objects.all().delete()))
    assert report == RunReport(n_outdated=1)
    assert not SensitivityLabel.objects.exists()


def test_does_not_retry_after_unusable_answer(subscription: Subscription) -> None:
    article = make_assessed(subscription)
    model = Scripted(USELESS)
    assert run(model) == RunReport(n_useless=1)
    assert run(model, at=make.NOW + timedelta(hours=5)) == RunReport()
    question = LanguageModelRequest.objects.get()
    assert (question.article_id, question.is_open, question.reason) == (article.pk, False, USELESS.reason)
    assert len(model.asked) == 1
    assert Assessment.objects.get().source == "local"


def test_tries_failing_server_three_times_in_total(subscription: Subscription) -> None:
    make_assessed(subscription)
    model = Scripted(DOWN)
    for minutes, n_asked in ((0, 1), (5, 1), (11, 2), (22, 3), (33, 3), (600, 3)):
        run(model, at=make.NOW + timedelta(minutes=minutes))
        assert len(model.asked) == n_asked, f"after {minutes} minutes"
    assert LanguageModelRequest.objects.get().reason == DOWN.reason
    assert not SensitivityLabel.objects.exists()


def test_continues_with_next_article_after_failure(subscription: Subscription) -> None:
    for number in range(3):
        make_assessed(subscription, title=str(number), hours_old=number)
    model = Scripted(DOWN, USELESS, FIVE)
    assert run(model) == RunReport(n_answered=1, n_changed=1, n_useless=1, n_failed=1)
    assert model.asked == ["0", "1", "2"]


def test_article_is_done_if_retry_succeeds(subscription: Subscription) -> None:
    make_assessed(subscription)
    model = Scripted(DOWN, FIVE)
    run(model)
    assert run(model, at=make.NOW + timedelta(minutes=11)) == RunReport(n_answered=1, n_changed=1)
    assert not LanguageModelRequest.objects.exists()


def test_pauses_after_five_failures_then_tries_once(subscription: Subscription) -> None:
    for number in range(9):
        make_assessed(subscription, hours_old=number)
    model = Scripted(DOWN)
    assert run(model) == RunReport(n_failed=5, stopped=StopReason.PAUSED)
    assert run(model, at=make.NOW + timedelta(minutes=5)) == RunReport(stopped=StopReason.PAUSED)
    assert len(model.asked) == 5
    assert run(model, at=make.NOW + timedelta(minutes=20)) == RunReport(n_failed=1, stopped=StopReason.PAUSED)
    model.outcomes = [FIVE]
    assert run(model, at=make.NOW + timedelta(minutes=40)).n_answered == 9


def test_respects_pause_requested_by_server(subscription: Subscription) -> None:
    make_assessed(subscription)
    make_assessed(subscription)
    model = Scripted(Failure(FailureKind.SERVER, "Slow down.", retry_after=timedelta(hours=1)))
    assert run(model) == RunReport(n_failed=1, stopped=StopReason.PAUSED)
    assert run(model, at=make.NOW + timedelta(minutes=59)) == RunReport(stopped=StopReason.PAUSED)
    assert run(model, at=make.NOW + timedelta(minutes=61)).n_failed == 1


def test_respects_limit_per_minute(subscription: Subscription) -> None:
    for number in range(9):
        make_assessed(subscription, hours_old=number)
    Assessment.objects.update(confidence="medium")
    model = Scripted(FIVE)
    assert run(model, limit=4).n_answered == 4
    assert run(model, limit=4, at=make.NOW + timedelta(seconds=30)) == RunReport(stopped=StopReason.BUDGET)
    assert run(model, limit=4, at=make.NOW + timedelta(seconds=90)).n_answered == 4
    assert len(model.asked) == 8
    assert not LanguageModelRequest.objects.exists()  # articles without admission are released


def test_starts_nothing_after_time_limit(subscription: Subscription) -> None:
    make_assessed(subscription)
    model = Scripted(FIVE)
    assert run(model, seconds=0) == RunReport(stopped=StopReason.TIME)
    assert (model.asked, LanguageModelRequest.objects.count()) == ([], 0)


def test_respects_claim_of_other_worker_until_it_expires(subscription: Subscription) -> None:
    article = make_assessed(subscription)
    LanguageModelRequest.objects.create(article=article, asked_at=make.NOW)
    model = Scripted(FIVE)
    assert run(model, at=make.NOW + timedelta(minutes=9)) == RunReport()
    assert run(model, at=make.NOW + timedelta(minutes=11)).n_answered == 1


@pytest.mark.vendor
def test_two_workers_ask_once_about_the_same_article(subscription: Subscription) -> None:
    make_assessed(subscription, title="first")
    make_assessed(subscription, title="second", hours_old=2)
    model = Scripted(FIVE)
    slow = Scripted(FIVE, then=lambda: run(model))  # the other worker runs while this one waits for an answer
    assert run(slow).n_answered == 1
    assert (slow.asked, model.asked) == (["first"], ["second"])


def test_asks_nothing_without_configured_model(subscription: Subscription) -> None:
    make_assessed(subscription)
    assert run_configured(until=datetime.max.replace(tzinfo=make.NOW.tzinfo)) is None
    assert not LanguageModelUsage.objects.exists()


@pytest.fixture
def server() -> Iterator[LanguageServer]:
    language_server = LanguageServer(says(rating(5)))
    yield language_server
    language_server.close()


def ask_server(server: LanguageServer, *, limit: int = 20) -> RunReport:
    """Run with a real client, a short timeout and no pauses."""
    model = LanguageModel(Server(server.address, timeout=0.2), user_agent="test", wait=lambda seconds: None)
    try:
        until = make.NOW + timedelta(minutes=10)
        return run_queue(model, until=until, limit_per_minute=limit, clock=Clock())
    finally:
        model.close()


def test_failing_server_keeps_built_in_assessment(subscription: Subscription, server: LanguageServer) -> None:
    articles = [make_assessed(subscription, hours_old=number) for number in range(4)]
    lie, error = says(rating(9)), errs(500)
    server.plays(stalls, stalls, error, error, lie, lie, says(f"Well: {rating(5)}"))
    assert ask_server(server) == RunReport(n_answered=1, n_changed=1, n_useless=1, n_failed=2)
    judges = dict(Assessment.objects.values_list("pk", "source"))
    assert [judges[article.pk] for article in articles] == ["local", "local", "local", "llm"]
    assert len(server.asked) == 7
    assert f'"title": "{articles[3].title}"' in server.asked[6].prompt


def test_retries_count_as_requests(subscription: Subscription, server: LanguageServer) -> None:
    for number in range(4):
        make_assessed(subscription, hours_old=number)
    server.plays(says("Hm."))
    assert ask_server(server, limit=5) == RunReport(n_useless=2, stopped=StopReason.BUDGET)
    assert len(server.asked) == 5
    assert LanguageModelRequest.objects.count() == 2  # the third may be tried again


def test_uses_model_from_settings(
    subscription: Subscription, server: LanguageServer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    published_at = datetime.now(make.NOW.tzinfo)
    Article.objects.filter(pk=make_assessed(subscription).pk).update(published_at=published_at)
    values = {name: getattr(settings.ENV, name) for name in Environment.__slots__}
    configured = {"LLM_BASE_URL": server.address, "LLM_MODEL": "tiny", "LLM_API_KEY": "sk-key", "LLM_RATE": 1}
    settings.ENV = Environment(**{**values, **configured})
    report = run_configured(until=published_at + timedelta(minutes=1))
    assert report == RunReport(n_answered=1, n_changed=1)
    [request] = server.asked
    assert (request.body["model"], request.headers["authorization"]) == ("tiny", "Bearer sk-key")
    assert request.headers["user-agent"].startswith("rssmanager/")
