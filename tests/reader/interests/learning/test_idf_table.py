"""How rare terms are: first by the shipped table, then by stored articles too."""

import math
from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from feeds.dedup import idf as public_entries
from reader.interests.backlog import REBUILD_IDF_EVERY
from reader.interests.idf import idf_weights
from reader.interests.learning import idf_rebuild
from reader.interests.learning.features import BUCKETS, count_terms, hash_feature, pack
from reader.interests.learning.idf_rebuild import rebuild, rebuild_if_due
from reader.interests.learning.idf_table import build_weights, idf_of, prior_counts, prior_weights
from reader.models import ArticleFeatures, IdfTable, InterestTerm
from tests import make

STEP = 1 / 16


def features(title: str, text: str = "") -> ArticleFeatures:
    packed = pack(count_terms(title, text), ())
    return ArticleFeatures.objects.create(article=make.article(title=title), terms=packed.terms, attributes=b"")


@pytest.mark.parametrize(
    ("n_documents", "n", "weight"),
    [
        (0, 0, 0.0),
        (9, 9, 0.0),
        (9, 0, math.log(10)),
        (99, 9, math.log(10)),
        (10**6, 0, math.log(10**6)),
        (10**9, 0, 15.9375),
    ],
    ids=["no documents", "in every one", "in none", "in some", "in none of a million", "no more than a byte holds"],
)
def test_weighs_by_rarity(n_documents: int, n: int, weight: float) -> None:
    assert idf_of(build_weights(n_documents, [(7, n)]))(7) == pytest.approx(weight, abs=STEP / 2)


def test_has_one_byte_per_term() -> None:
    weights = build_weights(3, [])

    assert len(weights) == len(prior_weights()) == BUCKETS
    assert set(weights) == {round(16 * math.log(4))}


@pytest.mark.parametrize("term", ["market", "satellite", "北京", "zzyzx"])
def test_shipped_weights_match_the_fixed_table(term: str) -> None:
    assert idf_of(prior_weights())(hash_feature(term)) == pytest.approx(public_entries.weight(term), abs=STEP)


def test_common_words_weigh_less_than_rare_ones() -> None:
    idf = idf_of(prior_weights())

    assert (
        idf(hash_feature("the"))
        < 1
        < idf(hash_feature("market"))
        < idf(hash_feature("satellite"))
        < idf(hash_feature("zzyzx"))
    )


@pytest.mark.django_db
class TestRebuilding:
    def test_adds_articles_to_the_fixed_table(self) -> None:
        for n in range(3):
            features("Zzyzx satellite", f"zzyzx number{n}")
        n_prior, prior = prior_counts()

        assert rebuild(now=make.NOW) == 3

        row = IdfTable.objects.get()
        assert (row.built_at, row.n_articles) == (make.NOW, 3)
        weights = idf_of(bytes(row.weights))
        assert weights(hash_feature("zzyzx")) == pytest.approx(math.log((n_prior + 4) / 4), abs=STEP / 2)
        n_with = prior[hash_feature("satellite")] + 3
        assert weights(hash_feature("satellite")) == pytest.approx(math.log((n_prior + 4) / (n_with + 1)), abs=STEP / 2)
        assert weights(hash_feature("qwertz")) == pytest.approx(math.log(n_prior + 4), abs=STEP / 2)

    def test_is_independent_of_chunk_size(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for n in range(5):
            features(f"Zzyzx subject{n}")
        rebuild(now=make.NOW)
        whole = bytes(IdfTable.objects.get().weights)
        monkeypatch.setattr(idf_rebuild, "CHUNK", 2)

        assert rebuild(now=make.NOW) == 5
        assert bytes(IdfTable.objects.get().weights) == whole

    def test_is_the_shipped_table_without_articles(self) -> None:
        assert rebuild(now=make.NOW) == 0
        assert bytes(IdfTable.objects.get().weights) == prior_weights()

    def test_counts_articles_without_terms(self) -> None:
        features("…")

        assert rebuild(now=make.NOW) == 1

    def test_is_due_once_a_week(self) -> None:
        assert rebuild_if_due(now=make.NOW)
        assert not rebuild_if_due(now=make.NOW + REBUILD_IDF_EVERY - timedelta(seconds=1))
        assert rebuild_if_due(now=make.NOW + REBUILD_IDF_EVERY)
        assert IdfTable.objects.get().built_at == make.NOW + REBUILD_IDF_EVERY

    def test_keeps_users_terms(self) -> None:
        term = InterestTerm.objects.create(user=make.user(), term="zzyzx", weight=2, engaged_at=make.NOW)
        features("Zzyzx")

        rebuild(now=make.NOW)

        assert InterestTerm.objects.get() == term
        assert InterestTerm.objects.get().weight == 2


@pytest.mark.django_db
class TestBackground:
    def test_is_the_shipped_table_until_first_rebuilt(self) -> None:
        assert idf_weights() is prior_weights()

    def test_is_refreshed_after_rebuilding(self) -> None:
        for day, weights in enumerate((b"\x01", b"\x02")):
            row = {"built_at": make.NOW + timedelta(days=day), "n_articles": 1, "weights": weights}
            IdfTable.objects.update_or_create(pk=1, defaults=row)
            assert idf_weights() == weights

    def test_takes_one_query(self, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        IdfTable.objects.create(built_at=make.NOW, n_articles=1, weights=b"\x03")
        idf_weights()

        with django_assert_num_queries(1):
            assert idf_weights() == b"\x03"
