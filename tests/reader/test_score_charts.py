"""Small charts of scores."""

import re

from django.template import Context, Template

from reader.scoring.explain import TermShare
from reader.scoring.importance import Parts
from reader.scoring.rating import Rating
from reader.templatetags.scores import HEIGHT, WIDTH, ageing, score
from tests.markup import tight


def test_column_width_is_weight_and_height_is_points() -> None:
    parts = Parts(authority=100, recency=50, corroboration=0, relevance=25.4, depth=75)
    drawn = score(Rating(parts, 40.0, 3, False), 1, "/all/")
    assert "authority 100, recency 50, corroboration 0, relevance 25, depth 75." in drawn
    full, filled = re.findall(r' d="([^"]+)"', drawn)
    assert full == "M0 0h10v14h-10zM11 0h8v14h-8zM20 0h8v14h-8zM29 0h8v14h-8zM38 0h6v14h-6z"
    assert filled == "M0 0h10V14h-10zM11 7h8V14h-8zM20 14h8V14h-8zM29 10.4h8V14h-8zM38 3.5h6V14h-6z"
    assert (WIDTH, HEIGHT) == (44, 14)


def test_decay_curve_is_steeper_for_higher_sensitivity() -> None:
    ends = []
    for sensitivity in (1, 2, 3, 4, 5):
        [line] = re.findall(r'points="([^"]+)"', ageing(sensitivity))
        points = [tuple(map(float, point.split(","))) for point in line.split()]
        assert (points[0], points[-1][0], len(points)) == ((0.0, 1.0), 14.0, 8)
        ends.append(points[-1][1])
    assert ends == sorted(set(ends))
    assert ends[-1] == 8.9


def test_terms_for_and_against_share_one_scale() -> None:
    terms = [TermShare("coral", 2.0), TermShare("goals", -4.0)]
    drawn = tight(Template("{% load scores %}{% signed_bars terms %}").render(Context({"terms": terms})))
    assert re.findall(r'<li class="(\w+)">.*?max="([\d.]+)" value="([\d.]+)".*?<span class="sum">([^<]+)<', drawn) == [
        ("for", "4.0", "2.0", "+2.0"),
        ("against", "4.0", "4.0", "−4.0"),
    ]
