"""Monitoring data, small however large the archive is."""

from django.db import models


class Worker(models.Model):
    """A worker process: when it was last active, its current task ("" between tasks), and since when."""

    host = models.CharField(max_length=200)
    pid = models.PositiveIntegerField()
    seen_at = models.DateTimeField()
    task = models.CharField(max_length=256, blank=True)
    task_began_at = models.DateTimeField(null=True)
    n_tasks = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("host", "pid"), name="worker_once"),)
        permissions = (("see_operations", "Can see how the installation runs"),)

    def __str__(self) -> str:
        return f"{self.host}, process {self.pid}"


class TaskTally(models.Model):
    """How often a task ran and failed, and its last run; `seconds` is the total.

    The queue itself keeps only the last 500 runs.
    """

    task = models.CharField(max_length=256, primary_key=True)
    n_done = models.PositiveBigIntegerField(default=0)
    n_failed = models.PositiveBigIntegerField(default=0)
    consecutive_failures = models.PositiveIntegerField(default=0)
    seconds = models.FloatField(default=0.0)
    last_seconds = models.FloatField(default=0.0)
    last_began_at = models.DateTimeField(null=True)
    last_success_at = models.DateTimeField(null=True)
    last_failure_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.task


class SlowQuery(models.Model):
    """A slow query without its parameters; `seconds` is the total of its slow runs.

    `last_place` is the page or task that ran it last.
    """

    key = models.CharField(max_length=32, primary_key=True)
    sql = models.TextField()
    n = models.PositiveIntegerField(default=0)
    seconds = models.FloatField(default=0.0)
    worst = models.FloatField(default=0.0)
    last_at = models.DateTimeField()
    last_place = models.CharField(max_length=256, blank=True)

    def __str__(self) -> str:
        return self.sql[:80]


class DatabaseSize(models.Model):
    """The size of the database on a day in UTC."""

    on = models.DateField(primary_key=True)
    n_bytes = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return f"{self.on}: {self.n_bytes}"
