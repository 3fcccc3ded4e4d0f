"""The checks of `doctor`.

`docs/monitoring.md` shows the same table; a test compares them.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rssmanager.doctor import configuration, databases, feed_checks, mail, network, queue, storage
from rssmanager.doctor.result import Result, problem

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Check:
    """A check of `subject`; `mistake` is the problem it finds."""

    subject: str
    mistake: str
    run: Callable[[], Result]
    needs_database: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """A check's outcome: `level` ("ok", "note" or "problem"), what the check found, and what to do ("" if ok)."""

    subject: str
    level: str
    seen: str
    to_do: str = ""


CHECKS = (
    Check("database", "doesn't answer, is too old, or needs migrations", databases.database),
    Check("encoding", "PostgreSQL database isn't UTF-8", databases.encoding, True),
    Check("clock", "this machine's clock and the database's differ", databases.clock, True),
    Check("account", "the owner account hasn't been created", feed_checks.account, True),
    Check("debug", "`DEBUG` is on", configuration.debug),
    Check("key", "`SECRET_KEY` is short or copied from an example", configuration.secret_key),
    Check("address", "`BASE_URL` isn't the public address, or lacks https", configuration.address),
    Check(
        "visitors",
        "behind https without `TRUSTED_PROXIES`, so every visitor seems to have the same address",
        configuration.visitors,
    ),
    Check("way in", "`BASE_URL` is unreachable, leads elsewhere, or to a server whose clock is wrong", network.way_in),
    Check(".env", "every user of the machine can read it", configuration.env_file),
    Check("networks", "`FETCH_ALLOW_PRIVATE_NETWORKS` is on", configuration.private_networks),
    Check("time zone", "`TIME_ZONE` isn't set", configuration.time_zone),
    Check("limits", "time limits contradict each other", configuration.time_limits),
    Check("memory", "more `WORKERS` than the memory allows", configuration.memory),
    Check("data", "`DATA_DIR` isn't writable", storage.writable),
    Check("owners", "files in `DATA_DIR` belong to another user, usually root", storage.owners),
    Check("permissions", "other users of the machine can open `DATA_DIR`, or files in it", storage.modes),
    Check("file system", "SQLite on a network file system", storage.network_disk),
    Check("volume", "`DATA_DIR` is in memory, or in a container without a volume", storage.volume),
    Check("disk", "almost full", storage.disk),
    Check("static", "static files haven't been collected", storage.static_files),
    Check("backups", "none yet, or older than a week", storage.backups),
    Check(
        "worker",
        "none is running, nothing is scheduled, a task runs too long, or tasks wait for a worker",
        queue.worker,
        True,
    ),
    Check("tasks", "one keeps failing", queue.failing, True),
    Check("refused tasks", "something other than this app queued or scheduled a task", queue.refused_tasks, True),
    Check("broker", "Redis doesn't answer", queue.broker),
    Check("eviction", "Redis drops tasks when memory is short", queue.evicting),
    Check("queue", "two installations share a Redis database", queue.shared_queue),
    Check("names", "host names of feeds can't be resolved", network.names, True),
    Check("proxy", "a proxy for outgoing requests is set but not used", configuration.proxy),
    Check("polling", "feeds are polled late: too few workers", feed_checks.polling, True),
    Check("push", "hubs can't announce new articles, because they don't reach `BASE_URL`", feed_checks.push, True),
    Check("stories", "some articles couldn't be compared", feed_checks.deduplication, True),
    Check("search", "some articles couldn't be indexed", feed_checks.search, True),
    Check("ratings", "`DECAY_RATES` changed without running `score`", feed_checks.rating, True),
    Check("language model", "requests fail", feed_checks.language_model_requests, True),
    Check("language models", "not installed", feed_checks.language_models),
    Check("digests", "late, or can't be sent", feed_checks.digests, True),
    Check("mail", "no server set, unreachable, or password refused", mail.server),
    Check("sender", "the sender's domain fails receivers' checks", mail.sender),
)


def _run(check: Check) -> Result:
    try:
        return check.run()
    except Exception as error:
        logger.debug("The check of %s failed", check.subject, exc_info=error)
        reason = str(error).strip().partition("\n")[0]
        return problem(f"this check failed: {type(error).__name__}: {reason}", "See the other findings first.")


def examine() -> Iterator[Finding]:
    """Run all checks in order, without those that need the database if it doesn't respond."""
    has_database = True
    for check in CHECKS:
        if check.needs_database and not has_database:
            continue
        result = _run(check)
        if check.subject == "database":
            has_database = result.level != "problem"
        yield Finding(check.subject, result.level, result.message, result.to_do)
