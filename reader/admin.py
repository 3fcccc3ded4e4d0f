"""The operator's view of people's rows: only what running an installation needs."""

from django.contrib import admin
from django.contrib.admin import ModelAdmin

from reader.models import Import, Subscription


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
