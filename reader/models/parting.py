"""Feeds that a person left, for as long as that can be taken back; and feeds of theirs that seem to be one."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from reader.models.subscription import Subscription


class Parting(models.Model):
    """The feeds that one press left, with all that stood in their lists; packed by `reader.leaving`."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    made_at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)
    names = models.JSONField(default=list, help_text=_("What the feeds were called by their person"))
    kept = models.BinaryField()

    class Meta:
        indexes = (models.Index(fields=("user", "-id"), name="parting_newest"),)

    def __str__(self) -> str:
        return f"{self.user_id}: {len(self.names)} feeds"

    @property
    def n_others(self) -> int:
        """How many feeds besides the first."""
        return len(self.names) - 1


class Twins(models.Model):
    """Two feeds of a person that seem to be one publication; `one` has the smaller id.

    `n_common` of `n_recent` recent articles are in both.
    """

    class Why(models.TextChoices):
        ADDRESS = "address", _("Their addresses lead to one")
        ARTICLES = "articles", _("They bring the same articles")
        SITE = "site", _("One title and one site")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    one = models.ForeignKey(Subscription, on_delete=models.CASCADE, related_name="+")
    other = models.ForeignKey(Subscription, on_delete=models.CASCADE, related_name="+")
    why = models.CharField(max_length=8, choices=Why.choices)
    n_common = models.PositiveIntegerField(default=0)
    n_recent = models.PositiveIntegerField(default=0)
    is_denied = models.BooleanField(default=False, help_text=_("The person said that they are two"))

    class Meta:
        verbose_name_plural = _("twins")
        constraints = (models.UniqueConstraint(fields=("one", "other"), name="twins_once"),)

    def __str__(self) -> str:
        return f"{self.one_id} {self.other_id}"
