"""Whether a summary that a language model wrote may be shown. Pure.

A model invents, runs on, addresses the reader, answers in another language, and follows instructions in the article.
The prompt can't exclude that; what can be checked cheaply is checked here, and what fails isn't shown:

- one paragraph of whole sentences within the word limit, without markup, addresses or talk about itself;
- the article's script and language, and at least half of its terms from the article;
- every number occurs in the title or text, as digits or in words;
- so does every name: capitalized words, except common ones at the start of a sentence; in German, where all nouns are
  capitalized, two in a row; in Chinese and Japanese words in Latin letters or katakana.

It doesn't detect a false statement in the article's own words.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from digests.edition.kinds import Words
from digests.summaries.boilerplate import is_balanced, is_ended
from digests.summaries.language import SPACELESS, count, language_of, terms_of
from digests.summaries.patterns import pattern, rows, word_list
from digests.summaries.sentences import READ_CHARACTERS, on_one_line, sentences
from feeds.dedup.entity_tables import FUNCTION_WORDS
from reader.interests.learning.stop_words import stop_words

MIN_LENGTH = 0.9  # share of `words.least`; `words.most` is strict
MIN_SHARED_TERMS = 0.5  # share of the summary's terms that the article has
MIN_SHARED_PAIRS = 0.4  # the same for pairs of characters, which a paraphrase changes more
MAX_CHARACTERS = 4000  # of an answer

_THOUGHTS = re.compile(r"\A.*</think(?:ing)?>|<think(?:ing)?>.*\Z", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"\A```\w*\n(.*?)\n?```\Z", re.DOTALL)
_HEADING = re.compile(
    r"\A[^\n]{1,90}[:：]\**\s*+(?<=\n)(?=\S)|\A(?:\*\*)?(?:Summary|SUMMARY|Zusammenfassung|Résumé|Resumen)(?:\*\*)?\s?:\s"
)
_AROUND = (('"', '"'), ("“", "”"), ("«", "»"), ("„", "“"), ("「", "」"))
_MARKUP = re.compile(r"\*\*|__|^#|```|</?[a-zA-Z]|\]\(|^[-*•] |[{}<>|\\]|&[a-z]+;", re.MULTILINE)
_ADDRESS = re.compile(
    r"https?:|www\.|\S@[^\s@]+\.\w|(?<![\w-])-*+\w[\w-]*\.(?:com|org|net|io|co|info)\b", re.IGNORECASE
)
_FIGURES = re.compile(r"\d+(?:[.,’'\u00a0\u202f ]\d{3})+(?!\d)|\d+(?:[.,:]\d+)*")
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,’'\u00a0\u202f ]\d{3})+")
_WORD = re.compile(r"[^\W\d_](?:[\w’'-]*\w)?")
_LATIN = re.compile(r"[A-Za-z][A-Za-z-]+")
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc]{3,}")
_KANA = re.compile("[\u3041-\u30fa]")
_SCRIPTS = (("LATIN", "a"), ("CYRILLIC", "б"), ("CJK", "字"), ("HIRAGANA", "字"), ("KATAKANA", "字"), ("HANGUL", "한"))
_INFLECTED = frozenset(("ru", "uk", "be", "bg", "sr", "hr", "pl", "cs", "sk", "lt", "lv", "fi", "et", "hu", "tr", "el"))
# Letters by which a name may differ, and that it has to share: "Russian" for "Russia", not "Anna" for "Ann".
_INFLECTED_ENDING, _INFLECTED_STEM = 3, 3
_ENDING, _STEM = 2, 5


def clean_answer(answer: str) -> str:
    """A model's answer without reasoning, code fence, quotation marks around it or a heading."""
    text = _THOUGHTS.sub(" ", answer[: 4 * MAX_CHARACTERS]).strip()
    if fenced := _FENCE.match(text):
        text = fenced[1].strip()
    text = _HEADING.sub("", text, count=1).strip()
    for opening, closing in _AROUND:
        inner = text[1:-1]
        if text.startswith(opening) and text.endswith(closing) and opening not in inner and closing not in inner:
            text = inner.strip()
    return "\n".join(filter(None, map(on_one_line, text.splitlines())))


def objection_to(summary: str, *, title: str, text: str, language: str, words: Words) -> str:
    """What is wrong with a summary, as a clause that follows "that answer"; "" if it may be shown."""
    text = text[:READ_CHARACTERS]
    language = language_of(text, language)
    article = f"{title}\n{text}"
    return (
        _form_objection(summary)
        or _length_objection(summary, language, words)
        or _language_objection(summary, article, language)
        or _content_objection(summary, article, language)
    )


def _form_objection(summary: str) -> str:
    if not summary:
        return "was empty"
    if len(summary) > MAX_CHARACTERS:
        return "was far too long"
    if pattern("llm_talk").search(summary):
        return "addressed the reader or mentioned itself"
    if pattern("llm_about_article").match(summary):
        return "described the article instead of summarizing it"
    if "\n" in summary:
        return "had more than one paragraph"
    if _MARKUP.search(summary) or _ADDRESS.search(summary):
        return "contained markup or an address"
    if not is_ended(summary) or not is_balanced(summary):
        return "did not end with a whole sentence"
    return ""


def _length_objection(summary: str, language: str, words: Words) -> str:
    n_words = count(summary, language)
    unit = "characters" if language in SPACELESS else "words"
    if n_words > words.most:
        return f"had {n_words} {unit} where {words.most} are allowed"
    if n_words < MIN_LENGTH * words.least:
        return f"had {n_words} {unit} where {words.least} are needed"
    return ""


def _language_objection(summary: str, article: str, language: str) -> str:
    own, of_article = language_of(summary, ""), language_of(article, "")
    has_kana = [bool(_KANA.search(part)) for part in (summary, article)]
    if (
        _script(summary) != _script(article)
        or (language in SPACELESS and has_kana[0] != has_kana[1])
        or (own and of_article and own != of_article)
    ):
        return "was not in the language of the article"
    terms = terms_of(summary, language)
    min_shared = MIN_SHARED_PAIRS if language in SPACELESS else MIN_SHARED_TERMS
    if len(terms & terms_of(article, language)) < min_shared * len(terms):
        return "used too few of the article's own words"
    return ""


def _content_objection(summary: str, article: str, language: str) -> str:
    for number in sorted(_numbers(summary, language) - _numbers(article, language)):
        return f"contained the number {number}, which is not in the article"
    vocabulary = {_folded(word) for word in _WORD.findall(article)}
    for name in _names(summary, language):
        if not _is_known(_folded(name), vocabulary, language):
            return f'contained the name "{name[:40]}", which is not in the article'
    if language == "ja" and any(word not in article for word in _KATAKANA.findall(summary)):
        return "contained a name that is not in the article"
    return ""


def _numbers(text: str, language: str) -> set[str]:
    """The numbers of a text in one spelling: "1,200" and "1 200" as 1200, "3,5" as 3.5, "three" as 3."""
    text = unicodedata.normalize("NFKC", text)
    digits = {
        re.sub(r"\D", "", figures) if _THOUSANDS.fullmatch(figures) else figures.replace(",", ".")
        for figures in _FIGURES.findall(text)
    }
    in_words = _number_words(language)
    return digits | {in_words[word] for word in _WORD.findall(text.lower()) if word in in_words}


def _names(summary: str, language: str) -> Iterator[str]:
    """The words of a summary that may be names."""
    if language in SPACELESS:
        yield from _LATIN.findall(summary)
        return
    openers = stop_words(language) | word_list("llm_opener", language)
    for sentence in sentences(summary, language):
        words = _WORD.findall(sentence.text)
        for at, word in enumerate(words):
            if not word[0].isupper() or (at == 0 and word.lower() in openers):
                continue
            neighbors = words[max(0, at - 1) : at] + words[at + 1 : at + 2]
            in_a_row = any(neighbor[0].isupper() for neighbor in neighbors)
            if language != "de" or in_a_row or any(map(str.isupper, word[1:])):
                yield word


def _is_known(name: str, vocabulary: set[str], language: str) -> bool:
    """Whether a folded word is in the article, perhaps in another case, or is a function word."""
    if name in vocabulary or name in FUNCTION_WORDS:
        return True
    if "-" in name and all(_is_known(part, vocabulary, language) for part in name.split("-") if part):
        return True
    ending, min_stem = (_INFLECTED_ENDING, _INFLECTED_STEM) if language in _INFLECTED else (_ENDING, _STEM)
    stem = name[: max(min_stem, len(name) - ending)]
    return len(stem) >= min_stem and any(
        word.startswith(stem) and abs(len(word) - len(name)) <= ending for word in vocabulary
    )


def _folded(word: str) -> str:
    plain = unicodedata.normalize("NFKC", word).replace("’", "'").casefold()
    return plain.removesuffix("'s").removesuffix("'")


def _script(text: str) -> str:
    """The script that most letters of a text are written in; kana count as Han."""
    counts: dict[str, int] = {}
    for letter in filter(str.isalpha, text[:READ_CHARACTERS]):
        name = unicodedata.name(letter, "")
        script = next((script for prefix, script in _SCRIPTS if name.startswith(prefix)), name.partition(" ")[0])
        counts[script] = counts.get(script, 0) + 1
    return max(counts, key=lambda script: counts[script], default="")


@cache
def _number_words(language: str) -> dict[str, str]:
    pairs = (pair.partition("=") for row in rows("llm_number", language) for pair in row.split())
    return {word: digits for word, _, digits in pairs}
