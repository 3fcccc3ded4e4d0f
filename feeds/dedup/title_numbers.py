"""Normalizes numbers in titles, which must not differ between two titles of one article. Pure.

Theory. Headlines of series, quarterly results, releases and matches differ only in a number: one word among many, which
no word similarity detects. So numbers are extracted and compared as a set, in one form: "1,000" and "1000", "$5m" and
"5 million", "1.24" and "1.24.0" (a version), "3rd", "third" and "III", "十二" and "12", "1.2亿" and "120 million".
Scores and ranges ("2-1", "2:1", "2対1") stay whole, because their order matters. A single letter next to a number is
part of it ("H100", "Q3", "4o", "5G").

Not recognized: number words above twenty, sums ("two and a half"), numerals of other scripts that NFKC doesn't convert,
a decimal comma before three digits. Known errors: "one" as a pronoun (matters only if the other title has another
number in its place), "5m" for metres, "12/5" as a fraction.
"""

import re
from collections.abc import Sequence
from decimal import Decimal

from feeds.dedup.title_words import (
    CARDINALS,
    HAN_COUNTERS,
    HAN_DIGITS,
    HAN_UNITS,
    HAN_WEEKDAYS,
    MONTHS,
    MONTHS_BESIDE_NUMBERS,
    NUMBERS_BY_WORD,
    ROMAN_LETTERS,
    SCALES,
    SERIES,
)

_NUMBER = re.compile(
    r"(?P<letter>(?<![a-z])[a-z]-?)?(?P<body>\d+(?:[.,:/–-]\d+)*)"
    r"(?:(?P<ordinal>(?:st|nd|rd|th)(?![a-z]))|(?P<tail>[a-z]++(?!\d))|(?P<percent>\s?%))?",
    re.ASCII,
)
_DATE = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})", re.ASCII)
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_THOUSANDS_WITH_DOTS = re.compile(r"\d{1,3}(?:\.\d{3}){2,}|\d{1,3}\.000", re.ASCII)
_TRAILING_ZEROS = re.compile(r"(?<!\.0)(?:\.0)++$")
_PLAIN = re.compile(r"\d{1,20}(?:\.\d{1,8})?", re.ASCII)
_QUARTER = re.compile(r"([1-4])q|q([1-4])", re.ASCII)

_HAN_DIGIT = f"[{''.join(HAN_DIGITS)}]"
_HAN = f"[{''.join(HAN_DIGITS)}{''.join(HAN_UNITS)}]"
_HAN_NUMBER = re.compile(
    rf"(?<=第){_HAN}{{1,12}}|{_HAN_DIGIT}?[十百千]{_HAN}{{1,12}}|{_HAN_DIGIT}[十百千]|"
    rf"(?<![周週期拜]){_HAN}{{1,12}}(?=[{HAN_COUNTERS}])"
)
_HAN_SCORE = re.compile(r"(?<=\d)\s?[对對対比]\s?(?=\d)", re.ASCII)
_HAN_SCALE = re.compile(r"(?<!\d)(\d++(?:\.\d+)?) ?([百千]?[万萬][亿億]?|[亿億兆千百])(?![克米瓦])", re.ASCII)
_HAN_MONTH = re.compile(r"(?<![\d.-])(1[0-2]|[1-9]) 月", re.ASCII)
_HAN_QUARTER = re.compile(r"(?<=第 )([1-4]) (?:季度?(?!赛)|四半期)|(?<![\d.-])([1-4]) 분기", re.ASCII)
_HAN_WEEKDAY = re.compile("(?:[周週]|星期|[礼禮]拜)([一二三四五六日天])(?!年)|([月火水木金土日])曜")


def with_plain_numbers(text: str) -> str:
    """Return lower-case text with normalized numbers, each between spaces."""
    if not text.isascii():
        text = _HAN_SCORE.sub("-", _HAN_NUMBER.sub(_from_han, text))
        text = _HAN_SCALE.sub(_scaled_han, text)
    return _NUMBER.sub(_in_one_form, text)


def with_numerals(words: Sequence[str]) -> list[str]:
    """Return the words with "five" as "5", and "5", "million" as "5000000"."""
    numerals: list[str] = []
    for word in words:
        word = CARDINALS.get(word, word)
        if word in SCALES and numerals and _PLAIN.fullmatch(numerals[-1]):
            numerals[-1] = _scaled(numerals[-1], word)
        else:
            numerals.append(word)
    return numerals


def numbers_of(normalized: str) -> frozenset[str]:
    """The numbers in a normalized title, including months, weekdays ("march", "monday") and quarters ("q3")."""
    numbers = set()
    words = normalized.split()
    for at, word in enumerate(words):
        if word[0] in "0123456789" or word[-1] in "0123456789":
            numbers.add(word)
        elif word in NUMBERS_BY_WORD:
            is_quarter = NUMBERS_BY_WORD[word] in ("1", "2", "3", "4") and words[at + 1 : at + 2] == ["quarter"]
            numbers.add(f"q{NUMBERS_BY_WORD[word]}" if is_quarter else NUMBERS_BY_WORD[word])
        elif word in MONTHS_BESIDE_NUMBERS:
            if any(neighbour[0].isdigit() for neighbour in words[max(at - 1, 0) : at + 2]):
                numbers.add(MONTHS_BESIDE_NUMBERS[word])
        elif word in ROMAN_LETTERS and at and words[at - 1] in SERIES:
            numbers.add(ROMAN_LETTERS[word])
    if not normalized.isascii():
        _read_east_asian_dates(normalized, numbers)
    return frozenset(numbers)


def _read_east_asian_dates(normalized: str, numbers: set[str]) -> None:
    for match in _HAN_MONTH.finditer(normalized):
        numbers.discard(match[1])
        numbers.add(MONTHS[int(match[1]) - 1])
    for match in _HAN_QUARTER.finditer(normalized):
        numbers.discard(match[1] or match[2])
        numbers.add(f"q{match[1] or match[2]}")
    numbers.update(HAN_WEEKDAYS[match[1] or match[2]] for match in _HAN_WEEKDAY.finditer(normalized))


def _in_one_form(match: re.Match[str]) -> str:
    letter, body, tail = match["letter"] or "", match["body"], match["tail"] or ""
    if date := _DATE.fullmatch(body):
        year, month, day = (int(part) for part in date.groups())
        if 1 <= month <= 12:
            return f" {year} {MONTHS[month - 1]} {day} {tail} "
    number = _compound(body)
    letter = "" if letter[:1] == "v" else letter[:1]
    if match["percent"]:
        return f" {letter}{number} percent "
    if tail in SCALES and not letter and _PLAIN.fullmatch(number):
        return f" {_scaled(number, tail)} "
    if len(tail) == 1:
        number, tail = number + tail, ""
    if quarter := _QUARTER.fullmatch(letter + number):
        return f" q{quarter[1] or quarter[2]} {tail} "
    return f" {letter}{number} {tail} "


def _compound(body: str) -> str:
    """The normalized form of "2-1", "2:1", "2024/25", "1,000-2,000" and plain numbers."""
    parts = [_plain(part) for part in re.split("[:/–-]", body)]
    if len(parts) == 2 and len(parts[0]) == 4 and len(parts[1]) == 2:
        parts[1] = parts[0][:2] + parts[1]  # 2024-25 is 2024-2025
    return "-".join(parts)


def _plain(part: str) -> str:
    if part.isdigit():
        return part.lstrip("0") or "0"
    if _THOUSANDS.fullmatch(part):
        part = part.replace(",", "")
    elif _THOUSANDS_WITH_DOTS.fullmatch(part):
        part = part.replace(".", "")
    elif part.count(",") == 1:
        part = part.replace(",", ".")
    part = _TRAILING_ZEROS.sub("", part.replace(",", "-"))
    whole, dot, rest = part.partition(".")
    return (whole.lstrip("0") or "0") + dot + rest


def _scaled(number: str, scale: str) -> str:
    value = Decimal(number) * SCALES[scale]
    return str(int(value)) if value == int(value) else number


def _scaled_han(match: re.Match[str]) -> str:
    if match[2] in SCALES:
        return _scaled(match[1], match[2])
    return match[0]


def _from_han(match: re.Match[str]) -> str:
    """The digits of a Han number; other text ("十三五", a plan) stays."""
    value = _han_value(match[0])
    return match[0] if value is None else str(value)


def _han_value(text: str) -> int | None:
    if not any(unit in text for unit in HAN_UNITS):
        return int("".join(str(HAN_DIGITS[character]) for character in text))
    total, digit, last_unit, is_digit = 0, 0, 10_000, False
    for character in text:
        if character in HAN_UNITS:
            unit = HAN_UNITS[character]
            if unit >= last_unit or (not is_digit and unit != 10):
                return None
            total, digit, last_unit, is_digit = total + (digit if is_digit else 1) * unit, 0, unit, False
        elif is_digit and digit:
            return None
        else:
            digit, is_digit = HAN_DIGITS[character], True
    return total + digit
