"""Parts of pages that are the same for every user of a language."""

from collections.abc import Hashable
from functools import lru_cache

from django import template
from django.template.loader import render_to_string
from django.urls import get_script_prefix
from django.utils.safestring import SafeString
from django.utils.translation import get_language

register = template.Library()


@register.simple_tag
def fixed(name: str, **values: Hashable) -> SafeString:
    """A template that knows nothing but these values, rendered once per process: every page has some of them."""
    return _rendered(name, tuple(values.items()), get_language(), get_script_prefix())


@lru_cache(maxsize=1024)
def _rendered(name: str, values: tuple[tuple[str, Hashable], ...], _language: str | None, _prefix: str) -> SafeString:
    return render_to_string(name, dict(values))
