"""The words of a row: its title, and the grey line under it; and the feeds beside every page.

As in `reader.templatetags.acts`, put together from strings: a list shows many rows, and through a template each of them
asked some hundred questions.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import cache

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _

from reader import moments
from reader.queries import Row
from reader.search.marking import Piece
from reader.sidebar import ShelvedFeed
from reader.story_rows import RowStory
from reader.templatetags.acts import address_of, quoted
from reader.templatetags.reading import capped, tile, when
from reader.templatetags.scores import ageing

register = template.Library()

_TITLE = '<h3 class="row-title" dir="auto"{lang}><a href="{url}?next={back}" data-open>{title}</a></h3>'
_SOURCE = '<span class="source">{}<span dir="auto">{}</span></span>'
_STORY = (
    '<span class="story-more"><a href="{url}?of={pk}&amp;next={back}" title="{who}" data-story data-unfold'
    ' aria-controls="s{pk}" hx-get="{unfold}?next={back}" hx-trigger="unfold" hx-target="#s{pk}" hx-swap="innerHTML">'
    "{how_many}</a></span>"
)
_FEED = '<li><a href="{url}"{current}>{tile}<span class="name" dir="auto">{name}</span>{warning}{count}</a></li>'
_CURRENT = format_html(' aria-current="{}"', "page")
_WARNING = '<span class="mark-warn" title="{}">!<span class="spoken"> {}</span></span>'
_COUNT = '<span class="count">{}<span class="spoken"> {}</span></span>'


@register.simple_tag
def row_title(row: Row, this_page: str) -> SafeString:
    """The title as a link to the article, with what a search found in it marked."""
    article = row.article
    return format_html(
        _TITLE,
        lang=format_html(' lang="{}"', article.language) if article.language else "",
        url=address_of("article", article.pk),
        back=quoted(this_page),
        title=pieces(row.marked_title) if row.marked_title else article.title,
    )


@register.simple_tag
def pieces(found: Sequence[Piece]) -> SafeString:
    """A text with what a search found in it marked."""
    return format_html_join(
        "", "{}", ((format_html("<mark>{}</mark>", each.text) if each.is_found else each.text,) for each in found)
    )


@register.simple_tag
def row_meta(row: Row, this_page: str, now: datetime) -> SafeString:
    """Who says it and when, how long it takes to read, who else has it, how fast it ages."""
    article, story = row.article, row.story
    said = [format_html(_SOURCE, tile(row.source), row.source), _in_span(when(article.published_at, now))]
    if article.reading_seconds:
        said.append(_to_read(moments.reading_time(article.reading_seconds), get_language()))
    if row.also_in:
        said.append(_also_in(row.also_in))
    if story:
        said.append(_other_sources(article.pk, story, quoted(this_page)))
    if story and story.read_elsewhere and not row.is_read:
        said.append(_in_span(_("you read this story")))
    if article.revised_at:
        said.append(format_html('<span class="updated">{}</span>', _("Updated")))
    if row.rating:
        said.append(_in_span(ageing(row.rating.sensitivity, row.rating.is_own_sensitivity)))
    return format_html_join("\n", "{}", ((each,) for each in said))


@register.simple_tag
def feed_links(feeds: Sequence[ShelvedFeed], open_feed: int | None) -> SafeString:
    """Feeds as they stand in the sidebar, the open one marked."""
    warning = format_html(_WARNING, _("Needs attention"), _("needs attention"))
    unread = pgettext("after a count", "unread")
    links = (
        format_html(
            _FEED,
            url=address_of("feed", each.pk),
            current=_CURRENT if each.pk == open_feed else "",
            tile=tile(each.name),
            name=each.name,
            warning="" if each.is_well else warning,
            count=format_html(_COUNT, capped(each.n_unread), unread) if each.n_unread else "",
        )
        for each in feeds
    )
    return format_html_join("\n", "{}", ((link,) for link in links))


def _in_span(words: str) -> SafeString:
    return format_html("<span>{}</span>", words)


@cache
def _to_read(time: str, _language: str | None) -> SafeString:
    return _in_span(format_html(_('{time}<span class="spoken"> to read</span>'), time=time))


def _also_in(names: Sequence[str]) -> SafeString:
    n = len(names)
    words = (
        format_html(_('also in <span dir="auto">{name}</span>'), name=names[0])
        if n == 1
        else ngettext("also in %(n)s feed", "also in %(n)s feeds", n) % {"n": n}
    )
    title = _("Also in %(names)s") % {"names": ", ".join(names)}
    return format_html('<span class="also" title="{}">{}</span>', title, words)


def _other_sources(pk: int, story: RowStory, back: str) -> SafeString:
    """How many others tell the story; opens them under the row, or leads to the story."""
    names = ", ".join(story.sources)
    who = (
        _("%(names)s and %(n)s more (e)") % {"names": names, "n": story.n_unnamed}
        if story.n_unnamed
        else _("%(names)s (e)") % {"names": names}
    )
    how_many = (
        ngettext("%(n)s more source", "%(n)s more sources", story.n_sources) % {"n": story.n_sources}
        if story.n_sources
        else ngettext("%(n)s more article", "%(n)s more articles", story.n_more) % {"n": story.n_more}
    )
    return format_html(
        _STORY,
        url=address_of("story", story.story_id),
        unfold=address_of("article_unfold", pk),
        pk=pk,
        back=back,
        who=who,
        how_many=how_many,
    )
