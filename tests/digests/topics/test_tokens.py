"""The stems of texts."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from digests.topics.tokens import READ_WORDS, Stem, document_terms, stems
from feeds.normalizing.text import words
from tests.tables import table


@table(
    ("text", "language", "expected"),
    [
        pytest.param("", "en", "", id="nothing"),
        pytest.param("The running dogs", "en", "run/running dog/dogs", id="English"),
        pytest.param("running dogs", "", "run/running dog/dogs", id="unknown language in Latin letters is English"),
        pytest.param("новая модель", "", "новая/новая модель/модель", id="unknown language in others is not stemmed"),
        pytest.param("Die Häuser der Städte", "de", "haus/Häuser stadt/Städte", id="German"),
        pytest.param("vysoké domy", "sk", "vysoké/vysoké domy/domy", id="language without rules"),
        pytest.param("hei på fjorden", "no", "hei/hei fjord/fjorden", id="Norwegian by its common code"),
        pytest.param("Apple's iPhones", "en", "appl/Apple iphon/iPhones", id="possessive"),
        pytest.param("Apple’s workers’", "en", "appl/Apple worker/workers", id="curly possessive"),
        pytest.param("O'Brien O’Brien", "en", "o'brien/O'Brien o'brien/O’Brien", id="apostrophe within a name"),
        pytest.param("It's here; don't let's", "en", "", id="stop words with apostrophes"),
        pytest.param("l'armée qu’elle", "fr", "armé/armée", id="French elision"),
        pytest.param("aujourd'hui", "fr", "aujourd'hui/aujourd'hui", id="French word with an apostrophe"),
        pytest.param("nell'Italia", "it", "ital/Italia", id="Italian elision"),
        pytest.param("İstanbul'da Işık", "tr", "istanbul/İstanbul ışık/Işık", id="Turkish case and letters"),
        pytest.param("İstanbul now", "en", "istanbul/İstanbul", id="dotted capital in English"),
        pytest.param("COVID-19 in 2024 5G x ²", "en", "covid/COVID 5g/5G", id="no numbers, no single letters"),
        pytest.param("модели OpenAI и the workers", "ru", "модел/модели openai/OpenAI worker/workers", id="mixed"),
        pytest.param("中国人", "zh", "中国/中国 国人/国人", id="Chinese pairs"),
        pytest.param("中 国", "zh", "", id="single Chinese characters"),
        pytest.param("中国 国中国", "zh", "中国/中国 国中/国中 中国/中国", id="pairs again"),
        pytest.param("東京とAIが来ました", "ja", "東京/東京 京と/京と ai/AI が来/が来 来ま/来ま", id="no kana ends"),
        pytest.param("हिन्दी भाषा", "hi", "हिन्द/हिन्दी भाष/भाषा", id="vowel signs belong to the word"),
        pytest.param("서울 시장", "ko", "서울/서울 시장/시장", id="Korean has spaces"),
        pytest.param("abab ab AB xab", "en", "abab/abab ab/ab ab/AB xab/xab", id="each surface from its own place"),
    ],
)
def test_stems_are_listed_with_their_words(text: str, language: str, expected: str) -> None:
    assert " ".join(f"{stem}/{surface}" for stem, surface in stems(text, language)) == expected


def test_terms_of_the_title_count_twice() -> None:
    assert document_terms("Dogs run", "A dog. The dogs ran.", "en") == {"dog": 4, "run": 2, "ran": 1}


def test_only_the_first_200_words_of_the_text_are_read() -> None:
    before, after = " ".join(["the"] * (READ_WORDS - 1)), "inside outside"
    assert document_terms("", f"{before} harbor {after}", "en") == {"harbor": 1}


def test_terms_are_the_stems_of_title_and_text() -> None:
    title, text = "L'Ambassade à Kiev", "Les élections présidentielles de l’Ukraine"
    counted = document_terms(title, text, "fr")
    assert set(counted) == {stem for stem, _ in stems(f"{title} {text}", "fr")}


LETTERS = st.text(alphabet=st.sampled_from("aAbİIıßσΣς'’ -1²中国にでतिक์я\u0301\u200d.\n"), max_size=30)
LANGUAGES = st.sampled_from(["", "en", "tr", "fr", "zh", "ja", "hi", "ru", "ko", "xx"])


@given(LETTERS, LANGUAGES)
def test_surfaces_are_in_the_text_in_order(text: str, language: str) -> None:
    at = 0
    for stem, surface in stems(text, language):
        assert stem
        found = text.find(surface, at)
        assert found >= 0
        at = found


@given(st.text(max_size=60), LANGUAGES)
@example("IRAK", "tr")  # ASCII, and yet no dot on what it is in lower case
def test_any_text_has_terms(text: str, language: str) -> None:
    expected = {stem for stem, _ in stems(text, language)} if len(words(text, language)) < READ_WORDS else None
    counted = document_terms("", text, language)
    assert expected is None or set(counted) == expected


def test_stem_unpacks_as_a_pair() -> None:
    [found] = stems("Elections", "en")
    assert (found.stem, found.surface) == ("elect", "Elections")
    assert found == Stem("elect", "Elections")
