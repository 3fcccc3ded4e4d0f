"""Which subscriptions delivered an article to a user, and what the user did with it."""

from django.conf import settings
from django.db import models
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from feeds.models import Article
from reader.models.subscription import Folder, OfFollowed, Subscription

# Condition of the indexes for ranked lists: unread, not folded, and rated.
_IS_RANKED = models.Q(is_read=False, is_folded=False, static_importance__isnull=False)


class Quiet(models.IntegerChoices):
    """Which lists show a delivery of a feed whose volume the user limited (`reader.subscriptions.noise_limits`)."""

    NOT = 0, _("In all lists")
    DIGEST = 1, _("In the feed's own list and in digests")
    OWN_LIST = 2, _("In the feed's own list")


class ArticleState(models.Model):
    """Read and starred, one row per user and article; created with the user's first action."""

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
    """A subscription delivered an article: the rows that lists are made of.

    The article's date, the user, the folder and the read state are repeated here, so that the unread articles of a
    feed, a folder or everything, newest first, are one range of an index, however large the archive. An article
    delivered by several subscriptions has as many rows, which sort next to each other.

    A folded row is shown under another one of its story ("4 more sources"): `is_folded` in the list of everything,
    `is_folded_in_folder` within its folder. A feed's own list folds nothing. A `quiet` delivery is folded in every list
    except the feed's own, and never counted as unread.

    The sort keys of ranked lists don't change with time (`reader.scoring.ranked_order`): `relevance` (0 to 100, None
    until rated), `static_importance` (importance without recency, 0 to 80; of its story, if it has one) within the
    `slot` of hours of its publication, and `decay_key` (for time-adjusted relevance) within its `sensitivity`. In a
    story, `newest_at` is the date of its newest report in the user's feeds, which then decides about the slot.
    `n_publishers` of `n_tiers` tiers report its story in the user's feeds. `is_rated` is False while it waits to be
    rated. `is_seen`: it was on the screen, which means neither read nor skipped.

    `arrival` is when it came into the user's lists; reading apps order and sync by it (`reader.articles.arrivals`).
    `was_listed`: it was in the list of everything before it was folded there, so apps may have it.

    Deliveries of unfollowed subscriptions are in `everything` only.
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
    was_listed = models.BooleanField(default=False, db_default=False)
    is_seen = models.BooleanField(default=False)
    is_rated = models.BooleanField(default=False)
    arrival = models.BigIntegerField(default=0, db_default=0)
    relevance = models.FloatField(null=True)
    n_publishers = models.PositiveIntegerField(default=1, db_default=1)
    n_tiers = models.PositiveSmallIntegerField(default=1, db_default=1)
    static_importance = models.FloatField(null=True)
    slot = models.IntegerField(null=True)
    newest_at = models.DateTimeField(null=True)
    sensitivity = models.PositiveSmallIntegerField(null=True)
    decay_key = models.FloatField(null=True)

    objects = OfFollowed["Delivery"]()
    everything = models.Manager["Delivery"]()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("subscription", "article"), name="delivery_once"),)
        indexes = (
            models.Index(
                fields=("user", "slot", "-static_importance", "-article"), name="delivery_by_slot", condition=_IS_RANKED
            ),
            models.Index(
                fields=("user", "-static_importance", "-article"),
                name="delivery_by_static_importance",
                condition=_IS_RANKED,
            ),
            models.Index(
                fields=("user", "sensitivity", "-decay_key", "-article"),
                name="delivery_by_decay_key",
                condition=_IS_RANKED,
            ),
            models.Index(fields=("-article",), name="delivery_not_rated", condition=models.Q(is_rated=False)),
            # Both columns, or SQLite scans all deliveries of a user.
            models.Index(fields=("article", "user"), name="delivery_of_article"),
            models.Index(fields=("user", "is_folded", "is_read", "-published_at", "-article"), name="delivery_of_user"),
            # With the subscription, so that counting unread per folder is an index-only scan.
            models.Index(
                fields=("folder", "is_folded_in_folder", "is_read", "-published_at", "-article", "subscription"),
                name="delivery_of_folder",
            ),
            models.Index(
                fields=("subscription", "is_read", "-published_at", "-article"), name="delivery_of_subscription"
            ),
            models.Index(fields=("user", "-arrival"), name="delivery_by_arrival"),
        )

    def __str__(self) -> str:
        return f"{self.subscription_id} {self.article_id}"


class Separation(models.Model):
    """A user removed an article from its story; for them it is shown by itself.

    An administrator can split a story for everyone (`feeds.models.Split`).
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "article"), name="separation_once"),)

    def __str__(self) -> str:
        return f"{self.user_id} {self.article_id}"


class PlaybackPosition(models.Model):
    """Where a user stopped in an audio or video file of an article; deleted once they reach the end."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="+")
    file = models.CharField(max_length=32, help_text=_("Hash of the file's URL"))
    seconds = models.PositiveIntegerField()
    saved_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "article", "file"), name="position_once"),)

    def __str__(self) -> str:
        return f"{self.user_id} {self.article_id} {self.seconds} s"


class BulkRead(models.Model):
    """The articles that one "mark all as read" changed, so that it can be undone; packed by
    `reader.lists.mark_all_read`.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    made_at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)
    n_articles = models.PositiveIntegerField()
    article_ids = models.BinaryField()

    class Meta:
        indexes = (models.Index(fields=("user", "-id"), name="bulk_read_newest"),)

    def __str__(self) -> str:
        return f"{self.user_id}: {self.n_articles} articles"


class PendingState(models.Model):
    """The state of an article that none of the user's feeds has delivered yet.

    `key` is the article's `Article.url_key`, `guid_key` that of its guid in its first feed. `data` is the state as
    `reader.articles.state_json` writes it. An article that was exported with its content is readable at once: `copy` is
    a private article under a key that nothing fetched can have, and its states apply. So is a page that the user saved
    (`reader.subscriptions.save_page`). `arrived` is set in the
    transaction that delivers the article; the row is deleted once its states have been moved to that article.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    key = models.BinaryField(max_length=16)
    guid_key = models.BinaryField(max_length=16, default=b"")
    data = models.JSONField()
    copy = models.OneToOneField(Article, null=True, on_delete=models.SET_NULL, related_name="+")
    arrived = models.ForeignKey(Article, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False)
    removed_at = models.DateTimeField(null=True, help_text=_("When its copy was removed from the saved pages"))

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "key"), name="pending_state_once"),)
        indexes = (
            models.Index(fields=("user", "guid_key"), name="pending_state_by_guid"),
            models.Index(fields=("arrived",), name="pending_state_arrived", condition=models.Q(arrived__isnull=False)),
            models.Index(
                fields=("removed_at",), name="pending_state_removed", condition=models.Q(removed_at__isnull=False)
            ),
        )

    def __str__(self) -> str:
        return f"{self.user_id} {bytes(self.key).hex()}"


def lock_deliveries(deliveries: QuerySet[Delivery]) -> set[int]:
    """Lock `deliveries` until the transaction ends, and return the ids of their subscriptions.

    Always in order of id, so that two transactions wait for each other instead of deadlocking.
    """
    return set(deliveries.select_for_update().order_by("pk").values_list("subscription_id", flat=True))
