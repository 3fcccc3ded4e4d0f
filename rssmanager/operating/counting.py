"""What the web processes count of themselves. Under gunicorn all processes count in files that any of them reads."""

import os

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.multiprocess import MultiProcessCollector

METHODS = ("GET", "HEAD", "POST")
BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds

ANSWERS = Counter(
    "rssmanager_http_requests",
    "Answers by route and class of status.",
    ("method", "route", "status"),
    registry=None,
)
SECONDS = Histogram(
    "rssmanager_http_request_seconds",
    "How long answers took, by route.",
    ("route",),
    buckets=BUCKETS,
    registry=None,
)


def count_answer(method: str, route: str, status: int, seconds: float) -> None:
    """Count one answer. Whatever is asked, there are no more series than routes allow."""
    ANSWERS.labels(method if method in METHODS else "other", route, f"{status // 100}xx").inc()
    SECONDS.labels(route).observe(seconds)


def counted() -> CollectorRegistry:
    """What all web processes of this server counted; or this one, where it is the only one."""
    registry = CollectorRegistry()
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        MultiProcessCollector(registry)
    else:
        registry.register(ANSWERS)
        registry.register(SECONDS)
    return registry
