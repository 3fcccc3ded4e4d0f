"""The only place that speaks HTTP: a URL in, a FetchResult or a FetchError out. Knows no Django and no settings."""

from feeds.credentials import split_credentials, without_credentials
from feeds.fetching.client import ACCEPT_PAGE, Fetcher
from feeds.fetching.freshness import http_minimum_interval
from feeds.fetching.limits import FetchLimits
from feeds.fetching.result import FetchResult, Hop
from feeds.fetching.retry_after import parse_retry_after

__all__ = [
    "ACCEPT_PAGE",
    "FetchLimits",
    "FetchResult",
    "Fetcher",
    "Hop",
    "http_minimum_interval",
    "parse_retry_after",
    "split_credentials",
    "without_credentials",
]
