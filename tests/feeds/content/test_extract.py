"""The article of a web page: its paragraphs, without the title and the byline."""

import re

import pytest

from feeds.content.extract import page_text
from feeds.fetching.result import FetchResult

PAGE = "<html><head><title>T</title></head><body><header>Paper</header><main><article><h1>Title</h1>{}</article></main>"
TEXT = [
    f"The harbour office takes down {number} cranes this week, and nobody in the town will miss them very much."
    for number in ("two", "three", "four", "five")
]
CHINESE = (
    "花十二元买一张餐券，坐在孩子旁边吃一顿午饭。本周起，全市中小学轮流向家长开放食堂。",
    "首日收回的表格里，得分最高的是米饭和汤，最低的是绿叶菜。学校当天就推迟了时间。",
    "教育局后勤科科长说，意见会每月公布一次，连续两次垫底的供餐企业将被约谈。",
)


def paragraphs(*given: str) -> list[str]:
    body = PAGE.format("".join(f"<p>{paragraph}</p>" for paragraph in given)).encode()
    markup = page_text(FetchResult("https://paper.example/1", 200, {"content-type": "text/html"}, body)).markup
    return re.findall(r"<p>(.*?)</p>", markup, re.DOTALL)


def test_short_chinese_article_keeps_its_paragraphs() -> None:
    assert paragraphs("罗一鸣 · <time>2026-11-23 03:36 UTC</time>", *CHINESE) == list(CHINESE)


@pytest.mark.parametrize("byline", ["Ada Miller · <time>2026-11-23</time>", "By Ada Miller"])
def test_leaves_out_a_byline(byline: str) -> None:
    assert paragraphs(byline, *TEXT)[0] == TEXT[0]


def test_keeps_a_short_first_sentence() -> None:
    assert paragraphs("By noon it was over.", *TEXT)[0] == "By noon it was over."
