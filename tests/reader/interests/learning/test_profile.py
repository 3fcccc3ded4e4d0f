"""Relevance by a profile: the formula's values, their contributions, and results for simulated readers."""

import itertools
import json
import math
import random
import zlib
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from feeds.dedup.embeddings import IS_INSTALLED, vectors_of
from reader.interests.learning.embedding_profile import EmbeddingProfile, parse_profile, unit_from
from reader.interests.learning.engagement_weights import Action, Feedback, decay, total_feedback
from reader.interests.learning.feature_matrices import StoredFeatures
from reader.interests.learning.features import count_terms, hash_feature, pack
from reader.interests.learning.idf_table import idf_of, prior_weights
from reader.interests.learning.inference import Scale, term_values
from reader.interests.learning.profile import (
    EMBEDDING_SHARE,
    EMPTY_PROFILE,
    MAX_STATED,
    Part,
    Profile,
    Term,
    contributions,
    cosine,
    profile_from,
    strongest_terms,
)
from reader.interests.learning.profile_arrays import cosines_of_many, idf_array, profile_from_labels
from rssmanager.env import PROJECT
from tests import make

WEEK = timedelta(weeks=1)
IDF = idf_of(prior_weights())
MUCH = 1e9  # evidence at which relevance is the profile's own
LABELLED = PROJECT.parent / "shared/data/labelled/tgcontest_categories_en_ru.jsonl"


def vector(*numbers: int) -> bytes:
    return bytes(number % 256 for number in numbers) + bytes(512 - len(numbers))


def values(**weights: float) -> list[tuple[int, float]]:
    return [(hash_feature(term), weight) for term, weight in weights.items()]


def profile(meaning: EmbeddingProfile | None = None, *, evidence: float = MUCH, **weights: float) -> Profile:
    terms = [Term(term, weight, make.NOW) for term, weight in weights.items()]
    return profile_from(terms, meaning or EmbeddingProfile(), evidence=evidence, now=make.NOW)


class TestCosine:
    @pytest.mark.parametrize(
        "known",
        [EMPTY_PROFILE, profile(), profile(rust=0.0)],
        ids=["nobody", "no terms", "terms of no weight"],
    )
    def test_is_zero_without_terms(self, known: Profile) -> None:
        assert cosine(known, values(rust=1.0), vector(1)) == 0

    @pytest.mark.parametrize(
        ("article", "cosine_"),
        [
            ({"rust": 0.6, "zig": 0.8}, 1.0),
            ({"zig": 1.0}, 0.8),
            ({"golf": 1.0}, 0.0),
            ({"rust": 0.8, "golf": 0.6}, 0.48),
            ({}, 0.0),
        ],
        ids=["all alike", "one of two", "nothing", "in part", "no terms"],
    )
    def test_is_the_cosine_of_terms_without_embedding(self, article: dict[str, float], cosine_: float) -> None:
        assert cosine(profile(rust=3.0, zig=4.0), values(**article)) == pytest.approx(cosine_, abs=1e-7)

    def test_disliked_is_below_unknown(self) -> None:
        known = profile(golf=-1.0)

        assert cosine(known, values(golf=1.0)) == pytest.approx(-1)
        assert cosine(known, values(rust=1.0)) == 0

    def test_terms_and_embedding_share_one_space(self) -> None:
        meaning = EmbeddingProfile().updated(Feedback(1.0, 0.0), vector(127))
        known = profile(meaning, rust=1.0)  # both halved by the smoothing, so of the same size

        assert cosine(known, values(rust=1.0), vector(127)) == pytest.approx(1, abs=1e-7)
        assert cosine(known, values(rust=1.0), vector(0, 127)) == pytest.approx(1 - EMBEDDING_SHARE, abs=1e-7)
        assert cosine(known, values(golf=1.0), vector(127)) == pytest.approx(EMBEDDING_SHARE, abs=1e-7)
        assert cosine(known, values(golf=1.0), vector(-127)) == pytest.approx(-EMBEDDING_SHARE, abs=1e-7)

    @pytest.mark.parametrize("stored", [b"", bytes(512), b"\x01\x02"], ids=["none", "zeros", "of another length"])
    def test_uses_terms_of_article_without_embedding(self, stored: bytes) -> None:
        known = profile(EmbeddingProfile().updated(Feedback(1.0, 0.0), vector(127)), rust=3.0, zig=4.0)

        assert cosine(known, values(zig=1.0), stored) == pytest.approx(0.8, abs=1e-7)

    def test_terms_fade_weekly_unless_pinned(self) -> None:
        terms = [Term("rust", 1.0, make.NOW), Term("zig", 1.0, make.NOW, is_pinned=True)]

        later = profile_from(terms, EmbeddingProfile(), evidence=MUCH, now=make.NOW + 2 * WEEK)

        assert later.weights[hash_feature("rust")] == pytest.approx(0.81 * later.weights[hash_feature("zig")])

    def test_ignores_muted_terms(self) -> None:
        terms = [Term("rust", 9.0, make.NOW, is_muted=True), Term("zig", 1.0, make.NOW)]

        assert profile_from(terms, EmbeddingProfile(), evidence=MUCH, now=make.NOW).weights.keys() == {
            hash_feature("zig")
        }

    def test_phrase_counts_as_its_words(self) -> None:
        terms = [Term("machine learning", 1.0, make.NOW, is_stated=True)]
        known = profile_from(terms, EmbeddingProfile(), evidence=MUCH, now=make.NOW)

        half = math.sqrt(0.5)
        assert cosine(known, values(machine=half, learning=half)) == pytest.approx(1, abs=1e-7)
        assert cosine(known, values(machine=1.0)) == pytest.approx(half, abs=1e-7)

    def test_stated_terms_are_limited_evidence(self) -> None:
        few = [Term("rust", 3.0, make.NOW, is_stated=True)]
        many = [Term(f"topic{n}", 3.0, make.NOW, is_stated=True) for n in range(9)]

        assert profile_from(few, EmbeddingProfile(), evidence=0, now=make.NOW).evidence == 3.0
        assert profile_from(many, EmbeddingProfile(), evidence=0, now=make.NOW).evidence == MAX_STATED

    def test_many_skips_do_not_outweigh_few_openings(self) -> None:
        meaning = EmbeddingProfile(liked=4.0, disliked=19.0)

        known = profile(meaning, rust=1.0, golf=-4.0)

        assert known.weights[hash_feature("golf")] == pytest.approx(-known.weights[hash_feature("rust")])


KNOWN = profile(
    EmbeddingProfile().updated(Feedback(3.0, 0.0), vector(127, 3)), evidence=7.0, rust=3.0, zig=4.0, golf=-2.0
)
ARTICLES = {
    "liked": (values(rust=0.6, zig=0.8), vector(100)),
    "mixed": (values(rust=0.6, golf=0.8), vector(10, 100)),
    "far below zero": (values(golf=1.0), vector(-127)),
    "without meaning": (values(zig=1.0), b""),
    "of nothing known": (values(tea=1.0), vector(0, 0, 1)),
    "empty": ([], b""),
}


class TestContributions:
    @pytest.mark.parametrize(
        "known", [KNOWN, EMPTY_PROFILE, profile(golf=-1.0)], ids=["known", "nobody", "one dislike"]
    )
    @pytest.mark.parametrize(("article", "stored"), ARTICLES.values(), ids=ARTICLES)
    def test_add_up_to_the_cosine(self, known: Profile, article: list[tuple[int, float]], stored: bytes) -> None:
        parts = contributions(known, article, stored)

        assert math.fsum(part.share for part in parts) == pytest.approx(cosine(known, article, stored), abs=1e-9)

    def test_are_sorted_by_size(self) -> None:
        parts = contributions(profile(rust=3.0, golf=-4.0), values(rust=0.6, golf=0.8))

        assert [(part.part, part.term, round(part.share, 3)) for part in parts] == [
            ("term", "golf", -0.64),
            ("term", "rust", 0.36),
        ]

    def test_keep_spelling_of_phrases(self) -> None:
        terms = [Term("machine learning", 1.0, make.NOW, is_stated=True)]
        known = profile_from(terms, EmbeddingProfile(), evidence=MUCH, now=make.NOW)

        parts = contributions(known, values(machine=0.6, learning=0.8))

        assert [part.term for part in parts if part.part is Part.TERM] == ["machine learning"]


class TestScale:
    def test_typical_article_has_fifty(self) -> None:
        scale = Scale.fit([0.01, 0.02, 0.03, 0.2, -0.1])
        assert scale.relevance(0.02) == 50

    def test_most_articles_stay_near_fifty(self) -> None:
        chance = random.Random(1)
        scores = [chance.gauss(0.03, 0.04) for _ in range(1000)]
        scale = Scale.fit(scores)
        relevances = sorted(map(scale.relevance, scores))
        assert sum(relevances) / 1000 == pytest.approx(50, abs=1)
        assert (round(relevances[100]), round(relevances[900])) == (36, 63)
        assert relevances[0] < 10
        assert relevances[-1] > 90

    @given(st.lists(st.floats(-1, 1), min_size=1), st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 1))
    def test_keeps_the_order(self, scores: list[float], one: float, other: float, certainty: float) -> None:
        scale = Scale.fit(scores)
        low, high = sorted((one, other))
        assert 0 <= scale.relevance(low, certainty) <= scale.relevance(high, certainty) <= 100

    def test_little_evidence_stays_nearer_to_fifty(self) -> None:
        scale = Scale.fit([0.0, 0.0, 0.0, 1.0])
        assert 50 < scale.relevance(1.0, 0.1) < scale.relevance(1.0, 0.5) < scale.relevance(1.0)

    @pytest.mark.parametrize("scores", [[], [0.3], [0.3, 0.3]], ids=["none", "one", "alike"])
    def test_is_neutral_where_articles_do_not_differ(self, scores: list[float]) -> None:
        assert Scale.fit(scores).relevance(0.7) == 50


class TestStrongest:
    def test_are_rare_and_frequent_terms_with_values(self) -> None:
        terms = strongest_terms({"zzyzx": 2, "volcano": 1, "market": 1}, IDF, most=2)

        assert list(terms) == ["zzyzx", "volcano"]
        raw = [
            (1 + math.log(2)) * IDF(hash_feature("zzyzx")),
            IDF(hash_feature("volcano")),
            IDF(hash_feature("market")),
        ]
        assert terms["volcano"] == pytest.approx(raw[1] / math.hypot(*raw))

    @pytest.mark.parametrize("counts", [{}, {"term": 1}], ids=["none", "one of no weight"])
    def test_none(self, counts: dict[str, int]) -> None:
        assert strongest_terms(counts, lambda _: 0.0) == {}

    def test_agree_with_stored_features(self) -> None:
        counts = count_terms("Glacier melts", "Ice " * 40 + "is lost in the valley, 冰川融化")

        by_word = strongest_terms(counts, IDF, most=1000)
        assert {hash_feature(term): value for term, value in by_word.items()} == pytest.approx(
            dict(term_values(pack(counts, ()).terms, IDF))
        )


class TestMeaning:
    def test_round_trips(self) -> None:
        taught = (
            EmbeddingProfile(learned_after=2**40)
            .updated(Feedback(1.0, 0.0), vector(127))
            .updated(Feedback(0.0, 0.5), vector(0, 9))
        )

        read = parse_profile(taught.stored())

        assert (read.liked, read.disliked, read.learned_after) == (1.0, 0.5, 2**40)
        assert read.direction == pytest.approx(taught.direction, abs=1e-6)
        assert len(read.stored()) == 16 + 2 * 512 * 4

    def test_stores_only_amounts_without_vectors(self) -> None:
        taught = EmbeddingProfile().updated(Feedback(1.0, 0.0), b"")

        assert taught.direction == ()
        assert parse_profile(taught.stored()) == taught
        assert len(taught.stored()) == 16

    @pytest.mark.parametrize("stored", [b"", b"short", bytes(16 + 40)], ids=["nothing", "short", "of another length"])
    def test_reads_nothing_from_invalid_bytes(self, stored: bytes) -> None:
        assert parse_profile(stored).direction == ()

    @pytest.mark.parametrize("stored", [b"", b"\x01", bytes(512)], ids=["none", "short", "zeros"])
    def test_no_vector(self, stored: bytes) -> None:
        assert unit_from(stored) == ()


class TestFading:
    @pytest.mark.parametrize(("weeks", "share"), [(-1, 1.0), (0, 1.0), (1, 0.9), (2, 0.81), (0.5, 0.9**0.5)], ids=str)
    def test_a_tenth_a_week(self, weeks: float, share: float) -> None:
        assert decay(make.NOW, make.NOW + weeks * WEEK) == pytest.approx(share)

    def test_each_action_fades_from_its_own_time(self) -> None:
        acts = [Action("opened", make.NOW), Action("liked", make.NOW + WEEK)]

        assert total_feedback(acts, make.NOW + 2 * WEEK).liked == pytest.approx(0.81 + 3 * 0.9)

    def test_ignores_unknown_kinds(self) -> None:
        assert not total_feedback([Action("unread", make.NOW), Action("marked", make.NOW)], make.NOW)


TERMS = st.dictionaries(st.sampled_from([f"word{n}" for n in range(30)]), st.integers(1, 20), max_size=20)
VECTORS = st.one_of(st.just(b""), st.binary(min_size=512, max_size=512))
CHOSEN = st.lists(st.tuples(TERMS, VECTORS), min_size=1, max_size=6)


@given(articles=CHOSEN, choices=st.lists(st.booleans(), min_size=6, max_size=6), evidence=st.floats(0, 1000))
def test_scores_many_like_one(
    articles: list[tuple[dict[str, int], bytes]], choices: list[bool], evidence: float
) -> None:
    terms: dict[str, float] = {}
    meaning = EmbeddingProfile()
    for (counts, stored), is_liked in zip(articles, choices, strict=False):
        taught = Feedback(1.0, 0.0) if is_liked else Feedback(0.0, 0.5)
        meaning = meaning.updated(taught, stored)
        for term, value in strongest_terms(counts, IDF).items():
            terms[term] = terms.get(term, 0.0) + taught.gain * value
    known = profile(meaning, evidence=evidence, **terms)
    packed = [pack(count_terms(" ".join(counts), ""), ()).terms for counts, _ in articles]
    stored_all = StoredFeatures(packed, [b""] * len(articles), [stored for _, stored in articles])

    many = cosines_of_many(known, stored_all, idf_array(prior_weights()))

    one_by_one = [
        cosine(known, term_values(of_terms, IDF), stored)
        for of_terms, stored in zip(stored_all.terms, stored_all.vectors, strict=True)
    ]
    assert many == pytest.approx(np.array(one_by_one), abs=1e-6)


@pytest.fixture(scope="module")
def english() -> tuple[np.ndarray, StoredFeatures]:
    """Categories and features of the labelled English articles."""
    if not LABELLED.exists():
        pytest.skip("the labelled articles are not here")
    rows = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row["lang"] == "en"]
    terms = [pack(count_terms(row["title"], row["text"], "en"), ()).terms for row in rows]
    vectors = vectors_of([(row["title"], row["text"]) for row in rows])
    return np.array([row["category"] for row in rows]), StoredFeatures(terms, [b""] * len(rows), vectors)


# AUC of unseen articles by the number of labels, over all pairs of liked categories, less 0.02 each.
FLOORS = {
    "terms and meaning": (True, {5: 0.72, 20: 0.83, 50: 0.90, 100: 0.93}),
    "terms alone": (False, {5: 0.63, 20: 0.77, 50: 0.85, 100: 0.89}),
}


@pytest.mark.slow
@pytest.mark.parametrize(("with_meaning", "floors"), FLOORS.values(), ids=FLOORS)
def test_ranks_well_for_simulated_readers(
    english: tuple[np.ndarray, StoredFeatures], with_meaning: bool, floors: dict[int, float]
) -> None:
    if with_meaning and not IS_INSTALLED:
        pytest.skip("the model of meaning is not installed")
    categories, stored = english
    if not with_meaning:
        stored = StoredFeatures(stored.terms, stored.attributes, [b""] * len(stored))
    idf = idf_array(prior_weights())
    aucs: dict[int, list[float]] = {n: [] for n in floors}
    gained: dict[int, list[float]] = {n: [] for n in floors}
    for liked in itertools.combinations(sorted(set(categories)), 2):
        truth = np.isin(categories, liked)
        chance = np.random.default_rng(zlib.crc32(repr(liked).encode()))
        order = chance.permutation(len(truth))
        unseen = order[107:]
        others = chance.uniform(0, 80, len(unseen))  # importance without relevance
        if not 0 < truth[unseen].sum() < len(unseen):
            continue
        for n in floors:
            known = profile_from_labels(stored.select(order[:n]), truth[order[:n]], idf)
            scores = cosines_of_many(known, stored.select(unseen), idf)
            aucs[n].append(roc_auc_score(truth[unseen], scores))
            scale = Scale.fit(scores.tolist())
            scaled = np.array([scale.relevance(score, known.certainty) for score in scores])
            without = roc_auc_score(truth[unseen], others)
            gained[n].append(roc_auc_score(truth[unseen], others + 0.2 * scaled) - without)

    assert all(np.mean(aucs[n]) >= floor for n, floor in floors.items()), {n: np.mean(aucs[n]) for n in floors}
    assert all(np.mean(gained[n]) >= 0 for n in floors), gained
