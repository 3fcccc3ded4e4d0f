"""The icons of feeds."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Icon(models.Model):
    """The icon of a site, shared by its feeds that declare the same one, or none.

    `digest` identifies the file, and is "" while there is none: the row also remembers failures. Lists load it alone;
    `content` is the last column, so that this reads none of it.
    """

    key = models.BinaryField(max_length=16, unique=True)
    declared_url = models.TextField(blank=True, help_text=_("By the feeds"))
    home_url = models.TextField(help_text=_("The page whose icon is used otherwise"))
    due_at = models.DateTimeField(db_index=True, help_text=_("When it is fetched again"))
    fetched_at = models.DateTimeField(null=True, blank=True, help_text=_("The last try, successful or not"))
    url = models.TextField(blank=True, help_text=_("Where it was found"))
    mime_type = models.CharField(max_length=20, blank=True)
    digest = models.CharField(max_length=32, blank=True, db_index=True)
    content = models.BinaryField(default=b"")

    def __str__(self) -> str:
        return self.url or self.home_url
