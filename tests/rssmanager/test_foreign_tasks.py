"""A real cluster doesn't run code injected into the queue or schedules; our own tasks run."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.processes import cluster, n_rows, sql, wait_until
from tests.rssmanager.installation import Installation, installation

pytestmark = pytest.mark.slow

# Written by an attacker with the key, or through the admin's old form.
ATTACK = """
import os
from datetime import timedelta
from django.utils import timezone
from django_q import core_signing
from django_q.conf import Conf
from django_q.models import OrmQ, Schedule
from django_q.signing import PickleSerializer
from django_q.tasks import async_task

class Pickled:
    def __reduce__(self):
        return os.mkdir, ("{folder}/pickled",)

package = core_signing.dumps(Pickled(), key=Conf.SECRET_KEY, salt=Conf.PREFIX, serializer=PickleSerializer)
OrmQ.objects.create(key=Conf.CLUSTER_NAME, payload=package, lock=timezone.now())
async_task("os.mkdir", "{folder}/queued")
async_task("feeds.tasks.polling.tidy", hook="os.mkdir")
Schedule.objects.create(
    name="x", func="os.mkdir", args="'{folder}/scheduled',", schedule_type=Schedule.MINUTES, minutes=1,
    next_run=timezone.now() - timedelta(hours=1),
)
"""


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Installation]:
    with installation(tmp_path / "reader") as site:
        site.environment["WORKERS"] = "1"
        yield site


def made_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "reader")


def test_cluster_runs_only_our_tasks(reader: Installation, tmp_path: Path) -> None:
    reader.prepare()
    reader.run("shell", "--no-imports", "-c", ATTACK.format(folder=tmp_path))
    with cluster(reader) as workers:
        wait_until(
            lambda: n_rows(reader, "django_q_task", "func = 'feeds.tasks.polling.tidy' AND success"), "ours did not run"
        )
        assert made_in(tmp_path) == []
        wait_until(lambda: not n_rows(reader, "django_q_schedule", "func = 'os.mkdir'"), "the row stays")
        wait_until(
            lambda: n_rows(reader, "django_q_task", "func = 'reader.tasks.recurring.deliver_new' AND success"),
            "nothing recurs",
        )
    assert made_in(tmp_path) == []
    refused = sql(reader, "SELECT func, name FROM django_q_task WHERE NOT success ORDER BY name")
    assert refused == [("os.mkdir", "queue"), ("os.mkdir", "schedules")]
    log = workers.log.read_text()
    assert "Refused to run os.mkdir from the queue" in log
    assert "Refused to run os.mkdir from the schedules" in log
    assert "after death" not in log
    assert "after sudden death" not in log
    assert "os.mkdir" in reader.run("doctor", ok=False).stdout
