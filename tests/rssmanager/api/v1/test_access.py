"""Who gets in: tokens, scopes, two users; and what a wrong request gets."""

from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from feeds.models import Feed, Item
from reader.articles.highlights import add_highlight
from reader.models import (
    ArticleState,
    BulkRead,
    Delivery,
    Folder,
    Highlight,
    Notification,
    Rule,
    SavedSearch,
    Subscription,
    Tag,
)
from reader.subscriptions.save_page import save_page
from rssmanager.api.v1 import article_lists
from rssmanager.api.v1.urls import document
from rssmanager.authentication.models import AppPassword, Scope
from tests import make
from tests.digests import kept
from tests.rssmanager.api.v1.conftest import ROOT, Script, deliver
from tests.tables import table

pytestmark = pytest.mark.django_db

SENT: dict[str, Any] = {  # a body that each kind of writing takes
    "post /articles/state": {"ids": [1], "is_read": True},
    "post /articles/{id}/highlights": {"quote": "x"},
    "patch /highlights/{id}": {"note": "x"},
    "post /feeds": {"url": "a.example"},
    "post /feeds/follow": {"url": "a.example"},
    "post /imports/{id}/follow": {"numbers": [0]},
    "post /folders": {"name": "x"},
    "patch /folders/{id}": {"name": "x"},
    "patch /tags/{id}": {"name": "x"},
    "post /saved": {"url": "a.example/page"},
    "post /searches": {"name": "x", "query": "x"},
    "put /searches/{id}": {"name": "x", "query": "x"},
    "post /interests": {"topics": ["x"]},
    "post /interests/change": {"terms": ["x"], "action": "raise"},
    "post /notifications/seen": {"up_to_id": 1},
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
    subscription = make.subscription(ada, make.feed(title="zqsecret"), folder=folder)
    articles = deliver(ada, 2, subscription=subscription, title="zqsecret")
    story = make.story(*articles)
    rule = make.rule(ada)
    saved = SavedSearch.objects.create(user=ada, name="zqsecret", query="x")
    page, _is_new = save_page(ada, "https://pages.example/zqsecret", now=make.NOW)
    rows_with_ids = [
        *(subscription, folder, tag, rule, saved, page, *articles, story),
        make.notification(subscription, text="zqsecret"),
        make.job(ada),
        make.bulk_read(ada, [articles[0].pk]),
        add_highlight(ada, articles[0], quote="zqsecret", prefix="", suffix="", note="", now=make.NOW),
        kept.digest(ada, kept.topic(subscription, label="zqsecret"), made_at=make.NOW),
    ]
    before = rows()
    for method, path, _ in operations():
        for pk in {row.pk for row in rows_with_ids}:
            if "{id}" in path:
                assert ask(eve, method, path, pk) in (404, 422), (method, path)
        if "{id}" not in path and method == "GET":
            assert b"zqsecret" not in eve.ask(method, path.removeprefix("/")).content
    for name, row in (("feed", subscription), ("folder", folder), ("tag", tag), ("search", saved), ("story", story)):
        eve.get("articles", status=404, **{name: row.pk})
        if name not in ("search", "story"):
            eve.post("articles/read", {name: row.pk}, status=404)
    ids = [article.pk for article in (*articles, page)]
    assert (eve.ids(ids=ids), eve.get("articles/changes")["items"]) == ([], [])
    eve.post("articles/state", {"ids": ids, "is_read": True, "add_tags": ["x"]}, status=204)
    eve.post("rules", {"folder_id": folder.pk, "stars": True}, status=404)
    eve.post("notifications/seen", {"up_to_id": 10**6}, status=204)
    assert eve.post("feeds/refresh", status=202)["n_refreshed"] == 0
    assert rows() == before


def rows() -> list[list[tuple[Any, ...]]]:
    models = (ArticleState, Delivery, Subscription, Folder, Tag, Rule, SavedSearch, Highlight, Notification, BulkRead)
    ada = [list(model.objects.filter(user__username="ada").order_by("pk").values_list()) for model in models]
    shared = [list(Feed.objects.order_by("pk").values_list("pk", "next_poll_at")), list(Item.objects.values_list("pk"))]
    return [*ada, *shared, list(ArticleState.objects.filter(user__username="eve").values_list())]


@table(
    ("method", "path", "status", "said"),
    [
        ("GET", "nothing", 404, "There is no such endpoint."),
        ("GET", "articles/x", 404, "There is no such endpoint."),
        ("GET", "articles/999", 404, "There is no such thing, or it isn't yours."),
        ("PUT", "articles", 405, "Use GET here."),
        ("GET", "articles?limit=201", 422, "Some values are invalid."),
        ("GET", "articles?cursor=x", 422, "This cursor isn't one of this list in this order."),
        ("GET", "articles?list=starred&order=best", 422, "This list can't be in this order, only in these: starred,"),
        ("GET", "articles?list=today&order=newest", 422, "This list can't be in this order, only in its own."),
        ("GET", "articles?list=starred&unread=1", 422, "The list “starred” can't be combined with unread."),
        ("GET", "articles?q=x&list=important", 422, "The list “important” can't be combined with q."),
        ("GET", "articles?since=2026-03-04T12:00:00", 422, "Some values are invalid."),
        ("GET", "articles?fed=1", 400, "There is no parameter “fed” here, but before, cursor, feed, folder,"),
        ("GET", "me?html=1", 400, "There is no parameter “html” here, but none."),
        ("GET", "articles?feed=1&feed=2", 400, "Send the parameter “feed” once."),
        ("POST", "articles/read?feed=1", 400, "There is no parameter “feed” here, but none."),
        ("DELETE", "feeds/1?undo=1", 400, "There is no parameter “undo” here, but none."),
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
    problem = script.post("articles/state", {"ids": [1], "is_raed": True}, status=400)
    assert problem["detail"] == "There is no field “is_raed” here."
    found = script.post("articles/state", {"ids": [1, "x"]}, status=422)
    assert [(fault["at"], fault["detail"][:29]) for fault in found["errors"]] == [
        ("body.ids.1", "Input should be a valid integ")
    ]
    found = script.get(f"feeds/{2**63}", status=422)
    assert found["errors"][0]["at"] == "path.id"


def test_scripts_of_other_sites_need_a_token(script: Script) -> None:
    elsewhere = {"Origin": "https://elsewhere.example"}
    asked = {"Access-Control-Request-Method": "PATCH", "Access-Control-Request-Headers": "authorization"}
    preflight = Client().options(f"{ROOT}articles/1", headers=elsewhere | asked)
    assert (preflight.status_code, preflight.content) == (204, b"")
    assert "PATCH" in preflight["Access-Control-Allow-Methods"]
    assert "Authorization" in preflight["Access-Control-Allow-Headers"]
    browser = Client()
    browser.force_login(script.user)
    with_cookies = browser.get(f"{ROOT}me", headers=elsewhere)
    with_token = Client().get(f"{ROOT}me", headers=elsewhere | script.headers)
    unchanged = Client().get(f"{ROOT}me", headers=elsewhere | script.headers | {"If-None-Match": with_token["ETag"]})
    document = Client().get(f"{ROOT}openapi.json", headers=elsewhere)
    assert [each.status_code for each in (with_cookies, with_token, unchanged, document)] == [401, 200, 304, 200]
    for answer in (preflight, with_cookies, with_token, unchanged, document):
        assert answer["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in answer  # so browsers hide answers to requests with cookies
    for path in ("/", f"{ROOT}", "/api/greader.php/reader/api/0/user-info"):
        assert "Access-Control-Allow-Origin" not in browser.get(path, headers=elsewhere)


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
    name=st.sampled_from(sorted(article_lists.Filters.model_fields)),
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
        ("POST", "feeds/follow", {"url": text, "title": text}),
        ("POST", "interests", {"topics": [text]}),
        ("POST", "interests/change", {"terms": [text], "action": "mute"}),
        ("POST", "rules", {"conditions": [{"field": "title", "test": "matches", "value": text}], "url": text}),
        ("POST", "articles/read", {"until": text}),
    ]
    for method, path, body in sent:
        assert script.ask(method, path, body).status_code < 500
