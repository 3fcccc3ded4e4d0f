"""App configuration."""

from django.apps import AppConfig


class FeedsConfig(AppConfig):
    name = "feeds"
