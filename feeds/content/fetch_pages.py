"""Fetches requested pages, several at a time.

Politeness: one page of a domain at a time, with a pause before the next; rate limits are shared with the domain's
feeds. Articles are claimed by a conditional update, so two runs never fetch the same one; claims of crashed workers
expire. The text of a page that a user saved goes into their own copy. A slow publisher occupies one thread for
`PAGE_SECONDS`; its other pages wait for the next run.
"""

import logging
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime
from time import monotonic, sleep

from django.db import transaction
from django.utils.translation import gettext as _

from feeds.content.extract import PageText, page_text
from feeds.content.full_text_queue import waiting
from feeds.content.saved_copies import fill_saved_copy, is_saved_copy
from feeds.errors import FeedsError, FetchTimeout, PageError
from feeds.fetching import Fetcher, FetchResult, parse_retry_after
from feeds.fetching.credentials import without_credentials
from feeds.models import Article, Feed, FullText, FullTextStatus
from feeds.normalizing.domains import registrable_domain
from feeds.polling.rate_limits import limit_domain, limited_domains
from feeds.polling.schedule import format_duration

logger = logging.getLogger(__name__)

PAUSE = 2.0  # seconds between two pages of one domain
PAGE_SECONDS = 15.0  # for a page with redirects and retries; most take less than one
AT_ONCE = 8  # pages being fetched, each from another domain
MAX_SCANNED = 200  # waiting pages searched for one whose domain is free
TICK = 0.2  # seconds between checks for a free domain

_NEVER = float("inf")

Answer = FetchResult | FeedsError


def fetch_waiting(
    fetcher: Fetcher,
    *,
    clock: Callable[[], datetime],
    until: datetime,
    seconds: Callable[[], float] = monotonic,
    pause: Callable[[float], None] = sleep,
) -> int:
    """Fetch waiting pages, latest request first, starting none after `until`; returns their number."""
    run = _Run(fetcher, clock, seconds)
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="page") as threads:
        while True:
            while clock() < until and run.start_one(threads):
                pass
            if run.futures:
                run.save_finished()
            elif clock() < until and (left := run.pause_left()) is not None:
                pause(left)
            else:
                return run.n_fetched


def fetch_one(fetcher: Fetcher, article_id: int, *, now: datetime) -> bool:
    """Fetch this article's page while a user waits; False if it takes too long and stays in the queue."""
    full_text = waiting(now).filter(article=article_id).select_related("article__feed").first()
    if full_text is None or _is_slow(domain := _domain(full_text.article)) or not _claim(full_text, now):
        return False
    outcome = _rate_limited(domain, now)
    if outcome is None:
        answer = _fetch(fetcher, _address(full_text.article))
        if isinstance(answer, FetchTimeout):
            FullText.objects.filter(pk=full_text.pk).update(status=FullTextStatus.WAITING, claimed_at=None)
            return False
        outcome = _read(answer, now)
    _save(full_text, outcome, now)
    return True


class _Run:
    """One run: the pages being fetched, and when each domain is free again."""

    def __init__(self, fetcher: Fetcher, clock: Callable[[], datetime], seconds: Callable[[], float]) -> None:
        self._fetcher, self._clock, self._seconds = fetcher, clock, seconds
        self._free_at: dict[str, float] = {}  # domains fetched from in this run
        self.futures: dict[Future[Answer], tuple[FullText, str]] = {}
        self.n_fetched = 0

    def start_one(self, threads: ThreadPoolExecutor) -> bool:
        """Start the first page whose domain is free; False if there is none or no free thread."""
        if len(self.futures) >= AT_ONCE:
            return False
        now, monotonic_now = self._clock(), self._seconds()
        for full_text in waiting(now).select_related("article__feed").order_by("-requested_at", "-pk")[:MAX_SCANNED]:
            domain = _domain(full_text.article)
            if self._free_at.get(domain, 0.0) > monotonic_now or not _claim(full_text, now):
                continue
            self.n_fetched += 1
            if refusal := _rate_limited(domain, now):
                _save(full_text, refusal, now)
            else:
                self._free_at[domain] = _NEVER  # while fetching, and after a timeout
                self.futures[threads.submit(_fetch, self._fetcher, _address(full_text.article))] = full_text, domain
            return True
        return False

    def pause_left(self) -> float | None:
        """Seconds until a domain with waiting pages is free; None if there is none."""
        pages = waiting(self._clock()).select_related("article").order_by("-requested_at", "-pk")[:MAX_SCANNED]
        free_at = min((self._free_at.get(_domain(page.article), _NEVER) for page in pages), default=_NEVER)
        return None if free_at == _NEVER else max(0.0, free_at - self._seconds())

    def save_finished(self) -> None:
        """Wait briefly for pages and save those that arrived."""
        finished, _running = wait(self.futures, timeout=TICK, return_when=FIRST_COMPLETED)
        for future in finished:
            full_text, domain = self.futures.pop(future)
            answer = future.result()
            _save(full_text, _read(answer, self._clock()), self._clock())
            if not isinstance(answer, FetchTimeout):
                self._free_at[domain] = self._seconds() + PAUSE


def _claim(full_text: FullText, now: datetime) -> bool:
    """Claim it for this worker; False if another was faster."""
    n_claimed = waiting(now).filter(pk=full_text.pk).update(status=FullTextStatus.FETCHING, claimed_at=now)
    return bool(n_claimed)


def _is_slow(domain: str) -> bool:
    return Feed.objects.filter(source__domain=domain, is_slow=True).exists()


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The page's text and address, or the error."""

    page: PageText | None = None
    url: str = ""
    error: str = ""


def _rate_limited(domain: str, now: datetime) -> _Outcome | None:
    """An error if the domain is rate-limited, else None."""
    until = limited_domains(now).get(domain)
    if until is None:
        return None
    return _Outcome(
        error=_("The publisher asked us to wait. Next try in %(span)s.") % {"span": format_duration(until - now)}
    )


def _fetch(fetcher: Fetcher, url: str) -> Answer:
    """Runs in a thread, so it must not use the database."""
    try:
        return fetcher.fetch(url)
    except FeedsError as error:
        return error


def _read(answer: Answer, now: datetime) -> _Outcome:
    if isinstance(answer, FeedsError):
        return _Outcome(error=str(answer))
    try:
        if answer.status != 200:
            raise PageError(_refusal(answer, now))
        return _Outcome(page_text(answer), answer.url)
    except FeedsError as error:
        return _Outcome(error=str(error))


def _refusal(result: FetchResult, now: datetime) -> str:
    """The error message for a failed response; also saves a rate limit of the domain that answered."""
    rest = parse_retry_after(result.headers.get("retry-after", ""), now=now)
    if result.status in (429, 503) and rest is not None:
        limit_domain(registrable_domain(result.url), now + rest)
        return _("The publisher asked us to wait. Next try in %(span)s.") % {"span": format_duration(rest)}
    words = {
        401: _("The page requires signing in."),
        402: _("The page requires payment."),
        403: _("The publisher doesn't allow access to this page."),
        404: _("The page no longer exists."),
        410: _("The page was permanently removed."),
        429: _("The publisher asked for fewer requests."),
        451: _("The page is unavailable for legal reasons."),
    }
    reason = words.get(result.status, _("The server didn't return the page."))
    return _("%(reason)s (Status %(status)s.)") % {"reason": reason, "status": result.status}


def _domain(article: Article) -> str:
    return registrable_domain(_address(article))


def _address(article: Article) -> str:
    """The page's address, without a private feed's user name and password."""
    return without_credentials(article.link)


def _save(full_text: FullText, outcome: _Outcome, now: datetime) -> None:
    """Save the outcome; an error keeps the previous text."""
    full_text.fetched_at, full_text.claimed_at, full_text.error = now, None, outcome.error[:300]
    if outcome.page is None:
        full_text.status = FullTextStatus.FAILED
        full_text.save(update_fields=["status", "fetched_at", "claimed_at", "error"])
        logger.info("Full text of article %s: %s", full_text.article_id, outcome.error)
        return
    full_text.status, full_text.base_url = FullTextStatus.DONE, outcome.url
    if is_saved_copy(full_text.article):
        with transaction.atomic():
            fill_saved_copy(full_text.article, outcome.page, base_url=outcome.url)
            full_text.save()
        return
    full_text.markup, full_text.text = outcome.page.markup, outcome.page.text
    full_text.reading_seconds = outcome.page.reading_seconds
    full_text.safe_html, full_text.safe_version = "", 0
    full_text.save()
