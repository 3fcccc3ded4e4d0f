"""Pages behind email links: GET changes nothing, and only the token's own user is affected."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from digests.delivery.links import ALERTS, ArticleAction, EmailAction, Subscribed, action_token, unsubscribe_token
from digests.models import AlertSettings, DigestPlan, Mailing, MailingState
from feeds.models import Article
from reader.models import ArticleState, Delivery, Engagement, EngagementSource, Subscription
from tests import make
from tests.digests.mails import digest, mailing
from tests.make import NOW
from tests.markup import tight

pytestmark = pytest.mark.django_db

ONE_CLICK = {"List-Unsubscribe": "One-Click"}
KINDS = {EmailAction.READ: "opened", EmailAction.SKIP: "skipped", EmailAction.LIKE: "liked"}


@pytest.fixture(autouse=True)
def _at_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("digests.views.links.timezone", SimpleNamespace(now=lambda: NOW))


def brought(user: User, **values: object) -> Article:
    """An unread article of a feed that the user follows."""
    article = make.article(**{"title": "Talks, second round", **values})
    make.delivery(make.subscription(user), article)
    return article


def act_path(user: User, article: Article, act: EmailAction = EmailAction.READ, *, until: datetime = NOW) -> str:
    return f"/mail/act/{action_token(ArticleAction(user.pk, article.pk, act), until=until)}/"


def stop_path(user: User, what: str) -> str:
    return f"/mail/unsubscribe/{unsubscribe_token(Subscribed(user.pk, what))}/"


def form_of(answer: HttpResponse) -> dict[str, str]:
    """The hidden fields of the page's form."""
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', answer.content.decode())
    return {name: value for name, value in found if name != "csrfmiddlewaretoken"}


def is_read(user: User, article: Article) -> bool:
    return Delivery.objects.get(user=user, article=article).is_read


def plan(user: User, **values: object) -> DigestPlan:
    return DigestPlan.objects.create(user=user, **{"kind": "morning", "at": "07:00", "by_mail": True, **values})


# ActionLinks


@pytest.mark.parametrize("act", list(EmailAction))
@pytest.mark.parametrize("method", ["get", "head"])
def test_get_changes_nothing(client: Client, act: EmailAction, method: str) -> None:
    user = make.user()
    article = brought(user)
    answer = getattr(client, method)(act_path(user, article, act))
    assert answer.status_code == 200
    assert not Engagement.objects.exists()
    assert not is_read(user, article)
    if method == "get":
        assert answer.content.count(b"<button") == 1
        assert b"Talks, second round" in answer.content
        assert b"refresh" not in answer.content


@pytest.mark.parametrize(
    ("act", "words", "marks_read"),
    [(EmailAction.READ, "Opened", True), (EmailAction.SKIP, "Skipped", True), (EmailAction.LIKE, "Liked", False)],
)
def test_button_acts_once_and_confirms(client: Client, act: EmailAction, words: str, marks_read: bool) -> None:
    user = make.user()
    article = brought(user)
    for _ in range(3):
        answer = client.post(act_path(user, article, act))
        assert answer.status_code == 200
        assert f"<h1>{words}</h1>" in tight(answer.content.decode())
    made = Engagement.objects.get()
    assert (made.user, made.article, made.kind, made.source) == (user, article, KINDS[act], EngagementSource.EMAIL)
    assert made.happened_at == NOW
    assert is_read(user, article) == marks_read
    assert Subscription.objects.get(user=user).unread_count == (0 if marks_read else 1)


@pytest.mark.parametrize("act", list(EmailAction))
def test_undoing_restores_the_previous_state(client: Client, act: EmailAction) -> None:
    user = make.user()
    article = brought(user)
    done = client.post(act_path(user, article, act))
    for _ in range(2):  # pressed twice, it takes back nothing more
        answer = client.post(act_path(user, article, act), form_of(done))
        assert "<h1>Undone</h1>" in tight(answer.content.decode())
    assert Engagement.active.count() == 0
    assert Engagement.objects.count() == 2
    assert not is_read(user, article)


def test_undoing_does_not_mark_unread_what_was_read_before(client: Client) -> None:
    user = make.user()
    article = brought(user)
    ArticleState.objects.create(user=user, article=article, is_read=True)
    Delivery.objects.filter(user=user).update(is_read=True)
    done = client.post(act_path(user, article, EmailAction.SKIP))
    assert "unread" not in form_of(done)
    client.post(act_path(user, article, EmailAction.SKIP), form_of(done))
    assert is_read(user, article)


def test_undone_action_can_be_repeated(client: Client) -> None:
    user = make.user()
    article = brought(user)
    path = act_path(user, article, EmailAction.LIKE)
    client.post(path, form_of(client.post(path)))
    client.post(path)
    assert Engagement.active.filter(kind="liked").count() == 1


@pytest.mark.parametrize("engagement", ["", "x", "-1", "9" * 40, "999999"])
def test_undoing_a_missing_change_does_nothing(client: Client, engagement: str) -> None:
    user = make.user()
    article = brought(user)
    client.post(act_path(user, article, EmailAction.SKIP))
    answer = client.post(
        act_path(user, article, EmailAction.SKIP), {"do": "undo", "engagement": engagement, "unread": "1"}
    )
    assert answer.status_code == 200
    assert Engagement.objects.count() == 1
    assert is_read(user, article)


def test_link_undoes_only_its_own_action(client: Client) -> None:
    user, other = make.user(), make.user()
    article, second = brought(user), brought(user)
    make.delivery(make.subscription(other), article)
    acts = [(user, article, "liked"), (user, second, "skipped"), (other, article, "skipped")]
    for who, what, kind in acts:
        done = Engagement.objects.create(user=who, article=what, kind=kind, happened_at=NOW)
        client.post(act_path(user, article, EmailAction.SKIP), {"do": "undo", "engagement": done.pk})
    assert Engagement.objects.count() == len(acts)


def test_opened_article_redirects_to_its_url(client: Client) -> None:
    user = make.user()
    article = brought(user, url='https://paper.example/a?b=1&c="2"')
    page = client.post(act_path(user, article), {"next": "https://evil.example/", "url": "https://evil.example/"})
    text = tight(page.content.decode())
    address = "https://paper.example/a?b=1&amp;c=&quot;2&quot;"
    assert f'<meta http-equiv="refresh" content="0; url={address}">' in text
    assert f'href="{address}" rel="noopener noreferrer"' in text
    assert "evil.example" not in text


@pytest.mark.parametrize("act", [EmailAction.SKIP, EmailAction.LIKE])
def test_only_reading_leaves_the_page(client: Client, act: EmailAction) -> None:
    user = make.user()
    text = client.post(act_path(user, brought(user), act)).content.decode()
    assert "refresh" not in text
    assert "Read the article" in text


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,hi", "", "//evil.example/", "file:///etc/passwd"]
)
def test_no_link_leads_to_what_is_no_web_address(client: Client, url: str) -> None:
    user = make.user()
    article = brought(user, url=url)
    text = client.post(act_path(user, article)).content.decode()
    assert "refresh" not in text
    assert f'href="/articles/{article.pk}/"' in text
    assert not url or url not in text


def test_a_hostile_title_stays_text(client: Client) -> None:
    user = make.user()
    text = client.get(act_path(user, brought(user, title="<script>alert(1)</script>"))).content.decode()
    assert "&lt;script&gt;" in text
    assert "<script>alert" not in text


def test_an_article_without_title_is_called_something(client: Client) -> None:
    user = make.user()
    assert "Untitled" in client.get(act_path(user, brought(user, title=""))).content.decode()


@pytest.mark.parametrize("method", ["get", "post"])
def test_expired_link_does_nothing(client: Client, method: str) -> None:
    user = make.user()
    article = brought(user)
    answer = getattr(client, method)(act_path(user, article, until=NOW - timedelta(seconds=1)))
    assert answer.status_code == 410
    assert not Engagement.objects.exists()
    assert article.title not in answer.content.decode()


@pytest.mark.parametrize(("act", "leads_on"), [("read", True), ("skip", False)])
def test_expired_headline_still_leads_to_the_article(client: Client, act: str, leads_on: bool) -> None:
    user = make.user()
    article = brought(user, url="https://paper.example/dam")
    answer = client.get(act_path(user, article, EmailAction(act), until=NOW - timedelta(seconds=1)))
    assert answer.status_code == 410
    assert ('href="https://paper.example/dam"' in answer.content.decode()) is leads_on


@pytest.mark.parametrize("token", ["x", "read.1.1.1uXyz.forged", "%00", "🙂"])
@pytest.mark.parametrize("where", ["act", "unsubscribe"])
def test_a_forged_link_leads_nowhere(client: Client, token: str, where: str) -> None:
    for answer in (client.get(f"/mail/{where}/{token}/"), client.post(f"/mail/{where}/{token}/", ONE_CLICK)):
        assert answer.status_code == 404


def _gone_user(user: User, article: Article) -> None:
    user.is_active = False
    user.save()


def _unfollowed(user: User, article: Article) -> None:
    Subscription.objects.filter(user=user).delete()


def _purged(user: User, article: Article) -> None:
    article.delete()


@pytest.mark.parametrize("happened", [_gone_user, _unfollowed, _purged], ids=["not active", "unfollowed", "purged"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_inaccessible_articles_are_not_shown(
    client: Client, happened: Callable[[User, Article], None], method: str
) -> None:
    user = make.user()
    article = brought(user, title="Secret of old days")
    path = act_path(user, article)
    assert client.get(path).status_code == 200
    happened(user, article)
    answer = getattr(client, method)(path)
    assert answer.status_code == 410
    assert "Secret of old days" not in answer.content.decode()
    assert not Engagement.objects.exists()


@pytest.mark.parametrize("is_signed_in", [False, True])
def test_link_acts_for_its_user(client: Client, is_signed_in: bool) -> None:
    user, other = make.user(), make.user()
    article = brought(user)
    make.delivery(make.subscription(other), article)
    if is_signed_in:
        client.force_login(other)
    client.post(act_path(user, article, EmailAction.SKIP))
    assert [engagement.user for engagement in Engagement.objects.all()] == [user]
    assert not is_read(other, article)


def test_follower_cannot_use_anothers_link(client: Client) -> None:
    user, other = make.user(), make.user()
    article = brought(other)
    client.force_login(other)
    assert client.post(act_path(user, article)).status_code == 410
    assert not Engagement.objects.exists()


# Headers and forms


def each_page(client: Client) -> list[HttpResponse]:
    user = make.user()
    article = brought(user)
    plan(user)
    paths = [act_path(user, article), stop_path(user, "morning"), "/mail/act/x/", "/mail/unsubscribe/x/"]
    return [method(path) for path in paths for method in (client.get, client.post)]


def test_pages_are_not_cached_and_send_no_referrer(client: Client) -> None:
    for answer in each_page(client):
        assert "no-store" in answer["Cache-Control"]
        assert "private" in answer["Cache-Control"]
        assert answer["X-Robots-Tag"] == "noindex, nofollow"
        assert answer["Referrer-Policy"] == "same-origin"
        assert '<meta name="robots" content="noindex, nofollow">' in answer.content.decode()
        assert "<script" not in answer.content.decode()


def test_other_methods_are_refused(client: Client) -> None:
    user = make.user()
    for path in (act_path(user, brought(user)), stop_path(user, "morning")):
        assert client.put(path).status_code == 405
        assert client.delete(path).status_code == 405


def test_an_act_works_without_cookies() -> None:
    client = Client(enforce_csrf_checks=True)
    user = make.user()
    assert client.post(act_path(user, brought(user))).status_code == 200
    assert Engagement.objects.count() == 1


def test_where_there_are_cookies_the_form_must_be_ours() -> None:
    client = Client(enforce_csrf_checks=True)
    user = make.user()
    path = act_path(user, brought(user))
    page = client.get(path)
    assert client.cookies["csrftoken"].value
    assert client.post(path).status_code == 403
    assert not Engagement.objects.exists()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.content.decode())
    assert token
    assert client.post(path, {"csrfmiddlewaretoken": token[1]}).status_code == 200
    assert Engagement.objects.count() == 1


def test_link_alone_creates_no_session(client: Client) -> None:
    each_page(client)
    assert "sessionid" not in client.cookies


# Unsubscribing


def test_looking_at_the_way_out_does_not_take_it(client: Client) -> None:
    user = make.user()
    plan(user)
    answer = client.get(stop_path(user, "morning"))
    assert "Unsubscribe from the morning brief emails?" in answer.content.decode()
    assert DigestPlan.objects.get().by_mail


def test_one_click_of_a_mail_service_switches_off() -> None:
    client = Client(enforce_csrf_checks=True)
    user, other = make.user(), make.user()
    plan(user), plan(user, kind="weekly"), plan(other)
    AlertSettings.objects.create(user=user, breaking_by_mail=True)
    client.cookies["csrftoken"] = "a" * 32  # even if a browser sends it along
    for _ in range(2):
        answer = client.post(stop_path(user, "morning"), ONE_CLICK)
        assert answer.status_code == 200
        assert "<h1>Unsubscribed</h1>" in answer.content.decode()
    by_mail = {(digest_plan.user, digest_plan.kind): digest_plan.by_mail for digest_plan in DigestPlan.objects.all()}
    assert by_mail == {(user, "morning"): False, (user, "weekly"): True, (other, "morning"): True}
    assert DigestPlan.objects.filter(is_on=True).count() == 3
    assert AlertSettings.objects.get(user=user).breaking_by_mail


def test_the_way_out_is_open_for_good(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    user = make.user()
    plan(user)
    path = stop_path(user, "morning")
    monkeypatch.setattr("digests.views.links.timezone", SimpleNamespace(now=lambda: datetime(2046, 1, 1, tzinfo=UTC)))
    client.post(path)
    assert not DigestPlan.objects.get().by_mail


def test_a_digest_can_be_switched_on_again(client: Client) -> None:
    user = make.user()
    plan(user)
    path = stop_path(user, "morning")
    answer = client.post(path, form_of(client.post(path)))
    assert "<h1>Subscribed</h1>" in answer.content.decode()
    assert DigestPlan.objects.get().by_mail
    assert client.post(path, ONE_CLICK | {"do": ""}).status_code == 200
    assert not DigestPlan.objects.get().by_mail


@pytest.mark.parametrize(
    "on",
    [("breaking_by_mail",), ("feeds_by_mail",), ("breaking_by_mail", "feeds_by_mail")],
    ids=["breaking", "feeds", "both"],
)
def test_alerts_are_switched_off_and_on_as_they_were(client: Client, on: tuple[str, ...]) -> None:
    user, other = make.user(), make.user()
    before = NOW - timedelta(days=3)
    AlertSettings.objects.create(user=user, breaking=True, mail_from=before, **dict.fromkeys(on, True))
    AlertSettings.objects.create(user=other, mail_from=before, breaking_by_mail=True)
    path = stop_path(user, ALERTS)
    page = client.post(path, ONE_CLICK)
    theirs = AlertSettings.objects.get(user=user)
    assert not theirs.breaking_by_mail
    assert not theirs.feeds_by_mail
    assert theirs.breaking  # in the reader it is still told
    names = re.findall(r'name="switch" value="(\w+)"', page.content.decode())
    client.post(path, {"do": "resume", "switch": names})
    theirs.refresh_from_db()
    assert {name for name in ("breaking_by_mail", "feeds_by_mail") if getattr(theirs, name)} == set(on)
    assert theirs.mail_from == NOW  # what happened between is not sent
    assert AlertSettings.objects.get(user=other).mail_from == before


def test_only_email_switches_can_be_turned_on(client: Client) -> None:
    user = make.user()
    AlertSettings.objects.create(user=user, breaking=False)
    client.post(stop_path(user, ALERTS), {"do": "resume", "switch": ["breaking", "user", "pk"]})
    theirs = AlertSettings.objects.get()
    assert (theirs.breaking, theirs.breaking_by_mail, theirs.feeds_by_mail) == (False, False, False)


@pytest.mark.parametrize("what", ["morning", ALERTS])
def test_what_was_never_set_up_is_off(client: Client, what: str) -> None:
    user = make.user()
    for answer in (client.get(stop_path(user, what)), client.post(stop_path(user, what), ONE_CLICK)):
        text = answer.content.decode()
        assert "<h1>Unsubscribed</h1>" in text
        assert "<button" not in text
    assert not DigestPlan.objects.exists()
    assert not AlertSettings.objects.exists()


def test_unsubscribe_link_of_a_deleted_account_is_404(client: Client) -> None:
    user = make.user(is_active=False)
    plan(user)
    assert client.post(stop_path(user, "morning"), ONE_CLICK).status_code == 410


def test_waiting_email_is_not_sent(client: Client) -> None:
    user, other = make.user(), make.user()
    plan(user)
    kinds = [(user, "morning"), (user, "weekly"), (other, "morning")]
    mails = [mailing(digest=digest(who, kind=kind)) for who, kind in kinds]
    handed = mailing(user, state=MailingState.HANDING_OVER)
    client.post(stop_path(user, "morning"), ONE_CLICK)
    states = [Mailing.objects.get(pk=mail.pk).state for mail in [*mails, handed]]
    assert states == [MailingState.FAILED, MailingState.WAITING, MailingState.WAITING, MailingState.HANDING_OVER]
    answer = Mailing.objects.get(pk=mails[0].pk).answer
    assert answer == "You turned off email for the morning brief before this was sent."
