"""Bundles of style sheets and scripts."""

from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.files.base import ContentFile
from pytest_django import Settings

from reader import bundles
from reader.bundles import BUNDLES, BundlingStorage, files_of


def test_collecting_joins_parts_in_order_and_hashes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "BUNDLES", {"js/both.js": ("js/second.js", "js/first.js")})
    storage = BundlingStorage(location=tmp_path, base_url="/static/")
    for name in ("first", "second"):
        storage.save(f"js/{name}.js", ContentFile(f"{name}();\n".encode()))
    for _ in range(2):  # collecting again replaces it
        list(storage.post_process({f"js/{name}.js": (storage, f"js/{name}.js") for name in ("first", "second")}))
    hashed = storage.stored_name("js/both.js")
    assert hashed != "js/both.js"
    assert (tmp_path / hashed).read_text().split() == ["second();", "first();"]


@pytest.mark.parametrize("bundle", BUNDLES)
def test_parts_exist_and_can_be_joined(bundle: str) -> None:
    for part in BUNDLES[bundle]:
        file = finders.find(part)
        assert isinstance(file, str), part
        assert bundle.endswith(".css") or Path(file).read_text().rstrip().endswith(";"), part


def test_pages_load_one_file_once_files_are_collected(settings: Settings) -> None:
    assert files_of("css/app.css") == BUNDLES["css/app.css"]
    backend = {"BACKEND": "reader.bundles.BundlingStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": backend}
    assert files_of("css/app.css") == ("css/app.css",)
