"""Pieces of pages that are the same for everybody who speaks a language."""

from functools import cache

from django import template
from django.template.loader import render_to_string
from django.urls import get_script_prefix
from django.utils.safestring import SafeString
from django.utils.translation import get_language

register = template.Library()


@register.simple_tag
def fixed(name: str) -> SafeString:
    """A template that knows nothing of who asks, put together once a process: every page has some of them."""
    return _rendered(name, get_language(), get_script_prefix())


@cache
def _rendered(name: str, _language: str | None, _prefix: str) -> SafeString:
    return render_to_string(name)
