"""App configuration."""

from django.apps import AppConfig
from django.utils.module_loading import import_string


class OperatingConfig(AppConfig):
    name = "rssmanager.operating"
    label = "operating"

    def ready(self) -> None:
        import_string("rssmanager.operating.working.join_workers")()  # it needs models, which are there only now
