"""Data imports, account deletions, and account changes that can be undone."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from digests.models import Mailing
from reader.models import ImportStatus


class DataImport(models.Model):
    """An uploaded export: a preview until the user confirms it, then imported by a worker.

    `holds` has the number of lines by kind and the time of the export. `n_done` of `n_total` lines are processed;
    processed pieces are deleted, so an interrupted import continues after them.
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
    """A few hundred lines of the file, deflated, from line `first_line` on."""

    job = models.ForeignKey(DataImport, on_delete=models.CASCADE, related_name="pieces", db_index=False)
    first_line = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("job", "first_line"), name="data_piece_once"),)

    def __str__(self) -> str:
        return f"{self.job_id} from line {self.first_line}"


class DataLine(models.Model):
    """A line that was refused, and why."""

    job = models.ForeignKey(DataImport, on_delete=models.CASCADE, related_name="lines")
    line = models.PositiveIntegerField()
    label = models.CharField(max_length=300)
    reason = models.CharField(max_length=500)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.label}: {self.reason}"


class PendingDeletion(models.Model):
    """An account that its user deleted: it is closed to sign-in, and a worker removes its data from `due_at` on."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="+")
    due_at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.user_id)


class ChangeKind(models.TextChoices):
    """What was changed about sign-in, or done with all of the data."""

    EMAIL = "email", _("Email address changed")
    PASSWORD = "password", _("Password changed")
    PASSKEY_ADDED = "passkey on", _("Passkey added")
    PASSKEY_REMOVED = "passkey off", _("Passkey removed")
    FACTOR_ON = "factor on", _("Authenticator app set up")
    CODES = "codes", _("New recovery codes created")
    FACTOR_OFF = "factor off", _("Authenticator app removed")
    APP_ADDED = "app on", _("App password created")
    APP_REVOKED = "app off", _("App password revoked")
    CONNECTED = "connected", _("Account connected to the sign-in provider")
    DISCONNECTED = "disconnected", _("Account disconnected from the sign-in provider")
    SESSIONS = "sessions", _("Other browsers signed out")
    EXPORT = "export", _("All data downloaded")
    DELETION = "deletion", _("Account deleted")
    UNDO = "undo", _("Changes undone")


class AccountChange(models.Model):
    """A change to an account that its owner can undo until `expires_at`, with a link in an email.

    `before` is what the change replaced (`snapshots`): a password hash, a second factor's secret. It is emptied when
    the change is undone, and the row is deleted when it expires. `agent` and `address` are the browser's, both empty if
    an administrator made the change. `detail` is the new email address, if that is what changed.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=12, choices=ChangeKind.choices)
    detail = models.CharField(max_length=254, blank=True)
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)
    by_administrator = models.BooleanField(default=False)
    agent = models.CharField(max_length=300, blank=True)
    address = models.CharField(max_length=45, blank=True)
    before = models.JSONField(default=dict)
    undone_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.get_kind_display()} ({self.user_id})"


class ChangeNotice(models.Model):
    """What an email in the outbox is about."""

    change = models.ForeignKey(AccountChange, on_delete=models.CASCADE, related_name="notices")
    mailing = models.OneToOneField(Mailing, on_delete=models.CASCADE, related_name="+")
    has_link = models.BooleanField()

    def __str__(self) -> str:
        return f"a notice of {self.change_id}"


class UndoLink(models.Model):
    """A link that undoes a change, as the digest of its token. Each attempt to send an email creates a new one."""

    digest = models.CharField(primary_key=True, max_length=64)
    change = models.ForeignKey(AccountChange, on_delete=models.CASCADE, related_name="links")

    def __str__(self) -> str:
        return f"a link that undoes {self.change_id}"
