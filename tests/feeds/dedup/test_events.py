"""How close two reports are: what counts, what doesn't, and how the evidence is worded."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from feeds.dedup import embeddings
from feeds.dedup.embeddings import vectors_of
from feeds.dedup.entities import Names
from feeds.dedup.events import EventProfile, event_keys, event_profile_of, match_events
from feeds.dedup.vectors import DIMENSIONS, Vector, vector_from

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
PEOPLE = Names(frozenset({"ines varga"}), frozenset({"northline ferries"}), frozenset({"port mellow"}))
OTHERS = Names(frozenset({"tomas reyl"}), frozenset(), frozenset({"lindham"}))


def toward(cosine: float) -> Vector:
    vector = np.zeros(DIMENSIONS, dtype=np.float32)
    vector[0], vector[1] = cosine, np.sqrt(1 - cosine**2)
    return vector


def profile(
    title: str,
    text: str = "",
    *,
    names: Names = PEOPLE,
    hours: float = 0,
    language: str = "en",
    vector: Vector | None = None,
    publisher: str = "",
) -> EventProfile:
    return event_profile_of(
        title=title,
        text=text,
        language=language,
        names=names,
        vector=vector,
        published_at=NOON + timedelta(hours=hours),
        publisher=publisher,
    )


FERRY = profile("Ferry with 214 on board runs aground off Port Mellow")
RESCUE = profile("Coast guard takes 214 off ferry aground at Port Mellow", hours=5)
LATER = profile("Coast guard takes 214 off ferry aground at Port Mellow", hours=25)
BRIDGE = profile("Lindham bridge closed after cracks found in cables", names=OTHERS)


def closeness(ours: EventProfile, theirs: EventProfile) -> float:
    match = match_events(ours, theirs)
    assert match == match_events(theirs, ours)
    return match.closeness if match is not None else 0.0


def test_reports_on_one_event_are_close_and_others_are_not() -> None:
    assert closeness(FERRY, RESCUE) > 0.3
    assert closeness(FERRY, BRIDGE) == 0.0
    assert closeness(FERRY, LATER) == 0.0  # more than 24 hours apart


def test_one_publisher_never_matches_itself() -> None:
    titles = FERRY.title.cased, RESCUE.title.cased
    one, other = (profile(title, publisher="paper.example") for title in titles)
    assert match_events(one, other) is None
    assert match_events(one, profile(titles[1], publisher="wire.example")) is not None


def test_evidence_lists_the_strongest_parts() -> None:
    match = match_events(FERRY, RESCUE)
    assert match is not None
    assert (match.disposition, match.layer, match.joins, match.measure) == ("same_event", "entities", False, 1.0)
    assert match.evidence.startswith("both name Ines Varga, Northline Ferries, Port Mellow; terms ")


def test_other_subjects_and_numbers_lower_closeness() -> None:
    text = "The company expects its profit of the year to grow strongly, it said in a report to the exchange on Friday."
    one, again = (
        profile(f"Belmont: {title}", text) for title in ("profit of 2025 to grow", "2025 profit seen growing")
    )
    other = profile("Carrow: profit of 2025 to grow", text)
    assert closeness(one, other) < closeness(one, again)
    assert closeness(one, profile("Belmont: profit of 1998 to grow", text)) < closeness(one, again)


def test_traditional_characters_match_simplified_ones() -> None:
    simplified, traditional = "英国首相在北京会见中国国家主席", "英國首相在北京會見中國國家主席"
    assert closeness(profile(simplified, language="zh"), profile(traditional, language="zh")) > 0.5


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("Belmont Steel reports second quarter profit", "Belmont Steel reports third quarter profit"),
        ("Ferrous 1.84 released with faster builds", "Ferrous 1.83 released with faster builds"),
        ("Weekly update #41", "Weekly update #42"),
    ],
)
def test_templated_headlines_are_different_events(ours: str, theirs: str) -> None:
    assert closeness(profile(ours), profile(theirs)) == 0.0


@pytest.mark.parametrize(
    ("ours", "theirs", "language"),
    [
        ("贝尔蒙特：预计2025年净利润同比增长40%", "卡罗钢铁：预计2025年净利润同比增长60%", "zh"),
        ("贝尔蒙特向交易所提交上市申请书", "卡罗向交易所提交上市申请书", "zh"),
        (
            "Belmont Steel files for a listing on the Lindham exchange",
            "Carrow files for a listing on the Lindham exchange",
            "en",
        ),
    ],
)
def test_one_template_about_other_subjects_is_two_events(ours: str, theirs: str, language: str) -> None:
    one, other = (profile(title, language=language, vector=toward(1.0)) for title in (ours, theirs))
    assert closeness(one, other) == 0.0


def test_headlines_of_columns_join_nothing() -> None:
    text = (
        "The ferry with 214 on board ran aground off Port Mellow on Friday, and the coast guard took all of them off."
    )
    one, other = (profile(title, text) for title in ("Ferry aground off Port Mellow", "All 214 taken off ferry"))
    assert closeness(one, other) > 0.5
    assert closeness(one, profile("Morning notes", text)) == 0.0


def test_roundup_is_further_from_a_report_than_another_report() -> None:
    title, names = "渡轮在梅洛港外搁浅", Names()
    one, other = (profile(each, language="zh", names=names) for each in (title, "梅洛港外渡轮搁浅"))
    roundup = profile(f"{title}；林德姆大桥因裂缝关闭；台风登陆", language="zh", names=names)
    assert closeness(one, roundup) < 0.5 < closeness(one, other)


def test_two_languages_without_spaces_are_no_closer_for_that() -> None:
    """A town's buses in Japanese and another's housing in Chinese, in the samples."""
    japanese = profile("港町議会、路線バスの補正予算を可決", language="ja", names=Names(), vector=toward(1.0))
    chinese = profile("山城调整年度预算，改造老旧小区", language="zh", names=Names(), vector=toward(0.55))
    assert closeness(japanese, chinese) < 0.5


def test_synonyms_are_not_a_template() -> None:
    names = Names(frozenset({"djokovic", "dimitrov"}))
    ours = profile("Djokovic beats Dimitrov to reach Paris final", names=names)
    assert closeness(ours, profile("Djokovic downs Dimitrov to reach Paris final", names=names)) > 0.5


def test_chinese_words_are_compared_in_english() -> None:
    english = profile("Nvidia and Microsoft in talks to invest in gold mine", names=Names())
    chinese = profile("英伟达和微软洽谈投资金矿", language="zh", names=Names())
    match = match_events(english, chinese)
    assert match is not None
    assert match.evidence.startswith("translated terms ")
    assert len(event_keys(english) & event_keys(chinese)) > 1
    assert closeness(english, profile("总统访问缅甸", language="zh", names=Names())) == 0.0


def test_across_languages_without_a_dictionary_only_meaning_counts() -> None:
    english, russian = profile("Ferry runs aground", vector=toward(1.0)), "Паром сел на мель"
    close, distant = (profile(russian, language="ru", names=Names(), vector=toward(cosine)) for cosine in (0.8, 0.2))
    assert closeness(english, close) > 0.3
    assert closeness(english, distant) == closeness(english, profile(russian, language="ru", names=Names())) == 0.0


def test_report_without_words_matches_nothing() -> None:
    assert closeness(profile("—", names=Names()), profile("—", names=Names())) == 0.0


def test_close_reports_share_two_keys() -> None:
    assert len(event_keys(FERRY) & event_keys(RESCUE)) >= 2
    assert len(event_keys(FERRY) & event_keys(BRIDGE)) < 2


def test_a_vector_survives_being_stored() -> None:
    stored = vectors_of([("Ferry runs aground off Port Mellow", ""), ("渡轮在梅洛港外搁浅", "")])
    first, second = (vector_from(data) for data in stored)
    assert first is not None
    assert second is not None
    assert float(first @ second) > 0.4
    assert abs(float(first @ first) - 1) < 1e-5
    assert vector_from(b"") is None


def test_works_without_the_embedding_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings, "IS_INSTALLED", False)
    assert vectors_of([("Ferry runs aground", ""), ("渡轮搁浅", "")]) == [b"", b""]
