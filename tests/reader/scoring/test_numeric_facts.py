"""Figures are numbers with a unit, a currency, a magnitude or a percent sign; years, times and versions are none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reader.scoring.numeric_facts import MAX_FIGURES, MAX_TEXT, count_figures
from tests.tables import table

FIGURES = [
    *("45%", "45 %", "45％", "٤٥٪", "%45 arttı", "yüzde 45", "7 percent", "7 per cent", "0,5 Prozent", "3 процента"),
    *("5‰", "2 percentage points", "5个百分点", "百分之三十", "百分之30", "3.5 퍼센트", "12パーセント", "5 प्रतिशत"),
    *("$3.2bn", "$5", "€ 5", "US$1,000", "£2.50", "￥300", "₹12,34,567", "USD 5", "Rs 500", "Rs. 500", "CHF 1'000"),
    *("5 €", "1 200 000 Kč", "500 zł", "20 dollars", "30亿元", "约30亿元", "5万円", "500円", "3만원", "40 рублей"),
    *("1.2 million people", "3,5 Mio. Euro", "3 milioni", "3 millones", "3 milhões", "10 milyar", "5 miljoen"),
    *("100K users", "70B parameters", "1.4M rows", "30k cars", "547 тыс.", "5 लाख", "5 करोड़", "٤٥ مليون", "3만 명"),
    *(
        "12 km",
        "12km",
        "12-km",
        "5-kilometre",
        "20キロ",
        "２０㎞",
        "約20キロ",
        "20公里",
        "-5°C",
        "20,5 °C",
        "13 градусов",
    ),
    *("200 ms", "120Hz", "10 GHz", "4.4GB", "500 kWh", "5 m²", "6-foot", "223 кг", "10.000 Tonnen", "5 metros"),
    *("10–20 %", "16:9 m", "2,000 km", "500 square feet"),
]
NO_FIGURES = [
    *("", "no numbers", "2024", "in 2024 millions marched", "2024年", "2020 года", "March 5", "5 march", "2026-02-17"),
    *("17.02.2026 m", "14:05", "3 pm", "the '90s", "24/7", "555-1234", "+7 (495) 223-66-99", "10.0.0.1 MB"),
    *(
        "v3.2",
        "v1.5 GB",
        "1.2.3 MB",
        "Python 3.11",
        "H2 5",
        "1. Miles",
        "2) kg",
        "3rd",
        "第5元",
        "5原子",
        "4K",
        "5G",
        "3M",
    ),
    *("5g", "30 people", "30人", "5 minutes", "3 years", "45-year-old", "90 дней", "5 more", "5 metro", "5 l'eau"),
    *("12\nkm", "1⁄2-hour", "5 : 3", "#2", "Route 94 around"),
]


@table("text", FIGURES)
def test_finds_one_figure(text: str) -> None:
    assert count_figures(text) == 1
    assert count_figures(f"So sagt man: {text}, mehr nicht") == 1


@table("text", NO_FIGURES)
def test_finds_no_figure(text: str) -> None:
    assert count_figures(text) == 0


@pytest.mark.parametrize(
    ("text", "n_figures"),
    [
        pytest.param("Sales rose 4 % to $3.2bn in 2024, on 1.2 million cars of 5 makes.", 3, id="English"),
        pytest.param("Der Umsatz stieg um 4,5 % auf 3,5 Mio. Euro, 2024 waren es 3 Mio.", 3, id="German"),
        pytest.param("2024年销售额增长4%，达到30多亿元，第5次有3万人参加", 3, id="Chinese"),
        pytest.param("在2024 $5 million", 1, id="a year before money"),
        pytest.param("10 km 20 km 30 km", 3, id="one after the other"),
        pytest.param("Figure 1\n5 km", 1, id="a number at the end of the line before"),
        pytest.param("paid in $\n5 people", 0, id="a currency at the end of the line before"),
    ],
)
def test_counts_the_figures_of_a_text(text: str, n_figures: int) -> None:
    assert count_figures(text) == n_figures


@pytest.mark.parametrize(
    ("text", "n_figures"),
    [
        pytest.param("5 km " * 5000, MAX_FIGURES, id="very many"),
        pytest.param("x" * MAX_TEXT + " 5 km", 0, id="beyond what is looked at"),
        pytest.param("1" * MAX_TEXT, 0, id="one endless number"),
        pytest.param("1," * MAX_TEXT, 0, id="one endless enumeration"),
        pytest.param("1 111" * MAX_TEXT, 0, id="endless groups"),
        pytest.param("5 процент" + "а" * MAX_TEXT, 1, id="an endless word"),
        pytest.param("ﷺ" * MAX_TEXT + "5 km", 0, id="what grows when it is normalized"),
    ],
)
def test_bounds_what_it_reads(text: str, n_figures: int) -> None:
    assert count_figures(text) == n_figures


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("0123456789 .,-$€%kmg万亿元"))))
def test_accepts_any_text(text: str) -> None:
    assert 0 <= count_figures(text) <= MAX_FIGURES
    assert count_figures(text + "\n5 km") == min(MAX_FIGURES, count_figures(text) + 1)
