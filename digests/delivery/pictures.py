"""Pictures of a digest's top stories: fetched by the worker and attached, or loaded from this server by mail apps.

A picture is decoration: what can't be fetched in time, isn't a raster image by its first bytes, or is too large, is
left out, and the email is sent without it. All fetching ends long before the claim on the email does (`outbox.CLAIM`),
and before the email is handed over.
"""

import logging
from collections.abc import Mapping

from django.conf import settings
from django.contrib.auth.models import User

from digests.edition.document import Edition, SectionName
from digests.rendering.mail import AttachedPicture, EmailContent
from feeds.content.image_proxy import Busy, Picture, fetch_picture, image_fetcher
from feeds.fetching import DeadlineFetcher
from reader.access import visible_articles
from reader.articles.enclosures import picture_of
from reader.models import MailPictures, Preferences

logger = logging.getLogger(__name__)

MAX_PICTURES = 4
MAX_PICTURE_BYTES = 150_000  # of each that is attached
MIN_PICTURE_BYTES = 1_000  # smaller ones are spacers, counters or icons
MAX_MAIL_BYTES = 600_000  # of an email with attached pictures
SECONDS = 15.0  # to fetch all pictures of an email
# What mail apps show; publishers that choose by this header send JPEG instead of AVIF.
ACCEPT = "image/jpeg,image/png,image/gif,image/webp;q=0.8,image/*;q=0.1"
SHOWN = frozenset(("image/jpeg", "image/png", "image/gif", "image/webp"))

_BASE64 = 78 / 57  # bytes per byte: lines of 76 characters, CRLF
_HEADERS = 4_000  # bytes; of the email and its parts, and for the addresses of pictures


def mail_pictures_of(user: User) -> str:
    """How the user wants pictures: one of `MailPictures`. Without `IMAGE_PROXY` none are loaded, but attached."""
    chosen = Preferences.objects.filter(user=user).values_list("mail_pictures", flat=True).first()
    if chosen == MailPictures.SERVER and not settings.ENV.IMAGE_PROXY:
        return MailPictures.ATTACHED
    return chosen or MailPictures.ATTACHED


def pictured_leads(user: User, edition: Edition) -> dict[int, str]:
    """The publishers' URLs of the first pictures among top stories, by article id, in the digest's order."""
    ids = [topic.lead.article_id for topic in edition.section(SectionName.TOP) if topic.lead.article_id is not None]
    media = dict(visible_articles(user).filter(pk__in=ids).values_list("pk", "media"))
    pictures = ((pk, picture_of(media.get(pk, ()))) for pk in ids)
    return dict([(pk, url) for pk, url in pictures if url][:MAX_PICTURES])


def picture_for(user_id: int, article_id: int) -> str:
    """The publisher's URL of an article's picture; "" if there is none or the user can no longer see the article."""
    user = User.objects.filter(pk=user_id, is_active=True).first()
    media = user and visible_articles(user).filter(pk=article_id).values_list("media", flat=True).first()
    return picture_of(media or ())


def to_attach(leads: Mapping[int, str], *, message_id: str, room: int) -> dict[int, AttachedPicture]:
    """The pictures to attach, by article id, with at most `room` bytes in total."""
    fetcher = DeadlineFetcher(image_fetcher(max_bytes=MAX_PICTURE_BYTES, accept=ACCEPT), seconds=SECONDS)
    attached: dict[int, AttachedPicture] = {}
    name, _at, host = message_id.strip("<>").partition("@")
    for pk, url in leads.items():
        picture = _fetched(url, fetcher)
        if picture is None or len(picture.content) > room:
            continue
        room -= len(picture.content)
        attached[pk] = AttachedPicture(f"{name}.{pk}@{host}", picture.content, picture.mime_type)
    return attached


def room_beside(content: EmailContent) -> int:
    """The bytes of pictures that fit into an email with this text and HTML."""
    n_bytes = len(content.text.encode(errors="replace")) + len(content.html.encode(errors="replace"))
    # Both parts are at most as large as in base64: see `digests.delivery.message`.
    return max(0, int(MAX_MAIL_BYTES / _BASE64) - n_bytes - _HEADERS)


def _fetched(url: str, fetcher: DeadlineFetcher) -> Picture | None:
    try:
        picture = fetch_picture(url, fetcher)
    except Busy:
        return None
    except Exception:  # a bug must not hold back the email
        logger.exception("The picture %s could not be fetched", url)
        return None
    if picture is None or picture.mime_type not in SHOWN:
        return None
    return picture if MIN_PICTURE_BYTES <= len(picture.content) <= MAX_PICTURE_BYTES else None
