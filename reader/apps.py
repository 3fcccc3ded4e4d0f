"""App configuration."""

from typing import Any

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in
from django.db.models.signals import post_migrate, pre_migrate
from django.http import HttpRequest
from django.utils.translation import get_language_from_request


def _remember_language(request: HttpRequest, user: Any, **_: object) -> None:
    from reader.preferences.store import remember_browser_language

    remember_browser_language(user, get_language_from_request(request))


def _drop_triggers(**values: Any) -> None:
    from reader.articles.change_triggers import drop_triggers  # models aren't loaded yet when this module is

    drop_triggers(**values)


def _create_triggers(**values: Any) -> None:
    from reader.articles.change_triggers import create_triggers

    create_triggers(**values)


class ReaderConfig(AppConfig):
    name = "reader"

    def ready(self) -> None:
        user_logged_in.connect(_remember_language, dispatch_uid="reader.language")
        pre_migrate.connect(_drop_triggers, sender=self, dispatch_uid="reader.triggers")
        post_migrate.connect(_create_triggers, sender=self, dispatch_uid="reader.triggers")
