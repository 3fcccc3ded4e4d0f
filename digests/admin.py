"""The operator's view of digests: what is planned and made, what became of mail. What a digest says is its owner's."""

from django.contrib import admin

from digests.models import AlertSettings, Digest, DigestPlan, Mailing, PrivateFeed
from reader.admin import ReadOnlyAdmin


@admin.register(DigestPlan)
class DigestPlanAdmin(ReadOnlyAdmin):
    """People change theirs themselves, with checks and a next moment that an operator's hand would not keep."""

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
    """Mail as it went out, waits or failed; deleting one that waits calls it off."""

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
    """Deleting one shuts the feed: its address leads nowhere then."""

    list_display = ("user", "made_at", "asked_at")
    list_select_related = ("user",)
    search_fields = ("user__username",)
    exclude = ("token_hash",)
