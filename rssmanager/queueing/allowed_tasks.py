"""The tasks that workers may run: recurring ones, and those that the code queues by name.

A worker imports and calls nothing else, whatever is in the queue or the schedule table. A test compares this list with
every `call_worker` and `async_task` in the code.
"""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from rssmanager.schedules import RECURRING

ON_REQUEST = frozenset(
    {
        "digests.tasks.mail.send",
        "digests.tasks.make.make_due",
        "digests.tasks.make.make_today",
        "digests.tasks.make.renew_pages",
        "digests.tasks.make.request_texts",
        "feeds.tasks.stories.apply_splits",
        "feeds.tasks.stories.match_new",
        "feeds.tasks.stories.regroup_articles",
        "feeds.tasks.stories.refresh_purged_stories",
        "feeds.tasks.stories.undo_splits",
        "feeds.tasks.events.enrich_new",
        "feeds.tasks.full_text.fetch_page",
        "feeds.tasks.full_text.fetch_pages",
        "feeds.tasks.polling.poll_feeds",
        "feeds.tasks.polling.poll_share",
        "reader.tasks.llm.rate_queued",
        "reader.tasks.learning.learn",
        "reader.tasks.learning.rate",
        "reader.tasks.push.poll_announced",
        "reader.tasks.recurring.apply_rule",
        "reader.tasks.recurring.poll_imported",
        "reader.tasks.recurring.run_import",
        "rssmanager.accounts.tasks.import_data",
        "rssmanager.accounts.tasks.remove_account",
        "rssmanager.accounts.tasks.send_reset",
        "rssmanager.demo.process.finish",
        "rssmanager.demo.tasks.ingest_samples",
    }
)
ALLOWED_TASKS = ON_REQUEST | {task.task for task in RECURRING}

POLLING_SECONDS = 90 + int(settings.FETCH_SECONDS)  # polls start for 80 s

# Seconds, for tasks whose parts may take longer than all others together may. With one worker, others wait for them.
LONGER = {
    "digests.tasks.mail.send": 300,  # a mail server that takes 30 s for each of its steps
    "digests.tasks.make.make_due": 300,  # the language model may write for two minutes
    "reader.tasks.llm.rate_queued": 2 * int(settings.ENV.LLM_TIMEOUT) + 90,  # two tries of one request
    "reader.tasks.learning.learn": 1200,  # at night: the whole archive's words, or one classifier
    "feeds.tasks.polling.poll": POLLING_SECONDS,
    "feeds.tasks.polling.poll_share": POLLING_SECONDS,
    "feeds.tasks.polling.tidy": 600,  # daily: statements on the whole archive
    "feeds.tasks.stories.tidy_keys": 600,
}


def seconds_for(task: str) -> int:
    """How long the task may run before its worker is ended."""
    return LONGER.get(task) or int(settings.Q_CLUSTER["timeout"])


def find_function(name: object) -> Callable[..., Any] | None:
    """The function of an allowed task; None for anything else, without importing it."""
    if not isinstance(name, str) or name not in ALLOWED_TASKS:
        return None
    function: Callable[..., Any] = import_string(name)
    return function
