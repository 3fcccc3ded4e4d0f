"""Digests in the admin: plans, digests and email states. What a digest says belongs to its user."""

from django.contrib import admin

from digests.models import AlertSettings, Digest, DigestPlan, Mailing, PrivateFeed
from reader.admin import ReadOnlyAdmin


@admin.register(DigestPlan)
class DigestPlanAdmin(ReadOnlyAdmin):
    """Read-only: users change their plans in the settings, which validate them and compute the next time."""

    list_display = ("user", "kind", "is_on", "at", "weekday", "by_mail", "next_at", "claimed_until")
    list_filter = ("kind", "is_on", "by_mail")
    list_select_related = ("user",)
    search_fields = ("user__username",)
    ordering = ("user", "kind")


@admin.register(Digest)
class DigestAdmin(ReadOnlyAdmin):
    list_display = ("made_at", "user", "kind", "day", "n_articles", "n_feeds", "n_duplicates")
    list_filter = ("kind",)
    list_select_related = ("user",)
    search_fields = ("user__username",)
    ordering = ("-made_at",)
    exclude = ("report", "findings")


@admin.register(Mailing)
class MailingAdmin(ReadOnlyAdmin):
    """Sent, waiting and failed emails; deleting a waiting one cancels it."""

    list_display = ("created_at", "user", "kind", "state", "n_tries", "next_try_at", "sent_at", "answer")
    list_filter = ("state", "kind")
    list_select_related = ("user",)
    search_fields = ("user__username", "message_id")
    ordering = ("-created_at",)


@admin.register(AlertSettings)
class AlertSettingsAdmin(ReadOnlyAdmin):
    list_display = ("user", "breaking", "breaking_by_mail", "feeds_by_mail", "mail_from")
    list_select_related = ("user",)
    search_fields = ("user__username",)


@admin.register(PrivateFeed)
class PrivateFeedAdmin(ReadOnlyAdmin):
    """Deleting one turns the feed off."""

    list_display = ("user", "made_at", "used_at")
    list_select_related = ("user",)
    search_fields = ("user__username",)
    exclude = ("token_hash",)
