"""What feeds repeat of each other. Pure.

It is counted by events: the articles of one story are one event, and so is an article that several feeds carry. An
article of a feed is repeated when another feed tells of its event.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence


class Told:
    """By feed: `n_articles` it brings, `n_repeated` of them, and as `shared` how many of them each other feed tells of.

    Made of the feeds and the story of each article.
    """

    def __init__(self, articles: Iterable[tuple[Sequence[int], int | None]]) -> None:
        self.n_articles: Counter[int] = Counter()
        self.n_repeated: Counter[int] = Counter()
        self.shared: dict[int, Counter[int]] = defaultdict(Counter)
        events: dict[Hashable, Counter[int]] = defaultdict(Counter)
        for number, (feeds, story) in enumerate(articles):
            self.n_articles.update(feeds)
            events[("article", number) if story is None else ("story", story)].update(feeds)
        for event in events.values():
            if len(event) > 1:
                self.n_repeated.update(event)
                for feed, n in event.items():
                    self.shared[feed].update(dict.fromkeys(event.keys() - {feed}, n))

    def is_same(self, one: int, other: int, least: float) -> bool:
        """Whether each of two feeds tells of this share of the other's articles, or more."""
        return all(
            self.shared[feed][mate] >= least * self.n_articles[feed] for feed, mate in ((one, other), (other, one))
        )
