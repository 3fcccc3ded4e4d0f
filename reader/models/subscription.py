"""Which feeds a user follows, in which folders."""

from typing import TypeVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from feeds.models import Feed
from feeds.publishers.attribution import source_name
from feeds.subscription_lists.model import PATH_SEPARATOR

# The columns that `Subscription.source_name` and `shown_title` need, beside the subscription's.
NAME_COLUMNS = ("has_own_title", "feed__title", "feed__url", "feed__publisher__name", "feed__via")
ICON_COLUMN = "feed__icon__digest"  # what the `tile` tag needs beside the name


class Folder(models.Model):
    """A folder, called a tab in feeds.yaml; nested outlines of an OPML file are joined with `PATH_SEPARATOR`.

    `position` is its place in the sidebar when that is sorted by hand, from 1. Those at 0 follow, by name.
    """

    PATH_SEPARATOR = PATH_SEPARATOR

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="folders")
    name = models.CharField(max_length=200)
    language = models.CharField(max_length=8, blank=True)
    item_limit_per_category = models.PositiveIntegerField(
        null=True, blank=True, help_text=_("Articles shown per category")
    )
    position = models.PositiveIntegerField(default=0, editable=False)
    is_open = models.BooleanField(default=False, help_text=_("The sidebar shows its feeds"))

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("user", "name"), name="folder_name_once_a_user"),)

    def __str__(self) -> str:
        return self.name


# SQL condition on a column `{0}` with a subscription id or NULL: SQL, because building a query for every list is slow.
# The first half skips fetching subscription rows in the usual case that nothing was unfollowed lately.
IS_FOLLOWED = (
    "(NOT EXISTS (SELECT 1 FROM reader_subscription WHERE unfollowed_at IS NOT NULL)"
    " OR COALESCE({0}, 0) NOT IN (SELECT id FROM reader_subscription WHERE unfollowed_at IS NOT NULL))"
)

_Row = TypeVar("_Row", bound=models.Model)


class OfFollowed(models.Manager[_Row]):
    """Rows with a `subscription`, except those of unfollowed ones."""

    def get_queryset(self) -> models.QuerySet[_Row]:
        template = IS_FOLLOWED.format("%(expressions)s")
        holds = models.Func(models.F("subscription_id"), template=template, output_field=models.BooleanField())
        return super().get_queryset().filter(holds)


class Followed(models.Manager["Subscription"]):
    """Subscriptions, except unfollowed ones."""

    def get_queryset(self) -> models.QuerySet["Subscription"]:
        return super().get_queryset().filter(unfollowed_at=None)


class Subscription(models.Model):
    """A user follows a feed.

    Unfollowing only sets `unfollowed_at` (`reader.subscriptions.unfollow`): for seven days the subscription, its
    deliveries and its rules can be restored. `objects` leaves them out, here and wherever `OfFollowed` is the default
    manager; joins from other models have to filter by `subscription__unfollowed_at=None`. `everything` has all rows.

    `has_own_title`: the user gave the title, by renaming the feed or in feeds.yaml, so it is shown as it is; one from
    another reader's list may only repeat the feed's.

    `delivered_item_id` is the last of the feed's items delivered to this user; `unread_count` counts deliveries that
    are neither read nor quiet, and is updated with every change to them. `most_a_day`, `is_digest_only` and
    `quiet_until` limit the feed's volume (`reader.subscriptions.noise_limits`). `n_month`, `n_quarter` and `n_opened`
    are updated hourly (`reader.subscriptions.read_rates`): articles of the last 28 and 90 days, and how many of the
    latter were opened. `position` is like a folder's, among the feeds of the same folder.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="subscriptions")
    feed = models.ForeignKey(Feed, on_delete=models.PROTECT, related_name="subscriptions")
    folder = models.ForeignKey(Folder, null=True, blank=True, on_delete=models.SET_NULL, related_name="subscriptions")
    title = models.CharField(max_length=300, blank=True, help_text=_("The user's own title for the feed"))
    has_own_title = models.BooleanField(default=False, editable=False)
    category = models.CharField(max_length=100, blank=True)
    fetches_full_text = models.BooleanField(default=False, help_text=_("Fetch and show the full text of its articles"))
    most_a_day = models.PositiveSmallIntegerField(null=True, blank=True)
    is_digest_only = models.BooleanField(default=False)
    quiet_until = models.DateField(null=True, blank=True)
    has_alerts = models.BooleanField(default=True, help_text=_("Alert the user to its breaking news"))
    tells_of_trouble = models.BooleanField(default=True, help_text=_("Notify the user when its condition changes"))
    is_kept = models.BooleanField(default=False, help_text=_("The user chose to keep it when asked"))
    n_month = models.PositiveIntegerField(default=0, editable=False)
    n_quarter = models.PositiveIntegerField(default=0, editable=False)
    n_opened = models.PositiveIntegerField(default=0, editable=False)
    position = models.PositiveIntegerField(default=0, editable=False)
    added_at = models.DateTimeField(auto_now_add=True)
    delivered_item_id = models.BigIntegerField(default=0, editable=False)
    unread_count = models.PositiveIntegerField(default=0, editable=False)
    announced_at = models.DateTimeField(
        null=True, editable=False, help_text=_("Last condition change the user was notified of")
    )
    unfollowed_at = models.DateTimeField(null=True, editable=False)
    deleted_folder = models.CharField(
        max_length=200,
        blank=True,
        editable=False,
        help_text=_("Folder that was deleted with its last feed"),
    )

    objects = Followed()
    everything = models.Manager["Subscription"]()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "feed"), name="subscription_once"),)
        indexes = (
            models.Index(
                fields=("unfollowed_at",),
                name="subscription_unfollowed",
                condition=models.Q(unfollowed_at__isnull=False),
            ),
            models.Index(fields=("feed",), name="subscription_full_text", condition=models.Q(fetches_full_text=True)),
        )

    def __str__(self) -> str:
        return self.shown_title

    @property
    def shown_title(self) -> str:
        """The user's own title, else the feed's, else its address: the name of the feed in lists of feeds."""
        return self.title or str(self.feed)

    @property
    def source_name(self) -> str:
        """The name of the feed as the source of an article: usually its publisher's; see `source_name`."""
        feed, publisher = self.feed, self.feed.publisher
        name = publisher.name if publisher else ""
        return source_name(self.title, name, feed.title, feed.via, is_own=self.has_own_title) or feed.shown_url

    def set_title(self, title: str) -> None:
        """Set the title that the user gave, "" for the feed's own; one that stays the same is given by nobody."""
        if title != self.title:
            self.title, self.has_own_title = title, bool(title)


class Duplicate(models.Model):
    """Two feeds of a user that seem to be the same publication; `one` has the smaller id.

    `n_common` of `n_recent` recent articles are in both.
    """

    class Why(models.TextChoices):
        ADDRESS = "address", _("Same address")
        ARTICLES = "articles", _("Same articles")
        SITE = "site", _("Same title and site")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    one = models.ForeignKey(Subscription, on_delete=models.CASCADE, related_name="+")
    other = models.ForeignKey(Subscription, on_delete=models.CASCADE, related_name="+")
    why = models.CharField(max_length=8, choices=Why.choices)
    n_common = models.PositiveIntegerField(default=0)
    n_recent = models.PositiveIntegerField(default=0)
    is_denied = models.BooleanField(default=False, help_text=_("The user keeps both"))

    class Meta:
        constraints = (models.UniqueConstraint(fields=("one", "other"), name="duplicate_once"),)

    def __str__(self) -> str:
        return f"{self.one_id} {self.other_id}"
