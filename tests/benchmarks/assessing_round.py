"""Articles assessed that were not yet: `Installation.run("assessing_round")` after `readership`.

Also how fast the judge of time sensitivity is by itself, and what keeping assessments fresh costs: with nothing
changed, and with the health of a tenth of the feeds changed.
"""

import json
from collections import Counter
from time import process_time

from django.utils import timezone

from feeds.models import Article, Feed
from reader.models import ArticleFeatures, Assessment
from reader.scoring.assess import assess
from reader.scoring.sensitivity import classify
from reader.scoring.source_signals import KEPT_FRESH, refresh_recent
from tests.benchmarks.clock import spent
from tests.benchmarks.memory import memory
from tests.benchmarks.tidying import tidy

AT_ONCE = 2_000  # articles, as a batch of rating finds them
N_JUDGED = 2_000
UNWELL = 10  # one feed in so many changes


def main() -> None:
    now = timezone.now()
    ids = list(Article.objects.order_by("pk").values_list("pk", flat=True))
    with spent() as assessing:
        for start in range(0, len(ids), AT_ONCE):
            assess(ids[start : start + AT_ONCE], now=now)
    peak = memory()
    tidy()
    with spent() as quiet:
        n_quiet = refresh_recent(now=now)
    Feed.objects.filter(pk__in=list(Feed.objects.values_list("pk", flat=True))[::UNWELL]).update(health_score=0.55)
    with spent() as unwell:
        n_changed = refresh_recent(now=now)
    window = Assessment.objects.filter(article__published_at__gte=now - KEPT_FRESH)
    print(
        json.dumps(
            {
                "n_articles": len(ids),
                "wall": assessing.wall,
                "cpu": assessing.cpu,
                "n_judged": min(N_JUDGED, len(ids)),
                "judge_cpu": _judging(),
                "sensitivities": sorted(Counter(Assessment.objects.values_list("sensitivity", flat=True)).items()),
                "n_refreshed": window.count(),
                "n_changed": [n_quiet, n_changed],
                "refresh_wall": [quiet.wall, unwell.wall],
                "refresh_cpu": [quiet.cpu, unwell.cpu],
                **peak,
            }
        )
    )


def _judging() -> float:
    """CPU seconds for the newest articles, with their vectors; the least of three rounds."""
    newest = list(Article.objects.order_by("-pk").select_related("feed").defer("markup", "safe_html")[:N_JUDGED])
    vectors = dict(ArticleFeatures.objects.filter(pk__in=[each.pk for each in newest]).values_list("pk", "vector"))
    stored = [bytes(vectors[each.pk]) for each in newest]
    taken = []
    for _ in range(3):
        began = process_time()
        for each, vector in zip(newest, stored, strict=True):
            kind = each.feed.kind if each.feed else ""
            classify(each.title, each.text, language=each.language, kind=kind, published_at=each.published_at,
                  vector=vector)  # fmt: skip
        taken.append(process_time() - began)
    return min(taken)


if __name__ == "__main__":
    main()
