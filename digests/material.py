"""What a digest is made of, as one person sees it: plain data between the database and the pure rooms."""

from dataclasses import dataclass
from datetime import datetime

from reader.scoring.importance import Parts

READ_CHARACTERS = 2000  # of a text, which hold 200 words of any language: what topics are gathered by


@dataclass(frozen=True, slots=True)
class Candidate:
    """An article that a digest may show. `text` is its beginning, at most `READ_CHARACTERS`.

    `source` is the feed as the person calls it, `also_in` their other feeds that carry the article, `publisher` the
    registered domain or "". `story_id` is None for what the person took out of its story. `copy_of` is the candidate
    under which it stands as a near-duplicate, None for all others. `parts` are those of its importance.
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
    parts: Parts
    story_id: int | None = None
    copy_of: int | None = None
    category: str = ""
    also_in: tuple[str, ...] = ()

    @property
    def importance(self) -> float:
        """As of the digest's moment, 0–100."""
        return self.parts.importance
