"""The one table of what runs when. `prepare` writes it into the task queue; nothing else schedules anything."""

from dataclasses import dataclass

from django_q.models import Schedule


@dataclass(frozen=True, slots=True)
class Recurring:
    """A task by its dotted name, every so many minutes."""

    name: str
    task: str
    minutes: int


RECURRING = (
    Recurring("poll due feeds", "feeds.tasks.poll", 1),
    Recurring("sort new articles into stories", "feeds.tasks.sort_new", 1),
    Recurring("index new articles for search", "feeds.tasks.index_new", 1),
    Recurring("bring new articles to subscribers", "reader.tasks.bring", 1),
    Recurring("rate what is new", "reader.tasks.rank", 1),
    Recurring("keep what is rated fresh", "reader.tasks.keep_fresh", 30),
    Recurring("learn from the day, at 01:00", "reader.tasks.learn_at_night", 10),
    Recurring("count what is opened, and look for feeds followed twice", "reader.tasks.look_over_feeds", 60),
    Recurring("make digests that are due, and mail them", "digests.tasks.look", 1),
    Recurring("tell what cannot wait", "digests.tasks.alert", 1),
    Recurring("purge what is kept no longer", "reader.tasks.purge", 10),
    Recurring("resume interrupted imports", "reader.tasks.resume_imports", 1),
    Recurring("resume interrupted rules", "reader.tasks.resume_rules", 10),
    Recurring("resume leaving feeds and coming back to them", "reader.tasks.resume_partings", 1),
    Recurring("resume what people asked of their data", "rssmanager.account.tasks.resume", 10),
    Recurring("resume interrupted samples", "rssmanager.demo.tasks.resume", 10),
    Recurring("refresh health scores", "feeds.tasks.refresh_scores", 60),
    Recurring("note how large the database is", "rssmanager.operating.tasks.look", 60),
    Recurring("tidy up", "feeds.tasks.tidy", 24 * 60),
    Recurring("tidy up after signing in", "rssmanager.signing_in.tasks.tidy", 24 * 60),
    Recurring("tidy up the candidate index", "feeds.dedup_tasks.tidy_keys", 24 * 60),
)


def write_schedules() -> int:
    """Make the queue's schedules equal to the table; returns how many there are."""
    for each in RECURRING:
        values = {"func": each.task, "schedule_type": Schedule.MINUTES, "minutes": each.minutes, "repeats": -1}
        Schedule.objects.update_or_create(name=each.name, defaults=values)
    Schedule.objects.exclude(name__in=[each.name for each in RECURRING]).delete()
    return len(RECURRING)
