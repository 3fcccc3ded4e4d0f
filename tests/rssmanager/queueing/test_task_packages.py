"""Queue, results and cache contain only values, nothing executable."""

import os
import pickle
from base64 import b64encode
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from django.core.cache.backends.redis import RedisCache
from django.core.signing import BadSignature
from django.db import connection
from django.utils import timezone
from django.utils.translation import gettext_lazy
from django_q import core_signing
from django_q.conf import Conf
from django_q.models import Failure
from django_q.signing import PickleSerializer, SignedPackage
from django_q.status import Stat

from rssmanager.settings import _redis_cache
from tests.rssmanager.redis_server import serving_redis

pytestmark = pytest.mark.vendor

AT = datetime(2026, 3, 1, 9, 30, 0, 123456, tzinfo=UTC)


class MakesFolder:
    """Creates a folder when unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.path),)


@pytest.fixture
def created_folder(tmp_path: Path) -> Path:
    """The folder that executed code would create."""
    return tmp_path / "made"


def signed(value: object, serializer: type = PickleSerializer) -> str:
    return str(core_signing.dumps(value, key=Conf.SECRET_KEY, salt=Conf.PREFIX, serializer=serializer))


class Text:
    """Signs a value unchanged."""

    def dumps(self, value: str) -> bytes:
        return value.encode()


def test_task_round_trips() -> None:
    task = {"func": "feeds.tasks.polling.poll_feeds", "args": [[1, 2], "日本語", None, 1.5, True], "started": AT}
    assert SignedPackage.loads(SignedPackage.dumps(task)) == task
    assert SignedPackage.loads(SignedPackage.dumps(task, True)) == task


def test_cluster_state_round_trips() -> None:
    stat = Stat.__new__(Stat)
    cluster_id = UUID(int=7)
    stat.__dict__.update(
        broker=object(), workers=[4, 5], tob=AT, cluster_id=cluster_id, status=gettext_lazy("Idle"), task_q_size=0
    )
    loaded = SignedPackage.loads(SignedPackage.dumps(stat, True))
    assert isinstance(loaded, Stat)
    assert vars(loaded) == {"workers": [4, 5], "tob": AT, "cluster_id": cluster_id, "status": "Idle", "task_q_size": 0}


@pytest.mark.parametrize("value", [print, object(), Path("/")], ids=["function", "object", "path"])
def test_refuses_to_queue_values_outside_json(value: object) -> None:
    with pytest.raises(TypeError, match="can't be put into the task queue"):
        SignedPackage.dumps({"func": value})


def test_signed_pickle_is_not_unpickled(created_folder: Path) -> None:
    with pytest.raises(BadSignature):
        SignedPackage.loads(signed(MakesFolder(created_folder)))
    assert not created_folder.exists()


@pytest.mark.parametrize(
    "package",
    ["", "x", "a:b:c", b"\xff\xfe", signed("{", Text), signed('{"__at__": 1}', Text), signed('{"__at__": "x"}', Text),
     signed('{"__uuid__": []}', Text), signed('{"__stat__": 1}', Text), signed("[" * 100_000, Text)],
    ids=["empty", "unsigned", "wrong signature", "bytes", "broken", "number as time", "no time", "list as uuid",
         "number as state", "deep"],
)  # fmt: skip
def test_unreadable_package_raises_bad_signature(package: str | bytes) -> None:
    """The queue drops packages only for this error; any other ends the reading process."""
    with pytest.raises(BadSignature):
        SignedPackage.loads(package)


@pytest.mark.django_db
def test_results_are_not_unpickled(created_folder: Path) -> None:
    now = timezone.now()
    values = {"started": now, "stopped": now, "success": False, "args": [[1], "two"], "kwargs": {}, "result": "no : T"}
    Failure.objects.create(id="1" * 32, name="a", func="feeds.tasks.polling.tidy", **values)
    row = Failure.objects.get()
    assert (row.args, row.kwargs, row.result) == ([[1], "two"], {}, "no : T")
    evil = pickle_field(MakesFolder(created_folder))
    with connection.cursor() as cursor:
        cursor.execute("UPDATE django_q_task SET args = %s, kwargs = %s, result = %s", [evil] * 3)
    assert Failure.objects.get().result == evil
    assert not created_folder.exists()


def pickle_field(value: object) -> str:
    """The value as the queue used to store results."""
    return b64encode(pickle.dumps(value)).decode()


def test_redis_cache_holds_only_values(tmp_path: Path, created_folder: Path) -> None:
    with serving_redis(tmp_path) as server:
        check_cache(RedisCache(server.url, _redis_cache(server.url)), created_folder)


def check_cache(cache: RedisCache, created_folder: Path) -> None:
    cache.set_many({"n": 1, "value": {"at": AT, "of": [1, "two"]}})
    assert cache.get("value") == {"at": AT, "of": [1, "two"]}
    assert (cache.incr("n"), cache.get("n"), cache.get("nothing")) == (2, 2, None)
    cache._cache.get_client().set(cache.make_key("evil"), pickle.dumps(MakesFolder(created_folder)))
    with pytest.raises(ValueError):  # noqa: PT011 - whichever of its kind
        cache.get("evil")
    assert not created_folder.exists()
