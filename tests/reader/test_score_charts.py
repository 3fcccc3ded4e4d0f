"""Small charts of scores."""

import re

import pytest
from django.template import Context, Template

from reader.scoring.explain import TermShare
from reader.scoring.importance import Parts
from reader.scoring.rating import Rating
from reader.templatetags.formatting import fill
from reader.templatetags.scores import HEIGHT, WIDTH, rounded, score_values, strength
from tests.markup import tight


def test_column_width_is_weight_and_height_is_points() -> None:
    parts = Parts(authority=100, recency=50, corroboration=0, relevance=25.4, depth=75)
    values = score_values(Rating(parts, 40.0, 3, False), by_relevance=False)
    drawn = fill("components/_score.html", pk=1, back="all", **values)
    assert "authority 100, recency 50, corroboration 0, relevance 25, depth 75." in drawn
    full, filled = re.findall(r' d="([^"]+)"', drawn)
    assert full == "M0 0h10v14h-10zM11 0h8v14h-8zM20 0h8v14h-8zM29 0h8v14h-8zM38 0h6v14h-6z"
    assert filled == "M0 0h10V14h-10zM11 7h8V14h-8zM20 14h8V14h-8zM29 10.4h8V14h-8zM38 3.5h6V14h-6z"
    assert (WIDTH, HEIGHT) == (44, 14)


@pytest.mark.parametrize(("points", "dots"), [(39, 1), (40, 2), (69, 2), (70, 3)])
def test_dots_follow_the_sections_of_digests(points: int, dots: int) -> None:
    assert strength(points) == dots


def test_terms_for_and_against_share_one_scale() -> None:
    terms = [TermShare("coral", 2.0), TermShare("goals", -4.0)]
    drawn = tight(Template("{% load scores %}{% signed_bars terms %}").render(Context({"terms": terms})))
    assert re.findall(r'<li class="(\w+)">.*?max="([\d.]+)" value="([\d.]+)".*?<span class="sum">([^<]+)<', drawn) == [
        ("for", "4.0", "2.0", "+2.0"),
        ("against", "4.0", "4.0", "−4.0"),
    ]


@pytest.mark.parametrize(
    ("number", "n_decimals", "shown"), [(83.527, 0, "84"), (16.75, 1, "16.8"), (0.0, 1, "0.0"), (1.7e-272, 0, "0")]
)
def test_rounds_numbers_of_any_size(number: float, n_decimals: int, shown: str) -> None:
    assert rounded(number, n_decimals) == shown
