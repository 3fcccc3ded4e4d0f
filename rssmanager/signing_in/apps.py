"""App configuration."""

from django.apps import AppConfig


class SigningInConfig(AppConfig):
    name = "rssmanager.signing_in"
    label = "signing_in"
