"""What the admin's pages of this app have in common."""

from django.contrib.admin import ModelAdmin, TabularInline
from django.http import HttpRequest


class ReadOnlyInline(TabularInline):
    """Rows shown beneath their owner, never edited there."""

    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


class LargeTableAdmin(ModelAdmin):
    """A list over a table that grows without end: no second count of everything, related rows fetched along."""

    show_full_result_count = False
    list_per_page = 50
