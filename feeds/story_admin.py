"""The operator's view of stories: what is tied, why, and what was taken apart for everybody."""

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

from feeds import splitting
from feeds.admin_bases import LargeTableAdmin
from feeds.models import Article, Disposition, Link, Split, Story

_HEAVY = ("markup", "safe_html", "text")  # columns of an article that no list shows
MOST_TIES = 3  # named for one article
_ARTICLES_ARE_NEEDED = gettext_lazy("Choose the articles that do not belong, and leave at least one.")


@dataclass(frozen=True, slots=True)
class Tied:
    """One article of a story, with the strongest of what ties it to others of the story."""

    article: Article
    is_lead: bool
    ties: tuple[str, ...]
    n_more: int
    is_leaving: bool


def tied_articles(story: Story) -> list[Tied]:
    """The story's articles, earliest first; two queries and one for splits that are not carried out yet."""
    articles = story.articles.select_related("source").defer(*_HEAVY).order_by("published_at", "pk")
    ties: dict[int, list[tuple[float, str]]] = {}
    for link in Link.objects.filter(one__story=story, other__story=story).order_by("-closeness", "pk"):
        for this, that in ((link.one_id, link.other_id), (link.other_id, link.one_id)):
            words = _("%(what)s of article %(number)s (%(layer)s: %(evidence)s)") % {
                "what": Disposition(link.disposition).label,
                "number": that,
                "layer": link.layer,
                "evidence": link.evidence,
            }
            ties.setdefault(this, []).append((link.closeness, words))
    parting = Split.objects.filter(one__story=story, other__story=story).values_list("one_id", "other_id")
    leaving = {pk for pair in parting for pk in pair}
    return [_tied(story, article, ties.get(article.pk, []), leaving) for article in articles]


def _tied(story: Story, article: Article, ties: list[tuple[float, str]], leaving: Collection[int]) -> Tied:
    words = tuple(
        _("%(tie)s, closeness %(closeness)s") % {"tie": text, "closeness": f"{closeness:.2f}"}
        for closeness, text in ties[:MOST_TIES]
    )
    return Tied(
        article,
        is_lead=article.pk == story.lead_id,
        ties=words,
        n_more=max(0, len(ties) - MOST_TIES),
        is_leaving=article.pk in leaving,
    )


class DerivedAdmin(LargeTableAdmin):
    """Rows that the program writes: nobody adds them by hand."""

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
        return False  # a story is taken apart by splitting; deleted, it would come back with its links

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
        articles = tied_articles(story)
        context = {
            **self.admin_site.each_context(request),
            "title": _("Story %(number)s") % {"number": story.pk},
            "opts": self.opts,
            "story": story,
            "articles": articles,
            "is_parting": any(each.is_leaving for each in articles),
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
            told = ngettext(
                "%(n)s article leaves the story in a moment. Links never tie them to it again.",
                "%(n)s articles leave the story in a moment. Links never tie them to it again.",
                n_leaving,
            )
            self.message_user(request, told % {"n": n_leaving})
        else:
            self.message_user(request, _ARTICLES_ARE_NEEDED, messages.WARNING)
        return redirect("admin:feeds_story_change", story.pk)


class LinkAdmin(DerivedAdmin):
    """What ties two articles; read only, as a link that was removed by hand would come back."""

    list_display = ("__str__", "layer", "evidence", "measure", "closeness", "joins")
    list_filter = ("disposition", "layer")
    ordering = ("-pk",)
    search_fields = ("=one__id", "=other__id")
    search_help_text = gettext_lazy("The number of an article")
    raw_id_fields = ("one", "other")

    def has_change_permission(self, request: HttpRequest, obj: Link | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Link | None = None) -> bool:
        return False


class SplitAdmin(DerivedAdmin):
    """What people took apart, a row for each two articles. To delete one is to undo the click that made it."""

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

    @admin.display(description=gettext_lazy("is not one story with"))
    def other_title(self, split: Split) -> str:
        return split.other.title

    def has_change_permission(self, request: HttpRequest, obj: Split | None = None) -> bool:
        return False

    def get_deleted_objects(self, objs: Iterable[Split], request: HttpRequest) -> Any:
        """All that was made by the same clicks: a part of it alone would leave the articles apart."""
        return super().get_deleted_objects(splitting.made_together(objs), request)

    def delete_model(self, request: HttpRequest, obj: Split) -> None:
        self._undo(request, [obj])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Split]) -> None:
        self._undo(request, queryset)

    def _undo(self, request: HttpRequest, splits: Iterable[Split]) -> None:
        splitting.undo(splitting.made_together(splits))
        self.message_user(request, _("What links tie comes together again in a moment."))
