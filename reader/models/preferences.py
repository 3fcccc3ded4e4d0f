"""What a person set for themselves, whatever page it is about."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class Density(models.TextChoices):
    COMPACT = "compact", _("Compact: title, and a line about it")
    CARDS = "cards", _("Cards: title, two lines of summary")
    HEADLINES = "headlines", _("Headlines: one line each")


class Theme(models.TextChoices):
    SYSTEM = "system", pgettext_lazy("theme", "As my device is set")
    LIGHT = "light", pgettext_lazy("theme", "Light")
    DARK = "dark", pgettext_lazy("theme", "Dark")


class Face(models.TextChoices):
    SERIF = "serif", _("Serif, as in books")
    SYSTEM = "system", _("The device's own")


class TextSize(models.TextChoices):
    SMALL = "small", pgettext_lazy("size of letters", "Small")
    MEDIUM = "medium", pgettext_lazy("size of letters", "Medium")
    LARGE = "large", pgettext_lazy("size of letters", "Large")
    LARGEST = "largest", pgettext_lazy("size of letters", "Largest")


class Preferences(models.Model):
    """One a user, made when something is first set. An empty time zone or language is that of the installation; which
    languages there are depends on what is installed, so one that is kept here may not be spoken any more.

    `has_pictures`: cards show a picture of the article's own, which the browser gets from the publisher's server
    unless `IMAGE_PROXY` is on; so it is off until somebody wants it. `has_keys`: single letters are commands; people
    who dictate switch them off. `has_columns`: a wide window shows an article beside its list.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="+")
    time_zone = models.CharField(max_length=64, blank=True)
    language = models.CharField(_("language"), max_length=15, blank=True, default="")
    density = models.CharField(_("lists"), max_length=9, choices=Density.choices, default=Density.COMPACT)
    theme = models.CharField(max_length=6, choices=Theme.choices, default=Theme.SYSTEM)
    face = models.CharField(_("typeface of articles"), max_length=6, choices=Face.choices, default=Face.SERIF)
    text_size = models.CharField(_("size of articles"), max_length=7, choices=TextSize.choices, default=TextSize.MEDIUM)
    has_pictures = models.BooleanField(
        _("pictures in cards"),
        default=False,
        help_text=_("They come from the publishers' own servers, which learn that you looked at the list."),
    )
    has_columns = models.BooleanField(
        _("three columns on wide screens"),
        default=True,
        help_text=_("An article opens beside its list, in windows of 1,200 pixels and more."),
    )
    reads_on_scroll = models.BooleanField(
        _("mark read what I scroll past"), default=False, help_text=_("It teaches nothing about your interests.")
    )
    has_keys = models.BooleanField(
        _("single letters are commands"),
        default=True,
        help_text=_("Switch it off if you dictate, or if letters do things you did not mean."),
    )

    class Meta:
        verbose_name_plural = _("preferences")

    def __str__(self) -> str:
        return str(self.user_id)
