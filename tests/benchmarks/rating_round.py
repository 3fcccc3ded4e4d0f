"""Everything rated for everybody, whatever was rated before: `Installation.run("rating_round")`.

What relevance follows from is what rounds before left: nobody's taste, profiles, models.
"""

import json

from reader.models import Delivery
from reader.scoring.rate import mark_all, rate_waiting
from tests.benchmarks.clock import spent
from tests.benchmarks.memory import memory
from tests.benchmarks.tidying import tidy


def main() -> None:
    with spent() as marking:
        mark_all()
    batches: list[int] = []
    with spent() as rating:
        n_rated = rate_waiting(on_batch=batches.append)
    peak = memory()
    tidy()
    print(
        json.dumps(
            {
                "n_rated": n_rated,
                "n_batches": len(batches),
                "mark_wall": marking.wall,
                "wall": rating.wall,
                "cpu": rating.cpu,
                "n_relevances": Delivery.objects.order_by().values("relevance").distinct().count(),
                **peak,
            }
        )
    )


if __name__ == "__main__":
    main()
