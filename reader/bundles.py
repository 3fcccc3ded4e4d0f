"""Style sheets and scripts that are joined when static files are collected: a page needs five files, not forty.

On a phone, files cost more by their number than by their size. Where they aren't collected (in tests), pages load the
parts one by one.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.files.base import ContentFile
from django.core.files.storage import Storage
from whitenoise.storage import CompressedManifestStaticFilesStorage

BUNDLES: Mapping[str, tuple[str, ...]] = {  # in the order in which the parts are loaded
    "css/app.css": (
        "css/fonts.css",
        "css/tokens.css",
        "css/base.css",
        "css/components.css",
        "css/pages.css",
        "css/digest.css",
    ),
    "js/app.js": (
        "js/trusted-types.js",
        "django_htmx/htmx-2.min.js",
        "js/requests.js",
        "js/pane.js",
        "js/actions.js",
        "js/undo.js",
        "js/counts.js",
        "js/keys.js",
        "js/seen-rows.js",
        "js/install.js",
        "js/infinite-scroll.js",
        "js/images.js",
        "js/other-sources.js",
        "js/swipe.js",
        "js/pull.js",
        "js/view.js",
        "js/add-feed.js",
        "js/share.js",
        "js/tooltips.js",
        "js/menu.js",
        "js/sidebar.js",
        "js/sidebar-drag.js",
        "js/sidebar-menu.js",
        "js/sidebar-width.js",
        "js/refresh.js",
        "js/today.js",
    ),
    "js/article.js": (
        "js/progress.js",
        "js/player.js",
        "js/embeds.js",
        "js/highlights.js",
        "js/lightbox.js",
        "js/current-row.js",
        "js/scroll-position.js",
    ),
}


class BundlingStorage(CompressedManifestStaticFilesStorage):
    """Adds the bundles to the collected files; like those, they are hashed and compressed."""

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        if not dry_run:
            for bundle, parts in BUNDLES.items():
                self.delete(bundle)
                self.save(bundle, ContentFile(b"\n".join(_content(*paths[part]) for part in parts)))
                paths[bundle] = (self, bundle)
        yield from super().post_process(paths, dry_run, **options)


def files_of(bundle: str) -> tuple[str, ...]:
    """The static files that a page loads for the bundle: itself, or its parts where files aren't collected."""
    return (bundle,) if isinstance(staticfiles_storage, BundlingStorage) else BUNDLES[bundle]


def _content(storage: Storage, path: str) -> bytes:
    with storage.open(path) as file:
        return bytes(file.read())
