"""Explanations for the first person, by the model and by the profile: `Installation.run("explaining_round")`.

In a process that only explains, as the web process does: it must not load numpy.
"""

import json
import sys

from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from feeds.models import Article
from reader.models import RelevanceModel
from reader.scoring.explain import explain
from tests.benchmarks.clock import milliseconds, spent
from tests.benchmarks.memory import memory

N_EXPLAINED = 300


def main() -> None:
    user = User.objects.order_by("pk")[0]
    found = {"model": _explaining(user)}
    newest = RelevanceModel.objects.filter(user=user, is_used=True)
    ids = list(newest.values_list("pk", flat=True))
    newest.update(is_used=False)
    found["profile"] = _explaining(user)
    RelevanceModel.objects.filter(pk__in=ids).update(is_used=True)
    print(json.dumps(found | {"loads_numpy": "numpy" in sys.modules, **memory()}))


def _explaining(user: User) -> dict[str, object]:
    now = timezone.now()
    last = Article.objects.order_by("-pk").values_list("pk", flat=True)[0]
    ids = range(last, 0, -max(1, last // N_EXPLAINED))
    taken, judges, n_terms = [], set[str](), 0
    explain(user, Article.objects.get(pk=last), now=now)  # what a process reads once
    for pk in ids[:N_EXPLAINED]:
        article = Article.objects.select_related("source", "feed", "story__lead").get(pk=pk)
        with spent() as explaining:
            explained = explain(user, article, now=now)
        taken.append(explaining)
        if explained is not None:
            judges.add(explained.relevance.judge)
            n_terms += len(explained.relevance.terms)
    with CaptureQueriesContext(connection) as captured:
        explain(user, Article.objects.get(pk=last), now=now)
    return milliseconds(taken) | {
        "judges": sorted(judges),
        "n_terms": n_terms / len(taken),
        "n_statements": len(captured),
    }


if __name__ == "__main__":
    main()
