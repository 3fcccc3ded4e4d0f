"""What a digest is made of, as one person sees it: plain data between the database and the pure rooms."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

READ_CHARACTERS = 2000  # of a text, which hold 200 words of any language: what topics are gathered by


@dataclass(frozen=True, slots=True)
class Candidate:
    """An article that a digest may show. `text` is its beginning, at most `READ_CHARACTERS`.

    `source` is the feed as the person calls it, `also_in` their other feeds that carry the article, `publisher` the
    registered domain or "". `importance` is as of the digest's moment. `story_id` is None for what the person took out
    of its story. `is_copy`: a near-duplicate of another candidate, under which it stands. `names`: who and what it says
    by kind (`people`, `organizations`, `places`), normalized as `feeds.dedup.names` does; empty where nobody looked.
    """

    article_id: int
    title: str
    text: str
    language: str
    source: str
    publisher: str
    url: str
    tier: int
    published_at: datetime
    date_uncertain: bool
    first_seen_at: datetime
    revised_at: datetime | None
    importance: float
    story_id: int | None = None
    is_copy: bool = False
    category: str = ""
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    also_in: tuple[str, ...] = ()
