"""Feeds that a person left, for as long as that can be taken back; and feeds of theirs that seem to be one."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from reader.models.subscription import Subscription


class Course(models.TextChoices):
    """Where a parting is on its way; the lists of many feeds take a worker some time, each way."""

    LEAVING = "leaving", _("The lists are being emptied")
    LEFT = "left", _("All is packed")
    RETURNING = "returning", _("The lists are being filled again")
    BACK = "back", _("All is back")


class Parting(models.Model):
    """The feeds that one press left, or one that was joined to another. Their subscriptions wait as they were (`left`);
    what stood in their lists is in `bundles`.

    `n_moved` of `n_articles` have gone the way that the parting is on.
    """

    class Kind(models.TextChoices):
        LEFT = "left", _("Left")
        JOINED = "joined", _("One of them was joined to the other")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    kind = models.CharField(max_length=6, choices=Kind.choices, default=Kind.LEFT)
    course = models.CharField(max_length=9, choices=Course.choices, default=Course.LEFT)
    made_at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)
    moved_at = models.DateTimeField(null=True, help_text=_("When a worker was at it last"))
    n_articles = models.PositiveIntegerField(default=0)
    n_moved = models.PositiveIntegerField(default=0)
    names = models.JSONField(default=list, help_text=_("What the feeds were called by their person"))
    folders = models.JSONField(default=list, help_text=_("The folders that went with their last feeds"))
    joined = models.JSONField(default=dict, help_text=_("What joining changed besides the lists"))

    class Meta:
        indexes = (
            models.Index(fields=("user", "-id"), name="parting_newest"),
            models.Index(
                fields=("user",),
                name="parting_under_way",
                condition=models.Q(course__in=(Course.LEAVING, Course.RETURNING)),
            ),
        )

    def __str__(self) -> str:
        return f"{self.user_id}: {len(self.names)} feeds"

    @property
    def n_others(self) -> int:
        """How many feeds besides the first."""
        return len(self.names) - 1

    @property
    def is_under_way(self) -> bool:
        """Whether there is something left for a worker to do."""
        return self.course in UNDER_WAY


UNDER_WAY = (Course.LEAVING, Course.RETURNING)


class Bundle(models.Model):
    """Some of what stood in the lists that a parting took, as much as one short transaction moves; packed by
    `reader.packing`."""

    parting = models.ForeignKey(Parting, on_delete=models.CASCADE, related_name="bundles")
    n_articles = models.PositiveIntegerField(default=0)
    kept = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.parting_id}: {self.n_articles} articles"


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
