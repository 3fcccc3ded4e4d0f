"""All recurring tasks. `prepare` writes them into the task queue; nothing else schedules anything."""

from dataclasses import dataclass

from django_q.models import Schedule


@dataclass(frozen=True, slots=True)
class Recurring:
    """A task by its dotted name, and its interval in minutes."""

    name: str
    task: str
    minutes: int


RECURRING = (
    Recurring("poll due feeds", "feeds.tasks.polling.poll", 1),
    Recurring("sort new articles into stories", "feeds.tasks.polling.sort_new", 1),
    Recurring("index new articles for search", "feeds.tasks.polling.index_new", 1),
    Recurring("fetch icons", "feeds.tasks.icons.fetch_icons", 1),
    Recurring("deliver new articles to subscribers", "reader.tasks.recurring.deliver_new", 1),
    Recurring("subscribe to hubs of feeds", "reader.tasks.push.maintain_push", 1),
    Recurring("rate new articles", "reader.tasks.recurring.queue_rating", 1),
    Recurring("refresh ratings", "reader.tasks.recurring.refresh_ratings", 30),
    Recurring("train relevance models, at 01:00", "reader.tasks.recurring.queue_training", 10),
    Recurring("count reads and find duplicate feeds", "reader.tasks.recurring.maintain_feeds", 60),
    Recurring("create and email due digests", "digests.tasks.recurring.start_due_work", 1),
    Recurring("send alerts", "digests.tasks.recurring.send_alerts", 1),
    Recurring("purge expired articles", "reader.tasks.recurring.purge", 10),
    Recurring("send articles to other services", "reader.tasks.sending.send_articles", 1),
    Recurring("resume interrupted imports", "reader.tasks.recurring.resume_imports", 1),
    Recurring("resume interrupted rules", "reader.tasks.recurring.resume_rules", 10),
    Recurring("resume account tasks", "rssmanager.accounts.tasks.resume", 10),
    Recurring("resume interrupted samples", "rssmanager.demo.tasks.resume", 10),
    Recurring("refresh health scores", "feeds.tasks.polling.refresh_scores", 60),
    Recurring("record the size of the database", "rssmanager.operations.tasks.record", 60),
    Recurring("clean up polls", "feeds.tasks.polling.tidy", 24 * 60),
    Recurring("clean up sessions", "rssmanager.authentication.tasks.delete_expired", 24 * 60),
    Recurring("clean up the candidate index", "feeds.tasks.stories.tidy_keys", 24 * 60),
)


_TASKS = {task.name: task for task in RECURRING}


def is_recurring(row: Schedule) -> bool:
    """Whether the row matches the table, without arguments, hook or another cluster."""
    task = _TASKS.get(row.name)
    extras = (row.args, row.kwargs, row.hook, row.cron, row.cluster, row.intended_date_kwarg)
    return task is not None and row.func == task.task and row.schedule_type == Schedule.MINUTES and not any(extras)


def write_schedules() -> int:
    """Make the queue's schedules equal to the table; returns their number."""
    rows = {row.name: row for row in Schedule.objects.order_by("-pk") if is_recurring(row)}  # the oldest of task name
    Schedule.objects.exclude(pk__in=[row.pk for row in rows.values()]).delete()
    for task in RECURRING:
        row = rows.get(task.name) or Schedule(name=task.name, func=task.task, schedule_type=Schedule.MINUTES)
        if row.pk is None or (row.minutes, row.repeats) != (task.minutes, -1):
            row.minutes, row.repeats = task.minutes, -1
            row.save()
    return len(RECURRING)
