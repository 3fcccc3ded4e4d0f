"""Where a person stopped hearing or watching, so that another browser goes on from there."""

from datetime import datetime

from django.contrib.auth.models import User

from feeds.models import Article
from reader.enclosures import file_key
from reader.models import Position

MOST_SECONDS = 48 * 3600  # longer than any recording of a feed
LEAST_SECONDS = 5  # who heard less begins anew


def positions_of(user: User, article: Article) -> dict[str, int]:
    """Seconds by the key of each file that the person began and did not end; one query."""
    return dict(Position.objects.filter(user=user, article=article).values_list("file", "seconds"))


def save_position(user: User, article: Article, file: str, seconds: int, *, now: datetime) -> bool:
    """Remember where the person is in a file, 0 for at its end; False when the article has no such file."""
    if file not in {file_key(each["url"]) for each in article.media}:
        return False
    mine = Position.objects.filter(user=user, article=article, file=file)
    if seconds < LEAST_SECONDS:
        mine.delete()
    else:
        values = {"seconds": min(seconds, MOST_SECONDS), "saved_at": now}
        Position.objects.update_or_create(user=user, article=article, file=file, defaults=values)
    return True
