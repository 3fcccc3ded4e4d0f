"""Base classes of this app's admin pages."""

from django.contrib.admin import ModelAdmin, TabularInline
from django.http import HttpRequest


class ReadOnlyInline(TabularInline):
    """Rows shown below their parent, not editable there."""

    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


class LargeTableAdmin(ModelAdmin):
    """A list of a large table, without counting all its rows."""

    show_full_result_count = False
    list_per_page = 50
