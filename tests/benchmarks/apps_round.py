"""What reading apps ask for, as they get it: `Installation.run("apps_round")` after rating.

Everything is unread. Calls are made in turn, `REQUESTS` times each after one that is not counted (which sanitizes what
it shows), by an app that takes compressed answers, through every middleware. `n_bytes` are those sent. With `--setup`,
only an app password is made and printed.
"""

import json
import sys
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reader.models import Delivery, Preferences
from rssmanager.api.lists import Listed
from rssmanager.api.streams import LABEL, READ, READING_LIST
from rssmanager.authentication import app_passwords
from rssmanager.authentication.models import AppPassword
from tests.benchmarks.clock import Spent, milliseconds, spent
from tests.benchmarks.memory import memory
from tests.benchmarks.tidying import tidy

REQUESTS = 50
API = "/api/greader.php/reader/api/0/"
UNREAD = {"s": READING_LIST, "xt": READ, "n": 200_000}


def main() -> None:
    user = User.objects.order_by("pk")[0]
    password = app_passwords.create(user, name="Benchmark", now=timezone.now())
    if "--setup" in sys.argv:
        print(json.dumps({"user": user.get_username(), "password": password}))
        return
    tidy()
    client = Client(HTTP_HOST="localhost", HTTP_ACCEPT_ENCODING="gzip")
    token = app_passwords.token_of(AppPassword.objects.get())
    app = _App(client, {"Authorization": f"GoogleLogin auth={token}"})
    found = {name: app.measured(*call) for name, call in _calls().items()}
    etag = app.get("stream/items/ids", UNREAD)["ETag"]
    found["the same, unchanged (304)"] = app.measured("stream/items/ids", UNREAD, {"If-None-Match": etag})
    Preferences.objects.update_or_create(user=user, defaults={"apps_get_copies": True})
    for name, call in list(_calls().items())[:2]:
        found[f"{name}, copies too"] = app.measured(*call)
    n_unread = Delivery.objects.filter(user=user, is_read=False, is_folded=False).count()
    print(json.dumps({"n_unread": n_unread, "calls": found, "loads_numpy": "numpy" in sys.modules, **memory()}))


def _calls() -> dict[str, tuple[str, dict[str, Any]]]:
    lists = {f"contents of {name}": (f"stream/contents/{LABEL}{name}", {"n": 100}) for name in Listed}
    return {
        "ids of everything unread": ("stream/items/ids", UNREAD),
        "contents of 100": (f"stream/contents/{READING_LIST}", {"n": 100}),
        "contents of 1,000": (f"stream/contents/{READING_LIST}", {"n": 1000}),
        **lists,
        "unread-count": ("unread-count", {}),
        "subscription/list": ("subscription/list", {}),
        "tag/list": ("tag/list", {}),
    }


class _App:
    def __init__(self, client: Client, headers: dict[str, str]) -> None:
        self._client, self._headers = client, headers

    def get(self, call: str, query: dict[str, Any], headers: dict[str, str] | None = None) -> HttpResponse:
        answer = self._client.get(f"{API}{call}?{urlencode(query)}", headers=self._headers | (headers or {}))
        assert answer.status_code in (200, 304), answer.status_code
        return answer  # type: ignore[return-value]  # the test client's

    def measured(self, call: str, query: dict[str, Any], headers: dict[str, str] | None = None) -> dict[str, float]:
        self.get(call, query, headers)
        taken: list[Spent] = []
        for _ in range(REQUESTS):
            with spent() as asking:
                answer = self.get(call, query, headers)
            taken.append(asking)
        with CaptureQueriesContext(connection) as captured:
            self.get(call, query, headers)
        return milliseconds(taken) | {"n_statements": len(captured), "n_bytes": len(answer.content)}


if __name__ == "__main__":
    main()
