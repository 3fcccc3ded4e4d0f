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
class _State:
    """What the buttons of a row depend on, but for the article itself: in which language, under which path of the site
    (`prefix`), and how things stand."""

    language: str | None
    prefix: str
    is_read: bool
    is_starred: bool
    vote: str


@dataclass(frozen=True, slots=True)
class _Markup:
    """Markup with places for `pk`, `name`, and what their functions below say; all words in it are escaped."""

    acts: str
    original: str
    sweeps: str


@register.simple_tag(takes_context=True)
def row_acts(context: Context, article: Shown, is_read: bool, is_starred: bool) -> SafeString:
    """The buttons of a row.

    The context has the person's `votes` by article; and `read_all_url`, `newest` and `this_page` where the list can be
    marked read from here up or down.
    """
    pk, name = article.pk, escape(_shortened(article.title))
    votes: Mapping[int, str] = context.get("votes") or {}
    markup = _markup(_State(get_language(), get_script_prefix(), is_read, is_starred, votes.get(pk, "")))
    link = web_address(article.link)
    return format_html(
        markup.acts,
        pk=pk,
        name=name,
        original=format_html(markup.original, link=link, name=name) if link else "",
        sweeps=_sweeps(context, markup.sweeps, pk, name) if context.get("read_all_url") else "",
    )


def _shortened(title: str) -> str:
    return title if len(title) <= LONGEST_NAME else truncatechars(title, LONGEST_NAME)


def _sweeps(context: Context, markup: str, pk: int, name: SafeString) -> SafeString:
    """`at` this row, of what was there as the page was made."""
    rest = f"at={pk}&up_to={context['newest']}&next={quoted(context['this_page'])}"
    return format_html(markup, pk=pk, name=name, url=context["read_all_url"], rest=rest)


@cache
def _markup(state: _State) -> _Markup:
    buttons = (
        _vote(state, "liked", _("Like (l)"), _("Like"), "up"),
        _vote(state, "disliked", _("Dislike (d)"), _("Dislike"), "down"),
        _button("article_engage", "kind", "skipped", None, "skipped", _("Skip (x)"), _("Skip"), "skip"),
        _switch("article_read", "is_read", state.is_read, "read", _("Read (m)"), _("Read"), "check"),
        _switch("article_star", "is_starred", state.is_starred, "star", _("Star (s)"), _("Star"), "star"),
    )
    original = (
        '<a href="{link}" rel="noopener noreferrer" target="_blank" data-original'
        f' title="{_fixed(_("Original (v)"))}" aria-label="{_fixed(_("Original"))}: {{name}}">{icon("out")}</a>'
    )
    sweeps = (
        f'<button type="button" popovertarget="more{{pk}}" title="{_fixed(_("Mark above or below"))}"'
        f' aria-label="{_fixed(_("Mark those above or below"))}: {{name}}">{icon("menu")}</button>'
        f'<div class="choice" popover id="more{{pk}}" role="group" aria-label="{_fixed(_("Mark as read"))}">'
        f"{_sweep('above', _('Mark all above as read'))}{_sweep('below', _('Mark all below as read'))}</div>"
    )
    acts = f'<div class="row-acts" lang="{state.language}">{"".join(buttons)}{{original}}{{sweeps}}</div>'
    return _Markup(acts, original, sweeps)


def _vote(state: _State, kind: str, title: str, label: str, drawing: str) -> str:
    """A second press takes a vote back."""
    is_so = state.vote == kind
    return _button("article_engage", "kind", "neither" if is_so else kind, is_so, kind, title, label, drawing)


def _switch(address: str, field: str, is_on: bool, act: str, title: str, label: str, drawing: str) -> str:
    """A second press switches over."""
    return _button(address, field, "0" if is_on else "1", is_on, act, title, label, drawing)


def _button(
    address: str, field: str, value: str, is_pressed: bool | None, act: str, title: str, label: str, drawing: str
) -> str:
    """A button; `is_pressed` is None where it has no state."""
    state = "" if is_pressed is None else f' aria-pressed="{"true" if is_pressed else "false"}"'
    before, after = _around(address, get_script_prefix())
    return (
        f'<button type="submit" form="acts" formaction="{before}{{pk}}{after}" name="{field}" value="{value}"{state}'
        f' data-act="{act}" title="{_fixed(title)}" aria-label="{_fixed(label)}: {{name}}">{icon(drawing)}</button>'
    )


def _sweep(which: str, words: str) -> str:
    return f'<button type="submit" form="acts" formaction="{{url}}?which={which}&amp;{{rest}}">{_fixed(words)}</button>'


def _fixed(words: str) -> str:
    """Words as they stand in markup with places."""
    return escape(words).replace("{", "{{").replace("}", "}}")


@lru_cache(maxsize=256)
def quoted(path: str) -> str:
    """A path within a query; a list asks for that of its page several times a row."""
    return quote(path, safe="")


@register.simple_tag(name="address")
def address_of(name: str, pk: int) -> str:
    """The path of a named address with a number in it: what `url` says, for lists."""
    before, after = _around(name, get_script_prefix())
    return f"{before}{pk}{after}"


@lru_cache
def _around(name: str, prefix: str) -> tuple[str, str]:
    """An address before and after the number in it. Reversing eight of them for each row is felt."""
    number = "90210"
    before, _number, after = reverse(name, args=[int(number)]).partition(number)
    return before, after
