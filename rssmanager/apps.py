"""App configuration."""

from django.apps import AppConfig
from django.utils.module_loading import import_string


class RssmanagerConfig(AppConfig):
    name = "rssmanager"

    def ready(self) -> None:
        import_string("rssmanager.queueing.task_guard.guard_tasks")()  # needs models
