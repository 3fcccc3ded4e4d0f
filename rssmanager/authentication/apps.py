"""App configuration."""

from django.apps import AppConfig


class AuthConfig(AppConfig):
    name = "rssmanager.authentication"
