"""The local judge of time sensitivity: in-process, no network, some 0.3 ms an article. Pure."""

from reader.scoring.sensitivity.judge import SHIPPED, Judgement, judge
from reader.scoring.sensitivity.numbers import Numbers, UnreadableNumbers

__all__ = ["SHIPPED", "Judgement", "Numbers", "UnreadableNumbers", "judge"]
