"""Taking in what was exported, and leaving, as rows."""

from django.conf import settings
from django.db import models

from reader.models import ImportStatus


class DataImport(models.Model):
    """A file of everything, uploaded and looked through: a preview until its person says so, then a worker's.

    `holds` counts its lines by kind, and says when it was exported. `n_done` of `n_total` lines are handled; the pieces
    that are handled are gone, so an interrupted import goes on from there.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=300)
    status = models.CharField(max_length=8, choices=ImportStatus.choices)
    message = models.CharField(max_length=300, blank=True)
    holds = models.JSONField(default=dict)
    n_total = models.PositiveIntegerField(default=0)
    n_done = models.PositiveIntegerField(default=0)
    n_refused = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return self.name

    @property
    def is_over(self) -> bool:
        return self.status in (ImportStatus.DONE, ImportStatus.FAILED)


class DataPiece(models.Model):
    """Some hundred lines of the file, deflated, from line `first_line` on."""

    job = models.ForeignKey(DataImport, on_delete=models.CASCADE, related_name="pieces", db_index=False)
    first_line = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("job", "first_line"), name="data_piece_once"),)

    def __str__(self) -> str:
        return f"{self.job_id} from line {self.first_line}"


class DataLine(models.Model):
    """A line that was not taken, and why."""

    job = models.ForeignKey(DataImport, on_delete=models.CASCADE, related_name="lines")
    line = models.PositiveIntegerField()
    label = models.CharField(max_length=300)
    reason = models.CharField(max_length=500)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.label}: {self.reason}"


class Leaving(models.Model):
    """An account that its person deleted: nobody signs in with it any more, and a worker takes away what is left."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="+")
    asked_at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.user_id)
