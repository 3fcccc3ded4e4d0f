"""Sources, feeds, polls and articles in the admin."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import ModelAdmin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.text import format_lazy
from django.utils.timesince import timeuntil
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from feeds.admin.base import LargeTableAdmin, ReadOnlyInline
from feeds.admin.stories import LinkAdmin, SplitAdmin, StoryAdmin
from feeds.models import (
    Article,
    CategorySynonym,
    Feed,
    FeedKind,
    FeedStatus,
    FullText,
    Item,
    Link,
    Poll,
    Revision,
    Source,
    Split,
    Story,
    Tier,
)
from feeds.polling.leases import make_due
from feeds.polling.merge_feeds import resume
from feeds.polling.schedule import BASE_INTERVALS
from feeds.storage.purge import lock_articles
from feeds.tasks.enqueue import call_worker
from feeds.wording import format_number


def _tier_action(tier: Tier | None) -> Any:
    label = f"T{tier.value}" if tier else gettext_lazy("the source's")

    @admin.action(description=format_lazy(gettext_lazy("Set tier: {tier}"), tier=label))
    def set_tier(modeladmin: ModelAdmin, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        n = queryset.update(tier=tier)
        message = ngettext("Set the tier of %(n)s row to %(tier)s.", "Set the tier of %(n)s rows to %(tier)s.", n)
        modeladmin.message_user(request, message % {"n": n, "tier": label})

    set_tier.__name__ = f"set_tier_{tier.value if tier else 'none'}"
    return set_tier


@admin.register(Source)
class SourceAdmin(LargeTableAdmin):
    list_display = ("domain", "name", "tier", "rate_limited_until")
    list_editable = ("name", "tier")
    list_filter = ("tier",)
    search_fields = ("domain", "name")
    actions = tuple(_tier_action(tier) for tier in Tier)


class ConditionFilter(admin.SimpleListFilter):
    title = gettext_lazy("attention")
    parameter_name = "attention"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [("needed", _("Needs attention")), ("well", _("Healthy"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Feed]) -> QuerySet[Feed]:
        if self.value() == "needed":
            return queryset.exclude(condition="well")
        return queryset.filter(condition="well") if self.value() == "well" else queryset


def _kind_action(kind: FeedKind) -> Any:
    @admin.action(description=format_lazy(gettext_lazy("Set kind: {kind}"), kind=kind.label))
    def set_kind(modeladmin: "FeedAdmin", request: HttpRequest, queryset: QuerySet[Feed]) -> None:
        seconds = round(BASE_INTERVALS[kind.value].total_seconds())
        changed = queryset.update(kind=kind, kind_is_fixed=True, interval_seconds=seconds)
        message = ngettext(
            "Set the kind of %(n)s feed to “%(kind)s”.", "Set the kind of %(n)s feeds to “%(kind)s”.", changed
        )
        modeladmin.message_user(request, message % {"n": changed, "kind": kind.label})

    set_kind.__name__ = f"set_kind_{kind.value}"
    return set_kind


@admin.register(Feed)
class FeedAdmin(LargeTableAdmin):
    list_display = ("__str__", "status", "condition", "health", "kind", "tier", "next_poll", "interval_reason")
    list_filter = ("status", ConditionFilter, "kind", "tier")
    search_fields = ("title", "source__domain")
    list_select_related = ("source",)
    autocomplete_fields = ("source",)
    raw_id_fields = ("merged_into",)
    actions = (
        "poll_now",
        "pause",
        "resume",
        *(_kind_action(kind) for kind in FeedKind),
        *(_tier_action(tier) for tier in (*Tier, None)),
    )
    fields = (
        ("shown_url", "site_url"),
        "source",
        ("title", "language", "language_is_fixed", "format"),
        ("status", "merged_into", "is_private"),
        ("condition", "condition_reason", "condition_changed_at"),
        ("health_score", "reliability_score"),
        ("kind", "kind_is_fixed", "tier"),
        ("max_items", "keep_days", "keep_items"),
        ("next_poll_at", "interval_reason"),
        ("last_polled_at", "last_success_at", "last_new_at", "newest_entry_at"),
        ("consecutive_failures", "consecutive_parse_failures", "consecutive_timeouts"),
        ("consecutive_unchanged", "consecutive_new", "new_per_poll"),
        "latest_polls",
    )
    readonly_fields = (
        "shown_url", "format", "status", "is_private", "condition", "condition_reason", "condition_changed_at",
        "health_score",
        "reliability_score", "next_poll_at", "interval_reason", "last_polled_at", "last_success_at", "last_new_at",
        "newest_entry_at", "consecutive_failures", "consecutive_parse_failures", "consecutive_timeouts",
        "consecutive_unchanged", "consecutive_new", "new_per_poll", "merged_into", "latest_polls",
    )  # fmt: skip

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # feeds are added by following them, which checks the address

    @admin.display(description=gettext_lazy("Health"), ordering="health_score")
    def health(self, feed: Feed) -> str:
        return pgettext("per cent", "%(share)s%%") % {"share": round(100 * feed.health_score)}

    @admin.display(description=gettext_lazy("New entries per poll, moving average"))
    def new_per_poll(self, feed: Feed) -> str:
        return format_number(feed.average_new, 2)

    @admin.display(description=gettext_lazy("Next poll"), ordering="next_poll_at")
    def next_poll(self, feed: Feed) -> str:
        if feed.next_poll_at is None:
            return "–"
        now = timezone.now()
        if feed.next_poll_at <= now:
            return _("due")
        return _("in %(duration)s") % {"duration": timeuntil(feed.next_poll_at, now)}

    @admin.display(description=gettext_lazy("Latest polls"))
    def latest_polls(self, feed: Feed) -> str:
        polls = feed.polls.order_by("-started_at")[:20]
        line = _("%(time)s %(outcome)s, %(n)s new %(message)s")
        return "\n".join(
            line
            % {
                "time": f"{poll.started_at:%Y-%m-%d %H:%M}",
                "outcome": poll.get_outcome_display(),
                "n": poll.n_new,
                "message": " → ".join(filter(None, (poll.message[:200], poll.moved_to))),
            }
            for poll in polls
        )

    @admin.action(description=gettext_lazy("Poll now"))
    def poll_now(self, request: HttpRequest, queryset: QuerySet[Feed]) -> None:
        ids = list(queryset.values_list("pk", flat=True))
        n_due = make_due(Feed.objects.filter(pk__in=ids), timezone.now())
        call_worker("feeds.tasks.polling.poll_feeds", ids)
        message = ngettext("Polling %(n)s feed.", "Polling %(n)s feeds.", n_due)
        self.message_user(request, message % {"n": n_due})

    @admin.action(description=gettext_lazy("Pause"))
    def pause(self, request: HttpRequest, queryset: QuerySet[Feed]) -> None:
        changed = queryset.filter(status=FeedStatus.ACTIVE).update(status=FeedStatus.PAUSED)
        message = ngettext("Paused %(n)s feed.", "Paused %(n)s feeds.", changed)
        self.message_user(request, message % {"n": changed})

    @admin.action(description=gettext_lazy("Resume polling"))
    def resume(self, request: HttpRequest, queryset: QuerySet[Feed]) -> None:
        changed = resume(queryset.exclude(status=FeedStatus.MERGED), timezone.now())
        if changed < queryset.count():
            self.message_user(request, _("Merged and active feeds were not changed."), messages.INFO)
        message = ngettext("Resumed %(n)s feed.", "Resumed %(n)s feeds.", changed)
        self.message_user(request, message % {"n": changed})


@admin.register(Poll)
class PollAdmin(LargeTableAdmin):
    list_display = (
        "started_at",
        "feed",
        "outcome",
        "status",
        "seconds",
        "n_entries",
        "n_new",
        "n_revised",
        "n_duplicates",
        "n_malformed",
        "n_left_out",
        "message",
        "moved_to",
    )
    list_filter = ("outcome",)
    list_select_related = ("feed",)
    ordering = ("-started_at",)
    readonly_fields = tuple(field.name for field in Poll._meta.fields)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Poll | None = None) -> bool:
        return False


class ItemInline(ReadOnlyInline):
    model = Item
    fk_name = "article"
    fields = readonly_fields = ("feed", "guid", "disposition", "layer", "evidence", "measure", "rival", "first_seen_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Item]:
        """With rivals joined, so that a deleted one shows as none."""
        return super().get_queryset(request).select_related("feed", "rival")


class RevisionInline(ReadOnlyInline):
    model = Revision
    fields = readonly_fields = ("replaced_at", "title", "text")


class FullTextInline(ReadOnlyInline):
    model = FullText
    fields = readonly_fields = ("status", "requested_at", "fetched_at", "base_url", "error")

    def get_queryset(self, request: HttpRequest) -> QuerySet[FullText]:
        return super().get_queryset(request).defer("markup", "safe_html", "text")


@admin.register(Article)
class ArticleAdmin(LargeTableAdmin):
    list_display = ("title", "source", "published_at", "language", "word_count", "revised_at")
    list_filter = ("language", "partial_content", "date_uncertain")
    list_select_related = ("source",)
    ordering = ("-published_at", "-pk")
    search_fields = ("title",)
    inlines = (ItemInline, FullTextInline, RevisionInline)
    exclude = ("markup", "safe_html", "safe_version", "markup_is_text", "content_hash")
    readonly_fields = tuple(
        field.name
        for field in Article._meta.fields
        if field.name not in ("id", "url_key", "markup", "safe_html", "safe_version", "markup_is_text", "content_hash")
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def get_deleted_objects(self, objs: Sequence[Article] | QuerySet[Article], request: HttpRequest) -> Any:
        """Without requiring permission to delete derived rows, which no user has."""
        listed, counts, _needed, protected = super().get_deleted_objects(objs, request)
        return listed, counts, set(), protected

    def delete_model(self, request: HttpRequest, obj: Article) -> None:
        self.delete_queryset(request, Article.objects.filter(pk=obj.pk))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Article]) -> None:
        """Delete articles and regroup the rest of their stories."""
        deleted = set(queryset.values_list("pk", flat=True))
        stories = queryset.exclude(story=None).values("story")
        remaining = sorted(set(Article.objects.filter(story__in=stories).values_list("pk", flat=True)) - deleted)
        with transaction.atomic():
            lock_articles(deleted)  # before the stories that they lead
            Story.objects.filter(pk__in=list(stories.values_list("story", flat=True))).update(is_stale=True)
            queryset.delete()
        if remaining:
            call_worker("feeds.tasks.stories.regroup_articles", remaining)


@admin.register(CategorySynonym)
class CategorySynonymAdmin(ModelAdmin):
    list_display = ("term", "category")
    list_editable = ("category",)
    search_fields = ("term", "category")


admin.site.register(Story, StoryAdmin)
admin.site.register(Link, LinkAdmin)
admin.site.register(Split, SplitAdmin)
