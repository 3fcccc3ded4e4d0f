"""Subscribing in the background: one feed or a list of thousands, with progress and a line for each refusal."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from feeds.models import Feed


class ImportKind(models.TextChoices):
    FILE = "file", _("Subscription list")
    LIST = "list", _("Address of a subscription list")
    ADDRESS = "address", _("One address")
    SAMPLES = "samples", _("Sample feeds")


class ImportStatus(models.TextChoices):
    PREVIEW = "preview", _("Waits for your word")
    WAITING = "waiting", _("Waiting")
    RUNNING = "running", _("Running")
    DONE = "done", _("Done")
    FAILED = "failed", _("Failed")


class Import(models.Model):
    """`n_done` of `n_total` feeds are handled; an interrupted import goes on from there.

    A list is shown before it is followed: it stays a preview until its person says so. The address of a list becomes a
    file once it was fetched.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="imports")
    kind = models.CharField(max_length=8, choices=ImportKind.choices)
    name = models.CharField(max_length=2000, help_text=_("File name or address"))
    folder_name = models.CharField(max_length=200, blank=True)
    data = models.BinaryField(default=b"", editable=False)
    status = models.CharField(max_length=8, choices=ImportStatus.choices, default=ImportStatus.WAITING)
    message = models.TextField(blank=True)
    n_total = models.PositiveIntegerField(default=0)
    n_done = models.PositiveIntegerField(default=0)
    n_added = models.PositiveIntegerField(default=0)
    n_known = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)  # or confirmed, or begun: since when it has its status
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return self.name

    @property
    def is_over(self) -> bool:
        return self.status in (ImportStatus.DONE, ImportStatus.FAILED)

    @property
    def is_list(self) -> bool:
        """Whether it follows the feeds of a list that is at hand."""
        return self.kind in (ImportKind.FILE, ImportKind.SAMPLES)

    @property
    def percent(self) -> int:
        """Share handled, 0 to 100."""
        return 100 * self.n_done // self.n_total if self.n_total else 100 * self.is_over


class ImportLine(models.Model):
    """What an import has to say about one line: a refusal and why, or the feed that it led to."""

    job = models.ForeignKey(Import, on_delete=models.CASCADE, related_name="lines")
    line = models.PositiveIntegerField(null=True, blank=True)
    label = models.CharField(max_length=500)
    reason = models.CharField(max_length=500)
    feed = models.ForeignKey(Feed, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.label}: {self.reason}"
