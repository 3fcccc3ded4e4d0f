"""Where the marks of scores lie."""

import pytest

from reader.drawing import BAR_HEIGHT, BAR_WIDTH, SignedBar, decay_line, score_columns, share_of, signed_bars
from reader.drawing_lines import BOTTOM, TOP, lines
from reader.scoring.importance import Parts
from tests import make


def test_columns_are_as_wide_as_they_weigh_and_as_high_as_they_are() -> None:
    columns = score_columns(Parts(authority=100, recency=50, corroboration=0, relevance=25.4, depth=75))
    assert [(each.name, each.points) for each in columns] == [
        ("authority", 100),
        ("recency", 50),
        ("corroboration", 0),
        ("relevance", 25),
        ("depth", 75),
    ]
    assert [(each.x, each.width, each.y, each.height) for each in columns] == [
        (0.0, 10.0, 0.0, 14.0),
        (11.0, 8.0, 7.0, 7.0),
        (20.0, 8.0, 14.0, 0.0),
        (29.0, 8.0, 10.4, 3.6),
        (38.0, 6.0, 3.5, 10.5),
    ]
    assert columns[-1].x + columns[-1].width == BAR_WIDTH
    assert all(each.y + each.height == BAR_HEIGHT for each in columns)


@pytest.mark.parametrize(
    ("rate", "last"), [pytest.param(0.0, "14,1.0", id="never"), pytest.param(0.139, "14,8.9", id="critical")]
)
def test_the_line_of_ageing_falls_as_fast_as_it(rate: float, last: str) -> None:
    points = decay_line(rate).split()
    assert (points[0], points[-1], len(points)) == ("0,1.0", last, 8)


@pytest.mark.parametrize(
    ("values", "bars"),
    [
        pytest.param([], (), id="none"),
        pytest.param([0.0], (SignedBar("100.0%", "0.0%", False),), id="nothing"),
        pytest.param([4.0, 1.0], (SignedBar("0.0%", "100.0%", False), SignedBar("0.0%", "25.0%", False)), id="all for"),
        pytest.param(
            [-4.0, -1.0], (SignedBar("0.0%", "100.0%", True), SignedBar("75.0%", "25.0%", True)), id="all against"
        ),
        pytest.param([2.0, -4.0], (SignedBar("50.0%", "25.0%", False), SignedBar("0.0%", "50.0%", True)), id="both"),
    ],
)
def test_signed_bars_share_one_scale(values: list[float], bars: tuple[SignedBar, ...]) -> None:
    assert signed_bars(values) == bars


@pytest.mark.parametrize(
    ("value", "most", "share"),
    [
        (0.0, 1.0, "0%"),
        (0.001, 1.0, "0.5%"),
        (0.5, 1.0, "50.0%"),
        (3.0, 1.0, "100.0%"),
        (1.0, 0.0, "0%"),
        (-1, 1, "0%"),
    ],
)
def test_a_share_stays_within_its_width(value: float, most: float, share: str) -> None:
    assert share_of(value, most) == share


DAYS = [make.NOW.replace(day=day) for day in (1, 2, 4)]


def test_lines_go_from_left_to_right_and_up_with_the_figure() -> None:
    drawing = lines(DAYS, {"model": [0.5, 0.75, 1.0], "profile": [0.6, 0.6, 0.6]})
    assert drawing is not None
    model, profile = drawing.series
    assert [(each.x, each.y) for each in model.points] == [("10.00%", BOTTOM), ("39.33%", 72.0), ("98.00%", TOP)]
    assert [(each.x1, each.y1, each.x2, each.y2) for each in model.strokes] == [
        ("10.00%", 136.0, "39.33%", 72.0),
        ("39.33%", 72.0, "98.00%", 8.0),
    ]
    assert {each.y for each in profile.points} == {110.4}
    assert [each.label for each in drawing.grid] == ["1.0", "0.9", "0.8", "0.7", "0.6", "0.5"]
    assert drawing.words == "3 trainings: first model 0.50, profile 0.60; last model 1.00, profile 0.60."


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        pytest.param([0.02, 0.9], ["1.0", "0.8", "0.6", "0.4", "0.2", "0.0"], id="from 0"),
        pytest.param([0.31, 0.9], ["1.0", "0.8", "0.6", "0.4"], id="from 0.3"),
        pytest.param([0.93, 0.99], ["1.0", "0.9", "0.8", "0.7", "0.6", "0.5"], id="never above 0.5"),
    ],
)
def test_the_scale_begins_below_the_least(values: list[float], labels: list[str]) -> None:
    drawing = lines(DAYS[:2], {"model": values})
    assert drawing is not None
    assert [each.label for each in drawing.grid] == labels
    assert all(TOP <= point.y <= BOTTOM for point in drawing.series[0].points)


def test_one_training_is_a_dot_and_none_no_drawing() -> None:
    drawing = lines(DAYS[:1], {"model": [0.8]})
    assert drawing is not None
    assert ([each.x for each in drawing.series[0].points], drawing.series[0].strokes) == (["54.00%"], ())
    assert drawing.words == "One training: model 0.80."
    assert lines([], {"model": []}) is None
