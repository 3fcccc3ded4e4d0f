"""Every regular expression of the app takes time in proportion to the text.

Two ways to find those that don't: a library analyses each pattern for three repetitions that can split the same
characters (nothing is run, but it doesn't see all); and each is run with the method that the code calls, on texts made
of a unit again and again.
"""

import re
from typing import Any

import pytest
from regexploit.ast.sre import SreOpParser
from regexploit.redos import find

from tests.patterns import Pump, Use, all_uses, has_repetition, is_nested, is_slow, pumps, seconds, slow_pump
from tests.tables import table

BOUNDED = {  # the most characters that a pattern, or each of a module, is given
    "digests.summaries.boilerplate._NAME": 100,
    "digests.summaries.datelines._DATELINE": 160,
    "digests.summaries.datelines._HAN": 160,
    "digests.summaries.datelines._LABEL": 160,
    "digests.summaries.datelines._TAG": 160,
    "feeds.dedup.title_cleanup._MEDIA_ENDING": 16,
    "feeds.discovery.find._FEED_PATH": 150,
    "feeds.normalizing.dates": 120,
    "feeds.normalizing.text._TAG": 4000,
    "reader.scoring.sensitivity.features._STYLE": 300,
    "reader.subscriptions.duplicate_rules._KINDS": 1000,
}
TRUSTED = {"feeds.dedup.translation._ASIDE"}  # reads a dictionary that is installed
SECONDS_IF_BOUNDED = 0.1

SLOW_BEFORE = (  # pattern, method, and a text that took at least the square of its length
    ("feeds.dedup.entities._CASE_ENDINGS", "sub", "", "ая", "б"),
    ("feeds.dedup.entities._CASE_ENDINGS", "sub", "", "а", "!"),
    ("feeds.dedup.entity_rules_han._JAPANESE_PEOPLE", "findall", "", "カ", ""),
    ("feeds.dedup.entity_rules_han._JAPANESE_PEOPLE", "findall", "", "カ・", ""),
    ("feeds.dedup.leads:_pattern", "search", "", "odds ", ""),
    ("feeds.dedup.title_numbers._HAN_SCALE", "sub", "", "1", ""),
    ("feeds.dedup.title_numbers._TRAILING_ZEROS", "sub", "", ".0", "/x"),
    ("feeds.dedup.titles._ASCII_WORD", "findall", "", "１", ""),
    ("feeds.content.extract._CHARSET", "search", "charset=", " ", ""),
    ("feeds.fetching.headers._MAX_AGE", "fullmatch", "max-age=", " ", ""),
    ("feeds.normalizing.author_names._COMMA", "sub", "", " ", ""),
    ("feeds.normalizing.depth_limit._TAG", "finditer", "<", "a", ""),
    ("feeds.normalizing.html_images._PIXEL_HOSTS", "match", "http://", "feedads.", "!"),
    ("feeds.normalizing.html_images._PIXEL_PATHS", "search", "/tracking/", "pixel", ""),
    ("feeds.normalizing.language._TAGS", "sub", "", "<", ""),
    ("feeds.normalizing.text._READ_MORE", "sub", "", ".", "!"),
    ("feeds.normalizing.text._READ_MORE", "sub", "", "…", "!"),
    ("feeds.normalizing.text._SYNDICATION_NOTE", "sub", "", " ", "!"),
    ("feeds.normalizing.text._WITH_CONTENT", "sub", "", "<script", ""),
    ("feeds.parsing.xmlfeed._OUTSIDE_ROOT", "fullmatch", "", "<?", ""),
    ("reader.llm.client._VERSION", "search", "/v", "1", "!"),
    ("reader.llm.validation._STRING_OR_LAST_COMMA", "sub", "", '\\"', ""),
    ("reader.scoring.sensitivity.features._DATELINE", "match", "(", "A", ""),
    ("digests.summaries.boilerplate._BYLINE", "match", "by ", "A", "!"),
    ("digests.summaries.boilerplate._CUT_OFF", "search", "", ".", "!"),
    ("digests.summaries.boilerplate._NOT_PROSE", "search", "", "a@", ""),
    ("digests.summaries.boilerplate._NOT_PROSE", "search", "", "a-", ""),
    ("digests.summaries.datelines._CREDIT", "sub", "", " ", "!"),
    ("digests.summaries.datelines._CREDIT", "sub", "", "[AP]", "!"),
    ("digests.summaries.llm_check._ADDRESS", "search", "", "a@", ""),
    ("digests.summaries.llm_check._ADDRESS", "search", "", "a-", ""),
    ("digests.summaries.llm_check._HEADING", "sub", "Summary:", "\n", ""),
)


class Parser(SreOpParser):
    """Adds the syntax of Python 3.11 that the library lacks; treating it as plain groups can only overestimate."""

    def from_POSSESSIVE_REPEAT(self, data: Any) -> Any:
        return self.from_MAX_REPEAT(data)

    def from_ATOMIC_GROUP(self, data: Any) -> Any:
        return self.sequence_or_singleton(data)


def dangers(pattern: re.Pattern[Any]) -> list[str]:
    """Texts on which the pattern may take long."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    return [found.example() for found in find(Parser().parse_sre(source, pattern.flags))]


@pytest.fixture(scope="module")
def uses() -> list[Use]:
    return all_uses()


def limit_of(use: Use) -> int | None:
    return BOUNDED.get(use.where) or BOUNDED.get(use.where.rpartition(".")[0])


def slow_ones(uses: list[Use]) -> dict[str, Pump]:
    found = {}
    for use in uses:
        if (limit := limit_of(use)) is not None:
            pump = next((pump for pump in pumps(use) if seconds(use, pump.text(limit)) > SECONDS_IF_BOUNDED), None)
        else:
            pump = slow_pump(use, pumps(use))
        if pump is not None:
            found[f"{use.where} {use.method}"] = pump
    return found


def test_no_pattern_has_three_overlapping_repetitions(uses: list[Use]) -> None:
    by_pattern = {(use.pattern.pattern, use.pattern.flags): use for use in uses}
    assert len(by_pattern) > 600
    found = {use.where: dangers(use.pattern) for use in by_pattern.values() if limit_of(use) is None}
    assert {where: examples for where, examples in found.items() if examples} == {}


def test_bounded_and_trusted_patterns_exist(uses: list[Use]) -> None:
    names = {name for use in uses for name in (use.where, use.where.rpartition(".")[0])}
    assert (BOUNDED.keys() | TRUSTED) - names == set()


@pytest.mark.parametrize("pattern", [r"(\w+)+$", r"\s*,?\s*\s*x", r"(?:\d+\.?)+,"])
def test_finds_slow_patterns(pattern: str) -> None:
    assert dangers(re.compile(pattern))


@pytest.mark.slow
@table(
    ("pattern", "method", "pump"),
    [
        (r"(?:[^/]+[-_+]+){2}[^/]+$|\d{5,}[^/]*$", "search", Pump("", "-", "/x")),
        (r"\s+$", "sub", Pump("", " ", "!")),
        (r"<[^>]*>", "sub", Pump("", "<", "")),
        (r"(?:ая|[ая])+$", "search", Pump("", "ая", "б")),
    ],
)
def test_measures_slow_patterns(pattern: str, method: str, pump: Pump) -> None:
    assert is_slow(Use("here", re.compile(pattern), method), pump)


@pytest.mark.slow
def test_slow_texts_of_the_past_take_linear_time(uses: list[Use]) -> None:
    of = {(use.where, use.method): use for use in uses}
    rows = [(of[where, method], Pump(*parts)) for where, method, *parts in SLOW_BEFORE]
    assert [(use.where, pump) for use, pump in rows if is_slow(use, pump)] == []


@pytest.mark.slow
def test_nested_repetitions_take_linear_time(uses: list[Use]) -> None:
    nested = [use for use in uses if is_nested(use) and use.where not in TRUSTED]
    assert len(nested) > 40
    assert slow_ones(nested) == {}


@pytest.mark.nightly
def test_every_pattern_takes_linear_time(uses: list[Use]) -> None:
    repeating = [use for use in uses if has_repetition(use) and use.where not in TRUSTED]
    assert len(repeating) > 300
    assert slow_ones(repeating) == {}
