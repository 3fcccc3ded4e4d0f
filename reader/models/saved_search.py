"""Searches that a person keeps."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


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
