"""Many articles' bodies sanitized at once."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from feeds.content.sanitized import safe_html, sanitize_all
from feeds.models import Article
from feeds.normalizing.html import SANITIZER_VERSION
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]


def deferred() -> list[Article]:
    return list(Article.objects.defer("markup").order_by("pk"))


def test_all_are_sanitized_and_stored_in_fixed_queries() -> None:
    n_queries = []
    for n in (2, 40):
        for _ in range(n):
            make.article(markup="<p onclick=x>Hi<script>alert(1)</script></p>")
        articles = deferred()
        with CaptureQueriesContext(connection) as queries:
            sanitize_all(articles)
            assert {safe_html(article) for article in articles} == {"<p>Hi</p>"}
        n_queries.append(len(queries))
    assert n_queries[0] == n_queries[1]
    assert set(Article.objects.values_list("safe_html", "safe_version")) == {("<p>Hi</p>", SANITIZER_VERSION)}
    with CaptureQueriesContext(connection) as queries:
        sanitize_all(deferred())
    assert len(queries) == 1  # that of `deferred`


def test_changed_article_is_sanitized_again() -> None:
    make.article(markup="<p>Old</p>")
    [article] = deferred()
    Article.objects.update(markup="<p>New</p>", content_hash=99)
    sanitize_all([article])
    assert Article.objects.get().safe_version == 0
    assert safe_html(Article.objects.get()) == "<p>New</p>"
