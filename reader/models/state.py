"""What a person did with an article, and which subscription brought it to them."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from feeds.models import Article
from reader.models.subscription import Folder, Listed, Subscription

# What ranked lists hold: unread, standing in the list by itself, and rated. Their indexes hold nothing else.
_IS_RANKED = models.Q(is_read=False, is_folded=False, standing__isnull=False)


class Quiet(models.IntegerChoices):
    """Where a delivery stands of a feed whose noise its person bounded (`reader.quieting`)."""

    NOT = 0, _("In all lists")
    DIGEST = 1, _("In the feed's own list and in digests")
    OWN_LIST = 2, _("In the feed's own list")


class ArticleState(models.Model):
    """Read and starred, one row a user and article; there is none until the user did something."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="states")
    is_read = models.BooleanField(default=False)
    is_starred = models.BooleanField(default=False)
    starred_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "article"), name="state_once"),)
        indexes = (
            models.Index(
                fields=("user", "-starred_at", "-article"), name="state_starred", condition=models.Q(is_starred=True)
            ),
        )

    def __str__(self) -> str:
        return f"{self.user_id} {self.article_id}"


class Delivery(models.Model):
    """A subscription brought an article: what lists are made of.

    The article's date and whether it is certain, the user, the folder and whether it is read are repeated here, so
    that the unread articles of a feed, a folder or everything, newest first, are a stretch of one index, however
    large the archive. An article that several subscriptions bring has as many rows, which sort next to each other.

    A folded row stands under another of its story ("4 more sources") and not in the list itself: `is_folded` among
    everything, `is_folded_in_folder` within its folder. A feed's own list folds nothing.

    What is `quiet` is folded in every list but the feed's own, whatever it belongs to, and never counted as unread.

    What ranked lists sort by is here too, and none of it ages (`reader.ranking`): `relevance` (0 to 100, None before it
    was rated), `standing` (importance but for recency, 0 to 80) within the `slot` of hours of its publication, and
    `pull` (of time-adjusted relevance) within its `sensitivity`. `is_rated` is False while it waits to be rated anew.
    `is_seen`: it was on the screen, which is neither read nor skipped.

    What a subscription brought that was left is in `everything` only, until it is packed.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    folder = models.ForeignKey(Folder, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False)
    subscription = models.ForeignKey(Subscription, on_delete=models.CASCADE, related_name="deliveries", db_index=False)
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="deliveries", db_index=False)
    published_at = models.DateTimeField()
    date_uncertain = models.BooleanField(default=False)
    is_read = models.BooleanField(default=False)
    is_folded = models.BooleanField(default=False)
    is_folded_in_folder = models.BooleanField(default=False)
    quiet = models.PositiveSmallIntegerField(choices=Quiet.choices, default=Quiet.NOT)
    is_seen = models.BooleanField(default=False)
    is_rated = models.BooleanField(default=False)
    relevance = models.FloatField(null=True)
    standing = models.FloatField(null=True)
    slot = models.IntegerField(null=True)
    sensitivity = models.PositiveSmallIntegerField(null=True)
    pull = models.FloatField(null=True)

    objects = Listed["Delivery"]()
    everything = models.Manager["Delivery"]()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("subscription", "article"), name="delivery_once"),)
        indexes = (
            models.Index(
                fields=("user", "slot", "-standing", "-article"), name="delivery_by_slot", condition=_IS_RANKED
            ),
            models.Index(fields=("user", "-standing", "-article"), name="delivery_by_standing", condition=_IS_RANKED),
            models.Index(
                fields=("user", "sensitivity", "-pull", "-article"), name="delivery_by_pull", condition=_IS_RANKED
            ),
            models.Index(fields=("-article",), name="delivery_not_rated", condition=models.Q(is_rated=False)),
            # Both, or SQLite looks through all that a user ever got for one article of theirs.
            models.Index(fields=("article", "user"), name="delivery_of_article"),
            models.Index(fields=("user", "is_folded", "is_read", "-published_at", "-article"), name="delivery_of_user"),
            models.Index(
                fields=("folder", "is_folded_in_folder", "is_read", "-published_at", "-article"),
                name="delivery_of_folder",
            ),
            models.Index(
                fields=("subscription", "is_read", "-published_at", "-article"), name="delivery_of_subscription"
            ),
        )

    def __str__(self) -> str:
        return f"{self.subscription_id} {self.article_id}"


class Separation(models.Model):
    """A user said that an article is not part of the story it was put in; for them it stands alone, whatever ties it.

    What others see stays: a split for everybody is an administrator's (`feeds.models.Split`).
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "article"), name="separation_once"),)

    def __str__(self) -> str:
        return f"{self.user_id} {self.article_id}"
