"""What a person's rules take: `Installation.run("rules_round")` after `readership`.

Trials look over the newest deliveries; applying a rule to what is here looks at all there are. Words are chosen by how
many of a thousand articles have them.
"""

import json
from collections import Counter

from django.contrib.auth.models import User
from django.utils import timezone

from feeds.models import Article
from feeds.search.tokenizer import words_of
from reader.models import Delivery, Rule, RuleRun
from reader.rules.backfill import request_run, run_rule
from reader.rules.conditions import Conditions
from reader.rules.preview import preview_rule
from tests import make
from tests.benchmarks.clock import milliseconds, spent
from tests.benchmarks.memory import memory
from tests.benchmarks.tidying import tidy

TIMES = 7
_SAMPLE = 1_000  # articles


def main() -> None:
    user = User.objects.order_by("pk")[0]
    tidy()
    common, rare = _words()
    conditions = {
        "a common word": make.conditions(words=common),
        "a word of one article in a hundred": make.conditions(words=rare),
        "a pattern": make.conditions(pattern=f"{rare}*{common}|{common}*{rare}"),
        "an author and a language": make.conditions(author="smith", language="en"),
    }
    trials = {name: _tried(user, each) for name, each in conditions.items()}
    applied = {
        "a word of one article in a hundred, marked read": _applied(user, words=rare, marks_read=True),
        "a common word, relevance raised": _applied(user, words=common, lift=10),
    }
    n = Delivery.objects.filter(user=user).count()
    print(json.dumps({"n_deliveries": n, "trials": trials, "applied": applied, **memory()}))


def _words() -> tuple[str, str]:
    """One that nearly every article has, and one of about one in a hundred."""
    texts = Article.objects.order_by("-pk").values_list("text", flat=True)[:_SAMPLE]
    counts = Counter(word for text in texts for word in set(words_of(text)))
    rare = min(counts, key=lambda word: (abs(counts[word] - _SAMPLE // 100), word))
    return counts.most_common(1)[0][0], rare


def _tried(user: User, conditions: Conditions) -> dict[str, float]:
    now = timezone.now()
    found = preview_rule(user, conditions, now=now)
    taken = []
    for _ in range(TIMES):
        with spent() as trying:
            preview_rule(user, conditions, now=now)
        taken.append(trying)
    return {"n_checked": found.n_checked, "n_hits": found.n_hits, **milliseconds(taken)}


def _applied(user: User, **values: object) -> dict[str, float]:
    rule = Rule.objects.create(user=user, **values)
    now = timezone.now()
    request_run(rule, now=now)
    with spent() as applying:
        run_rule(rule.pk, now=now)
    run = RuleRun.objects.get(rule=rule)
    return {"n_done": run.n_done, "n_hits": run.n_hits, "wall": applying.wall, "cpu": applying.cpu}


if __name__ == "__main__":
    main()
