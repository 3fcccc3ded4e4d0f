"""What the admin site allows: no page runs code or queues foreign tasks."""

from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.test import Client
from django.urls import reverse
from django_q.models import Failure, OrmQ, Schedule
from django_q.signals import pre_enqueue

from feeds.models import Feed, Source
from rssmanager.queueing.allowed_tasks import ALLOWED_TASKS
from tests import make
from tests.tables import table

pytestmark = pytest.mark.django_db

# The actions of each list, besides deleting.
ACTIONS: dict[str, set[str]] = {
    "auth.Group": set(),
    "auth.User": set(),
    "digests.AlertSettings": set(),
    "digests.Digest": set(),
    "digests.DigestPlan": set(),
    "digests.Mailing": set(),
    "digests.PrivateFeed": set(),
    "feeds.Article": set(),
    "feeds.CategorySynonym": set(),
    "feeds.Feed": {
        *("pause", "poll_now", "resume"),
        *("set_kind_blog", "set_kind_breaking", "set_kind_dormant", "set_kind_major", "set_kind_newsletter"),
        *("set_tier_1", "set_tier_2", "set_tier_3", "set_tier_4", "set_tier_5", "set_tier_none"),
    },
    "feeds.Link": set(),
    "feeds.Poll": set(),
    "feeds.Source": {"set_tier_1", "set_tier_2", "set_tier_3", "set_tier_4", "set_tier_5"},
    "feeds.Split": set(),
    "feeds.Story": set(),
    "reader.Assessment": set(),
    "reader.Import": set(),
    "reader.SensitivityTraining": set(),
    "reader.LanguageModelUsage": set(),
    "reader.LanguageModelRequest": set(),
    "reader.RelevanceModel": set(),
    "reader.Rule": set(),
    "reader.RuleRun": set(),
    "reader.Subscription": set(),
}
# The columns that forms can write, by model. None is the URL of a feed, the name of a
# function or file, or a pattern; `site_url` and `domain` are never fetched, and are links only with http(s).
WRITABLE = {
    "feeds.CategorySynonym": {"term", "category"},
    "feeds.Feed": {
        *("site_url", "source", "title", "language", "language_is_fixed", "kind", "kind_is_fixed", "tier"),
        *("max_items", "keep_days", "keep_items"),
    },
    "feeds.Source": {"domain", "name", "tier", "rate_limited_until"},
    "reader.Import": {"user", "folder_name", "status"},
    "reader.Subscription": {
        *("user", "feed", "folder", "title", "category", "fetches_full_text", "most_a_day", "is_digest_only"),
        *("quiet_until", "has_alerts", "tells_of_trouble", "is_kept"),
    },
}
QUEUE_PAGES = ["", "add/", "1/", "1/change/", "1/delete/", "1/history/"]


@pytest.fixture
def administrator(client: Client) -> Client:
    client.force_login(make.user(is_staff=True, is_superuser=True))
    return client


def registered() -> dict[str, admin.ModelAdmin]:
    return {model._meta.label: site_admin for model, site_admin in admin.site._registry.items()}


def test_models_have_these_actions() -> None:
    offered = {
        label: {getattr(action, "__name__", action) for action in page.actions or ()}
        for label, page in registered().items()
    }
    assert offered == ACTIONS


def test_forms_write_these_columns(administrator: Client) -> None:
    request = administrator.get("/admin/").wsgi_request
    others = {"auth.Group", "auth.User", "feeds.Story"}  # Django's own, and a custom page that only splits
    own = {label: page for label, page in registered().items() if label not in others}
    written = {
        label: set(page.get_form(request, obj=page.model(), change=True).base_fields)
        for label, page in own.items()
        if page.has_add_permission(request) or page.has_change_permission(request)
    }
    assert {label: names for label, names in written.items() if names} == WRITABLE


@table("model", ["schedule", "ormq", "success", "failure", "task"])
@table("page", QUEUE_PAGES)
def test_queue_has_no_pages(administrator: Client, model: str, page: str) -> None:
    address = f"/admin/django_q/{model}/{page}"
    assert administrator.get(address).status_code == 404
    assert administrator.post(address, {"name": "x", "func": "os.mkdir", "args": "'x',"}).status_code == 404
    assert administrator.get("/admin/django_q/").status_code == 404
    assert not Schedule.objects.exists()


@pytest.mark.vendor
def test_every_page_opens_and_queues_only_our_tasks(administrator: Client) -> None:
    queued: list[str] = []

    def note(task: dict[str, Any], **_: object) -> None:
        queued.append(task["func"])

    feed = make.feed()
    pre_enqueue.connect(note)
    try:
        for label in ACTIONS:
            model = apps.get_model(label)
            address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
            assert administrator.get(address).status_code == 200, label
            assert administrator.get(f"{address}add/").status_code in (200, 403), label
        for model, row in ((Feed, feed.pk), (Source, feed.source_id)):
            for action in sorted(ACTIONS[model._meta.label]):
                response = administrator.post(
                    reverse(f"admin:feeds_{model._meta.model_name}_changelist"),
                    {"action": action, "_selected_action": [row]},
                )
                assert response.status_code == 302, action
    finally:
        pre_enqueue.disconnect(note)
    assert queued == ["feeds.tasks.polling.poll_feeds"]
    assert set(queued) <= ALLOWED_TASKS


def test_failure_of_a_foreign_task_is_not_retried(administrator: Client) -> None:
    now = make.NOW
    Failure.objects.create(id="1" * 32, func="os.mkdir", args=["x"], kwargs={}, started=now, stopped=now, success=False)
    page = administrator.get("/settings/operations/").content.decode()
    assert "os.mkdir" in page
    assert "Run again" not in page
    response = administrator.post(f"/settings/operations/run/{'1' * 32}/", follow=True)
    assert "This task can&#x27;t run again: os.mkdir" in response.content.decode()
    assert (Failure.objects.count(), OrmQ.objects.count()) == (1, 0)
