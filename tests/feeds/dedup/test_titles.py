import itertools
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeds.dedup.titles import (
    Title,
    contradiction,
    is_generic,
    jaccard,
    jaro_winkler,
    most_bits_apart,
    prefix_pairs,
    prefix_tokens,
    required_jaccard,
    title_match,
    title_of,
    token_bits,
)
from tests.feeds.hard_titles import DIFFERENT, SAME, SOURCES
from tests.tables import table

NORMALIZED = {
    "lower_case": ("A Quiet DAY", "a quiet day"),
    "punctuation": ("Wait: a quiet, calm (and grey) day?!", "wait a quiet calm and grey day"),
    "hyphens_and_underscores": ("A half-quiet snake_case day", "a half quiet snake case day"),
    "white_space": ("  A   quiet  day ", "a quiet day"),
    "quotes": ("“A ‘quiet’ day”", "a quiet day"),
    "possessive": ("Apple's and Apple’s", "apple and apple"),
    "apostrophe_within": ("They can’t, won't", "they cant wont"),
    "acronym": ("U.S. and U.K., A.I.", "us and uk ai"),
    "sentence_end_is_no_acronym": ("Plan B. Next", "plan b next"),
    "ampersand": ("Salt & smoke", "salt and smoke"),
    "signs_of_languages": ("C++, C# and Disney+", "c++ c# and disney+"),
    "trade_mark": ("SPORTS™ Game®", "sports game"),
    "full_width": ("ＡＢＣ　１２", "abc 12"),
    "accents_stay": ("Café Größe", "café größe"),
    "thousands": ("1,000 and 1,234,567.5", "1000 and 1234567.5"),
    "thousands_with_dots": ("10.000 und 1.234.567", "10000 und 1234567"),
    "decimal_comma": ("3,5 Prozent", "3.5 prozent"),
    "list_of_numbers": ("1, 2, 3", "1 2 3"),
    "leading_zeros": ("007 and 0.05", "7 and 0.05"),
    "version": ("v1.84.0 and 2.0.0 and 1.0.2", "1.84 and 2 and 1.0.2"),
    "decimals_stay_apart": ("1.05 and 1.5 and 1.50", "1.05 and 1.5 and 1.50"),
    "ordinal": ("3rd, 21st", "3 21"),
    "percent": ("5% and 5 percent", "5 percent and 5 percent"),
    "million": ("$5m, 5 million, 1.2bn, 7k", "5000000 5000000 1200000000 7000"),
    "number_words": ("Three of one, five million", "3 of one 5000000"),
    "score": ("2-1, 2–1, 2:1", "2-1 2-1 2-1"),
    "season": ("2024-25 and 2024/25", "2024-2025 and 2024-2025"),
    "iso_date": ("On 2024-01-05", "on 2024 january 5"),
    "models": ("F-35, H100, GPT-4o, iPhone16", "f35 h100 gpt 4o iphone 16"),
    "quarters": ("Q3 and 3Q", "q3 and q3"),
    "season_and_episode": ("S01E02", "s1 e2"),
    "units": ("8GB at 10am", "8 gb at 10 am"),
    "chinese": ("上海：今日，“新闻”！", "上海今日新闻"),
    "chinese_with_latin": ("苹果iPhone16发布", "苹果 iphone 16 发布"),
    "han_numbers": ("第十二集 三月 二十四小时 三人", "第 12 集 3 月 24 小时 3 人"),
    "han_words_are_no_numbers": ("一带一路与百度十分", "一带一路与百度十分"),
    "han_plan_is_no_number": ("十三五规划", "十三五规划"),
    "han_scale": ("1.2亿元、5万", "120000000 元 50000"),
    "han_score": ("2対1で勝利", "2-1 で勝利"),
    "half_width_kana": ("ﾆｭｰｽ", "ニュース"),
    "katakana_dot": ("ジョン・スミス", "ジョンスミス"),
    "hindi_keeps_vowels": ("हिन्दी, समाचार", "हिन्दी समाचार"),
    "thai_keeps_vowels": ("สวัสดี", "สวัสดี"),
    "korean": ("오늘의 뉴스, 날씨", "오늘의 뉴스 날씨"),
    "cyrillic": ("Курс «Доллара»", "курс доллара"),
    "emoji": ("Rain 🌧️ again", "rain again"),
    "only_punctuation": ("?! …", ""),
    "empty": ("", ""),
}

DROPPED = {
    "breaking": ("Breaking: Bridge closed", "bridge closed"),
    "breaking_exclamation": ("BREAKING! Bridge closed", "bridge closed"),
    "agency_update": ("UPDATE 2-Bridge closed", "bridge closed"),
    "live_video": ("Watch live: Bridge closed", "bridge closed"),
    "several": ("BREAKING: [VIDEO] Bridge closed", "bridge closed"),
    "brackets": ("(Exclusive) Bridge closed", "bridge closed"),
    "han_brackets": ("【速報】大橋が閉鎖", "大橋が閉鎖"),
    "han_colon": ("独家：大桥关闭", "大桥关闭"),
    "han_pipe": ("快讯丨大桥关闭", "大桥关闭"),
    "tag_behind": ("Bridge closed [Updated]", "bridge closed"),
    "known_source": ("Old stone bridge closed - Example Wire", "old stone bridge closed"),
    "newspaper_behind_dash": ("Old stone bridge closed - The Valley Times", "old stone bridge closed"),
    "broadcaster_behind_pipe": ("Old stone bridge closed | BBC News", "old stone bridge closed"),
    "hostname": ("Old stone bridge closed — example.com", "old stone bridge closed"),
    "pipe_and_section": ("Old stone bridge closed | Local | Valley Times", "old stone bridge closed"),
    "han_underscore": ("老石桥今日关闭_新浪网", "老石桥今日关闭"),
    "han_source_with_host": ("老石桥今日关闭_新闻频道_河谷网(valley.cn)", "老石桥今日关闭"),
    "han_dash": ("老石桥今日关闭-河谷日报", "老石桥今日关闭"),
}

KEPT = {
    "label_alone": ("Breaking:", "breaking"),
    "label_without_separator": ("Breaking Bad returns", "breaking bad returns"),
    "version_of_update": ("Update 1.2: new features", "update 1.2 new features"),
    "numbered_diary": ("Update 2: the hunt", "update 2 the hunt"),
    "subtitle_behind_dash": ("Python 3 is here now - a review", "python 3 is here now a review"),
    "capitalised_subtitle": ("The road to nowhere - Part Two", "the road to nowhere part 2"),
    "library_is_no_host": ("Realtime chat in an hour - Node.js", "realtime chat in an hour node js"),
    "short_title": ("Bridge closed - Reuters", "bridge closed reuters"),
    "long_tail": ("A bridge | All that you ever wanted to read", "a bridge all that you ever wanted to read"),
    "number_behind_pipe": ("Letters from a small island | Issue 12", "letters from a small island issue 12"),
    "internet_is_no_publisher": ("老石桥今日关闭-互联网", "老石桥今日关闭互联网"),
    "score_before_han": ("主队险胜客队 2-1 新闻", "主队险胜客队 2-1 新闻"),
}  # fmt: skip

NUMBERS = {
    "none": ("A quiet day", set()),
    "plain": ("Weekly update #41", {"41"}),
    "year_and_version": ("Python 3.14 in 2025", {"3.14", "2025"}),
    "same_version": ("Go 1.24.0", {"1.24"}),
    "words": ("Two dead, third missing", {"2", "3"}),
    "roman": ("World War II, part I", {"2", "1"}),
    "president_is_no_number": ("Xi meets farmers", set()),
    "quarter": ("Third quarter, Q4", {"q3", "q4"}),
    "months": ("January 5 and 3 Feb", {"january", "5", "3", "february"}),
    "may_beside_number": ("May 5 may rain", {"may", "5"}),
    "march_on": ("They march on", set()),
    "weekday": ("Monday's papers", {"monday"}),
    "score": ("Home 2:1 away", {"2-1"}),
    "model": ("H100 and iPhone 16", {"h100", "16"}),
    "full_width": ("１２人", {"12"}),
    "han": ("第十二話", {"12"}),
    "han_month": ("2024年3月5日", {"2024", "march", "5"}),
    "han_month_in_words": ("十二月", {"december"}),
    "three_months_are_no_march": ("3个月", {"3"}),
    "han_quarter": ("第三季度", {"q3"}),
    "han_third_season": ("第三季", {"q3"}),
    "japanese_quarter": ("第2四半期", {"q2"}),
    "chinese_weekday": ("周三要闻", {"wednesday"}),
    "japanese_weekday": ("金曜日の夜", {"friday"}),
}

CONTRADICTED = {
    "number": ("Rust 1.84 released", "Rust 1.83 released", "1.83 is not 1.84"),
    "opposite": ("Oil rises", "Oil falls", "falls is not rises"),
    "negation": ("It will run", "It will not run", "only one has “not”"),
    "part": ("The hunt", "The hunt, part II", "only one has “part ii”"),
    "variant": ("Phone 16", "Phone 16 Pro Max", "only one has “16 pro”"),
    "name": ("Acme sues the city", "Apex sues the city", "acme is not apex"),
    "order": ("Acme sues Apex", "Apex sues Acme", "acme sues apex is not apex sues acme"),
    "names_apart": (
        "Harbour workers praise the new contract with Keller",
        "Maria: harbour workers and Lindt praise the new contract",
        "keller is not lindt",
    ),
    "doubtful_suffix": ("The weekly digest again | Rust", "The weekly digest again | Go", "go is not rust"),
    "chinese": ("沪指大涨", "沪指大跌", "涨 is not 跌"),
    "chinese_negation": ("明年将开工", "明年将不开工", "only one has “不”"),
    "subset_of_numbers": ("Rust 1.84 released", "Rust released", ""),
    "number_sign_is_no_negation": ("No. 1 song", "Song 1", ""),
    "opposite_on_both_sides": ("Ups and downs: oil rises, gas falls", "Oil rises, gas falls", ""),
    "synonym": ("Mayor says no", "Mayor said no", ""),
    "chinese_synonym": ("市长说明年开工", "市长称明年开工", ""),
    "joined_names": ("Norway and Iceland", "Iceland and Norway", ""),
    "moved_words": ("Today the bridge was closed", "The bridge was closed today", ""),
    "equal": ("A quiet day", "A quiet day!", ""),
    "empty": ("", "", ""),
    "one_empty": ("", "A quiet day", ""),
}

WORDS = [f"{word}{number}" for word in ("tide", "harbour", "ferry", "lamp", "storm") for number in "abcdefgh"]
TITLE_TEXT = (
    "the a storm harbour Rises falls Acme Apex not before after 2 3 1.84 2-1 Part II Pro says said Monday March 5 "
    "大桥 上涨 下跌 第三集 不 新闻 速報 公開 の は United Nations UN v2 | - : Breaking: ' “ 1,000 U.S. 5% million"
)
TITLE_WORDS = TITLE_TEXT.split()
titles = st.lists(st.sampled_from(TITLE_WORDS), max_size=14).map(" ".join)


def parse_title(title: str) -> Title:
    return title_of(title, source_names=SOURCES)


def test_hard_pairs_are_many_with_distinct_ids() -> None:
    for rows in (DIFFERENT, SAME):
        ids = [row[0] for row in rows]
        assert len(set(ids)) == len(ids) >= 40
        assert len([row for row in ids if row.startswith(("zh_", "ja_"))]) >= 20


@table(("ours", "theirs"), [row[1:] for row in DIFFERENT], ids=[row[0] for row in DIFFERENT])
def test_rejects_titles_of_two_articles_with_reason(ours: str, theirs: str) -> None:
    assert title_match(parse_title(ours), parse_title(theirs)) is None
    assert contradiction(parse_title(ours), parse_title(theirs)) != ""


@table(("ours", "theirs"), [row[1:] for row in SAME], ids=[row[0] for row in SAME])
def test_accepts_two_titles_of_one_article(ours: str, theirs: str) -> None:
    assert title_match(parse_title(ours), parse_title(theirs)) is not None


@table(("title", "expected"), NORMALIZED.values(), ids=NORMALIZED)
def test_normalizes(title: str, expected: str) -> None:
    assert title_of(title).normalized == expected
    assert title_of(expected).normalized == expected


@pytest.mark.parametrize(("title", "expected"), DROPPED.values(), ids=DROPPED)
def test_drops_labels_and_publishers(title: str, expected: str) -> None:
    assert parse_title(title).normalized == expected


@pytest.mark.parametrize(("title", "expected"), KEPT.values(), ids=KEPT)
def test_keeps_what_only_looks_like_a_label_or_publisher(title: str, expected: str) -> None:
    assert parse_title(title).normalized == expected


@table(("title", "expected"), NUMBERS.values(), ids=NUMBERS)
def test_reads_numbers_in_one_form(title: str, expected: set[str]) -> None:
    assert title_of(title).numbers == expected


@table(("ours", "theirs", "expected"), CONTRADICTED.values(), ids=CONTRADICTED)
def test_describes_the_contradiction(ours: str, theirs: str, expected: str) -> None:
    assert contradiction(title_of(ours), title_of(theirs)) == expected
    assert contradiction(title_of(theirs), title_of(ours)) == expected


def test_title_has_words_case_and_doubtful_suffix() -> None:
    assert title_of("Update: Rust 1.84 Is Out Now | Coastline") == Title(
        normalized="rust 1.84 is out now",
        tokens=frozenset({"rust", "1.84", "is", "out", "now"}),
        numbers=frozenset({"1.84"}),
        cased="Rust 1.84 Is Out Now",
        suffix="coastline",
    )


def test_tokens_are_pairs_where_a_script_has_no_spaces() -> None:
    assert title_of("老石桥 M4").tokens == {"老石", "石桥", "m4"}
    assert title_of("漢字 시대", language="ko").tokens == {"漢字", "시대"}


def test_knows_the_headlines_of_columns() -> None:
    generic = [
        "Weekly update",
        "Open thread #412",
        "Morning Notes",
        "Links for 12 March",
        "本周要闻",
        "今週のニュースまとめ",
        "—",
    ]
    assert [title for title in generic if not is_generic(title_of(title))] == []
    others = ["Weekly update on the ferry", "Open thread closed", "Storm morning", "本周台风登陆", "渡轮", "Ferry 12"]
    assert [title for title in others if is_generic(title_of(title))] == []


def test_jaccard_is_the_share_of_common_tokens() -> None:
    assert jaccard(frozenset("abcd"), frozenset("bcde")) == 0.6
    assert jaccard(frozenset("ab"), frozenset("ab")) == 1.0
    assert jaccard(frozenset("ab"), frozenset("cd")) == 0.0
    assert jaccard(frozenset(), frozenset("ab")) == 0.0
    assert jaccard(frozenset(), frozenset()) == 0.0


def test_requires_more_of_titles_under_five_words() -> None:
    four, five, six = title_of("one quiet winter day"), title_of("one quiet winter day again"), title_of("a b c d e f")
    assert required_jaccard(five, six) == 0.85
    assert required_jaccard(four, five) == 0.95
    assert required_jaccard(four, four) == 0.95


def test_a_match_is_the_jaccard_similarity() -> None:
    ours, theirs = title_of("Despite it all, bull market turns five"), title_of("Bull market turns five despite it all")
    assert title_match(ours, theirs) == 1.0
    assert title_match(title_of("A quiet day"), title_of("a quiet day!")) == 1.0


def test_titles_without_words_match_nothing() -> None:
    assert title_match(title_of("???"), title_of("???")) is None
    assert jaro_winkler(title_of("???"), title_of("???")) == 0.0


def test_a_word_added_is_a_match_from_six_words_on() -> None:
    assert (
        title_match(title_of("old bridge closed after storm"), title_of("old bridge closed again after storm")) is None
    )
    longer = title_of("old stone bridge closed after storm")
    assert title_match(longer, title_of("old stone bridge closed again after storm")) is not None


@given(titles, titles)
def test_order_does_not_matter(one: str, other: str) -> None:
    ours, theirs = title_of(one), title_of(other)
    assert contradiction(ours, theirs) == contradiction(theirs, ours)
    assert title_match(ours, theirs) == title_match(theirs, ours)
    assert jaro_winkler(ours, theirs) == jaro_winkler(theirs, ours)


@given(titles, st.integers(0, 13), st.sampled_from(TITLE_WORDS))
def test_order_does_not_matter_for_titles_that_differ_in_a_word(title: str, at: int, word: str) -> None:
    changed = title.split()
    changed[at : at + 1] = [word]
    ours, theirs = title_of(title), title_of(" ".join(changed))
    assert contradiction(ours, theirs) == contradiction(theirs, ours)
    assert title_match(ours, theirs) == title_match(theirs, ours)


@given(st.text(max_size=60))
def test_reads_any_text_and_matches_itself(text: str) -> None:
    title = title_of(text)
    assert contradiction(title, title) == ""
    assert (title_match(title, title) is not None) == bool(title.tokens)


@pytest.mark.slow
@given(titles)
def test_normalizing_again_changes_nothing(title: str) -> None:
    normalized = title_of(title).normalized
    again = title_of(normalized)
    assert again.normalized == normalized
    assert again.tokens == title_of(title).tokens
    assert again.numbers == title_of(title).numbers


@pytest.mark.parametrize(("n_tokens", "n_prefix"), [(0, 0), (1, 1), (4, 1), (5, 1), (6, 1), (7, 2), (20, 4), (40, 7)])
def test_the_prefix_is_as_short_as_the_threshold_allows(n_tokens: int, n_prefix: int) -> None:
    assert len(prefix_tokens([f"t{n}" for n in range(n_tokens)], lambda token: 0)) == n_prefix


def test_the_prefix_holds_the_rarest_tokens_rarest_first() -> None:
    tokens = [f"t{n:02}" for n in range(20)]
    assert prefix_tokens(tokens, lambda token: -int(token[1:])) == ["t19", "t18", "t17", "t16"]
    assert prefix_tokens([*tokens, *tokens], lambda token: -int(token[1:])) == ["t19", "t18", "t17", "t16"]


@pytest.mark.parametrize(("n_tokens", "n_pairs"), [(0, 0), (1, 1), (2, 1), (6, 1), (7, 3), (13, 3), (14, 6), (20, 10)])
def test_number_of_pairs(n_tokens: int, n_pairs: int) -> None:
    assert len(prefix_pairs([f"t{n}" for n in range(n_tokens)], lambda token: 0)) == n_pairs


def test_pairs_are_of_the_rarest_tokens() -> None:
    assert prefix_pairs([f"t{n}" for n in range(8)], lambda token: -int(token[1:])) == [
        ("t7", "t6"), ("t7", "t5"), ("t6", "t5"),
    ]  # fmt: skip
    assert prefix_pairs(["alone"], lambda token: 0) == [("alone",)]


def test_prefix_filter_misses_no_sizes() -> None:
    """All sizes of two sets and of what they share: a pair that suffices shares more than stays behind the prefixes."""
    behind = [n - len(prefix_tokens([str(i) for i in range(n)], lambda token: 0)) for n in range(46)]
    for n_ours, n_theirs in itertools.product(range(1, 46), repeat=2):
        required = 0.85 if min(n_ours, n_theirs) >= 5 else 0.95
        for n_common in range(1, min(n_ours, n_theirs) + 1):
            if n_common / (n_ours + n_theirs - n_common) >= required:
                assert n_common > max(behind[n_ours], behind[n_theirs])


token_sets = st.frozensets(st.sampled_from(WORDS), min_size=1, max_size=30)
changes = st.frozensets(st.sampled_from(WORDS), max_size=3)
orders: st.SearchStrategy[Callable[[str], float]] = st.sampled_from(
    [lambda token: 0.0, lambda token: float(ord(token[-1]))]
)


@pytest.mark.slow
@given(token_sets, changes, orders)
def test_token_sets_that_suffice_share_a_prefix_token(
    tokens: frozenset[str], changed: frozenset[str], commonness: Callable[[str], float]
) -> None:
    theirs = tokens ^ changed
    required = 0.85 if min(len(tokens), len(theirs)) >= 5 else 0.95
    if jaccard(tokens, theirs) >= required:
        assert set(prefix_tokens(tokens, commonness)) & set(prefix_tokens(theirs, commonness))
        assert set(prefix_pairs(tokens, commonness)) & set(prefix_pairs(theirs, commonness))


@pytest.mark.slow
@given(token_sets, changes)
def test_token_sets_that_suffice_are_near_by_their_bits(tokens: frozenset[str], changed: frozenset[str]) -> None:
    theirs = tokens ^ changed
    required = 0.85 if min(len(tokens), len(theirs)) >= 5 else 0.95
    if jaccard(tokens, theirs) >= required:
        apart = (token_bits(tokens) ^ token_bits(theirs)).bit_count()
        assert apart <= min(most_bits_apart(len(tokens)), most_bits_apart(len(theirs)))


@pytest.mark.parametrize(("n_tokens", "most"), [(0, 0), (1, 0), (4, 0), (5, 0), (6, 1), (11, 1), (12, 2), (20, 3)])
def test_number_of_bits_in_which_titles_may_differ(n_tokens: int, most: int) -> None:
    assert most_bits_apart(n_tokens) == most


@given(st.lists(titles, min_size=2, max_size=12), st.lists(st.sampled_from(TITLE_WORDS), min_size=2, max_size=3))
def test_prefix_index_finds_all_matching_pairs(bases: list[str], more: list[str]) -> None:
    read_titles = [title_of(text) for base in bases for text in (base, *(f"{base} {word}" for word in more))]
    frequency = Counter(token for title in read_titles for token in title.tokens)
    pairs = [set(prefix_pairs(title.tokens, lambda token: frequency[token])) for title in read_titles]
    for one, other in itertools.combinations(range(len(read_titles)), 2):
        if title_match(read_titles[one], read_titles[other]):
            assert pairs[one] & pairs[other]
