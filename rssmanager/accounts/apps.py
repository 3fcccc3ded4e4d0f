"""App configuration."""

from django.apps import AppConfig


class AccountConfig(AppConfig):
    name = "rssmanager.accounts"
