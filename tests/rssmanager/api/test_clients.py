"""The calls of apps, in their order and as they send them; `{item}` and `{feed}` are the user's."""

from urllib.parse import urlencode

import pytest
from django.test import Client

from reader.models import ArticleState, Subscription
from rssmanager.api.streams import READ, READING_LIST, STARRED, long_id, short_id
from tests import make
from tests.rssmanager.api.conftest import App
from tests.tables import table

pytestmark = pytest.mark.django_db

API, IDS, BODIES = "reader/api/0/", "reader/api/0/stream/items/ids", "reader/api/0/stream/items/contents"
EDIT, FOLLOW = f"{API}edit-tag", f"{API}subscription/edit"
KEPT = "user/-/state/com.google/kept-unread"
FRESH = "feed/https://new.example/feed"

# Path and query, the form (None for GET), and a part of the answer.
CLIENTS: dict[str, list[tuple[str, dict[str, object] | None, str]]] = {
    "NetNewsWire": [
        (f"{API}tag/list?output=json", None, '"type": "folder"'),
        (f"{API}subscription/list?output=json", None, '"title": "Paper"'),
        (f"{IDS}?n=1000&output=json&s={READING_LIST}&ot=1", None, '{"id":"{item}"}'),
        (f"{IDS}?n=1000&output=json&s={READING_LIST}&xt={READ}", None, '{"id":"{item}"}'),
        (f"{IDS}?n=1000&output=json&s={STARRED}", None, '"itemRefs":[]'),
        (BODIES, {"T": "t", "output": "json", "i": ["{item}", "{long}"]}, '"title": "News"'),
        (EDIT, {"T": "t", "i": "{long}", "a": READ}, "OK"),
        (f"{API}subscription/quickadd", {"T": "t", "quickadd": "https://new.example/feed"}, '"numResults": 1'),
        (FOLLOW, {"T": "t", "s": FRESH, "ac": "edit", "a": "user/-/label/F"}, "OK"),
        (FOLLOW, {"T": "t", "s": FRESH, "ac": "unsubscribe"}, "OK"),
    ],
    "Readrops": [
        (f"{API}user-info", None, '"userName": "ada"'),
        (f"{API}stream/contents/{READING_LIST}?xt={READ}&xt={STARRED}&n=2500&ot=1", None, '"id": "{long}"'),
        (f"{IDS}?xt=user/-/state/com.google/unread&s={READING_LIST}&n=2500", None, '"itemRefs":[]'),
        (f"{API}stream/contents/{STARRED}?n=1000", None, '"items": []'),
        (EDIT, {"T": "t", "a": "user/-/label/Empty"}, "OK"),
        (EDIT, {"T": "t", "a": READ, "i": ["{item}"]}, "OK"),
        (f"{API}rename-tag", {"T": "t", "s": "user/-/label/Empty", "dest": "user/-/label/Full"}, "OK"),
        (f"{API}disable-tag", {"T": "t", "s": "user/-/label/Full"}, "OK"),
    ],
    "Read You": [
        (f"{IDS}?output=json&s={READ}&ot=1&n=10000", None, '"itemRefs":[]'),
        (f"{IDS}?output=json&it={READ}", None, '"itemRefs":[]'),
        (f"{IDS}?output=json&s=feed/{{feed}}&xt={READ}", None, '{"id":"{item}"}'),
        (f"{API}subscription/quickadd?quickadd=https://new.example/feed", {"quickadd": "https://new.example/feed"}, ""),
        (EDIT, {"i": ["{long}"], "a": READ}, "OK"),
        (f"{API}mark-all-as-read", {"s": "feed/{feed}", "ts": "1"}, "OK"),
    ],
    "Capy Reader": [
        (f"{API}subscription/list", None, '"id": "feed/{feed}"'),
        (f"{IDS}?s={READING_LIST}&n=10000&xt={READ}", None, '{"id":"{item}"}'),
        (BODIES, {"i": ["{hex}"], "T": "t"}, '"id": "{long}"'),
        (EDIT, {"i": "{hex}", "a": READ, "T": "t"}, "OK"),
    ],
    "RSS Guard": [
        (f"{API}subscription/export", None, "<opml"),
        (f"{IDS}?n=200000&s=user%2F-%2Flabel%2FNews", None, '{"id":"{item}"}'),
        (f"{BODIES}?output=json&n=200000", {"i": [str(n) for n in range(1, 999)]}, '"id": "{long}"'),
        (f"{API}stream/contents/feed%2F{{feed}}?n=100", None, '"id": "{long}"'),
        (EDIT, {"i": [str(n) for n in range(1, 200)], "a": READ, "T": "t"}, "OK"),
        (f"{FOLLOW}?ac=subscribe&s=feed/https%3A%2F%2Fnew.example%2Ffeed", {"T": "t"}, "OK"),
    ],
    "Capy Reader, a label": [
        (f"{API}tag/list?output=json", None, '"id": "user/-/label/Today", "type": "tag"'),
        (f"{IDS}?s=user/-/label/Today&n=10000&output=json", None, '{"id":"{item}"}'),
        (f"{BODIES}?output=json", {"i": ["{long}"], "T": "t"}, '"user/-/label/Today"'),
        (f"{EDIT}?output=json", {"i": ["{long}"], "a": READ, "T": "t"}, "OK"),
    ],
    "Twine": [
        (f"{API}user-info?output=json", None, '"userName": "ada"'),
        (FOLLOW, {"ac": "edit", "s": "", "a": "user/-/label/New"}, "OK"),
        (FOLLOW, {"ac": "edit", "s": "feed/{feed}", "a": "user/-/label/New"}, "OK"),
        (f"{API}subscription/list?output=json", None, '"id": "user/-/label/New"'),
        (f"{API}tag/list?output=json", None, '"id": "user/-/label/New"'),
        (f"{API}stream/contents?s={READING_LIST}&n=500&ot=1&output=json", None, '"id": "{long}"'),
        (f"{API}stream/contents?s={STARRED}&n=500&output=json", None, '"items": []'),
        (f"{IDS}?s={READING_LIST}&xt={READ}&n=50000&output=json", None, '{"id":"{item}"}'),
        (f"{IDS}?s={STARRED}&n=50000&output=json", None, '"itemRefs":[]'),
        (EDIT, {"i": ["{long}"], "a": READ}, "OK"),
    ],
    "Liferea": [
        (f"{API}subscription/list?output=json", None, '"url": "https://'),
        (f"{IDS}?s=feed%2F{{feed}}&client=liferea&n=50&output=json&merge=true", None, '{"id":"{item}"}'),
        (BODIES, {"output": "json", "mediaRss": "true", "T": "t", "i": "{item}"}, '"id": "{long}"'),
        (f"{API}token", None, "."),
        (
            f"{EDIT}?client=liferea",
            {"i": "{long}", "s": "feed/x", "a": READ, "ac": "edit-tags", "T": "t", "async": "true"},
            "OK",
        ),
    ],
    "Newsboat": [
        (f"{API}stream/contents/feed/{{feed}}?n=20", None, '"id": "{long}"'),
        ("reader/atom/feed/{feed}?n=20", None, "<id>{long}</id>"),
        (EDIT, {"i": "{long}", "a": KEPT, "r": READ, "T": "t"}, "OK"),
        (EDIT, {"i": "{long}", "a": READ, "r": KEPT, "ac": "edit", "T": "t"}, "OK"),
        (f"{API}mark-all-as-read", {"s": "feed/{feed}", "T": "t"}, "OK"),
    ],
}


@table("name", list(CLIENTS))
def test_calls_in_order(app: App, name: str) -> None:
    subscription = make.subscription(app.user, make.feed(title="Paper"), folder=make.folder(app.user))
    article = make.article(feed=subscription.feed, title="News")
    make.delivery(subscription, article)
    values = {"item": str(short_id(article.pk)), "long": long_id(article.pk), "hex": long_id(article.pk)[-16:]}
    values["feed"] = str(subscription.pk)

    def filled(text: str) -> str:
        for key, value in values.items():
            text = text.replace(f"{{{key}}}", value)
        return text

    client = Client(enforce_csrf_checks=True)
    form = {"accountType": "HOSTED_OR_GOOGLE", "service": "reader", "Email": "ada", "Passwd": app.password}
    login = client.post("/api/greader.php/accounts/ClientLogin", form).content.decode()
    headers = {"Authorization": f"GoogleLogin auth={login.partition('Auth=')[2].strip()}"}
    for path, sent, expected in CLIENTS[name]:
        address = f"/api/greader.php/{filled(path)}"
        if sent is None:
            answer = client.get(address, headers=headers)
        else:
            body = filled(urlencode(sent, doseq=True, safe="{}"))
            answer = client.post(address, body, content_type="application/x-www-form-urlencoded", headers=headers)
        assert answer.status_code == 200, (path, answer.content)
        assert filled(expected) in answer.content.decode(), path
    assert ArticleState.objects.get(article=article).is_read
    assert Subscription.objects.filter(user=app.user, pk=subscription.pk).exists()


def test_fever_apps_in_order(app: App) -> None:
    """Readrops, then Read You."""
    subscription = make.subscription(app.user)
    item = make.delivery(subscription, make.article(feed=subscription.feed)).pk
    for query in ("", "feeds", "groups", "favicons", "items", f"items&since_id={item}", f"items&max_id={item}"):
        assert app.fever(query)["auth"] == 1
    assert app.fever(f"items&with_ids={item},{item}")["items"][0]["id"] == item
    for state in ("read", "unread", "saved", "unsaved"):
        app.fever(f"mark=item&as={state}&id={item}")
    answer = app.fever("unread_item_ids&saved_item_ids")
    assert (answer["unread_item_ids"], answer["saved_item_ids"]) == (str(item), "")
    app.fever(f"mark=feed&as=read&id={subscription.pk}&before=9999999999")
    assert app.fever("unread_item_ids")["unread_item_ids"] == ""
