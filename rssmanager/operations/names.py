"""What the operations page calls tasks and stages."""

from django.utils.translation import gettext_lazy as _

STAGES = {
    "match": _("Comparing articles"),
    "enrich": _("Finding events"),
    "index": _("Adding to the search index"),
    "deliver": _("Delivering to users"),
    "rate": _("Rating for users"),
}
TASKS = {
    "feeds.tasks.polling.poll": _("Check feeds"),
    "feeds.tasks.polling.poll_feeds": _("Check a feed"),
    "feeds.tasks.polling.poll_share": _("Check feeds"),
    "feeds.tasks.polling.sort_new": _("Sort articles into stories"),
    "feeds.tasks.stories.match_new": _("Compare articles"),
    "feeds.tasks.events.enrich_new": _("Find events"),
    "feeds.tasks.polling.index_new": _("Add articles to the search index"),
    "feeds.tasks.icons.fetch_icons": _("Fetch icons"),
    "feeds.tasks.full_text.fetch_page": _("Fetch a full text"),
    "feeds.tasks.full_text.fetch_pages": _("Fetch full texts"),
    "feeds.tasks.polling.refresh_scores": _("Refresh the health of feeds"),
    "feeds.tasks.polling.tidy": _("Delete old polls"),
    "feeds.tasks.stories.tidy_keys": _("Tidy the index for comparing"),
    "reader.tasks.recurring.deliver_new": _("Deliver articles to users"),
    "reader.tasks.recurring.queue_rating": _("Rate new articles"),
    "reader.tasks.learning.rate": _("Rate articles"),
    "reader.tasks.recurring.refresh_ratings": _("Refresh ratings"),
    "reader.tasks.recurring.queue_training": _("Learn what users like"),
    "reader.tasks.learning.learn": _("Learn what a user likes"),
    "reader.tasks.recurring.maintain_feeds": _("Count reads and find duplicate feeds"),
    "reader.tasks.recurring.purge": _("Delete expired articles"),
    "reader.tasks.push.maintain_push": _("Subscribe to hubs of feeds"),
    "reader.tasks.recurring.resume_imports": _("Resume interrupted imports"),
    "reader.tasks.recurring.run_import": _("Import feeds"),
    "reader.tasks.recurring.resume_rules": _("Resume interrupted rules"),
    "reader.tasks.sending.send_articles": _("Send articles to other services"),
    "digests.tasks.recurring.start_due_work": _("Create and email digests"),
    "digests.tasks.recurring.send_alerts": _("Send alerts"),
    "digests.tasks.mail.send": _("Send emails"),
    "rssmanager.accounts.tasks.resume": _("Resume work on accounts"),
    "rssmanager.accounts.tasks.send_reset": _("Send a password link"),
    "rssmanager.authentication.tasks.delete_expired": _("Delete expired sessions"),
    "rssmanager.demo.tasks.resume": _("Resume interrupted samples"),
    "rssmanager.operations.tasks.record": _("Record the size of the database"),
}


def task_name(task: str) -> str:
    """A task in words; for those that run seldom, its dotted name."""
    return str(TASKS.get(task, task))
