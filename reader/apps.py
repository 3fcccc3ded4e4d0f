"""App configuration."""

from typing import Any

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in
from django.http import HttpRequest
from django.utils.translation import get_language_from_request


def _remember_language(request: HttpRequest, user: Any, **_: object) -> None:
    from reader.preferences.store import remember_browser_language

    remember_browser_language(user, get_language_from_request(request))


class ReaderConfig(AppConfig):
    name = "reader"

    def ready(self) -> None:
        user_logged_in.connect(_remember_language, dispatch_uid="reader.language")
