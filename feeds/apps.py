"""App configuration."""

from django.apps import AppConfig
from django.utils import translation

from feeds import wording


class FeedsConfig(AppConfig):
    name = "feeds"

    def ready(self) -> None:
        wording.use_translator(translation)
