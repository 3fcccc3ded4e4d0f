"""Disk usage of the database by content, and compacting it."""

from io import StringIO
from json import loads
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from feeds.models import Article
from rssmanager.operations import disk_usage
from rssmanager.operations.disk_usage import NoRoom, Storage, compact, measure_storage
from tests import make

pytestmark = pytest.mark.vendor

MIB = 2**20


def usage_of(n_bytes: int = 0, n_free: int = 0, n_articles: int = 0, n_disk_free: int | None = None) -> Storage:
    return Storage(n_bytes, n_free, n_articles, 0, (), n_disk_free)


def test_reports_bytes_per_article_with_related_rows() -> None:
    assert usage_of(n_bytes=10_000, n_free=2_000, n_articles=4).bytes_an_article == 2_000
    assert usage_of(n_bytes=10_000).bytes_an_article == 0


@pytest.mark.parametrize(
    ("n_bytes", "n_free", "is_worth"),
    [
        pytest.param(1000 * MIB, 249 * MIB, False, id="less than a quarter"),
        pytest.param(1000 * MIB, 250 * MIB, True, id="a quarter"),
        pytest.param(100 * MIB, 63 * MIB, False, id="little"),
        pytest.param(0, 0, False, id="nothing"),
    ],
)
def test_advises_compacting_if_it_frees_much(n_bytes: int, n_free: int, is_worth: bool) -> None:
    assert usage_of(n_bytes, n_free).is_worth_compacting is is_worth


def test_compacting_needs_space_for_a_copy() -> None:
    assert usage_of(1000, 400, n_disk_free=1201).has_room_to_compact
    assert usage_of(1000, 400).has_room_to_compact
    full = usage_of(1000, 400, n_disk_free=1200)
    with pytest.raises(NoRoom, match="1,200 bytes of free disk"):
        compact(full)


@pytest.mark.django_db(transaction=True)
def test_reports_size_by_table() -> None:
    make.delivery(make.subscription(make.user()), make.article(text="A long text. " * 5000))
    usage = measure_storage()
    holdings = dict(usage.holdings)
    assert usage.n_articles == 1
    assert {"articles", "users' lists", "feed entries", "search"} <= holdings.keys()
    assert holdings["articles"] > 0
    if connection.vendor == "sqlite":
        assert sum(holdings.values()) + usage.n_free == usage.n_bytes
    else:
        assert sum(holdings.values()) < usage.n_bytes


@pytest.mark.django_db(transaction=True)
def test_reports_only_the_total_without_table_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL always can")
    whole = disk_usage._sqlite
    monkeypatch.setattr(disk_usage, "_sqlite", lambda: (whole()[0], {}))
    usage = measure_storage()
    assert (usage.holdings, usage.n_bytes > 0) == ((), True)


@pytest.mark.django_db(transaction=True)
def test_command_compacts_after_purging(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(20):
        make.article(text="A long text. " * 20_000)
    full = measure_storage()
    Article.objects.all().delete()
    out = StringIO()
    call_command("storage", "--compact", "--json", stdout=out)
    output = loads(out.getvalue())
    assert (output["articles"], output["bytes_an_article"]) == (0, 0)
    if connection.vendor == "sqlite":
        assert output["bytes"] <= full.n_bytes - 20 * 200_000
        assert output["given_back_bytes"] > 0


@pytest.mark.django_db(transaction=True)
def test_command_gives_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    def advice(found: Storage) -> str:
        monkeypatch.setattr("rssmanager.management.commands.storage.measure_storage", lambda: found)
        out = StringIO()
        call_command("storage", stdout=out)
        return out.getvalue().strip().splitlines()[-1]

    assert advice(usage_of(1000 * MIB, 10 * MIB)).startswith("Nothing to do")
    assert "storage --compact" in advice(usage_of(1000 * MIB, 500 * MIB))
    if connection.vendor == "sqlite":
        assert "too full" in advice(usage_of(1000 * MIB, 500 * MIB, n_disk_free=MIB))
        with pytest.raises(CommandError, match="free disk"):
            call_command("storage", "--compact")


@pytest.mark.django_db(transaction=True)
def test_checks_disk_of_the_database_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if connection.vendor != "sqlite":
        assert measure_storage().n_disk_free is None
        return
    place = tmp_path / "reader.sqlite3"
    place.touch()
    monkeypatch.setitem(connection.settings_dict, "NAME", str(place))
    free = disk_usage._disk_free()
    assert free is not None
    assert free > 0
