"""What the terms of a text are worth to its summary. Pure."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from digests.topics.texts import stems

KEPT_TERMS = 80  # the weightiest of a text; the others would decide nothing
ONCE = 0.4  # what a term is worth that stands in one sentence only, where twice is 1.7
IN_TITLE = 1.5  # added for a term of the title, in its own worth
IN_TOPIC = 2.0  # added for the topic's weightiest term, for the others in proportion


def terms_of(text: str, language: str) -> frozenset[str]:
    """The stems of a sentence; pairs of characters in scripts without spaces."""
    return frozenset(each.stem for each in stems(text, language))


def weights_of(
    sentences: Sequence[frozenset[str]], title: Iterable[str], topic_terms: Mapping[str, float]
) -> dict[str, float]:
    """The weightiest terms of some sentences with their weights, which add up to 1; {} where there are no terms."""
    counts = Counter(term for terms in sentences for term in terms)
    in_title = frozenset(title)
    heaviest = max((weight for term, weight in topic_terms.items() if term in counts), default=0.0)
    weights = {}
    for term, n in counts.items():
        factor = 1.0 + (IN_TITLE if term in in_title else 0.0)
        if heaviest > 0:
            factor += IN_TOPIC * max(0.0, topic_terms.get(term, 0.0)) / heaviest
        weights[term] = factor * (ONCE if n == 1 else 1 + math.log(n))
    kept = sorted(weights.items(), key=lambda item: (-item[1], item[0]))[:KEPT_TERMS]
    total = sum(weight for _, weight in kept)
    return {term: weight / total for term, weight in kept}
