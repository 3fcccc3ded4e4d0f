"""What can be done with an article beside its title.

A list has many rows of eight buttons, and through a template they took half of a page's time. So the markup is put
together once in each language, with places for what differs from row to row.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Protocol
from urllib.parse import quote

from django import template
from django.template import Context
from django.template.defaultfilters import truncatechars
from django.urls import get_script_prefix, reverse
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from reader.enclosures import web_address
from reader.templatetags.reading import icon

register = template.Library()

LONGEST_NAME = 80  # characters of a title within a button's name


class Shown(Protocol):
    """An article, or what is kept of one."""

    pk: Any
    title: Any

    @property
    def link(self) -> str: ...


@dataclass(frozen=True, slots=True)
class _Markup:
    """Markup with places to be filled by `format_html`, all words of the language in it escaped."""

    acts: str
    original: str
    sweeps: str


@register.simple_tag(takes_context=True)
def row_acts(context: Context, article: Shown, is_read: bool, is_starred: bool) -> SafeString:
    """The buttons of a row.

    The context has the person's `votes` by article; and `read_all_url`, `newest` and `this_page` where the list can be
    marked read from here up or down.
    """
    pk, name = article.pk, escape(truncatechars(article.title, LONGEST_NAME))
    markup = _markup(get_language())
    votes: Mapping[int, str] = context.get("votes") or {}
    vote = votes.get(pk, "")
    link = web_address(article.link)
    return format_html(
        markup.acts,
        name=name,
        engage=address_of("article_engage", pk),
        read=address_of("article_read", pk),
        star=address_of("article_star", pk),
        # A second press takes a vote back, and a switch over.
        liked="neither" if vote == "liked" else "liked",
        is_liked="true" if vote == "liked" else "false",
        disliked="neither" if vote == "disliked" else "disliked",
        is_disliked="true" if vote == "disliked" else "false",
        reads="0" if is_read else "1",
        is_read="true" if is_read else "false",
        stars="0" if is_starred else "1",
        is_starred="true" if is_starred else "false",
        original=format_html(markup.original, link=link, name=name) if link else "",
        sweeps=_sweeps(context, markup.sweeps, pk, name) if context.get("read_all_url") else "",
    )


def _sweeps(context: Context, markup: str, pk: int, name: SafeString) -> SafeString:
    rest = f"at={pk}&up_to={context['newest']}&next={quoted(context['this_page'])}"
    url = context["read_all_url"]
    return format_html(markup, pk=pk, name=name, above=f"{url}?which=above&{rest}", below=f"{url}?which=below&{rest}")


@cache
def _markup(language: str | None) -> _Markup:
    buttons = (
        _button("engage", "kind", "liked", "is_liked", "liked", _("Like (l)"), _("Like"), "up"),
        _button("engage", "kind", "disliked", "is_disliked", "disliked", _("Dislike (d)"), _("Dislike"), "down"),
        _button("engage", "kind", "", "", "skipped", _("Skip (x)"), _("Skip"), "skip"),
        _button("read", "is_read", "reads", "is_read", "read", _("Read (m)"), _("Read"), "check"),
        _button("star", "is_starred", "stars", "is_starred", "star", _("Star (s)"), _("Star"), "star"),
    )
    original = (
        '<a href="{link}" rel="noopener noreferrer" target="_blank" data-original'
        f' title="{_fixed(_("Original (v)"))}" aria-label="{_fixed(_("Original"))}: {{name}}">{icon("out")}</a>'
    )
    sweeps = (
        f'<button type="button" popovertarget="more{{pk}}" title="{_fixed(_("Mark above or below"))}"'
        f' aria-label="{_fixed(_("Mark those above or below"))}: {{name}}">{icon("menu")}</button>'
        f'<div class="choice" popover id="more{{pk}}" role="group" aria-label="{_fixed(_("Mark as read"))}">'
        f'<button type="submit" form="acts" formaction="{{above}}">{_fixed(_("Mark all above as read"))}</button>'
        f'<button type="submit" form="acts" formaction="{{below}}">{_fixed(_("Mark all below as read"))}</button></div>'
    )
    acts = f'<div class="row-acts" lang="{language}">{"".join(buttons)}{{original}}{{sweeps}}</div>'
    return _Markup(acts, original, sweeps)


def _button(address: str, field: str, value: str, pressed: str, act: str, title: str, label: str, drawing: str) -> str:
    """A button with places called `address`, `value` and `pressed`; without the latter two it always says `act`."""
    said = f"{{{value}}}" if value else act
    state = f' aria-pressed="{{{pressed}}}"' if pressed else ""
    return (
        f'<button type="submit" form="acts" formaction="{{{address}}}" name="{field}" value="{said}"{state}'
        f' data-act="{act}" title="{_fixed(title)}" aria-label="{_fixed(label)}: {{name}}">{icon(drawing)}</button>'
    )


def _fixed(words: str) -> str:
    """Words as they stand in markup with places."""
    return escape(words).replace("{", "{{").replace("}", "}}")


@lru_cache(maxsize=256)
def quoted(path: str) -> str:
    """A path within a query; a list asks for that of its page several times a row."""
    return quote(path, safe="")


def address_of(name: str, pk: int) -> str:
    """The path of a named address with a number in it."""
    before, after = _around(name, get_script_prefix())
    return f"{before}{pk}{after}"


@lru_cache
def _around(name: str, prefix: str) -> tuple[str, str]:
    """An address before and after the number in it. Reversing eight of them for each row is felt."""
    number = "90210"
    before, _number, after = reverse(name, args=[int(number)]).partition(number)
    return before, after
