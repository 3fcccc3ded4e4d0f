"""What For you shows after some choices: three simulated readers in real feeds, beside a simple baseline.

Each reader likes the articles with words of two subjects. Of their choices half are opened, a tenth of all for the
second subject, and the others are skipped. Then all other articles are ordered as the app would a minute later: by
profile, scale, time sensitivity and age, with at most five of twenty from one publisher. The baseline is logistic
regression on TF-IDF, fitted on the same choices, without regard to age.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from statistics import mean
from time import perf_counter

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from feeds.dedup.embeddings import vectors_of
from feeds.dedup.in_memory import Document, publisher_of_document
from reader.interests.learning.features import READ_CHARACTERS
from reader.interests.learning.inference import Scale
from reader.interests.learning.profile_arrays import cosines_of_many, profile_from_labels
from reader.lists.queries import PER_SOURCE, PER_SOURCE_OF, varied
from reader.scoring.decay import RATES, decay_key
from reader.scoring.rate import SCALED_BY
from reader.scoring.sensitivity import classify
from rssmanager.evaluation.datasets import LabelledFileError
from rssmanager.evaluation.ranking import Labels, Scores
from rssmanager.evaluation.relevance import Meaning, Rated, Rows, features_of

CHOICES = (10, 30, 100)
SHOWN = 20  # rows, of which the precision is
CANDIDATES = 100  # best articles that these are taken from
SECOND_SHARE = 0.1  # of the choices
SEEDS = 5  # runs with different choices
MIN_ARTICLES = 5  # of a subject
MENTIONS = 2  # of words of a subject in a text whose title has none


@dataclass(frozen=True, slots=True)
class Subject:
    """A subject, and the words that its articles have."""

    name: str
    words: re.Pattern[str]


PROGRAMMING = re.compile(
    r"\b(?:python|rust|javascript|typescript|compilers?|programming|linux|kernel|databases?|sql|golang|api|docker|"
    r"kubernetes|git|github|coding|debugging|debuggers?|algorithms?|haskell|lisp)\b",
    re.IGNORECASE,
)
SCIENCE = re.compile(
    r"\b(?:nasa|astronom(?:y|ers?)|telescope|galaxy|planets?|spacecraft|physic(?:s|ists?)|asteroids?|quantum|moon)\b",
    re.IGNORECASE,
)
CLIMATE = re.compile(
    r"\b(?:climate|emissions|carbon|renewables?|solar|warming|wildlife|species|drought|glaciers?|heatwaves?|wildfires?|"
    r"floods?|flooding|hurricanes?|earthquakes?|storms?|weather)\b",
    re.IGNORECASE,
)
AI = re.compile(r"\b(?:llms?|chatgpt|openai|anthropic|claude|gemini|machine learning|ai)\b", re.IGNORECASE)
SPORT = re.compile(
    r"\b(?:football|soccer|olympics?|rugby|cricket|tennis|league|coach|championships?|nba|nfl|mlb|fifa|quarterback|"
    r"playoffs?|innings|golf|yankees|mets|dodgers|arsenal|liverpool|chelsea)\b",
    re.IGNORECASE,
)
FILM = re.compile(
    r"\b(?:films?|movies?|oscars?|actor|actress|netflix|cinema|hollywood|album|concert|singer)\b", re.IGNORECASE
)
READERS = (
    (Subject("programming", PROGRAMMING), Subject("science", SCIENCE)),
    (Subject("climate", CLIMATE), Subject("artificial intelligence", AI)),
    (Subject("sport", SPORT), Subject("film", FILM)),
)


@dataclass(frozen=True, slots=True)
class Figures:
    """Means over the runs of one reader with `n_choices`: the share of the first rows on their subjects, by the app and
    by the baseline, rows of the second subject, and the most rows of one publisher."""

    reader: str
    n_choices: int
    precision: float
    baseline: float
    n_second: float
    n_of_a_publisher: float


@dataclass(frozen=True, slots=True)
class Report:
    n: int
    figures: tuple[Figures, ...]
    seconds: float


def for_you(
    documents: Sequence[Document],
    readers: Sequence[tuple[Subject, Subject]] = READERS,
    *,
    choices: Sequence[int] = CHOICES,
    meaning: Meaning = vectors_of,
) -> Report:
    """The figures of each reader and number of choices.

    Raises:
        LabelledFileError: no document is dated, or a subject has too few articles.
    """
    began = perf_counter()
    dates = [document.published_at for document in documents if document.published_at]
    if not dates:
        raise LabelledFileError("No document is dated.")
    library = _Library(documents, meaning)
    figures = []
    for first, second in readers:
        truth, minor = library.about(first), library.about(second)
        for n in choices:
            runs = [_run(library, truth, minor & ~truth, n, seed) for seed in range(SEEDS)]
            columns = [mean(values) for values in zip(*runs, strict=True)]
            figures.append(Figures(f"{first.name}, {second.name}", n, *columns))
    return Report(len(documents), tuple(figures), perf_counter() - began)


class _Library:
    """All documents with what the app and the baseline know about each."""

    def __init__(self, documents: Sequence[Document], meaning: Meaning) -> None:
        self.documents = documents
        self.publishers = [publisher_of_document(document) for document in documents]
        rated = [Rated(document, host=host) for document, host in zip(documents, self.publishers, strict=True)]
        self.stored, self.idf = features_of(rated, meaning)
        self.now = max(document.published_at for document in documents if document.published_at)
        self.sensitivity = [
            classify(each.title, each.text, language=each.language, published_at=each.published_at, vector=vector).score
            for each, vector in zip(documents, self.stored.vectors, strict=True)
        ]
        ages = [self.now - (document.published_at or self.now) for document in documents]
        self.newest = np.argsort([age / timedelta(days=1) for age in ages], kind="stable")[:SCALED_BY]
        texts = [" ".join((each.title, each.text, each.source)) for each in documents]
        self.tfidf = TfidfVectorizer(sublinear_tf=True).fit_transform(texts)

    def about(self, subject: Subject) -> Labels:
        """Which documents are about the subject."""
        found = np.array(
            [
                subject.words.search(each.title) is not None
                or len(subject.words.findall(each.text[:READ_CHARACTERS])) >= MENTIONS
                for each in self.documents
            ]
        )
        if found.sum() < MIN_ARTICLES:
            raise LabelledFileError(f"Only {found.sum()} documents are about {subject.name}.")
        return found

    def order(self, chosen: Rows, liked: Labels) -> Scores:
        """What For you sorts by, after these choices."""
        profile = profile_from_labels(self.stored.select(chosen), liked, self.idf)
        cosines = cosines_of_many(profile, self.stored, self.idf)
        scale = Scale.fit(cosines[self.newest].tolist())
        keys = [
            decay_key(
                scale.relevance(cosine, profile.certainty),
                rate=RATES[sensitivity],
                published_at=document.published_at or self.now,
            )
            - RATES[sensitivity] * (self.now.timestamp() / 86400)
            for cosine, sensitivity, document in zip(cosines, self.sensitivity, self.documents, strict=True)
        ]
        return np.array(keys)


def _run(library: _Library, first: Labels, second: Labels, n: int, seed: int) -> tuple[float, float, int, int]:
    """Precision, that of the baseline, rows of the second subject, most rows of a publisher."""
    chance = np.random.default_rng(seed)
    n_second = max(1, round(SECOND_SHARE * n))
    n_first = min(max(1, n // 2 - n_second), int(first.sum()) // 2)
    n_second = min(n_second, int(second.sum()) // 2)
    opened = np.concatenate([_some(chance, first, n_first), _some(chance, second, n_second)])
    skipped = _some(chance, ~first & ~second, n - len(opened))
    chosen, liked = np.concatenate([opened, skipped]), np.arange(n) < len(opened)
    unread = np.setdiff1d(np.arange(len(first)), chosen)
    keys = library.order(chosen, liked)[unread]
    best = unread[np.argsort(-keys, kind="stable")[:CANDIDATES]].tolist()
    shown = varied(best, lambda row: library.publishers[row], most=PER_SOURCE, of=PER_SOURCE_OF)[:SHOWN]
    simple = LogisticRegression(max_iter=500).fit(library.tfidf[chosen], liked)
    by_simple = unread[np.argsort(-simple.decision_function(library.tfidf[unread]), kind="stable")[:SHOWN]]
    relevant = first | second
    most = max(Counter(library.publishers[row] for row in shown).values())
    return float(relevant[shown].mean()), float(relevant[by_simple].mean()), int(second[shown].sum()), most


def _some(chance: np.random.Generator, of: Labels, n: int) -> Rows:
    return chance.choice(np.flatnonzero(of), n, replace=False)
