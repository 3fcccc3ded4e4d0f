"""What Fluent Reader, Readrops and Read You ask for in a sync, in their order, and what they keep of the answers.

Written after their sources: parameters, paging, and when they stop. What they store twice is there twice, and an
article of a feed that they don't know is refused, as by their databases.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rssmanager.api.streams import READ, READING_LIST, STARRED
from tests.rssmanager.api.conftest import App

UNREAD = "user/-/state/com.google/unread"
PREFIX = "tag:google.com,2005:reader/item/"


def _decimal(long_id: str) -> str:
    return str(int(long_id.removeprefix(PREFIX), 16))


@dataclass(slots=True)
class FluentReader:
    """`items`: the article and whether it is unread. Each sync reads up to `limit` articles, and to the last known."""

    app: App
    limit: int = 250
    items: list[list[Any]] = field(default_factory=list)
    last_id: str = ""
    since: int | None = None
    _feeds: dict[str, str] = field(default_factory=dict)

    @property
    def ids(self) -> list[str]:
        return [pk for pk, _ in self.items]

    @property
    def unread(self) -> list[str]:
        return sorted(pk for pk, is_unread in self.items if is_unread)

    def sync(self) -> list[str]:
        """The titles of what is new to it."""
        assert self.app.get("user-info").status_code == 200
        listed = self.app.get("subscription/list", output="json").json()["subscriptions"]
        feeds = {row["id"] for row in listed}
        self.items = [item for item in self.items if self._feeds[item[0]] in feeds]
        unread = self._all(s=READING_LIST, xt=READ)
        self._all(s=STARRED)
        for item in self.items:
            item[1] = item[0] in unread
        found = self._found()
        mine = [item for item in found if item["origin"]["streamId"] in feeds]
        if found:
            self.last_id = _decimal(found[0]["id"])
        if mine:
            self.since = (int(mine[0]["crawlTimeMsec"]) + 500) // 1000  # rounded
        for item in mine:
            self._feeds[_decimal(item["id"])] = item["origin"]["streamId"]
            self.items.append([_decimal(item["id"]), READ not in item["categories"]])
        return [item["title"] for item in mine]

    def _found(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        query: dict[str, Any] = {"output": "json"} | ({"ot": self.since} if self.since else {})
        while True:
            answer = self.app.get("stream/contents", **query, n=min(self.limit - len(found), 1000)).json()
            for item in answer["items"]:
                if _decimal(item["id"]) == self.last_id or len(found) >= self.limit:
                    break  # of this page: it goes on with the next one
                found.append(item)
            if "continuation" not in answer or len(found) >= self.limit:
                return found
            query["c"] = answer["continuation"]

    def _all(self, **query: Any) -> set[str]:
        found: set[str] = set()
        while True:
            answer = self.app.get("stream/items/ids", output="json", n=1000, **query).json()
            found |= {ref["id"] for ref in answer["itemRefs"]}
            if "continuation" not in answer or len(answer["itemRefs"]) < 1000:
                return found
            query["c"] = answer["continuation"]


@dataclass(slots=True)
class Readrops:
    """`items`: ids as it stores them. It asks for what came since its last sync began, by its own clock."""

    app: App
    items: list[str] = field(default_factory=list)
    states: dict[str, tuple[bool, bool]] = field(default_factory=dict)
    since: int = 0

    @property
    def unread(self) -> list[str]:
        """Decimal ids."""
        return sorted(_decimal(pk) for pk in self.items if not self.states.get(pk, (False, False))[0])

    def sync(self, *, now: datetime) -> int:
        """How many articles came."""
        began = int(now.timestamp())
        self.app.get("tag/list", output="json")
        feeds = {row["id"] for row in self.app.get("subscription/list", output="json").json()["subscriptions"]}
        query = {"ot": self.since} if self.since else {"xt": [READ, STARRED]}
        found = self._contents(READING_LIST, n=2500, **query)
        found = [item for item in found if STARRED not in item["categories"]]
        if not self.since:
            found += self._contents(STARRED, n=1000)
        unread = self._ids(s=READING_LIST, n=2500, xt=READ)
        read = self._ids(s=READING_LIST, n=2500, xt=UNREAD) if self.since else []
        starred = self._ids(s=STARRED, n=1000)
        for item in found:
            assert item["origin"]["streamId"] in feeds, "a foreign key that it refuses"
            assert item["title"], "an empty title, at which its sync ends"
            self.items.append(item["id"])
        others = [pk for pk in starred if pk not in {*unread, *read}]
        assert len({*unread, *read, *others}) == len([*unread, *read, *others]), "an index that it refuses"
        self.states = {pk: (pk not in unread, pk in starred) for pk in [*unread, *read, *others]}
        self.since = began
        return len(found)

    def _contents(self, stream: str, **query: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.app.get(f"stream/contents/{stream}", **query).json()["items"]
        return found  # it knows no continuation

    def _ids(self, **query: Any) -> list[str]:
        refs = [ref["id"] for ref in self.app.get("stream/items/ids", **query).json()["itemRefs"]]
        return [PREFIX + f"{int(ref):x}".rjust(len(ref), "0") for ref in refs]  # as long as the decimal id


@dataclass(slots=True)
class ReadYou:
    """`items`: whether an article is unread. What is in neither list of ids keeps its state."""

    app: App
    items: dict[str, bool] = field(default_factory=dict)

    def sync(self, *, month_ago: int) -> None:
        unread = self._ids(s=READING_LIST, xt=READ)
        starred = self._ids(s=STARRED)
        read = self._ids(s=READING_LIST, it=READ, ot=month_ago)
        for pk in self.items:
            self.items[pk] = pk in unread or (self.items[pk] and pk not in read)
        missing = sorted(({*unread, *starred, *read}) - self.items.keys())
        feeds = {row["id"] for row in self.app.get("subscription/list", output="json").json()["subscriptions"]}
        for start in range(0, len(missing), 100):
            for item in self.app.post("stream/items/contents", i=missing[start : start + 100]).json()["items"]:
                assert item["origin"]["streamId"] in feeds, "a foreign key that it refuses"
                self.items[_decimal(item["id"])] = _decimal(item["id"]) in unread

    def _ids(self, **query: Any) -> set[str]:
        found: set[str] = set()
        while True:
            answer = self.app.get("stream/items/ids", output="json", n=1000, **query).json()
            found |= {ref["id"] for ref in answer["itemRefs"]}
            if "continuation" not in answer:
                return found
            query["c"] = answer["continuation"]
