"""Extracts a page's article as unsafe HTML, in the process with limits that `feeds.content.extract` starts.

Only that process loads trafilatura. Nothing is fetched.
"""

from collections.abc import Iterator

import trafilatura
from trafilatura.settings import use_config

# Characters of an article. Of a page that seems to have fewer, trafilatura takes all text, as a single paragraph. Its
# default of 250 is an English teaser, but a short report in Chinese.
MIN_CHARACTERS = 60
_CONFIG = use_config()
_CONFIG.set("DEFAULT", "MIN_EXTRACTED_SIZE", str(MIN_CHARACTERS))


def extracted(html: str, url: str) -> Iterator[str]:
    """Yield the article of the page at `url`, its title and its author, "" for what it hasn't."""
    yield (
        trafilatura.extract(
            html,
            url=url,
            config=_CONFIG,
            output_format="html",
            include_comments=False,
            include_tables=True,
            include_images=True,
            include_formatting=True,
            include_links=True,
        )
        or ""
    )
    about = trafilatura.extract_metadata(html, default_url=url)
    yield (about and about.title) or ""
    yield (about and about.author) or ""
