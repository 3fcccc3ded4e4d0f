"""Topics of a window with their trends."""

import pytest

from digests.assembly.grouping import cluster_window
from digests.edition.document import Trend
from tests.digests.candidates import candidate

FEED, NEW_FEED = frozenset({1}), frozenset({2})


@pytest.mark.parametrize(
    ("feeds", "polled_before", "expected"),
    [
        pytest.param([FEED] * 3, {1}, Trend.EMERGING, id="polled before"),
        pytest.param([FEED] * 3, set(), None, id="the first day"),
        pytest.param([FEED, FEED, NEW_FEED], {1}, None, id="too few of a feed that was polled"),
        pytest.param([FEED | NEW_FEED] * 3, {1}, Trend.EMERGING, id="in a new feed as well"),
    ],
)
def test_topics_emerge_only_in_feeds_polled_before(
    feeds: list[frozenset[int]], polled_before: set[int], expected: Trend | None
) -> None:
    members = [
        candidate(number, title="Dam bursts above the city", text="The dam burst.", feed_ids=feed)
        for number, feed in enumerate(feeds, 1)
    ]
    clustered = cluster_window(members, [], polled_before=frozenset(polled_before))
    assert [cluster.trend for cluster in clustered.clusters] == [expected]
    assert clustered.recompute_trends({0}) == {0: expected}
