"""An article that a digest may show, for one user: plain data between the database and the pure packages."""

from dataclasses import dataclass
from datetime import datetime

from reader.scoring.importance import Parts

READ_CHARACTERS = 2000  # of a text, which hold 200 words of any language: what topics are clustered by


@dataclass(frozen=True, slots=True)
class Candidate:
    """An article that a digest may show. `text` is its beginning, at most `READ_CHARACTERS`.

    `source` is the feed's name for the user, `also_in` those of other publishers with the article, `publisher` as in
    `Attribution`. `story_id` is None if the user separated it from its story, `position` as in
    `feeds.stories.lead_positions`. `copy_of` is the candidate of which it is a near-duplicate. `feed_ids` are the
    user's feeds that delivered it. `parts` are the parts of its importance.
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
    position: int = 0
    n_words: int = 0
    copy_of: int | None = None
    category: str = ""
    feed_ids: frozenset[int] = frozenset()
    also_in: tuple[str, ...] = ()

    @property
    def importance(self) -> float:
        """0–100, at the time of the digest."""
        return self.parts.importance
