"""What `doctor` looks at: one table of checks, each with the mistake that it finds.

The README shows the same table; a test compares.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rssmanager.diagnosis import configuration, databases, mail, network, queueing, reading, storage
from rssmanager.diagnosis.seen import Seen


@dataclass(frozen=True, slots=True)
class Check:
    """`look` says what is seen of the subject; `mistake` is what it is there to find."""

    subject: str
    mistake: str
    look: Callable[[], Seen]
    needs_database: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: its subject, `level` ("ok", "note", "problem"), what was seen, and what to do ("" when well)."""

    subject: str
    level: str
    seen: str
    to_do: str = ""


CHECKS = (
    Check("database", "it does not answer, is too old, or migrations are missing", databases.database),
    Check("encoding", "PostgreSQL's database is not in UTF-8", databases.encoding, True),
    Check("clock", "the clocks of this machine and of the database differ", databases.clock, True),
    Check("account", "nobody has made the owner's account", reading.account, True),
    Check("debug", "`DEBUG` is on", configuration.debug),
    Check("key", "`SECRET_KEY` is short or from an example", configuration.secret_key),
    Check("address", "`BASE_URL` is not what people type, or without TLS", configuration.address),
    Check("visitors", "behind TLS and no `TRUSTED_PROXIES`: all come from one address", configuration.visitors),
    Check("way in", "`BASE_URL` leads nowhere, elsewhere, or to a clock that is off", network.way_in),
    Check(".env", "everybody on the machine can read it", configuration.env_file),
    Check("networks", "`FETCH_ALLOW_PRIVATE_NETWORKS` is on", configuration.private_networks),
    Check("time zone", "`TIME_ZONE` was forgotten", configuration.time_zone),
    Check("limits", "time limits leave no time", configuration.time_limits),
    Check("memory", "more `WORKERS` than there is memory for", configuration.memory),
    Check("data", "`DATA_DIR` cannot be written", storage.writable),
    Check("owners", "files in `DATA_DIR` are another user's, root's mostly", storage.owners),
    Check("file system", "SQLite on a network file system", storage.network_disk),
    Check("volume", "`DATA_DIR` in memory, or in a container without a volume", storage.volume),
    Check("disk", "nearly full", storage.disk),
    Check("static", "style sheets and scripts are not collected", storage.static_files),
    Check("backups", "never made, or older than a week", storage.backups),
    Check("schedules", "recurring tasks are missing", queueing.schedules, True),
    Check("worker", "none runs", queueing.worker, True),
    Check("tasks", "one fails again and again", queueing.failing, True),
    Check("broker", "Redis does not answer", queueing.broker),
    Check("eviction", "Redis throws tasks away to make room", queueing.evicting),
    Check("queue", "two installations share one database of Redis", queueing.shared_queue),
    Check("names", "hosts of feeds are not found: no name server", network.names, True),
    Check("proxy", "a proxy is set for the way out, and is not used", configuration.proxy),
    Check("polling", "feeds are late: too few workers", reading.polling, True),
    Check("stories", "articles could not be compared", reading.deduplication, True),
    Check("search", "articles are not indexed, or could not be", reading.search, True),
    Check("ratings", "`DECAY_RATES` changed without `score`", reading.rating, True),
    Check("language model", "it fails", reading.second_judge, True),
    Check("language models", "not installed", reading.language_models),
    Check("digests", "late, or their mail is not taken", reading.digests, True),
    Check("mail", "no server is set, it is away, or refuses the password", mail.server),
    Check("sender", "mail comes from a domain that receivers do not believe", mail.sender),
)


def examine() -> Iterator[Finding]:
    """All checks in order; those that need the database are left out when it does not answer."""
    has_database = True
    for check in CHECKS:
        if check.needs_database and not has_database:
            continue
        seen = check.look()
        if check.subject == "database":
            has_database = seen.level != "problem"
        yield Finding(check.subject, seen.level, seen.seen, seen.to_do)
