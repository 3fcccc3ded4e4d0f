"""Whose installation this is."""

from django.conf import settings
from django.db import models


class Owner(models.Model):
    """The one row, made by the first visitor. Its fixed key lets the database refuse a second first visitor."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = (models.CheckConstraint(condition=models.Q(id=1), name="one_owner"),)

    def __str__(self) -> str:
        return str(self.user)
