"""The classifier: what it learns, scoring one or many articles, and its figures for held-out articles."""

from collections.abc import Sequence

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from reader.interests.learning.classifier import logits, relevance_of_many, train
from reader.interests.learning.feature_matrices import StoredFeatures, embedding_matrix, feature_matrix
from reader.interests.learning.features import count_terms, extract_attributes, hash_feature, pack
from reader.interests.learning.holdout import Rows, Scores, balanced_split, train_and_evaluate
from reader.interests.learning.idf_table import idf_of, prior_weights
from reader.interests.learning.inference import LinearModel, contributions, percentage
from reader.interests.learning.profile_arrays import idf_array

WEIGHTS = prior_weights()
IDF = idf_array(WEIGHTS)
LIKED = ("rust", "compiler", "borrow", "crate", "async", "lifetime", "trait", "macro")
OTHER = ("football", "goal", "league", "coach", "striker", "referee", "transfer", "stadium")


def articles(labels: Sequence[bool], *, with_vectors: bool = False, seed: int = 1) -> StoredFeatures:
    """Articles of three words that are typical of liked or other articles, and one common word."""
    chance = np.random.default_rng(seed)
    packed, vectors = [], []
    for is_liked in labels:
        words = chance.choice(LIKED if is_liked else OTHER, 3, replace=False)
        title = " ".join([*words, "weekly"])
        packed.append(pack(count_terms(title, ""), extract_attributes(title=title, source="paper.example")))
        numbers = np.rint(chance.normal(0, 4, 512) + (3 if is_liked else -3)).astype(np.int8)
        vectors.append(numbers.tobytes() if with_vectors else b"")
    return StoredFeatures([article.terms for article in packed], [article.attributes for article in packed], vectors)


def mixed(n_liked: int, n_others: int) -> list[bool]:
    return [True] * n_liked + [False] * n_others


def as_bytes(model: LinearModel) -> tuple[float, bytes, bytes, bytes]:
    return model.intercept, model.indices, model.weights, model.embedding


@pytest.mark.parametrize("with_vectors", [True, False], ids=["with vectors", "without"])
def test_ranks_unseen_articles(with_vectors: bool) -> None:
    learned, unseen = mixed(30, 60), mixed(20, 20)
    model = train(articles(learned, with_vectors=with_vectors), learned, idf=IDF)
    scores = relevance_of_many(model, articles(unseen, with_vectors=with_vectors, seed=2), idf=IDF)
    assert roc_auc_score(unseen, scores) == 1.0
    assert scores[:20].min() > 50 > scores[20:].max()
    assert len(model.embedding) == (2048 if with_vectors else 0)


@pytest.mark.parametrize("with_vectors", [True, False], ids=["with vectors", "without"])
def test_scores_one_and_many_alike(with_vectors: bool) -> None:
    labels = mixed(12, 9)
    stored = articles(labels, with_vectors=with_vectors)
    model = train(stored, labels, idf=IDF)
    many = relevance_of_many(model, stored, idf=IDF)
    idf = idf_of(WEIGHTS)
    one_by_one = [
        percentage(contributions(model, *features, idf).logit)
        for features in zip(stored.terms, stored.attributes, stored.vectors, strict=True)
    ]
    assert one_by_one == pytest.approx(many.tolist(), abs=1e-4)  # a millionth of the range
    logit = logits(model, feature_matrix(stored, IDF), embedding_matrix(stored.vectors))[0]
    assert contributions(model, stored.terms[0], stored.attributes[0], stored.vectors[0], idf).logit == pytest.approx(
        logit, abs=1e-6
    )


def test_words_of_liked_articles_raise_the_score() -> None:
    labels = mixed(20, 20)
    model = train(articles(labels), labels, idf=IDF)
    stored = pack(count_terms("Rust referee weekly", ""), [])
    brought = contributions(model, stored.terms, stored.attributes, b"", idf_of(WEIGHTS)).terms
    assert brought[hash_feature("rust")] > 0.05 > -0.05 > brought[hash_feature("referee")]
    assert abs(brought[hash_feature("weekly")]) < 0.05


def test_learns_liked_hosts() -> None:
    hosts = ["good.example", "bad.example"] * 20
    packed = [pack(count_terms("weekly", ""), extract_attributes(title="weekly", source=host)) for host in hosts]
    stored = StoredFeatures(
        [article.terms for article in packed], [article.attributes for article in packed], [b""] * 40
    )
    scores = relevance_of_many(train(stored, [True, False] * 20, idf=IDF), stored, idf=IDF)
    assert scores[0] > 55 > 45 > scores[1]


def test_same_labels_give_the_same_model() -> None:
    labels = mixed(10, 20)
    stored = articles(labels, with_vectors=True)
    assert as_bytes(train(stored, labels, idf=IDF)) == as_bytes(train(stored, labels, idf=IDF))


def test_indices_ascend() -> None:
    labels = mixed(10, 10)
    indices = np.frombuffer(train(articles(labels), labels, idf=IDF).indices, dtype="<u4")
    assert (np.diff(indices.astype(np.int64)) > 0).all()


def test_classes_count_equally_whatever_their_size() -> None:
    labels = mixed(8, 200)
    scores = relevance_of_many(train(articles(labels), labels, idf=IDF), articles(mixed(30, 30), seed=3), idf=IDF)
    assert (scores[:30] > 50).mean() > 0.9
    assert (scores[30:] < 50).mean() > 0.9


def test_heavier_labels_count_more() -> None:
    labels = [True, True, False, False] * 5
    titles = ["rust compiler", "football goal", "rust compiler", "football goal"] * 5
    packed = [pack(count_terms(title, ""), []) for title in titles]
    stored = StoredFeatures([article.terms for article in packed], [b""] * 20, [b""] * 20)
    model = train(stored, labels, idf=IDF, weights=[3.0, 1.0, 1.0, 3.0] * 5)
    scores = relevance_of_many(model, stored, idf=IDF)
    assert scores[0] > scores[1]


def test_article_without_vector_counts_as_average() -> None:
    labels = mixed(20, 20)
    stored = articles(labels, with_vectors=True)
    model = train(stored, labels, idf=IDF)
    weights = np.frombuffer(model.embedding, dtype="<f4").astype(np.float64)
    average = embedding_matrix(stored.vectors).astype(np.float64).mean(axis=0)
    assert weights @ average == pytest.approx(0.0, abs=1e-6)


def test_one_article_per_class_is_enough() -> None:
    labels = mixed(1, 4)
    stored = articles(labels, with_vectors=True)
    scores = relevance_of_many(train(stored, labels, idf=IDF), stored, idf=IDF)
    assert np.isfinite(scores).all()
    assert scores[0] == scores.max()


def test_articles_without_features_score_alike() -> None:
    nothing = StoredFeatures([b""] * 6, [b""] * 6, [b""] * 6)
    scores = relevance_of_many(train(nothing, mixed(3, 3), idf=IDF), nothing, idf=IDF)
    assert scores.tolist() == pytest.approx([50.0] * 6, abs=1e-6)


@pytest.mark.parametrize("labels", [[True] * 3, [False] * 3], ids=["all relevant", "none relevant"])
def test_refuses_labels_of_one_class(labels: list[bool]) -> None:
    with pytest.raises(ValueError, match="both relevant and irrelevant"):
        train(articles(labels), labels, idf=IDF)


def test_scores_an_empty_set() -> None:
    model = train(articles(mixed(3, 3)), mixed(3, 3), idf=IDF)
    assert relevance_of_many(model, StoredFeatures([], [], []), idf=IDF).tolist() == []


@pytest.mark.parametrize(
    ("n_liked", "n_others", "n_held_out"),
    [(50, 50, 20), (50, 1000, 20), (620, 2360, 200), (500, 500, 200), (3000, 800, 200)],
    ids=["a fifth", "of the smaller", "as the article did", "just 100 of each", "100 of each at most"],
)
def test_holds_out_equally_many_of_each_class(n_liked: int, n_others: int, n_held_out: int) -> None:
    labels = np.array(mixed(n_liked, n_others))
    split = balanced_split(labels, seed=1)
    assert len(split.held_out) == n_held_out
    assert labels[split.held_out].sum() == n_held_out // 2
    assert sorted([*split.learned, *split.held_out]) == list(range(n_liked + n_others))


def test_same_seed_holds_out_the_same_articles() -> None:
    labels = np.array(mixed(60, 70))
    assert balanced_split(labels, seed=1).held_out.tolist() == balanced_split(labels, seed=1).held_out.tolist()
    assert balanced_split(labels, seed=1).held_out.tolist() != balanced_split(labels, seed=2).held_out.tolist()


def constant(shown: Rows, held_out: Rows) -> Scores:
    return np.full(len(held_out), 50.0)


def test_evaluates_on_held_out_articles() -> None:
    labels = mixed(60, 80)
    calls: list[tuple[Rows, Rows]] = []

    def profile_scores(shown: Rows, held_out: Rows) -> Scores:
        calls.append((shown, held_out))
        return constant(shown, held_out)

    training = train_and_evaluate(articles(labels), labels, idf=IDF, profile_scores=profile_scores)
    [(shown, held_out)] = calls
    assert not set(shown) & set(held_out)
    assert (training.n_positive, training.n_negative, training.n_held_out) == (60, 80, 24)
    assert (training.precision, training.recall, training.f1, training.auc, training.average_precision) == (
        1,
        1,
        1,
        1,
        1,
    )
    assert (training.profile_auc, training.profile_average_precision, training.is_better) == (0.5, 0.5, True)
    assert training.model is not None
    assert training.seconds > 0


def test_random_labels_give_figures_near_chance() -> None:
    labels = [True, False] * 100
    chance = np.random.default_rng(5)
    stored = articles([bool(label) for label in chance.random(200) < 0.5], with_vectors=True)
    training = train_and_evaluate(stored, labels, idf=IDF, profile_scores=constant)
    assert 0.2 < training.auc < 0.8


def test_keeps_a_better_profile() -> None:
    labels = [True, False] * 60
    stored = articles([bool(label) for label in np.random.default_rng(5).random(120) < 0.5])

    def knows(shown: Rows, held_out: Rows) -> Scores:
        return np.where(held_out % 2 == 0, 90.0, 10.0)

    training = train_and_evaluate(stored, labels, idf=IDF, profile_scores=knows)
    assert training.profile_average_precision == 1.0
    assert not training.is_better


def test_model_as_good_as_the_profile_replaces_it() -> None:
    labels = mixed(50, 50)

    def knows(shown: Rows, held_out: Rows) -> Scores:
        return np.where(held_out < 50, 90.0, 10.0)

    training = train_and_evaluate(articles(labels), labels, idf=IDF, profile_scores=knows)
    assert training.average_precision == pytest.approx(1.0)
    assert training.profile_average_precision == 1.0
    assert training.is_better


@pytest.mark.parametrize(("n_liked", "n_others"), [(49, 500), (500, 49), (0, 0)], ids=["liked", "others", "none"])
def test_trains_nothing_below_50_articles_of_a_class(n_liked: int, n_others: int) -> None:
    labels = mixed(n_liked, n_others)
    training = train_and_evaluate(articles(labels), labels, idf=IDF, profile_scores=constant)
    assert training.model is None
    assert not training.is_better
    assert (training.n_positive, training.n_negative) == (n_liked, n_others)
