"""Template tags for the rows of lists and the sidebar: titles, action buttons, URLs, unread counts."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Protocol
from urllib.parse import quote

from django import template
from django.template import Context
from django.template.defaultfilters import truncatechars
from django.template.loader import render_to_string
from django.urls import get_script_prefix, reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from feeds.wording import comma
from reader.articles.enclosures import seconds_of, web_address
from reader.lists.highlight import Piece
from reader.lists.queries import Row
from reader.lists.sidebar import Sidebar, SidebarFeed, SidebarFolder
from reader.lists.story_badges import RowStory
from reader.stories.list_page import NAMED, StoryRow
from reader.subscriptions.feed_list import FeedRow
from reader.templatetags.formatting import capped, clock, fill, picture, tile, when
from reader.templatetags.scores import score_values

register = template.Library()

MAX_NAME = 80  # characters of a title in a button's label
MAX_SUMMARY = 300  # characters, on cards


class Listed(Protocol):
    """An article, or a digest's copy of one."""

    pk: Any
    title: Any

    @property
    def link(self) -> str: ...


@register.simple_tag(takes_context=True)
def list_row(context: Context, row: Row) -> SafeString:
    """A row of a list: title, with search matches highlighted, the lines below it, actions and score.

    The context holds `this_page`, `now`, the list's `view`, the user's `votes` by article, `put_back` for muted
    articles, `by_relevance` where that is the score to show, `reasons` to show in its place by article, and
    `read_all_url` and `newest` where everything above or below a row can be marked as read.
    """
    article, view = row.article, context["view"]
    return fill(
        "reader/_row.html",
        **_word_values(row, now=context["now"], is_muted=bool(context.get("put_back"))),
        **(_story_values(row.story) if row.story else {}),
        thumbnail=picture(article) if view.has_pictures and view.density != "headlines" else "",
        summary=truncatechars(article.summary, MAX_SUMMARY) if view.density == "cards" else "",
        **_action_values(context, article, is_read=row.is_read, is_starred=row.is_starred, has_menu=True),
        **(score_values(row.rating, by_relevance=bool(context.get("by_relevance"))) if row.rating else {}),
        reason=reason.words if (reason := (context.get("reasons") or {}).get(article.pk)) else "",
    )


def _word_values(row: Row, *, now: datetime, is_muted: bool) -> dict[str, object]:
    article, also_in = row.article, row.also_in
    return {
        "lang": article.language,
        "title": _highlighted(row.marked_title) if row.marked_title else article.title,
        "snippet": _highlighted(row.snippet) if row.snippet else "",
        "tile": tile(row.source, row.icon),
        "source": row.source,
        "when": when(article.published_at, now),
        "duration": clock(seconds) if (seconds := seconds_of(article.media)) else "",
        "also_in": comma().join(also_in),
        "also_in_several": _("also in %(n)s feeds") % {"n": len(also_in)} if len(also_in) > 1 else "",
        "is_updated": article.revised_at is not None,
        "is_muted": is_muted,
        "is_story_read": bool(row.story and row.story.read_elsewhere and not row.is_read),
    }


def _highlighted(pieces: Sequence[Piece]) -> SafeString:
    return render_to_string("reader/_highlighted.html", {"pieces": pieces})


def _story_values(story: RowStory) -> dict[str, object]:
    names = comma().join(story.sources)
    n_sources = story.n_sources + 1
    n_others = (
        ngettext("%(n)s source", "%(n)s sources", n_sources) % {"n": n_sources}
        if story.n_sources
        else ngettext("%(n)s more article", "%(n)s more articles", story.n_more) % {"n": story.n_more}
    )
    more = _("%(names)s and %(n)s more") % {"names": names, "n": story.n_unnamed} if story.n_unnamed else names
    return {"story_id": story.story_id, "sources": more, "n_others": n_others}


@register.simple_tag(takes_context=True)
def story_row(context: Context, row: StoryRow) -> SafeString:
    """A row of the list of stories. The context holds `this_page` and `now`."""
    article, n_sources = row.article, len(row.sources)
    some_unread = _("%(n)s of %(of)s unread") % {"n": row.n_unread, "of": row.n_articles}
    return fill(
        "reader/_story_row.html",
        story_id=row.story_id,
        pk=article.pk,
        lang=article.language,
        back=_quoted(context["this_page"]),
        title=article.title or _("Untitled"),
        name=_short(article.title),
        n_sources=ngettext("%(n)s source", "%(n)s sources", n_sources) % {"n": n_sources},
        sources=format_html_join(comma(), "<bdi>{}</bdi>", ((name,) for name in row.sources[:NAMED])),
        n_unnamed=ngettext("and %(n)s more", "and %(n)s more", row.n_unnamed) % {"n": row.n_unnamed}
        if row.n_unnamed
        else "",
        when=when(row.latest_at, context["now"]),
        is_unread=row.n_unread > 0,
        n_unread=some_unread if 0 < row.n_unread < row.n_articles else "",
    )


@register.simple_tag(takes_context=True)
def row_actions(context: Context, article: Listed, is_read: bool, is_starred: bool) -> SafeString:
    """The action buttons of a row outside a list. The context holds the user's `votes` by article."""
    return fill("reader/_row_actions.html", **_action_values(context, article, is_read=is_read, is_starred=is_starred))


def _action_values(
    context: Context, article: Listed, *, is_read: bool, is_starred: bool, has_menu: bool = False
) -> dict[str, object]:
    votes: Mapping[int, str] = context.get("votes") or {}
    vote = votes.get(article.pk, "")
    read_all_url, back = context.get("read_all_url") or "", _quoted(context["this_page"]) if has_menu else ""
    return {
        "pk": article.pk,
        "id_prefix": context.get("id_prefix") or "",
        "name": _short(article.title),
        "is_liked": vote == "liked",
        "is_disliked": vote == "disliked",
        "is_read": is_read,
        "is_starred": is_starred,
        "link": web_address(article.link),
        "has_menu": has_menu and not context.get("put_back"),
        "back": back,
        "read_all_url": read_all_url,
        "new_rule_url": _new_rule(get_script_prefix()),
        "read_up_to": f"at={article.pk}&up_to={context['newest']}&order={context['view'].order}&next={back}"
        if read_all_url
        else "",
    }


@lru_cache(maxsize=2)
def _new_rule(_prefix: str) -> str:
    return reverse("rule_new")


def _short(title: str) -> str:
    return title if len(title) <= MAX_NAME else truncatechars(title, MAX_NAME)


@lru_cache(maxsize=256)
def _quoted(path: str) -> str:
    return quote(path, safe="")


@register.simple_tag
def address(name: str, pk: int | str) -> str:
    """The URL of a view that takes a number. Faster than `{% url %}`, for lists."""
    before, after = _around(name, get_script_prefix())
    return f"{before}{pk}{after}"


@lru_cache
def _around(name: str, _prefix: str) -> tuple[str, str]:
    """A URL before and after its number."""
    number = "90210"
    before, _number, after = reverse(name, args=[int(number)]).partition(number)
    return before, after


@register.simple_tag
def feed_row(row: FeedRow, now: datetime) -> SafeString:
    """A row of the table of feeds."""
    subscription, name = row.subscription, row.subscription.shown_title
    return fill(
        "reader/_feed_row.html",
        pk=subscription.pk,
        name=name,
        tile=tile(name, subscription.icon),  # type: ignore[attr-defined]  # annotated
        needs_attention=row.needs_attention,
        sentence=row.sentence,
        folder=subscription.folder.name if subscription.folder else "",
        last=when(row.last_at, now) if row.last_at else "",
        per_week=row.per_week,
        read_share="" if row.read_share is None else str(row.read_share),
        kind=row.status.kind,
        status=row.status.name,
    )


@register.simple_tag
def sidebar_folder(folder: SidebarFolder, sidebar: Sidebar) -> SafeString:
    """A folder in the sidebar, without its feeds."""
    return fill(
        "components/_sidebar_folder.html",
        pk=folder.pk,
        name=folder.name,
        n=capped(folder.n_unread) if folder.n_unread else "",
        is_open=folder.is_open,
        is_shown=folder.pk == sidebar.open_folder and sidebar.here == "folder",
    )


@register.simple_tag
def sidebar_feed(feed: SidebarFeed, open_feed: int | None) -> SafeString:
    """A feed in the sidebar."""
    return fill(
        "components/_sidebar_feed.html",
        pk=feed.pk,
        name=feed.name,
        tile=tile(feed.name, feed.icon),
        n=capped(feed.n_unread) if feed.n_unread else "",
        is_well=feed.is_well,
        is_open=feed.pk == open_feed,
        can_unfollow=feed.can_unfollow,
    )


@register.simple_tag
def unread(place: str, n: int, pk: int | str = "") -> SafeString:
    """The unread count of a place, empty for none; `counts.js` replaces it."""
    return fill("components/_unread.html", place=place, pk=pk, n=capped(n) if n else "")
