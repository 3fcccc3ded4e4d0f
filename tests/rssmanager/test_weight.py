"""Size of a page and its assets as sent, with the server's compression, and libraries loaded at start-up."""

import gzip
import re
import subprocess
import sys
from pathlib import Path

import brotli
import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.utils import timezone

from reader.lists.queries import PAGE_SIZE
from rssmanager.env import PROJECT
from tests import make

pytestmark = pytest.mark.django_db

MAX_PAGE_BYTES = 120_000  # bytes of a first page with all its assets except images and fonts, which stay cached
MAX_SCRIPT_BYTES = 60_000  # bytes of all scripts, htmx included
_ASKED_FOR = re.compile(r'<(?:script|link)[^>]*? (?:src|href)="/static/([^"]+\.(?:css|js|svg))"')


def compressed(path: str) -> dict[str, int]:
    file = finders.find(path)
    assert isinstance(file, str), path
    content = Path(file).read_bytes()
    return {"br": len(brotli.compress(content)), "gzip": len(gzip.compress(content))}


@pytest.mark.parametrize("encoding", ["br", "gzip"])
def test_size_of_all_scripts(encoding: str) -> None:
    own = [f"js/{path.name}" for path in Path(str(finders.find("js"))).glob("*.js")]
    assert len(own) > 10
    assert sum(compressed(path)[encoding] for path in [*own, "django_htmx/htmx-2.min.js"]) <= MAX_SCRIPT_BYTES


@pytest.mark.parametrize("path", ["/", "/all/", "/articles/{article}/", "/health/"])
def test_size_of_first_page_with_assets(client: Client, path: str) -> None:
    user = make.user()
    client.force_login(user)
    subscription = make.subscription(user, folder=make.folder(user))
    words = "It rained on the harbour, and nobody minded. " * 8
    for number in range(PAGE_SIZE + 1):
        article = make.article(title=f"Title {number}: {words[:80]}", summary=words, published_at=timezone.now())
        make.delivery(subscription, article)
    page = client.get(path.format(article=article.pk), HTTP_ACCEPT_ENCODING="gzip")
    markup = gzip.decompress(page.content).decode()
    needed = set(_ASKED_FOR.findall(markup))
    assert {"css/base.css", "js/actions.js", "django_htmx/htmx-2.min.js"} <= needed
    assert len(page.content) + sum(compressed(path)["gzip"] for path in needed) <= MAX_PAGE_BYTES


@pytest.mark.parametrize(
    ("module", "without"),
    [
        ("rssmanager.management.commands.poll", {"fido2", "numpy", "scipy", "sklearn", "spacy"}),
        ("feeds.stories.event_engine", {"fido2", "sklearn", "spacy"}),  # nothing may be waiting
        ("reader.scoring.rate", {"fido2", "sklearn", "spacy"}),
    ],
)
def test_heavy_libraries_are_loaded_when_needed(module: str, without: set[str]) -> None:
    code = f"import django, sys; django.setup(); import {module}; print(sorted({without!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
