"""Imports of one feed or of a list of thousands, which run in the background."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from feeds.models import Feed


class ImportKind(models.TextChoices):
    FILE = "file", _("Subscription list")
    LIST = "list", _("Address of a subscription list")
    ADDRESS = "address", _("Feed or site address")
    SAMPLES = "samples", _("Sample feeds")


class ImportStatus(models.TextChoices):
    PREVIEW = "preview", _("Waiting for confirmation")
    WAITING = "waiting", _("Waiting")
    RUNNING = "running", _("Running")
    DONE = "done", _("Done")
    FAILED = "failed", _("Failed")


class Import(models.Model):
    """`n_done` of `n_total` feeds are handled; an interrupted import continues from there.

    A list, or what was found at an address, stays a preview until the user confirms it; `left_out` are places in the
    list. The address of a list becomes a file once it has been fetched. For an address, `data` has the feeds found.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="imports")
    kind = models.CharField(max_length=8, choices=ImportKind.choices)
    name = models.CharField(max_length=2000, help_text=_("File name or address"))
    folder_name = models.CharField(max_length=200, blank=True)
    data = models.BinaryField(default=b"", editable=False)
    status = models.CharField(max_length=8, choices=ImportStatus.choices, default=ImportStatus.WAITING)
    left_out = models.JSONField(default=list, editable=False)
    message = models.TextField(blank=True)
    n_total = models.PositiveIntegerField(default=0)
    n_done = models.PositiveIntegerField(default=0)
    n_added = models.PositiveIntegerField(default=0)
    n_known = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)  # or when it was confirmed or started
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
        """Whether it imports the feeds of an uploaded or bundled list."""
        return self.kind in (ImportKind.FILE, ImportKind.SAMPLES)

    @property
    def percent(self) -> int:
        """Share of feeds handled, 0 to 100."""
        return 100 * self.n_done // self.n_total if self.n_total else 100 * self.is_over


class ImportLine(models.Model):
    """The result for one line of an import: the feed, or why it was refused."""

    job = models.ForeignKey(Import, on_delete=models.CASCADE, related_name="lines")
    line = models.PositiveIntegerField(null=True, blank=True)
    label = models.CharField(max_length=500)
    reason = models.CharField(max_length=500)
    feed = models.ForeignKey(Feed, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.label}: {self.reason}"
