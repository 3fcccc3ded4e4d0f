"""Lanes for slow and prompt feeds, with a clock that the test sets."""

from feeds.polling.lanes import SLOW_AFTER, Lanes, Pace


def fill(pace: Pace, n: int, *, lanes: Lanes, first: int, per_source: int = 1) -> list[int]:
    feeds = list(range(first, first + n))
    for feed in feeds:
        lanes.add(feed, source=first + (feed - first) // per_source, pace=pace)
    return feeds


def start_all(lanes: Lanes, now: float = 0.0) -> list[int]:
    started = []
    while (feed := lanes.start_next(now)) is not None:
        started.append(feed)
    return started


def test_starts_prompt_then_new_then_slow_feeds() -> None:
    lanes = Lanes(4, 2)
    for feed, pace in ((1, Pace.SLOW), (2, Pace.NEW), (3, Pace.PROMPT)):
        lanes.add(feed, source=feed, pace=pace)
    assert start_all(lanes) == [3, 2, 1]
    assert lanes.feeds == {1, 2, 3}


def test_a_long_fetch_frees_its_slot() -> None:
    lanes = Lanes(2, 2)
    fill(Pace.PROMPT, 4, lanes=lanes, first=1)
    assert start_all(lanes) == [1, 2]
    lanes.move_slow(SLOW_AFTER - 0.1)
    assert start_all(lanes, SLOW_AFTER - 0.1) == []
    lanes.move_slow(SLOW_AFTER)
    assert (start_all(lanes, SLOW_AFTER), lanes.n_slow) == ([3, 4], 2)


def test_limits_threads_when_all_become_slow() -> None:
    lanes = Lanes(4, 2)
    fill(Pace.PROMPT, 100, lanes=lanes, first=1)
    n_begun = 0
    for moment in range(20):
        n_begun += len(start_all(lanes, moment * SLOW_AFTER))
        lanes.move_slow((moment + 1) * SLOW_AFTER)
    assert n_begun == lanes.n_threads == 12


def test_new_feeds_leave_room_for_prompt_ones() -> None:
    lanes = Lanes(4, 2)
    new = fill(Pace.NEW, 10, lanes=lanes, first=1)
    assert start_all(lanes) == new[:3]
    prompt = fill(Pace.PROMPT, 2, lanes=lanes, first=101)
    assert start_all(lanes) == prompt[:1]


def test_slow_feeds_use_no_prompt_slot() -> None:
    lanes = Lanes(4, 2)
    slow = fill(Pace.SLOW, 10, lanes=lanes, first=1)
    assert start_all(lanes) == slow[:4]
    assert start_prompt(lanes) == [101, 102, 103, 104]


def start_prompt(lanes: Lanes) -> list[int]:
    fill(Pace.PROMPT, 5, lanes=lanes, first=101)
    return start_all(lanes)


def test_one_slow_feed_per_source_at_a_time() -> None:
    lanes = Lanes(4, 2)
    for feed in (1, 2):
        lanes.add(feed, source=7, pace=Pace.SLOW)
    lanes.add(3, source=7, pace=Pace.PROMPT)
    assert start_all(lanes) == [3, 1]
    lanes.end(3)
    assert start_all(lanes) == []
    lanes.end(1)
    assert start_all(lanes) == [2]


def test_respects_one_connection_per_domain() -> None:
    lanes = Lanes(4, 1)
    fill(Pace.PROMPT, 3, lanes=lanes, first=1, per_source=3)
    assert start_all(lanes) == [1]


def test_recognizes_a_slow_host_by_its_first_feeds() -> None:
    lanes = Lanes(4, 2)
    fill(Pace.NEW, 6, lanes=lanes, first=1, per_source=6)
    assert start_all(lanes) == [1, 2]
    lanes.move_slow(SLOW_AFTER)
    lanes.end(1)
    assert start_all(lanes, SLOW_AFTER) == []  # the others count as slow, of which there is one in flight
    lanes.add(7, source=1, pace=Pace.NEW)
    assert start_all(lanes, SLOW_AFTER) == []
    lanes.end(2)
    assert start_all(lanes, SLOW_AFTER) == [3]


def test_claims_more_when_slots_would_be_idle() -> None:
    lanes = Lanes(2, 2)
    assert [lanes.wants(pace) for pace in Pace] == [True, True, True]
    fill(Pace.SLOW, 3, lanes=lanes, first=1)
    assert [lanes.wants(pace) for pace in Pace] == [True, True, False]
    start_all(lanes)
    fill(Pace.NEW, 3, lanes=lanes, first=11)
    assert [lanes.wants(pace) for pace in Pace] == [True, False, False]
    lanes.drop_all(Pace.NEW)
    assert [lanes.wants(pace) for pace in Pace] == [True, True, False]


def test_drops_a_rate_limited_source() -> None:
    lanes = Lanes(2, 1)
    fill(Pace.PROMPT, 3, lanes=lanes, first=1, per_source=3)
    start_all(lanes)
    lanes.drop(1)
    assert (lanes.feeds, lanes.in_use(1)) == ({1}, True)
    lanes.end(1)
    assert (lanes.feeds, lanes.in_use(1)) == (set(), False)
