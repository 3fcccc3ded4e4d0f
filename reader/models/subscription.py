"""Which feeds a person follows, in which folders."""

from django.conf import settings
from django.db import models

from feeds.models import Feed


class Folder(models.Model):
    """A folder, called a tab in feeds.yaml; nested outlines of an OPML file are joined with `PATH_SEPARATOR`."""

    PATH_SEPARATOR = " / "

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="folders")
    name = models.CharField(max_length=200)
    language = models.CharField(max_length=8, blank=True)
    item_limit_per_category = models.PositiveIntegerField(
        null=True, blank=True, help_text="How many articles of each category its selection shows"
    )

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("user", "name"), name="folder_name_once_a_user"),)

    def __str__(self) -> str:
        return self.name


class Subscription(models.Model):
    """A user follows a feed.

    `delivered_item_id` is how far the feed's items have been delivered to this user; `unread_count` counts the
    deliveries not read, kept up with every change of them.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="subscriptions")
    feed = models.ForeignKey(Feed, on_delete=models.PROTECT, related_name="subscriptions")
    folder = models.ForeignKey(Folder, null=True, blank=True, on_delete=models.SET_NULL, related_name="subscriptions")
    title = models.CharField(max_length=300, blank=True, help_text="The person's own name for the feed")
    category = models.CharField(max_length=100, blank=True)
    added_at = models.DateTimeField(auto_now_add=True)
    delivered_item_id = models.BigIntegerField(default=0, editable=False)
    unread_count = models.PositiveIntegerField(default=0, editable=False)
    announced_at = models.DateTimeField(
        null=True, editable=False, help_text="Latest change of condition told to the user"
    )

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "feed"), name="subscription_once"),)

    def __str__(self) -> str:
        return self.shown_title

    @property
    def shown_title(self) -> str:
        """The person's own title, the feed's, or its address."""
        return self.title or str(self.feed)
