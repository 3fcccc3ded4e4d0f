"""A user's preferences and saved searches, and the owner of the installation."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class Density(models.TextChoices):
    COMPACT = "compact", _("Compact: title and details")
    CARDS = "cards", _("Cards: title and summary")
    HEADLINES = "headlines", _("Headlines: one line each")


class Theme(models.TextChoices):
    SYSTEM = "system", pgettext_lazy("theme", "Same as my device")
    LIGHT = "light", pgettext_lazy("theme", "Light")
    DARK = "dark", pgettext_lazy("theme", "Dark")


class Face(models.TextChoices):
    SERIF = "serif", _("Serif")
    SYSTEM = "system", _("System font")


class TextSize(models.TextChoices):
    SMALL = "small", pgettext_lazy("size of letters", "Small")
    MEDIUM = "medium", pgettext_lazy("size of letters", "Medium")
    LARGE = "large", pgettext_lazy("size of letters", "Large")
    LARGEST = "largest", pgettext_lazy("size of letters", "Largest")


class Preferences(models.Model):
    """One row per user, created when something is first set. An empty time zone or language means the installation's
    default; a stored language may no longer be installed.

    `has_pictures`: cards show a picture, which the browser loads from the publisher unless `IMAGE_PROXY` is on.
    `has_keys`: single-letter shortcuts. `has_columns`: wide windows show an article beside its list.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="+")
    time_zone = models.CharField(max_length=64, blank=True)
    language = models.CharField(_("language"), max_length=15, blank=True, default="")
    density = models.CharField(_("lists"), max_length=9, choices=Density.choices, default=Density.COMPACT)
    theme = models.CharField(max_length=6, choices=Theme.choices, default=Theme.SYSTEM)
    face = models.CharField(_("article font"), max_length=6, choices=Face.choices, default=Face.SERIF)
    text_size = models.CharField(
        _("article text size"), max_length=7, choices=TextSize.choices, default=TextSize.MEDIUM
    )
    has_pictures = models.BooleanField(
        _("pictures in cards"),
        default=False,
        help_text=_("Loaded from the publishers' servers, which will see that you viewed the list."),
    )
    has_columns = models.BooleanField(
        _("three columns on wide screens"),
        default=True,
        help_text=_("Opens articles beside the list in windows at least 1,200 pixels wide."),
    )
    reads_on_scroll = models.BooleanField(
        _("mark articles read as I scroll past"), default=False, help_text=_("Doesn't affect your interests.")
    )
    has_keys = models.BooleanField(
        _("single-letter shortcuts"),
        default=True,
        help_text=_("Turn off if you dictate, or if keys do things you didn't intend."),
    )

    class Meta:
        verbose_name_plural = _("preferences")

    def __str__(self) -> str:
        return str(self.user_id)


class SavedSearch(models.Model):
    """A query with a name, shown beside folders and feeds as a list of its own."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_searches", db_index=False
    )
    name = models.CharField(max_length=100)
    query = models.CharField(max_length=500)

    class Meta:
        ordering = ("name",)
        verbose_name_plural = _("saved searches")
        constraints = (models.UniqueConstraint(fields=("user", "name"), name="saved_search_name_once_a_user"),)

    def __str__(self) -> str:
        return self.name


class Owner(models.Model):
    """The owner's account, created by the first visitor. The fixed key makes the database refuse a second one."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = (models.CheckConstraint(condition=models.Q(id=1), name="one_owner"),)

    def __str__(self) -> str:
        return str(self.user)
