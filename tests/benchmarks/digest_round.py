"""A morning brief of the first person's last 24 hours: `Installation.run("digest_round")` after assessing and rating.

Each stage is measured apart, with the memory that the process had taken at most by its end: stages run one after the
other in one process, as a worker runs them, so the figures only rise.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from digests.assembly.make import digest_request_for
from digests.assembly.pipeline import assemble
from digests.edition.kinds import Kind
from digests.models import Digest
from digests.models.edition_store import edition_of, store, with_topics
from digests.rendering.text import as_text
from reader.models import Delivery
from tests.benchmarks.clock import spent
from tests.benchmarks.memory import memory


def main() -> None:
    stages: dict[str, dict[str, float]] = {}

    @contextmanager
    def stage(name: str) -> Iterator[None]:
        with spent() as found:
            yield
        stages[name] = {"wall": found.wall, "cpu": found.cpu, **memory()}

    user, now = User.objects.order_by("pk")[0], timezone.now()
    begins_with = memory()
    with spent() as whole:
        edition = assemble(digest_request_for(user, Kind.MORNING, now=now), stage=stage)
        with stage("storing"), transaction.atomic():
            digest, _ = store(user, edition)
    with stage("reading back, as text"):
        text = as_text(edition_of(with_topics(Digest.objects.filter(pk=digest.pk)).get()))
    print(
        json.dumps(
            {
                "n_deliveries": Delivery.objects.filter(user=user).count(),
                "n_articles": edition.n_articles,
                "n_topics": len(edition.topics),
                "n_left_out": edition.left_out.too_many,
                "n_characters": len(text),
                "wall": whole.wall,
                "cpu": whole.cpu,
                "begins_with_mb": begins_with["peak_mb"],
                "stages": stages,
                **memory(),
            }
        )
    )


if __name__ == "__main__":
    main()
