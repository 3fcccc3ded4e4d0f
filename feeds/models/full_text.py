"""The text of an article's own page, where somebody asked for more than its feed gives."""

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
    """What the page behind an article's link says; public, so fetched once for everybody.

    As with articles, `markup` is never shown, and `safe_html` is what the sanitizer of `safe_version` made of it. What
    was fetched before stays while it is fetched again, and when that fails. `error` is a sentence for a person.
    """

    article = models.OneToOneField(Article, on_delete=models.CASCADE, related_name="full_text")
    status = models.CharField(max_length=8, choices=FullTextStatus.choices, default=FullTextStatus.WAITING)
    asked_at = models.DateTimeField()
    claimed_at = models.DateTimeField(null=True, blank=True)
    fetched_at = models.DateTimeField(null=True, blank=True, help_text=_("The last try, whatever came of it"))
    base_url = models.TextField(blank=True, help_text=_("Where the page was, after redirects"))
    markup = CompressedTextField(blank=True)
    safe_html = CompressedTextField(blank=True)
    safe_version = models.PositiveSmallIntegerField(default=0)
    text = models.TextField(blank=True)
    reading_seconds = models.PositiveIntegerField(default=0)
    error = models.CharField(max_length=300, blank=True)

    class Meta:
        indexes = (
            models.Index(
                fields=("-asked_at",),
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
