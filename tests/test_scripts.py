"""Size of the scripts that a browser has to load."""

import gzip
from pathlib import Path

import django_htmx

from rssmanager.env import PROJECT

MAX_SIZE = 60_000  # bytes as sent with gzip; Brotli is smaller


def test_all_scripts_together_are_small() -> None:
    htmx = Path(django_htmx.__file__).parent / "static/django_htmx/htmx-2.min.js"
    scripts = [*sorted((PROJECT / "static/js").glob("*.js")), htmx]
    assert len(scripts) > 5
    assert sum(len(gzip.compress(script.read_bytes())) for script in scripts) <= MAX_SIZE
