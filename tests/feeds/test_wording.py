"""Numbers, lists and colons as each language writes them."""

import pytest
from django.conf import settings
from django.utils import formats, translation

from feeds.wording import colon, format_number

LANGUAGES = [code for code, _ in settings.LANGUAGES]


@pytest.mark.parametrize("language", LANGUAGES)
def test_separators_are_those_of_django(language: str) -> None:
    with translation.override(language):
        assert format_number(1234567.25, 2) == formats.number_format(1234567.25, decimal_pos=2, force_grouping=True)


def test_numbers() -> None:
    assert [format_number(n) for n in (0, 999, 1000, -12345, 2.5, 3.0)] == ["0", "999", "1,000", "-12,345", "2.5", "3"]
    assert [format_number(n, 1) for n in (0.04, 3, 1234.56)] == ["0.0", "3.0", "1,234.6"]


def test_colon() -> None:
    found = {}
    for language in LANGUAGES:
        with translation.override(language):
            found[language] = colon()
    assert found == {"en": ": ", "de": ": ", "fr": "\u00a0: ", "ja": "：", "zh-hans": "："}
