"""Metrics of requests, counted by each web process on its own."""

from prometheus_client import CollectorRegistry, Counter, Histogram

METHODS = ("GET", "HEAD", "POST")
BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds

REQUESTS = Counter(
    "rssmanager_http_requests",
    "Responses by route and status class.",
    ("method", "route", "status"),
    registry=None,
)
SECONDS = Histogram(
    "rssmanager_http_request_seconds",
    "Response time by route.",
    ("route",),
    buckets=BUCKETS,
    registry=None,
)


def count_request(method: str, route: str, status: int, seconds: float) -> None:
    """Count a response. Unknown methods share one label, so the number of series is bounded by the routes."""
    REQUESTS.labels(method if method in METHODS else "other", route, f"{status // 100}xx").inc()
    SECONDS.labels(route).observe(seconds)


def build_registry() -> CollectorRegistry:
    """The counts of this process."""
    registry = CollectorRegistry()
    registry.register(REQUESTS)
    registry.register(SECONDS)
    return registry
