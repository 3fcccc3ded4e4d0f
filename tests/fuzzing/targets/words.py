"""User input and what it is compared with: searches, rules, titles, changes."""

from datetime import date
from random import Random

from feeds.dedup.titles import contradiction, jaro_winkler, prefix_tokens, required_jaccard, title_match, title_of
from feeds.normalizing.author_names import MAX_NAME, clean_author
from feeds.normalizing.text import MAX_TITLE, clean_title, count_words, first_line, is_partial, shorten, words
from feeds.search.query_tree import wanted_phrases
from reader.articles.word_diff import word_diff
from reader.errors import RuleRefused
from reader.rules.conditions import check, subject
from reader.rules.matching import compile_rule
from reader.search.parser import Query, parse
from tests import make
from tests.fuzzing import mutating
from tests.fuzzing.target import Case, Target, must

TODAY = date(2026, 3, 4)
_QUERIES = (
    'climate "carbon tax" OR (budget -"cash cow") title:summit', "feed:paper lang:de is:unread score:>70",
    "after:2026-01 before:3d", 'author:"Jane Doe" NOT (a OR b)', "c++ f(x) 漢字 -x* folder:News",
)  # fmt: skip
_QUERY_PIECES = (
    " ", '"', "(", ")", "-", "NOT ", "OR ", "|", "AND ", "*", "title:", "author:", "is:", "is:unread", "score:",
    ">=", "<", "=", "lang:", "before:", "after:", "2026-02-30", "0000", "9999-99", "99999d", "-9y", "today", "feed:",
    "folder:", "://", ":", "“", "»", "（", "a", "ab*", "ß", "漢字", "f(x)", "'", "’", "1.2.3", "tittle:",
    "score:1e9", "score:٣", "lang:xx-", "is:x", "x" * 600,
)  # fmt: skip
_TERMS = (
    "art, econom*",
    "*start*",
    "最新AI技術, AI",
    "C++; .NET",
    "new\nline，逗号",
    "Straße, İstanbul",
    "a*b|c*d",
    "|*|",
    "*",
    "ǅ, ﬁ",
)
_TERM_PIECES = (
    ",",
    ";",
    "*",
    "|",
    " ",
    "\n",
    "，",
    "a",
    "art",
    "start",
    "AI",
    "漢",
    "가",
    "ไทย",
    "ß",
    "ss",
    "İ",
    "ﬁ",
    "x" * 101,
    "'",
    "-",
)
_TITLES = (
    "Update: The £1.5bn budget — what’s next? | Harbour Post", "iPhone 17 Pro 2.0.1 review - The Paper",
    "速報：東京で地震 M5.4【更新】", "Q1 2026: U.S. GDP up 3% to $4.2tn",
    "&lt;b&gt;Bold&lt;/b&gt; &amp;amp; <i>italic</i>", "10 things: Part II (Video) [UPDATED]", "2-1",
)  # fmt: skip
_TITLE_PIECES = (
    " ", " - ", " | ", ": ", "Live", "Update:", "BREAKING", "[", "]", "(", ")", "1", "2.0", "1,000", "£", "%", "bn",
    "IV", "Part", "Q1", "'s", "’", "&amp;", "&lt;", "<b>", "</b>", "<script>", "U.S.", "March", "Monday", "漢字",
    "かな", "한국", "١", "²", "½", "№", "one", "twenty-one", "million", "vs", "—", "…", "\u202e", "\ufe0f", "ﬁ",
    "<!--", "<![CDATA[", "]]>", "x" * 1200,
)  # fmt: skip


def make_query(random: Random) -> Case:
    return (
        mutating.sentence(random, _QUERY_PIECES)
        if random.random() < 0.5
        else mutating.text(random, _QUERIES, _QUERY_PIECES)
    )


def check_query(case: Case) -> None:
    query = parse(_text(case), today=TODAY)
    list(wanted_phrases(query.tree))
    _check_warnings(query)
    for part in query.parts:
        must(part == part.strip() and part, "a part says something")


def _check_warnings(query: Query) -> None:
    for warning in query.warnings:
        must(warning.at is None or warning.at > 0, "a place is counted from 1")
        if warning.instead:
            parse(warning.instead, today=TODAY)


def make_rule(random: Random) -> Case:
    return (
        mutating.sentence(random, _TERM_PIECES)
        if random.random() < 0.5
        else mutating.text(random, _TERMS, _TERM_PIECES)
    )


def check_rule(case: Case) -> None:
    text = _text(case)
    about = subject(
        title=text, text=text * 3, author=text, categories=[text], language="en-GB", subscription_id=1, folder_id=None
    )  # fmt: skip
    for conditions in (
        make.conditions(words=text),
        make.conditions(author=text),
        make.conditions(category=text),
        make.conditions(pattern=text),
    ):
        try:
            check(conditions)
        except RuleRefused as error:
            must(str(error), "a refusal says why")
            continue
        compile_rule(conditions).matches(about)
    must(
        not compile_rule(make.conditions(language=text)).matches(about) or text.strip(),
        "an empty language meets nothing",
    )


def make_title(random: Random) -> Case:
    return (
        mutating.sentence(random, _TITLE_PIECES)
        if random.random() < 0.4
        else mutating.text(random, _TITLES, _TITLE_PIECES)
    )


def check_title(case: Case) -> None:
    title = clean_title(_text(case))
    must(len(title) <= MAX_TITLE and title == " ".join(title.split()), "a title on one line")
    must(title.startswith(shorten(title, 80)) and len(first_line(title)) <= 80, "shortened is how it begins")
    count_words(title)
    is_partial(title, 3)
    words(title)
    must(len(clean_author(_text(case))) <= MAX_NAME, "a name that fits")
    half = title[: len(title) // 2]
    ours, theirs = title_of(title, source_names=("Harbour Post",)), title_of(f"{half} {half}", language="ja")
    must(title_match(ours, theirs) == title_match(theirs, ours), "matching does not mind the order")
    must(contradiction(ours, theirs) == contradiction(theirs, ours), "contradicting neither")
    must(contradiction(ours, ours) == "" and (not ours.tokens or title_match(ours, ours)), "a title matches itself")
    must(0 <= jaro_winkler(ours, theirs) <= 1 and 0 < required_jaccard(ours, theirs) <= 1, "figures within [0, 1]")
    must(set(prefix_tokens(ours.tokens, len)) <= ours.tokens, "prefix tokens are tokens")


def check_changes(case: Case) -> None:
    text = _text(case)
    at = len(text) // 3
    changes = word_diff(text, text[at:] + text[:at])
    must(word_diff(text, text).is_empty, "nothing is changed in the same")
    must(changes.n_added >= 0 and changes.n_removed >= 0, "counts are counts")


def _text(case: Case) -> str:
    return case if isinstance(case, str) else case.decode("utf-8", "surrogateescape")


TARGETS = (
    Target("searches", "the language of queries", make_query, check_query),
    Target("rules", "words and patterns of rules", make_rule, check_rule),
    Target("titles", "titles cleaned, compared; names", make_title, check_title),
    Target("changes", "two versions of a text, word by word", make_title, check_changes),
)
