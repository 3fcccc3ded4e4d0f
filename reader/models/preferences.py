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
    SEPIA = "sepia", pgettext_lazy("theme", "Sepia")
    BLACK = "black", pgettext_lazy("theme", "Black")


_PAPER: dict[str, str] = {Theme.LIGHT: "#fbfaf7", Theme.DARK: "#15171a", Theme.SEPIA: "#f6ecd9", Theme.BLACK: "#000000"}


class Face(models.TextChoices):
    SERIF = "serif", _("Serif (Literata)")
    SANS = "sans", _("Sans-serif (Inter)")
    SYSTEM = "system", _("System font")


class TextSize(models.TextChoices):
    SMALL = "small", pgettext_lazy("size of letters", "Small")
    MEDIUM = "medium", pgettext_lazy("size of letters", "Medium")
    LARGE = "large", pgettext_lazy("size of letters", "Large")
    LARGEST = "largest", pgettext_lazy("size of letters", "Largest")


class LineWidth(models.TextChoices):
    NARROW = "narrow", pgettext_lazy("width of lines", "Narrow")
    MEDIUM = "medium", pgettext_lazy("width of lines", "Medium")
    WIDE = "wide", pgettext_lazy("width of lines", "Wide")


class LineHeight(models.TextChoices):
    TIGHT = "tight", pgettext_lazy("distance of lines", "Tight")
    MEDIUM = "medium", pgettext_lazy("distance of lines", "Medium")
    LOOSE = "loose", pgettext_lazy("distance of lines", "Loose")


class SidebarOrder(models.TextChoices):
    HAND = "hand", pgettext_lazy("order of feeds", "By hand")
    NAME = "name", pgettext_lazy("order of feeds", "By name")
    UNREAD = "unread", pgettext_lazy("order of feeds", "Most unread first")


class ListOrder(models.TextChoices):
    """Which of them a list offers: `reader.preferences.list_views`."""

    UNREAD = "unread", _("Unread first")
    NEWEST = "newest", _("Newest first")
    OLDEST = "oldest", _("Oldest first")
    IMPORTANT = "important", _("Most important first")
    STARRED = "starred", _("Recently starred first")


class MailPictures(models.TextChoices):
    """`server`: mail apps load them from this server, which fetches them from the publishers."""

    ATTACHED = "attached", pgettext_lazy("pictures in emails", "Attached to the email")
    SERVER = "server", pgettext_lazy("pictures in emails", "Loaded from this server")
    NONE = "none", pgettext_lazy("pictures in emails", "None")


MIN_SIDEBAR, DEFAULT_SIDEBAR, MAX_SIDEBAR = 200, 240, 400  # pixels, in steps of 10, each of which tokens.css names


class Preferences(models.Model):
    """One row per user, created when something is first set. An empty time zone means the installation's default.

    `language`: empty for the browser's; it may no longer be installed. `browser_language`: the browser's at the last
    sign-in, for emails and whatever else is written without a browser.
    `has_pictures`: lists show thumbnails, which the browser loads from the publisher unless `IMAGE_PROXY` is on.
    `has_keys`: single-letter shortcuts. `has_columns`: wide windows show an article beside its list. `list_views`: how
    single lists are shown, where that differs (`reader.preferences.list_views`).
    `hides_read_feeds`: the sidebar leaves out feeds and folders without unread articles.
    `notifies_broken`, `notifies_minor`: which conditions of feeds become notifications. `mail_pictures`: of digests.
    `apps_get_…`: what reading apps get besides each story once (`rssmanager.api`).
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="+")
    time_zone = models.CharField(max_length=64, blank=True)
    language = models.CharField(_("language"), max_length=15, blank=True, default="")
    browser_language = models.CharField(max_length=15, blank=True, default="", editable=False)
    density = models.CharField(_("lists"), max_length=9, choices=Density.choices, default=Density.COMPACT)
    theme = models.CharField(max_length=6, choices=Theme.choices, default=Theme.SYSTEM)
    face = models.CharField(_("article font"), max_length=6, choices=Face.choices, default=Face.SERIF)
    text_size = models.CharField(
        _("article text size"), max_length=7, choices=TextSize.choices, default=TextSize.MEDIUM
    )
    line_width = models.CharField(
        _("article line width"), max_length=6, choices=LineWidth.choices, default=LineWidth.MEDIUM
    )
    line_height = models.CharField(
        _("article line height"), max_length=6, choices=LineHeight.choices, default=LineHeight.MEDIUM
    )
    has_pictures = models.BooleanField(
        _("pictures in lists"),
        default=True,
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
    sidebar_order = models.CharField(max_length=6, choices=SidebarOrder.choices, default=SidebarOrder.NAME)
    sidebar_width = models.PositiveSmallIntegerField(default=DEFAULT_SIDEBAR)
    hides_read_feeds = models.BooleanField(default=False)
    shows_more_places = models.BooleanField(default=False)
    list_views = models.JSONField(default=dict, editable=False)
    notifies_broken = models.BooleanField(_("feeds that stop working, go quiet or are gone"), default=True)
    notifies_minor = models.BooleanField(_("feeds that work again"), default=False)
    mail_pictures = models.CharField(max_length=8, choices=MailPictures.choices, default=MailPictures.ATTACHED)
    apps_get_lists = models.BooleanField(
        _("Today, For you, Important and Stories as labels"),
        default=True,
        help_text=_("In apps that show labels. Each has up to 100 articles."),
    )
    apps_get_copies = models.BooleanField(
        _("send every copy of a story"),
        default=False,
        help_text=_("Otherwise, apps get each story once, as in your lists."),
    )
    apps_get_sources = models.BooleanField(
        _("end articles with “Also reported by”"),
        default=True,
        help_text=_("Links to your other feeds that cover the same story."),
    )

    class Meta:
        verbose_name_plural = _("preferences")

    def __str__(self) -> str:
        return str(self.user_id)

    @property
    def is_dark(self) -> bool:
        """Whether a dark theme is chosen."""
        return self.theme in (Theme.DARK, Theme.BLACK)

    @property
    def paper(self) -> str:
        """The colour of pages in the chosen theme, as `--paper` in tokens.css; the light one if the device chooses."""
        return _PAPER.get(self.theme, _PAPER[Theme.LIGHT])


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
