"""Extracts a page's article as unsafe HTML, in the process with limits that `feeds.content.extract` starts.

Only that process loads trafilatura. Nothing is fetched.
"""

from collections.abc import Iterator

import trafilatura


def extracted(html: str, url: str) -> Iterator[str]:
    """Yield the article of the page at `url`, "" if there is none."""
    yield (
        trafilatura.extract(
            html,
            url=url,
            output_format="html",
            include_comments=False,
            include_tables=True,
            include_images=True,
            include_formatting=True,
            include_links=True,
        )
        or ""
    )
