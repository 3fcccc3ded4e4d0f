"""Users' tags: parsing names, adding and removing. Tagged articles stay visible after unfollowing their feed."""

from collections.abc import Collection, Sequence
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from feeds.models import Article
from feeds.normalizing.text import split_list
from feeds.storage.compiled import compiled
from reader.errors import TagRefused
from reader.limits import TAGS
from reader.models import Tag, TaggedArticle

MAX_AT_ONCE = 20  # names entered at once


def read_names(text: str) -> tuple[str, ...]:
    """The names in a list (`split_list`), white space collapsed, without duplicates. Raises TagRefused."""
    names: dict[str, str] = {}
    for part in split_list(text.replace("\0", "")):
        if name := " ".join(part.split()):
            if len(name) > Tag.MAX_CHARACTERS:
                text = ngettext(
                    "A tag can have up to %(n)s character.",
                    "A tag can have up to %(n)s characters.",
                    Tag.MAX_CHARACTERS,
                )
                raise TagRefused(text % {"n": Tag.MAX_CHARACTERS})
            names.setdefault(Tag.key_of(name), name)
    if len(names) > MAX_AT_ONCE:
        text = ngettext("You can add up to %(n)s tag at once.", "You can add up to %(n)s tags at once.", MAX_AT_ONCE)
        raise TagRefused(text % {"n": MAX_AT_ONCE})
    return tuple(names.values())


def tags_named(user: User, names: Collection[str]) -> list[Tag]:
    """The user's tags with these names, created if missing. Raises TagRefused."""
    wanted = {Tag.key_of(name): name for name in names}
    known = Tag.objects.filter(user=user, key__in=wanted)
    missing = [
        Tag(user=user, key=key, name=name)
        for key, name in wanted.items()
        if key not in set(known.values_list("key", flat=True))
    ]
    if missing:
        TAGS.check(Tag.objects.filter(user=user), len(missing), error=TagRefused)
    Tag.objects.bulk_create(missing, ignore_conflicts=True)
    return list(Tag.objects.filter(user=user, key__in=wanted))


def tag_articles(tag: Tag, article_ids: Collection[int], *, now: datetime) -> None:
    """Tag these articles; those already tagged stay as they are. Two queries."""
    dates = Article.objects.filter(pk__in=article_ids).values_list("pk", "published_at")
    TaggedArticle.objects.bulk_create(
        [
            TaggedArticle(user_id=tag.user_id, tag=tag, article_id=pk, published_at=published_at, tagged_at=now)
            for pk, published_at in dates
        ],
        ignore_conflicts=True,
    )


def add_tags(user: User, article: Article, names: Collection[str], *, now: datetime) -> list[Tag]:
    """Tag the article with these names; returns the tags. Raises TagRefused."""
    with transaction.atomic():
        tags = tags_named(user, names)
        for tag in tags:
            tag_articles(tag, [article.pk], now=now)
    return tags


def remove_tag(user: User, article: Article, tag_id: int) -> bool:
    """Remove a tag from the article. False if it wasn't tagged."""
    return TaggedArticle.objects.filter(user=user, article=article, tag=tag_id).delete()[0] > 0


def rename_tag(tag: Tag, name: str) -> None:
    """Rename a tag. Raises TagRefused for an invalid name or that of another tag."""
    names = read_names(name)
    if len(names) != 1:
        raise TagRefused(_("Enter one name, without commas."))
    key = Tag.key_of(names[0])
    with transaction.atomic():
        if Tag.objects.filter(user=tag.user_id, key=key).exclude(pk=tag.pk).exists():
            raise TagRefused(_("You already have a tag with this name."))
        tag.name, tag.key = names[0], key
        tag.save(update_fields=["name", "key"])


def tags_of(user: User, article: Article) -> list[Tag]:
    """The user's tags of one article, by name."""
    return _tags(user.pk, article.pk)


@compiled
def _tags(user: int, article: int) -> QuerySet[Tag]:
    return Tag.objects.filter(tagged__user=user, tagged__article=article)


def names_of(user: User) -> Sequence[str]:
    """The names of all of the user's tags."""
    return _names(user.pk)


@compiled
def _names(user: int) -> QuerySet[Tag, str]:
    return Tag.objects.filter(user=user).values_list("name", flat=True)
