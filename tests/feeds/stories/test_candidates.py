"""The candidate index: exact within the window, on both databases."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from feeds.dedup.comparable import BlockingKey as Key
from feeds.dedup.keys import KeyKind, key
from feeds.models import BlockingKey
from feeds.stories.candidates import delete_keys, find_hits, hour_of, stored_bits, write_keys

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]

DAY = timedelta(hours=24)
HIGHEST = 2**64 - 1


def candidates(value: int, hour: int, *, window: timedelta = DAY) -> set[int]:
    return {article for _, _, (_, article, _, _) in find_hits({0: [Key(value, window)]}, {0: hour})}


def test_finds_articles_with_a_common_key_in_the_window() -> None:
    write_keys({1: [Key(7, DAY)], 2: [Key(7, DAY), Key(8, DAY)], 3: [Key(9, DAY)]}, {1: 100, 2: 124, 3: 100})
    assert candidates(7, 100) == {1, 2}
    assert candidates(7, 99) == {1}
    assert candidates(7, 125) == {2}
    assert candidates(7, 76) == {1}
    assert candidates(7, 75) == set()
    assert candidates(10, 100) == set()


def test_no_keys_and_no_queries() -> None:
    write_keys({}, {})
    assert list(find_hits({}, {})) == []


@pytest.mark.parametrize("most_apart", [0, 1, 2, 63, 64])
def test_finds_only_bits_that_are_near(most_apart: int) -> None:
    several = (0, 1, 3, 2**63, HIGHEST)
    for article, bits in enumerate(several):
        write_keys({article: [Key(5, DAY, bits)]}, {article: 1})
    write_keys({5: [Key(5, DAY)]}, {5: 1})  # without bits, near everything
    for ours in several:
        near = {n for n, theirs in enumerate(several) if (ours ^ theirs).bit_count() <= most_apart}
        found = find_hits({9: [Key(5, DAY, ours, most_apart)]}, {9: 1})
        assert {article for _, _, (_, article, _, _) in found} == near | {5}


def test_writing_again_takes_the_new_bits() -> None:
    write_keys({1: [Key(5, DAY, 1)]}, {1: 1})
    write_keys({1: [Key(5, DAY, 2)]}, {1: 1})
    [(_, _, (_, _, bits, _))] = find_hits({9: [Key(5, DAY)]}, {9: 1})
    assert bits == stored_bits(Key(5, DAY, 2))


def test_deletes_old_keys_and_short_lived_sooner() -> None:
    now = datetime(2026, 3, 4, tzinfo=UTC)
    old, young = hour_of(now - timedelta(days=40)), hour_of(now)
    lasting, passing = key(KeyKind.SIMHASH, "x"), key(KeyKind.TITLE, "x")
    both = [Key(lasting, DAY), Key(passing, DAY)]
    write_keys({1: both, 2: both, 3: both}, {1: old, 2: young, 3: old})
    since = now - timedelta(days=34)
    assert delete_keys(published_before=since, seen_up_to_id=2, short_lived=True) == 1
    assert set(BlockingKey.objects.filter(article_id=1).values_list("value", flat=True)) == {lasting}
    assert delete_keys(published_before=since, seen_up_to_id=2, short_lived=False) == 1
    assert set(BlockingKey.objects.values_list("article_id", flat=True)) == {2, 3}


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 60)), max_size=12), st.integers(1, 30))
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_equals_brute_force(articles: list[tuple[int, int]], hours: int) -> None:
    BlockingKey.objects.all().delete()
    window = timedelta(hours=hours)
    keys = {n: [Key(value, window)] for n, (value, _) in enumerate(articles)}
    times = {n: hour for n, (_, hour) in enumerate(articles)}
    write_keys(keys, times)
    expected = [
        {m for m, (other, at) in enumerate(articles) if other == value and abs(at - hour) <= hours and m != n}
        for n, (value, hour) in enumerate(articles)
    ]
    for n in range(len(articles)):
        assert {article for _, _, (_, article, _, _) in find_hits({n: keys[n]}, times)} == expected[n]
    together: list[set[int]] = [set() for _ in articles]
    for n, _, (_, article, _, hour) in find_hits(keys, times):
        if abs(hour - times[n]) <= hours:  # within the window of another owner of the key
            together[n].add(article)
    assert together == expected
