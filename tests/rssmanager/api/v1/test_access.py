"""Who gets in: tokens, scopes, two users; and what a wrong request gets."""

from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reader.models import ArticleState, Delivery, Folder, Rule, SavedSearch, Subscription, Tag
from rssmanager.api.v1.urls import document
from rssmanager.authentication.models import AppPassword, Scope
from tests import make
from tests.rssmanager.api.v1.conftest import ROOT, Script, deliver
from tests.tables import table

pytestmark = pytest.mark.django_db

SENT: dict[str, Any] = {  # a body that each kind of writing takes
    "post /articles/state": {"ids": [1], "is_read": True},
    "post /articles/{id}/highlights": {"quote": "x"},
    "patch /highlights/{id}": {"note": "x"},
    "post /feeds": {"address": "a.example"},
    "post /feeds/follow": {"address": "a.example"},
    "post /imports/{id}/follow": {"numbers": [0]},
    "post /folders": {"name": "x"},
    "patch /folders/{id}": {"name": "x"},
    "patch /tags/{id}": {"name": "x"},
    "post /searches": {"name": "x", "query": "x"},
    "put /searches/{id}": {"name": "x", "query": "x"},
    "post /interests": {"topics": ["x"]},
    "post /interests/change": {"terms": ["x"], "act": "raise"},
    "post /notifications/seen": {"up_to": 1},
}


def operations() -> list[tuple[str, str, str]]:
    """Method, path and needed scope of everything; the scope is "" where any will do."""
    return [
        (method.upper(), path, {"Read": ""}.get(scheme, scheme.lower()))
        for path, methods in document()["paths"].items()
        for method, operation in methods.items()
        for one in operation["security"]
        for scheme in one
    ]


def ask(script: Script, method: str, path: str, pk: int = 999) -> int:
    body = SENT.get(f"{method.lower()} {path}", {}) if method in ("POST", "PUT", "PATCH") else None
    return script.ask(method, path.removeprefix("/").replace("{id}", str(pk)), body).status_code


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer x", "Basic YWRhOng=", "GoogleLogin auth=1.x"])
def test_nobody_gets_in(script: Script, header: str | None) -> None:
    client = Client()
    client.force_login(script.user)  # cookies are ignored
    answer = client.get(f"{ROOT}me", headers={} if header is None else {"Authorization": header})
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
    assert (answer["Content-Type"], answer.json()["status"]) == ("application/problem+json", 401)


def test_every_operation_needs_its_scope(db: None) -> None:
    assert {scope for _, _, scope in operations()} == {"", *Scope}
    ada = make.user("ada")
    reading = Script(ada, scopes=())
    for method, path, scope in operations():
        assert (ask(reading, method, path) == 403) == bool(scope), (method, path)
        assert method == "GET" or scope
    for scope in Scope:
        script = Script(ada, scopes=(scope,))
        refused = {(method, path) for method, path, _ in operations() if ask(script, method, path) == 403}
        assert refused == {(method, path) for method, path, needed in operations() if needed not in ("", scope)}
        assert script.get("me")["scopes"] == [scope]


def test_token_ends_when_revoked(script: Script) -> None:
    assert script.get("me") == {"name": "ada", "email": "", "scopes": list(Scope), "n_feeds": 0}
    assert AppPassword.objects.get().last_used_at is not None
    AppPassword.objects.all().delete()
    assert script.ask("GET", "me").status_code == 401


def test_wrong_tokens_are_slowed(script: Script) -> None:
    wrong = [Client().get(f"{ROOT}me", headers={"Authorization": "Bearer no"}).status_code for _ in range(21)]
    assert wrong == [401] * 20 + [429]
    answer = Client().get(f"{ROOT}me", headers={"Authorization": "Bearer no"})
    assert 0 < int(answer["Retry-After"]) <= 900
    assert answer.json()["title"] == "Too Many Requests"
    assert script.get("me")["name"] == "ada"  # a right one is never slowed


def test_nothing_of_another_user(script: Script) -> None:
    eve, ada = Script(make.user("eve")), script.user
    folder, tag = make.folder(ada), make.tag(ada, "Kept")
    subscription = make.subscription(ada, folder=folder)
    articles = deliver(ada, 2, subscription=subscription, title="zqsecret")
    make.story(*articles)
    rule = make.rule(ada)
    saved = SavedSearch.objects.create(user=ada, name="zqsecret", query="x")
    make.notification(subscription, text="zqsecret")
    before = rows()
    for method, path, _ in operations():
        for pk in {subscription.pk, folder.pk, tag.pk, rule.pk, saved.pk, articles[0].pk, articles[0].story_id}:
            if "{id}" in path:
                assert ask(eve, method, path, pk or 1) in (404, 422), (method, path)
            elif method == "GET":
                assert b"zqsecret" not in eve.ask(method, path.removeprefix("/")).content
    for name, pk in (("feed", subscription.pk), ("folder", folder.pk), ("tag", tag.pk), ("search", saved.pk)):
        eve.get("articles", status=404, **{name: pk})
        if name != "search":
            eve.post("articles/read", {name: pk}, status=404)
    eve.post("articles/state", {"ids": [articles[0].pk], "is_read": True, "add_tags": ["x"]}, status=204)
    eve.post("rules", {"folder_id": folder.pk, "stars": True}, status=404)
    eve.post("notifications/seen", {"up_to": 10**6}, status=204)
    assert rows() == before


def rows() -> list[list[tuple[Any, ...]]]:
    models = (ArticleState, Delivery, Subscription, Folder, Tag, Rule, SavedSearch)
    ada = [list(model.objects.filter(user__username="ada").order_by("pk").values_list()) for model in models]
    return [*ada, list(ArticleState.objects.filter(user__username="eve").values_list())]


@table(
    ("method", "path", "status", "said"),
    [
        ("GET", "nothing", 404, "There is no such endpoint."),
        ("GET", "articles/x", 404, "There is no such endpoint."),
        ("GET", "articles/999", 404, "There is no such thing, or it isn't yours."),
        ("PUT", "articles", 405, "Use GET here."),
        ("GET", "articles?limit=201", 422, "Some values are invalid."),
        ("GET", "articles?cursor=x", 422, "This cursor isn't one of this list in this order."),
        ("GET", "articles?list=starred&order=best", 422, "The list “starred” can't be in this order."),
        ("GET", "articles?list=starred&unread=1", 422, "can't be limited to unread articles"),
        ("GET", "articles?q=x&list=starred", 422, "Choose only one of list, feed, folder, tag, search and q."),
        ("GET", "articles?q=-", 422, "There is nothing to search for in this query."),
        ("GET", "feeds?cursor=x", 422, "Some values are invalid."),
        ("GET", "stories?cursor=x", 422, "This cursor isn't one of this list."),
    ],
)
def test_problems_say_what_is_wrong(script: Script, method: str, path: str, status: int, said: str) -> None:
    answer = script.ask(method, path)
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    problem = answer.json()
    assert (problem["status"], problem["type"]) == (status, "about:blank")
    assert said in problem["detail"]


def test_bodies_say_what_is_wrong(script: Script) -> None:
    broken = script.client.post(f"{ROOT}articles/state", b"{", content_type="application/json", headers=script.headers)
    assert (broken.status_code, broken.json()["detail"]) == (400, "The body isn't JSON.")
    found = script.post("articles/state", {"ids": [1], "is_raed": True}, status=422)
    assert found["errors"] == [{"at": "body.sent.is_raed", "detail": "Extra inputs are not permitted"}]


_VALUES = st.one_of(
    st.sampled_from(["", "0", "-1", "1", "9" * 30, "9223372036854775808", "null", "\0", "²", "٣", "u.1.1", "r.-9.1"]),
    st.text(max_size=30),
    st.from_regex(r"[ur]\.-?[0-9]{1,17}\.[0-9]{1,18}", fullmatch=True),
    st.from_regex(
        r"[0-9]{1,16}_-?0x1\.[0-9a-f]{1,4}p-?[0-9]{1,4}_[0-9]{1,18}(~[ur]\.-?[0-9]{1,17}\.1)?", fullmatch=True
    ),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    name=st.sampled_from(["cursor", "limit", "feed", "folder", "tag", "search", "q", "list", "order", "unread"]),
    value=_VALUES,
    order=st.sampled_from(["newest", "oldest", "unread", "important"]),
)
def test_odd_values_are_no_errors(script: Script, name: str, value: str, order: str) -> None:
    if not Delivery.objects.exists():
        deliver(script.user, 2)
    assert script.ask("GET", "articles", **({"order": order} | {name: value})).status_code in (200, 404, 422)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=st.one_of(_VALUES, st.sampled_from(["\ud800", "x" * 10_000, "\0x"])), pk=st.integers(-1, 2**64))
def test_odd_bodies_are_no_errors(script: Script, text: str, pk: int) -> None:
    sent = [
        ("POST", "articles/state", {"ids": [pk], "add_tags": [text], "is_starred": True}),
        ("POST", "folders", {"name": text}),
        ("POST", "searches", {"name": text, "query": text}),
        ("POST", "feeds/follow", {"address": text, "title": text}),
        ("POST", "interests", {"topics": [text]}),
        ("POST", "interests/change", {"terms": [text], "act": "mute"}),
        ("POST", "rules", {"conditions": [{"field": "title", "test": "matches", "value": text}], "url": text}),
        ("POST", "articles/read", {"until": text}),
    ]
    for method, path, body in sent:
        assert script.ask(method, path, body).status_code < 500
