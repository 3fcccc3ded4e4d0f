"""App configuration."""

from django.apps import AppConfig


class RssmanagerConfig(AppConfig):
    name = "rssmanager"
