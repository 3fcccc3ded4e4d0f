"""App configuration."""

from django.apps import AppConfig


class DigestsConfig(AppConfig):
    name = "digests"
