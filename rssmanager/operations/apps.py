"""App configuration."""

from django.apps import AppConfig
from django.utils.module_loading import import_string


class MonitoringConfig(AppConfig):
    name = "rssmanager.operations"

    def ready(self) -> None:
        import_string("rssmanager.operations.worker_heartbeat.connect_signals")()  # needs models
