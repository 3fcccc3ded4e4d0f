"""Which feeds a person follows, in which folders."""

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


class Subscription(models.Model):
    """A user follows a feed.

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

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "feed"), name="subscription_once"),)
        indexes = (
            models.Index(fields=("feed",), name="subscription_full_text", condition=models.Q(fetches_full_text=True)),
        )

    def __str__(self) -> str:
        return self.shown_title

    @property
    def shown_title(self) -> str:
        """The person's own title, the feed's, or its address."""
        return self.title or str(self.feed)
