"""The only package that makes HTTP requests: a URL in, a FetchResult or a FetchError out. No Django, no settings."""

from feeds.fetching.client import ACCEPT, ACCEPT_PAGE, DeadlineFetcher, Fetcher
from feeds.fetching.credentials import split_credentials, without_credentials
from feeds.fetching.headers import http_minimum_interval, parse_retry_after
from feeds.fetching.limits import FetchLimits
from feeds.fetching.result import FetchResult, Hop

__all__ = [
    "ACCEPT",
    "ACCEPT_PAGE",
    "DeadlineFetcher",
    "FetchLimits",
    "FetchResult",
    "Fetcher",
    "Hop",
    "http_minimum_interval",
    "parse_retry_after",
    "split_credentials",
    "without_credentials",
]
