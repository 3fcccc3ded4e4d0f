"""Why an article is relevant to a user: the interests that it matches, and whether they often read its feed.

For you shows it beside each row, and the explanation of a score names the same interests in the same order.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from reader.interests.idf import idf_weights
from reader.interests.learning.idf_table import idf_of
from reader.interests.learning.inference import Idf, term_values
from reader.interests.learning.inference import contributions as model_contributions
from reader.interests.learning.profile import contributions as profile_contributions
from reader.interests.naming import names_of_terms
from reader.interests.predictor import Predictor, load_predictor
from reader.interests.terms import load_terms
from reader.models import ArticleFeatures, Delivery

RELEVANT_FROM = 55.0  # of relevance; below, an article is about as relevant as any
NAMED = 3  # interests
OFTEN_READ = 3  # articles of a feed that were opened in three months, at least every fourth


@dataclass(frozen=True, slots=True)
class Reason:
    """`interests`: as a person names them, those that raise relevance most first."""

    interests: tuple[str, ...]
    is_often_read: bool

    @property
    def words(self) -> str:
        """Two or three words: `climate`, `Rust · often read`."""
        words = [*self.interests[: 1 if self.is_often_read else 2], *([_("often read")] if self.is_often_read else ())]
        return " · ".join(words) or _("like what you read")


def reasons_of(user: User, relevances: Mapping[int, float], predictor: Predictor | None = None) -> dict[int, Reason]:
    """The reasons by article id, without articles that are no more relevant than most; a fixed number of queries."""
    predictor = predictor or load_predictor(user)
    relevant = [pk for pk, relevance in relevances.items() if relevance >= RELEVANT_FROM]
    if predictor.is_empty or not relevant:
        return {}
    stated: dict[str, bool] = {}
    by_hash: dict[int, str] = {}
    for term in load_terms(user):
        if not term.is_muted:
            stated[term.term] = term.is_stated
            by_hash.update(dict.fromkeys(term.hashes, term.term))
    idf = idf_of(idf_weights())
    raising = {
        features.article_id: _raising_terms(predictor, features, by_hash, idf)
        for features in ArticleFeatures.objects.filter(article__in=relevant)
    }
    learned = {term for terms in raising.values() for term in terms if not stated.get(term)}
    names = (names_of_terms(user, learned) if learned else {}) | {term: term for term, own in stated.items() if own}
    often = _often_read(user, relevant)
    return {
        pk: Reason(
            tuple(dict.fromkeys(names[term] for term in raising.get(pk, ()) if term in names))[:NAMED], pk in often
        )
        for pk in relevant
    }


def _raising_terms(predictor: Predictor, features: ArticleFeatures, by_hash: Mapping[int, str], idf: Idf) -> list[str]:
    """The user's terms in the article that raise its relevance, the strongest first."""
    terms, vector = bytes(features.terms), bytes(features.vector)
    shares: dict[str, float] = {}
    if predictor.model is None:
        for part in profile_contributions(predictor.profile, term_values(terms, idf), vector):
            shares[part.term] = shares.get(part.term, 0.0) + part.share
    else:
        for index, share in model_contributions(predictor.model, terms, b"", b"", idf).terms.items():
            term = by_hash.get(index, "")
            shares[term] = shares.get(term, 0.0) + share
    shares.pop("", None)  # the embedding, and words that aren't among the user's terms
    return sorted((term for term, share in shares.items() if share > 0), key=lambda term: -shares[term])


def _often_read(user: User, article_ids: list[int]) -> set[int]:
    """The articles of feeds that the user often reads."""
    deliveries = Delivery.objects.filter(user=user, article__in=article_ids, subscription__n_opened__gte=OFTEN_READ)
    counts = deliveries.values_list("article_id", "subscription__n_opened", "subscription__n_quarter")
    return {pk for pk, n_opened, n_quarter in counts if 4 * n_opened >= n_quarter}
