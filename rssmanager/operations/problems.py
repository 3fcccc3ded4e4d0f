"""What doesn't work now, and what to do about it: the operations page begins with it.

`doctor` checks more: also what can only go wrong when the app is set up or updated, and what takes seconds to find out.
Without a worker everything else is late, so that is reported alone. A publisher that doesn't respond isn't a problem of
the installation, but most of them at once are.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from digests.models import DigestPlan, Mailing, MailingState
from feeds.polling.schedule import format_duration
from feeds.search import indexer as search_indexer
from feeds.storage import work_queue
from feeds.wording import format_number
from rssmanager.doctor.feed_checks import LATE
from rssmanager.doctor.storage import MIN_FREE_BYTES
from rssmanager.operations.background_work import Fault, Stoppage, stoppages
from rssmanager.operations.dashboard import Dashboard
from rssmanager.operations.models import TaskTally
from rssmanager.operations.names import task_name

FAILED_IN_A_ROW = 3  # runs; a single failure usually passes
MAX_TASKS = 5
RECENTLY = timedelta(days=7)
MOST = 0.5  # of the active feeds, of at least `MIN_FAILING`
MIN_FAILING = 5


@dataclass(frozen=True, slots=True)
class Problem:
    """What doesn't work, what to do, and the id of the page's section that shows more."""

    what: str
    to_do: str
    section: str


def find_problems(dashboard: Dashboard, *, now: datetime) -> list[Problem]:
    """The most urgent first; empty if everything works. Ten queries beside the dashboard's."""
    stopped = _background(now)
    return [
        *(stopped or _late_feeds(dashboard, now)),
        *_storage(dashboard),
        *_failing_tasks(),
        *_given_up(),
        *_mail(dashboard, now),
        *_feeds(dashboard),
        *_refused(dashboard, now),
    ]


def _background(now: datetime) -> list[Problem]:
    return [_stopped(stoppage, now) for stoppage in stoppages(now)]


def _stopped(stoppage: Stoppage, now: datetime) -> Problem:
    span = format_duration(now - stoppage.since) if stoppage.since else ""
    match stoppage.fault:
        case Fault.QUEUE:
            to_do = _("Check REDIS_URL, and that Redis is running.")
            return Problem(_("The task queue isn't responding, so nothing is done."), to_do, "waiting")
        case Fault.WORKER:
            to_do = _("Start one with “python manage.py qcluster”, or restart the app.")
            return Problem(_("No worker is running, so no feeds are checked."), to_do, "workers")
        case Fault.MISSING:
            return Problem(_("Scheduled tasks are missing."), _("Run “python manage.py prepare”."), "scheduled")
        case Fault.SCHEDULER:
            what = _("No scheduled task has started in the last %(span)s.") % {"span": span}
            return Problem(what, _("Restart the workers, and check their log."), "scheduled")
        case Fault.TASK:
            what = _("“%(task)s” has been running for %(span)s.") % {"task": task_name(stoppage.task), "span": span}
            return Problem(what, _("Restart the workers, and check their log."), "workers")
        case Fault.WAITING:
            what = _("Tasks have been waiting for %(span)s.") % {"span": span}
            return Problem(what, _("Set WORKERS to a higher number."), "waiting")


def _late_feeds(dashboard: Dashboard, now: datetime) -> list[Problem]:
    """Only if background work is done: adding workers helps with nothing else."""
    oldest = dashboard.overdue.oldest_at
    if oldest is None or now - oldest <= LATE:
        return []
    what = _("Feeds are checked %(span)s late.") % {"span": format_duration(now - oldest)}
    return [Problem(what, _("Set WORKERS or FETCH_CONCURRENCY to a higher number."), "waiting")]


def _storage(dashboard: Dashboard) -> list[Problem]:
    free = dashboard.disk.free
    if free >= MIN_FREE_BYTES:
        return []
    what = _("The disk is almost full: %(n)s MB are free.") % {"n": format_number(free // 10**6)}
    return [Problem(what, _("Free up space, or keep articles for fewer days."), "storage")]


def _failing_tasks() -> list[Problem]:
    found = []
    for tally in TaskTally.objects.filter(consecutive_failures__gte=FAILED_IN_A_ROW).order_by("task")[:MAX_TASKS]:
        n = tally.consecutive_failures
        what = ngettext("“%(task)s” failed %(n)s time in a row.", "“%(task)s” failed %(n)s times in a row.", n)
        values = {"task": task_name(tally.task), "n": format_number(n)}
        found.append(Problem(what % values, _("See its error below, and the worker's log."), "failures"))
    return found


def _given_up() -> list[Problem]:
    n_uncompared = work_queue.n_given_up()
    n_unindexed = search_indexer.n_given_up()
    to_do = _("Check the worker's log, then run “python manage.py rededuplicate --resume”.")
    found = []
    if n_uncompared:
        what = ngettext("%(n)s article couldn't be compared.", "%(n)s articles couldn't be compared.", n_uncompared)
        found.append(Problem(what % {"n": format_number(n_uncompared)}, to_do, "set-aside"))
    if n_unindexed:
        what = ngettext(
            "%(n)s article can't be found by searching.", "%(n)s articles can't be found by searching.", n_unindexed
        )
        found.append(Problem(what % {"n": format_number(n_unindexed)}, to_do, "set-aside"))
    return found


def _mail(dashboard: Dashboard, now: datetime) -> list[Problem]:
    found = []
    if dashboard.workers and (
        n_late := DigestPlan.objects.filter(next_at__lt=now - LATE, user__is_active=True).count()
    ):
        what = ngettext("%(n)s digest is late.", "%(n)s digests are late.", n_late)
        found.append(Problem(what % {"n": format_number(n_late)}, _("See the failures below."), "failures"))
    stuck = Mailing.objects.filter(state=MailingState.WAITING, n_tries__gt=1).order_by("created_at").first()
    if stuck is not None:
        what = _("The mail server refuses emails: %(answer)s") % {"answer": stuck.answer}
        found.append(Problem(what, _("Check EMAIL_URL. Sending is retried."), "mail"))
    elif n_failed := dashboard.mails[MailingState.FAILED]:
        what = ngettext(
            "%(n)s email couldn't be sent in the last 24 hours.",
            "%(n)s emails couldn't be sent in the last 24 hours.",
            n_failed,
        )
        to_do = _("Check EMAIL_URL and the addresses under Users.")
        found.append(Problem(what % {"n": format_number(n_failed)}, to_do, "mail"))
    return found


def _feeds(dashboard: Dashboard) -> list[Problem]:
    failing = dashboard.feeds
    if failing.n_failing < max(MIN_FAILING, MOST * failing.n_active):
        return []
    to_do = _("Check this server's internet connection and its name resolution.")
    return [Problem(_("Most feeds can't be reached."), to_do, "feeds")]


def _refused(dashboard: Dashboard, now: datetime) -> list[Problem]:
    if not any(task.stopped > now - RECENTLY for task in dashboard.refused):
        return []
    to_do = _(
        "Either another version uses the same queue, or someone can write to the database or Redis. In that case, "
        "change their passwords and SECRET_KEY."
    )
    return [Problem(_("Unknown tasks in the queue didn't run."), to_do, "refused")]


def mail_server() -> str:
    """The name of the mail server; "" if emails aren't sent."""
    return settings.EMAIL_HOST if settings.EMAIL_BACKEND.endswith("smtp.EmailBackend") else ""
