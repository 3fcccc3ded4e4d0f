"""Admin pages for users' data, limited to what running an installation needs."""

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.db.models import QuerySet
from django.http import HttpRequest

from reader.models import (
    Assessment,
    Import,
    LanguageModelRequest,
    LanguageModelUsage,
    RelevanceModel,
    Rule,
    RuleRun,
    SensitivityTraining,
    Subscription,
)
from reader.scoring.rule_boosts import remove_boosts_of


@admin.register(Subscription)
class SubscriptionAdmin(ModelAdmin):
    list_display = ("user", "feed", "folder", "added_at", "unread_count")
    list_select_related = ("user", "feed__source", "folder")
    search_fields = ("feed__title", "user__username")
    raw_id_fields = ("user", "feed", "folder")
    show_full_result_count = False


@admin.register(Import)
class ImportAdmin(ModelAdmin):
    list_display = ("created_at", "user", "name", "status", "n_done", "n_total", "n_added")
    list_filter = ("status",)
    raw_id_fields = ("user",)
    readonly_fields = ("kind", "name", "message", "n_total", "n_done", "n_added", "n_known", "finished_at")


class ReadOnlyAdmin(ModelAdmin):
    """Computed data, which can be viewed, and deleted to have it computed again."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object | None = None) -> bool:
        return False


@admin.register(Assessment)
class AssessmentAdmin(ReadOnlyAdmin):
    list_display = (
        "article",
        "shared_importance",
        "tier",
        "sensitivity",
        "confidence",
        "source",
        "assessed_at",
    )
    list_filter = ("source", "sensitivity", "confidence", "tier")
    list_select_related = ("article",)
    ordering = ("-article_id",)
    raw_id_fields = ("article",)


@admin.register(RelevanceModel)
class RelevanceModelAdmin(ReadOnlyAdmin):
    list_display = ("trained_at", "user", "n_positive", "n_negative", "average_precision", "auc", "is_used", "seconds")
    list_select_related = ("user",)
    exclude = ("indices", "weights", "embedding")


@admin.register(SensitivityTraining)
class SensitivityTrainingAdmin(ReadOnlyAdmin):
    list_display = ("trained_at", "n_labels", "macro_f1", "shipped_macro_f1", "mean_absolute_error")
    exclude = ("weights",)


@admin.register(LanguageModelRequest)
class LanguageModelRequestAdmin(ReadOnlyAdmin):
    """Articles without a usable answer from the language model; delete one to ask again."""

    list_display = ("article", "asked_at", "n_tries", "is_open", "reason")
    list_filter = ("is_open",)
    list_select_related = ("article",)


@admin.register(LanguageModelUsage)
class LanguageModelUsageAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "paused_until", "answered_at", "failure", "failed_at")


@admin.register(Rule)
class RuleAdmin(ReadOnlyAdmin):
    """Users' rules, read-only."""

    list_display = ("__str__", "user", "is_on", "mutes", "marks_read", "stars", "tag", "n_hits", "last_hit_at")
    list_filter = ("is_on", "mutes")
    list_select_related = ("user", "tag")

    def delete_model(self, request: HttpRequest, obj: Rule) -> None:
        self.delete_queryset(request, Rule.objects.filter(pk=obj.pk))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Rule]) -> None:
        """Delete the rules and their boosts."""
        remove_boosts_of(queryset)
        super().delete_queryset(request, queryset)


@admin.register(RuleRun)
class RuleRunAdmin(ReadOnlyAdmin):
    """Rules being applied to existing articles; delete a run to stop it."""

    list_display = ("asked_at", "rule", "n_done", "n_total", "n_hits", "finished_at")
    list_select_related = ("rule",)
