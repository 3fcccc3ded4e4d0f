"""Which feeds a person follows, in which folders."""

from typing import TypeVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from feeds.models import Feed


class Folder(models.Model):
    """A folder, called a tab in feeds.yaml; nested outlines of an OPML file are joined with `PATH_SEPARATOR`."""

    PATH_SEPARATOR = " / "

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="folders")
    name = models.CharField(max_length=200)
    language = models.CharField(max_length=8, blank=True)
    item_limit_per_category = models.PositiveIntegerField(
        null=True, blank=True, help_text=_("How many articles of each category its selection shows")
    )

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("user", "name"), name="folder_name_once_a_user"),)

    def __str__(self) -> str:
        return self.name


# Conditions on a column `{0}` with the number of a subscription; words instead of a query, which Django would build for
# every list. The rows they look for are stretches of partial indexes, mostly empty ones, read once a statement. Of the
# second the first half spares SQLite to fetch each row that it counts, for what no index of deliveries holds.
NOT_LEFT = "COALESCE({0}, 0) NOT IN (SELECT id FROM reader_subscription WHERE parting_id IS NOT NULL)"
IN_NO_EMPTIED_LIST = (
    "(NOT EXISTS (SELECT 1 FROM reader_subscription WHERE is_being_emptied)"
    " OR {0} NOT IN (SELECT id FROM reader_subscription WHERE is_being_emptied))"
)

_Row = TypeVar("_Row", bound=models.Model)


class OfFollowed(models.Manager[_Row]):
    """The rows about subscriptions but for those that were left; a row about none is about none of those."""

    condition = NOT_LEFT

    def get_queryset(self) -> models.QuerySet[_Row]:
        template = self.condition.format("%(expressions)s")
        holds = models.Func(models.F("subscription_id"), template=template, output_field=models.BooleanField())
        return super().get_queryset().filter(holds)


class Listed(OfFollowed[_Row]):
    """The same of what stands in lists, which are packed when they were left: faster for there being few that are not
    yet."""

    condition = IN_NO_EMPTIED_LIST


class Followed(models.Manager["Subscription"]):
    """The subscriptions but for those that were left."""

    def get_queryset(self) -> models.QuerySet["Subscription"]:
        return super().get_queryset().filter(parting=None)


class Subscription(models.Model):
    """A user follows a feed.

    One that was left stays for as long as that can be taken back, with the `parting` that did it, and with the rules
    about it and what they took out. For all the rest of the program it is not there: `objects` leaves it out, here and
    with `OfFollowed`. `is_being_emptied` while not all that it brought is packed.

    `delivered_item_id` is how far the feed's items have been delivered to this user; `unread_count` counts the
    deliveries not read and not quiet, kept up with every change of them. `most_a_day`, `is_digest_only` and
    `quiet_until` bound the noise that the feed makes (`reader.quieting`). `n_month`, `n_quarter` and `n_opened` are
    counted hourly (`reader.figuring`): articles of the last 28 and 90 days, and how many of the latter were opened.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="subscriptions")
    feed = models.ForeignKey(Feed, on_delete=models.PROTECT, related_name="subscriptions")
    folder = models.ForeignKey(Folder, null=True, blank=True, on_delete=models.SET_NULL, related_name="subscriptions")
    title = models.CharField(max_length=300, blank=True, help_text=_("The person's own name for the feed"))
    category = models.CharField(max_length=100, blank=True)
    fetches_full_text = models.BooleanField(
        default=False, help_text=_("Whether the page of each of its articles is fetched and shown")
    )
    most_a_day = models.PositiveSmallIntegerField(null=True, blank=True)
    is_digest_only = models.BooleanField(default=False)
    quiet_until = models.DateField(null=True, blank=True)
    has_alerts = models.BooleanField(default=True, help_text=_("Whether its breaking news may alert the person"))
    tells_of_trouble = models.BooleanField(default=True, help_text=_("Whether its change of condition is announced"))
    is_kept = models.BooleanField(default=False, help_text=_("The person was asked whether to keep it, and said yes"))
    n_month = models.PositiveIntegerField(default=0, editable=False)
    n_quarter = models.PositiveIntegerField(default=0, editable=False)
    n_opened = models.PositiveIntegerField(default=0, editable=False)
    added_at = models.DateTimeField(auto_now_add=True)
    delivered_item_id = models.BigIntegerField(default=0, editable=False)
    unread_count = models.PositiveIntegerField(default=0, editable=False)
    announced_at = models.DateTimeField(
        null=True, editable=False, help_text=_("Latest change of condition told to the user")
    )
    parting = models.ForeignKey(
        "Parting",
        null=True,
        editable=False,
        on_delete=models.CASCADE,
        related_name="left",
        db_index=False,
    )
    is_being_emptied = models.BooleanField(default=False, editable=False)

    objects = Followed()
    everything = models.Manager["Subscription"]()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("user", "feed"), name="subscription_once", condition=models.Q(parting__isnull=True)
            ),
        )
        indexes = (
            models.Index(fields=("parting",), name="subscription_left", condition=models.Q(parting__isnull=False)),
            models.Index(
                fields=("parting",), name="subscription_being_emptied", condition=models.Q(is_being_emptied=True)
            ),
            models.Index(fields=("feed",), name="subscription_full_text", condition=models.Q(fetches_full_text=True)),
        )

    def __str__(self) -> str:
        return self.shown_title

    @property
    def shown_title(self) -> str:
        """The person's own title, the feed's, or its address."""
        return self.title or str(self.feed)
