"""The full text of an article, fetched from its page on request."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from feeds.models.article import Article
from feeds.models.fields import CompressedTextField


class FullTextStatus(models.TextChoices):
    WAITING = "waiting", _("Waiting for a worker")
    FETCHING = "fetching", _("Being fetched")
    DONE = "done", _("Fetched")
    FAILED = "failed", _("Failed")


class FullText(models.Model):
    """The text of the page that an article links to; shared by all users.

    As in Article, `markup` is never shown and `safe_html` is its sanitized form. The stored text stays while it is
    fetched again, and if that fails. `error` is a message for the user.
    """

    article = models.OneToOneField(Article, on_delete=models.CASCADE, related_name="full_text")
    status = models.CharField(max_length=8, choices=FullTextStatus.choices, default=FullTextStatus.WAITING)
    requested_at = models.DateTimeField()
    claimed_at = models.DateTimeField(null=True, blank=True)
    fetched_at = models.DateTimeField(null=True, blank=True, help_text=_("The last try, successful or not"))
    base_url = models.TextField(blank=True, help_text=_("URL of the page after redirects"))
    markup = CompressedTextField(blank=True)
    safe_html = CompressedTextField(blank=True)
    safe_version = models.PositiveSmallIntegerField(default=0)
    text = models.TextField(blank=True)
    reading_seconds = models.PositiveIntegerField(default=0)
    error = models.CharField(max_length=300, blank=True)

    class Meta:
        indexes = (
            models.Index(
                fields=("-requested_at",),
                name="full_text_waiting",
                condition=models.Q(status__in=("waiting", "fetching")),
            ),
        )

    def __str__(self) -> str:
        return f"{self.article_id} {self.status}"

    @property
    def is_underway(self) -> bool:
        return self.status in (FullTextStatus.WAITING, FullTextStatus.FETCHING)

    @property
    def has_text(self) -> bool:
        return bool(self.text)
