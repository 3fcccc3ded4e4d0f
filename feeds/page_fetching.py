"""Fetch the pages that are waited for, one after the other.

Politeness. One page at a time in a run, with a pause before the next one of the same domain; a domain that asked to be
left alone is left alone, and one that asks here rests for its feeds too. Two runs never take the same article: it is
claimed by a conditional update. A claim that its worker did not live to see through lapses.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from feeds.credentials import without_credentials
from feeds.errors import FeedsError, PageError
from feeds.fetching import Fetcher, FetchResult, parse_retry_after
from feeds.full_text import waiting
from feeds.models import Article, FullText, FullTextStatus, Source
from feeds.normalizing.domains import registrable_domain
from feeds.page_text import PageText, page_text
from feeds.scheduling import spell

logger = logging.getLogger(__name__)

PAUSE = 2.0  # seconds between two pages of one domain


def fetch_waiting(
    fetcher: Fetcher,
    *,
    clock: Callable[[], datetime],
    until: datetime,
    wait: Callable[[float], None] = time.sleep,
) -> int:
    """Fetch what is waiting, what was asked for last first, beginning nothing after `until`; returns how many."""
    n_fetched, domains = 0, set()
    while (now := clock()) < until and (claimed := _claim(now)) is not None:
        domain = registrable_domain(_address(claimed.article))
        if domain in domains:
            wait(PAUSE)
        domains.add(domain)
        _save(claimed, _fetched(claimed.article, domain, fetcher, now=now), clock())
        n_fetched += 1
    return n_fetched


def _claim(now: datetime) -> FullText | None:
    """The next one, held by this worker; None when there is none."""
    while (pk := waiting(now).order_by("-asked_at", "-pk").values_list("pk", flat=True).first()) is not None:
        if waiting(now).filter(pk=pk).update(status=FullTextStatus.FETCHING, claimed_at=now):
            return FullText.objects.select_related("article").get(pk=pk)
    return None


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The page's text and where it was, or why there is none."""

    page: PageText | None = None
    url: str = ""
    error: str = ""


def _fetched(article: Article, domain: str, fetcher: Fetcher, *, now: datetime) -> _Outcome:
    resting = Source.objects.filter(domain=domain, resting_until__gt=now).values_list("resting_until", flat=True)
    if until := resting.first():
        return _Outcome(
            error=_("Its publisher asked us to wait; we may ask again in %(span)s.") % {"span": spell(until - now)}
        )
    try:
        result = fetcher.fetch(_address(article))
        if result.status != 200:
            raise PageError(_refusal(result, domain, now))
        return _Outcome(page_text(result), result.url)
    except FeedsError as error:
        return _Outcome(error=str(error))


def _refusal(result: FetchResult, domain: str, now: datetime) -> str:
    """Why an answer is no page, in words; a domain that asks to be left alone is."""
    rest = parse_retry_after(result.headers.get("retry-after", ""), now=now)
    if result.status in (429, 503) and rest is not None:
        Source.objects.filter(domain=domain).update(resting_until=now + rest)
        return _("Its publisher asked us to wait; we may ask again in %(span)s.") % {"span": spell(rest)}
    words = {
        401: _("The page wants a sign-in."),
        402: _("The page wants to be paid for."),
        403: _("The page is not given to programs like this one."),
        404: _("The page is not there any more."),
        410: _("The page is gone for good."),
        429: _("Its publisher asks us to come less often."),
        451: _("The page may not be shown where this reader runs."),
    }
    told = {"why": words.get(result.status, _("The server did not give the page.")), "status": result.status}
    return _("%(why)s (Status %(status)s.)") % told


def _address(article: Article) -> str:
    """The page's address, without the name and password of a private feed that may hang on it."""
    return without_credentials(article.link)


def _save(full_text: FullText, outcome: _Outcome, now: datetime) -> None:
    """Write what came; a failure leaves what was there before."""
    full_text.fetched_at, full_text.claimed_at, full_text.error = now, None, outcome.error[:300]
    if outcome.page is None:
        full_text.status = FullTextStatus.FAILED
        full_text.save(update_fields=["status", "fetched_at", "claimed_at", "error"])
        logger.info("Full text of article %s: %s", full_text.article_id, outcome.error)
        return
    full_text.status, full_text.base_url = FullTextStatus.DONE, outcome.url
    full_text.markup, full_text.text = outcome.page.markup, outcome.page.text
    full_text.reading_seconds = outcome.page.reading_seconds
    full_text.safe_html, full_text.safe_version = "", 0
    full_text.save()
