"""App configuration."""

from django.apps import AppConfig


class ReaderConfig(AppConfig):
    name = "reader"
