"""A person's tags: naming, adding, taking away. What is tagged stays visible after its feed is left."""

from collections.abc import Collection, Sequence
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from feeds.models import Article
from reader.errors import TagRefused
from reader.models import Tag, TaggedArticle

MOST_AT_ONCE = 20  # names typed at once
MOST_TAGS = 1000  # of one person; each is a line of the sidebar or of a list to choose from


def read_names(text: str) -> tuple[str, ...]:
    """The names in a list with commas, white space made one, each once however it is written. Raises TagRefused."""
    names: dict[str, str] = {}
    for part in text.replace("\0", "").replace("，", ",").replace("、", ",").split(","):
        if name := " ".join(part.split()):
            if len(name) > Tag.MOST_CHARACTERS:
                told = ngettext(
                    "A tag has at most %(n)s character.", "A tag has at most %(n)s characters.", Tag.MOST_CHARACTERS
                )
                raise TagRefused(told % {"n": Tag.MOST_CHARACTERS})
            names.setdefault(Tag.key_of(name), name)
    if len(names) > MOST_AT_ONCE:
        told = ngettext(
            "At most %(n)s tag can be added at once.", "At most %(n)s tags can be added at once.", MOST_AT_ONCE
        )
        raise TagRefused(told % {"n": MOST_AT_ONCE})
    return tuple(names.values())


def tags_named(user: User, names: Collection[str]) -> list[Tag]:
    """The user's tags of these names, made where they are missing. Raises TagRefused."""
    wanted = {Tag.key_of(name): name for name in names}
    known = Tag.objects.filter(user=user, key__in=wanted)
    missing = [
        Tag(user=user, key=key, name=name)
        for key, name in wanted.items()
        if key not in set(known.values_list("key", flat=True))
    ]
    if missing and Tag.objects.filter(user=user).count() + len(missing) > MOST_TAGS:
        told = ngettext(
            "You have %(n)s tag, which is the most there can be. Delete some first.",
            "You have %(n)s tags, which is the most there can be. Delete some first.",
            MOST_TAGS,
        )
        raise TagRefused(told % {"n": MOST_TAGS})
    Tag.objects.bulk_create(missing, ignore_conflicts=True)
    return list(Tag.objects.filter(user=user, key__in=wanted))


def tag_articles(tag: Tag, article_ids: Collection[int], *, now: datetime) -> None:
    """Put these articles under the tag; those that are there stay as they are. Two statements."""
    dates = Article.objects.filter(pk__in=article_ids).values_list("pk", "published_at")
    TaggedArticle.objects.bulk_create(
        [
            TaggedArticle(user_id=tag.user_id, tag=tag, article_id=pk, published_at=published_at, tagged_at=now)
            for pk, published_at in dates
        ],
        ignore_conflicts=True,
    )


def add_tags(user: User, article: Article, names: Collection[str], *, now: datetime) -> list[Tag]:
    """Put the article under tags of these names; returns the tags. Raises TagRefused."""
    with transaction.atomic():
        tags = tags_named(user, names)
        for tag in tags:
            tag_articles(tag, [article.pk], now=now)
    return tags


def remove_tag(user: User, article: Article, tag_id: int) -> bool:
    """Take the article from under a tag of the user's; the tag stays. False if it was not there."""
    return TaggedArticle.objects.filter(user=user, article=article, tag=tag_id).delete()[0] > 0


def rename_tag(tag: Tag, name: str) -> None:
    """Give the tag another name. Raises TagRefused if it is none, several, or another tag's."""
    names = read_names(name)
    if len(names) != 1:
        raise TagRefused(_("A tag needs one name, without commas."))
    key = Tag.key_of(names[0])
    with transaction.atomic():
        if Tag.objects.filter(user=tag.user_id, key=key).exclude(pk=tag.pk).exists():
            raise TagRefused(_("You have another tag of that name."))
        tag.name, tag.key = names[0], key
        tag.save(update_fields=["name", "key"])


def tags_of(user: User, article: Article) -> list[Tag]:
    """The user's tags of one article, by name."""
    return list(Tag.objects.filter(tagged__user=user, tagged__article=article))


def names_of(user: User) -> Sequence[str]:
    """All tags of the user by name, to choose from."""
    return list(Tag.objects.filter(user=user).values_list("name", flat=True))
