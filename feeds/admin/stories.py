"""Stories, links and splits in the admin."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from feeds.admin.base import LargeTableAdmin
from feeds.models import Article, Disposition, Link, Split, Story
from feeds.stored_text import evidence_text, layer_name
from feeds.stories import splits as splitting
from feeds.wording import format_number

_HEAVY = ("markup", "safe_html", "text")  # large columns of an article that no list shows
MAX_LINKS = 3  # shown per article
_ARTICLES_ARE_NEEDED = gettext_lazy("Select the articles that don't belong, and leave at least one.")


@dataclass(frozen=True, slots=True)
class Member:
    """One article of a story, with its strongest links to other articles of the story."""

    article: Article
    is_lead: bool
    links: tuple[str, ...]
    n_more: int
    is_leaving: bool


def members_of(story: Story) -> list[Member]:
    """The story's articles, earliest first. Three queries."""
    articles = story.articles.select_related("source").defer(*_HEAVY).order_by("published_at", "pk")
    links: dict[int, list[tuple[float, str]]] = {}
    for link in Link.objects.filter(one__story=story, other__story=story).order_by("-closeness", "pk"):
        for this, that in ((link.one_id, link.other_id), (link.other_id, link.one_id)):
            words = _("%(what)s: article %(number)s (%(layer)s: %(evidence)s)") % {
                "what": Disposition(link.disposition).label,
                "number": that,
                "layer": layer_name(link.layer),
                "evidence": evidence_text(link.evidence),
            }
            links.setdefault(this, []).append((link.closeness, words))
    pending = Split.objects.filter(one__story=story, other__story=story).values_list("one_id", "other_id")
    leaving = {pk for pair in pending for pk in pair}
    return [_member(story, article, links.get(article.pk, []), leaving) for article in articles]


def _member(story: Story, article: Article, links: list[tuple[float, str]], leaving: Collection[int]) -> Member:
    words = tuple(
        _("%(link)s, closeness %(closeness)s") % {"link": text, "closeness": format_number(closeness, 2)}
        for closeness, text in links[:MAX_LINKS]
    )
    return Member(
        article,
        is_lead=article.pk == story.lead_id,
        links=words,
        n_more=max(0, len(links) - MAX_LINKS),
        is_leaving=article.pk in leaving,
    )


class DerivedAdmin(LargeTableAdmin):
    """Rows that only the program adds."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


class StoryAdmin(DerivedAdmin):
    list_display = ("__str__", "n_articles", "n_sources", "first_at", "last_at")
    ordering = ("-last_at", "-pk")
    search_fields = ("lead__title",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Story]:
        heavy = [f"lead__{name}" for name in _HEAVY]
        return super().get_queryset(request).select_related("lead").defer(*heavy)

    def has_delete_permission(self, request: HttpRequest, obj: Story | None = None) -> bool:
        return False  # its links would create it again; split it instead

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The story with its articles, and a form that splits some of them off."""
        story = self.get_object(request, unquote(object_id))
        if story is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)  # type: ignore[attr-defined]
        if not self.has_view_or_change_permission(request, story):
            raise PermissionDenied
        if request.method == "POST":
            return self._split(request, story)
        articles = members_of(story)
        context = {
            **self.admin_site.each_context(request),
            "title": _("Story %(number)s") % {"number": story.pk},
            "opts": self.opts,
            "story": story,
            "articles": articles,
            "is_splitting": any(article.is_leaving for article in articles),
            "may_split": self.has_change_permission(request, story),
            **(extra_context or {}),
        }
        return TemplateResponse(request, "admin/feeds/story/change_form.html", context)

    def _split(self, request: HttpRequest, story: Story) -> HttpResponse:
        if not self.has_change_permission(request, story) or not isinstance(request.user, User):
            raise PermissionDenied
        chosen = {int(pk) for pk in request.POST.getlist("articles") if pk.isascii() and pk.isdigit() and len(pk) < 19}
        n_leaving = splitting.split_off(story, chosen, user=request.user, now=timezone.now())
        if n_leaving:
            numbers = ", ".join(map(str, sorted(chosen)))
            self.log_change(request, story, _("Split off articles %(numbers)s.") % {"numbers": numbers})
            message = ngettext(
                "Splitting off %(n)s article. It won't rejoin this story.",
                "Splitting off %(n)s articles. They won't rejoin this story.",
                n_leaving,
            )
            self.message_user(request, message % {"n": n_leaving})
        else:
            self.message_user(request, _ARTICLES_ARE_NEEDED, messages.WARNING)
        return redirect("admin:feeds_story_change", story.pk)


class LinkAdmin(DerivedAdmin):
    """Links between articles, read-only because a deleted link would be created again."""

    list_display = ("__str__", "layer", "evidence", "measure", "closeness", "joins")
    list_filter = ("disposition", "layer")
    ordering = ("-pk",)
    search_fields = ("=one__id", "=other__id")
    search_help_text = gettext_lazy("Search by article id")
    raw_id_fields = ("one", "other")

    def has_change_permission(self, request: HttpRequest, obj: Link | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Link | None = None) -> bool:
        return False


class SplitAdmin(DerivedAdmin):
    """Splits by users, one row per pair of articles. Deleting a row undoes the whole click."""

    list_display = ("one_title", "other_title", "user", "made_at")
    list_display_links = ("one_title",)
    ordering = ("-made_at", "-pk")
    readonly_fields = ("one", "other", "user", "made_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Split]:
        heavy = [f"{side}__{name}" for side in ("one", "other") for name in _HEAVY]
        return super().get_queryset(request).select_related("one", "other", "user").defer(*heavy)

    @admin.display(description=gettext_lazy("Article"))
    def one_title(self, split: Split) -> str:
        return split.one.title

    @admin.display(description=gettext_lazy("Split from"))
    def other_title(self, split: Split) -> str:
        return split.other.title

    def has_change_permission(self, request: HttpRequest, obj: Split | None = None) -> bool:
        return False

    def get_deleted_objects(self, objs: Iterable[Split], request: HttpRequest) -> Any:
        """All rows of the same clicks, since deleting only some of them would keep the articles apart."""
        return super().get_deleted_objects(splitting.of_same_clicks(objs), request)

    def delete_model(self, request: HttpRequest, obj: Split) -> None:
        self._undo(request, [obj])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Split]) -> None:
        self._undo(request, queryset)

    def _undo(self, request: HttpRequest, splits: Iterable[Split]) -> None:
        splitting.undo(splitting.of_same_clicks(splits))
        self.message_user(request, _("Undoing the split. Linked articles will be regrouped shortly."))
