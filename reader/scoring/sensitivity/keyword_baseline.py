"""A baseline for evaluation: the five keyword lists from the prompt in feedoscope-article.md.

The Chinese and Japanese keywords are translations. The score with the most keywords wins; ties go to the more urgent
one, and a text without keywords gets the middle score.
"""

import re
from functools import cache

from reader.scoring.sensitivity.weights import SCORES

WITHOUT_KEYWORD = 3

_KEYWORDS = {
    1: ("history of", "profile", "explainer", "deep dive", "历史", "人物", "科普", "深度", "歴史", "人物伝", "解説"),
    2: ("analysis", "opinion", "trend", "culture", "分析", "观点", "趋势", "文化", "意見", "傾向"),
    3: ("debate", "upcoming", "policy", "investigation", "辩论", "即将", "政策", "调查", "議論", "近日", "調査"),
    4: (
        *("announces", "reports", "wins", "results", "verdict"),
        *("宣布", "报道", "获胜", "结果", "判决", "発表", "報告", "勝利", "結果", "判決"),
    ),
    5: (
        *("live", "breaking", "unfolding", "evacuation", "alert"),
        *("直播", "突发", "疏散", "警报", "ライブ", "速報", "進行中", "避難", "警報"),
    ),
}


def keyword_score(title: str, text: str) -> int:
    """The score from 1 to 5 whose keywords occur most often in the title and text."""
    read = f"{title}\n{text}".lower()
    counts = {score: len(_pattern(score).findall(read)) for score in SCORES}
    best = max(SCORES, key=lambda score: (counts[score], score))
    return best if counts[best] else WITHOUT_KEYWORD


@cache
def _pattern(score: int) -> re.Pattern[str]:
    """Matches Latin keywords as whole words, others anywhere."""
    return re.compile("|".join(rf"\b{word}\b" if word.isascii() else word for word in _KEYWORDS[score]))
