"""Playback positions, so that another browser can resume."""

from datetime import datetime

from django.contrib.auth.models import User

from feeds.models import Article
from reader.articles.enclosures import file_key
from reader.models import PlaybackPosition

MAX_SECONDS = 48 * 3600  # longer than any recording in a feed
MIN_SECONDS = 5  # earlier positions start from the beginning


def positions_of(user: User, article: Article) -> dict[str, int]:
    """Seconds by file key for each file that the user started and didn't finish; one query."""
    return dict(PlaybackPosition.objects.filter(user=user, article=article).values_list("file", "seconds"))


def save_position(user: User, article: Article, file: str, seconds: int, *, now: datetime) -> bool:
    """Store the position in a file, 0 at its end; False if the article has no such file."""
    if file not in {file_key(media["url"]) for media in article.media}:
        return False
    mine = PlaybackPosition.objects.filter(user=user, article=article, file=file)
    if seconds < MIN_SECONDS:
        mine.delete()
    else:
        values = {"seconds": min(seconds, MAX_SECONDS), "saved_at": now}
        PlaybackPosition.objects.update_or_create(user=user, article=article, file=file, defaults=values)
    return True
