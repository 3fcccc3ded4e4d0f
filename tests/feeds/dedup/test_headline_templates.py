"""Headlines that list several items, and those from one template about other subjects."""

import pytest

from feeds.dedup.headline_templates import alike_after_beginnings, head_of, is_roundup, missing_share
from feeds.dedup.titles import title_of


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("台风登陆；港口关闭；渡轮停航", True),
        ("渡轮搁浅丨图书馆重开｜鲸鱼归来", True),
        ("Ferry aground; library opens; whale returns", True),
        ("Ferry aground, library opens, more", True),
        ("Ferry aground; all safe", False),
        ("Harbour Courier | Ferry aground", False),
        ("Ferry service 24/7 in A/B test", False),
        ("", False),
    ],
)
def test_roundups(title: str, expected: bool) -> None:
    assert is_roundup(title) is expected


def test_heads_are_the_first_terms_without_labels_and_small_words() -> None:
    assert head_of("The ferry of Port Mellow runs aground", "en") == ("ferry", "port")
    assert head_of("【快讯】贝尔蒙特：净利润增长", "zh") == ("贝尔", "尔蒙")
    assert head_of("", "en") == ()


def test_missing_share_is_weighted() -> None:
    weights = {"ferry": 3.0, "port": 1.0}
    assert missing_share(("ferry", "port"), {"port": 0.5}, weights.__getitem__) == 0.75
    assert missing_share(("ferry", "port"), {}, weights.__getitem__) == 1.0
    assert missing_share((), {}, weights.__getitem__) == 0.0


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        ("贝尔蒙特预计2025年净利润增长四成", "卡罗钢铁预计2025年净利润下降三成", 0.7),
        ("贝尔蒙特向交易所提交上市申请", "卡罗向交易所提交上市申请", 1.0),
        ("belmont steel expects net profit of 2025 to grow", "carrow mills expects net profit of 1998 to grow", 1.0),
        ("belmont steel expects more profit", "belmont steel expects less profit", 0.0),
        ("渡轮在梅洛港外搁浅", "图书馆火灾后重新开放", 0.0),
        ("", "卡罗向交易所提交上市申请", 0.0),
    ],
)
def test_what_follows_other_beginnings(ours: str, theirs: str, expected: float) -> None:
    one, other = (
        title_of(title, language="zh" if not title.isascii() else "en").normalized for title in (ours, theirs)
    )
    assert alike_after_beginnings(one, other) == alike_after_beginnings(other, one) == pytest.approx(expected, abs=0.15)
