"""The words of a row: its title, and the grey line under it; and the feeds beside every page.

As in `reader.templatetags.acts`, put together from strings: a list shows many rows, and through a template each of them
asked some hundred questions.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import cache, lru_cache

from django import template
from django.template.defaultfilters import truncatechars
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _

from feeds.models import Article
from reader import moments
from reader.queries import Row
from reader.search.marking import Piece
from reader.sidebar import ShelvedFeed
from reader.story_rows import RowStory
from reader.templatetags.acts import LONGEST_NAME, address_of, quoted
from reader.templatetags.reading import capped, tile, when
from reader.templatetags.scores import ageing

register = template.Library()

_WORDS = (
    '<h3 class="row-title" dir="auto"{lang}><a href="{url}?next={back}" data-open>{title}</a></h3>{snippet}'
    '<p class="meta">{meta}{put_back}</p>'
)
_SNIPPET = '<p class="snippet" dir="auto"{}>{}</p>'
_PUT_BACK = (
    '\n<span><button class="as-text" type="submit" form="acts" formaction="{url}" aria-label="{label}">{words}</button>'
    "</span>"
)
_SOURCE = '<span class="source">{}<span dir="auto">{}</span></span>'
_STORY = (
    '<span class="story-more"><a href="{url}?of={pk}&amp;next={back}" title="{who}" data-story data-unfold'
    ' aria-controls="s{pk}" hx-get="{unfold}?next={back}" hx-trigger="unfold" hx-target="#s{pk}" hx-swap="innerHTML">'
    "{how_many}</a></span>"
)
_FEED = '<li><a href="{url}"{current}>{tile}<span class="name" dir="auto">{name}</span>{warning}{count}</a></li>'
_CURRENT = format_html(' aria-current="{}"', "page")
_WARNING = '<span class="mark-warn" title="{}">!<span class="spoken"> {}</span></span>'
_COUNT = '<span class="count" data-count="{}{}">{}</span>'
_UNREAD = '{}<span class="spoken"> {}</span>'


@register.simple_tag
def row_words(row: Row, this_page: str, now: datetime, is_muted: bool = False) -> SafeString:
    """The title as a link to the article, with what a search found in it marked, and the lines under it."""
    article = row.article
    lang = _lang(article.language) if article.language else ""
    return format_html(
        _WORDS,
        lang=lang,
        url=address_of("article", article.pk),
        back=quoted(this_page),
        title=_pieces(row.marked_title) if row.marked_title else article.title,
        snippet=format_html(_SNIPPET, lang, _pieces(row.snippet)) if row.snippet else "",
        meta=_meta(row, this_page, now),
        put_back=_put_back(article) if is_muted else "",
    )


def _pieces(found: Sequence[Piece]) -> SafeString:
    """A text with what a search found in it marked."""
    return format_html_join(
        "", "{}", ((format_html("<mark>{}</mark>", each.text) if each.is_found else each.text,) for each in found)
    )


@lru_cache(maxsize=256)
def _lang(code: str) -> SafeString:
    return format_html(' lang="{}"', code)


def _put_back(article: Article) -> SafeString:
    """A button for what a rule took out of the lists."""
    title = truncatechars(article.title, LONGEST_NAME)
    label = _("Put back: %(title)s") % {"title": title}
    return format_html(_PUT_BACK, url=address_of("article_unmute", article.pk), label=label, words=_("Put back"))


def _meta(row: Row, this_page: str, now: datetime) -> SafeString:
    """Who says it and when, how long it takes to read, who else has it, how fast it ages."""
    article, story = row.article, row.story
    said = [_source(row.source), _in_span(when(article.published_at, now))]
    if article.reading_seconds:
        said.append(_to_read(moments.minutes(article.reading_seconds), get_language()))
    if row.also_in:
        said.append(_also_in(row.also_in))
    if story:
        said.append(_other_sources(article.pk, story, quoted(this_page)))
    if story and story.read_elsewhere and not row.is_read:
        said.append(_in_span(_("you read this story")))
    if article.revised_at:
        said.append(format_html('<span class="updated">{}</span>', _("Updated")))
    if row.rating:
        said.append(ageing(row.rating.sensitivity, row.rating.is_own_sensitivity))
    return format_html_join("\n", "{}", ((each,) for each in said))


@register.simple_tag
def feed_links(feeds: Sequence[ShelvedFeed], open_feed: int | None) -> SafeString:
    """Feeds as they stand in the sidebar, the open one marked."""
    warning = format_html(_WARNING, _("Needs attention"), _("needs attention"))
    links = (
        format_html(
            _FEED,
            url=address_of("feed", each.pk),
            current=_CURRENT if each.pk == open_feed else "",
            tile=tile(each.name),
            name=each.name,
            warning="" if each.is_well else warning,
            count=unread("feed", each.n_unread, each.pk),
        )
        for each in feeds
    )
    return format_html_join("\n", "{}", ((link,) for link in links))


@register.simple_tag
def unread(place: str, n: int, pk: int | str = "") -> SafeString:
    """How many are unread there, nothing for none; where a script puts what has become of it (`counts.js`)."""
    said = format_html(_UNREAD, capped(n), pgettext("after a count", "unread")) if n else ""
    return format_html(_COUNT, place, pk, said)


def _in_span(words: str) -> SafeString:
    return format_html("<span>{}</span>", words)


@lru_cache(maxsize=4096)
def _source(name: str) -> SafeString:
    return format_html(_SOURCE, tile(name), name)


@cache
def _to_read(minutes: int, _language: str | None) -> SafeString:
    time = moments.reading_time(60 * minutes)
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
