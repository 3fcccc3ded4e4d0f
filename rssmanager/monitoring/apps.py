"""App configuration."""

from django.apps import AppConfig
from django.utils.module_loading import import_string


class MonitoringConfig(AppConfig):
    name = "rssmanager.monitoring"
    label = "operating"

    def ready(self) -> None:
        import_string("rssmanager.monitoring.worker_heartbeat.connect_signals")()  # needs models
