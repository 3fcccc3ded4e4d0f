"""What is promised to whoever runs the reader, and which test or benchmark shows each: the source of `promises.md`.

`python -m tests.promises --write` writes that page; a test compares it, and looks whether every test named is there. A
test is named by its file within `tests` and its function; a benchmark as `bench NAME`, with what `make bench` calls it.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE / "promises.md"
_HEAD = """# What we promise and how it is tested

Made by `python -m tests.promises --write` from the table in `promises.py`; a test of the suite fails where a promise
has no test any more. Tests run by `make test`, those of a browser by `make test-browser`, benchmarks by
`python -m tests.benchmarks NAME`.
"""


@dataclass(frozen=True, slots=True)
class Promise:
    """A sentence, and what shows that it is kept."""

    says: str
    shown_by: tuple[str, ...]


def _p(says: str, *shown_by: str) -> Promise:
    return Promise(says, shown_by)


_SIGN_IN = "rssmanager/auth"
PROMISES: dict[str, tuple[Promise, ...]] = {
    "Nobody gets in who should not": (
        _p("Guesses of passwords are throttled, and no stranger can lock the owner out.",
           f"{_SIGN_IN}/test_throttling.py::test_after_five_wrong_passwords_even_the_right_one_waits",
           f"{_SIGN_IN}/test_throttling.py::test_a_stranger_does_not_lock_the_owner_out",
           f"{_SIGN_IN}/test_throttling.py::test_many_names_from_one_address_are_too_many"),
        _p("Workers run this app's tasks only, whatever is in the queue, in Redis or in the schedule table.",
           "rssmanager/test_foreign_tasks.py::test_a_cluster_runs_our_tasks_only",
           "rssmanager/queueing/test_task_guard.py::test_foreign_task_is_refused_logged_and_shown",
           "rssmanager/queueing/test_task_guard.py::test_foreign_rows_are_removed_and_ours_queued",
           "rssmanager/queueing/test_task_packages.py::test_a_signed_pickle_is_not_unpickled",
           "rssmanager/test_admin_site.py::test_every_page_opens_and_what_it_queues_is_ours",
           "rssmanager/queueing/test_allowed_tasks.py::test_exactly_the_tasks_in_the_code_are_allowed"),
        _p("A second factor is asked for by every way in, each code opens once, recovery codes are kept as digests.",
           f"{_SIGN_IN}/test_second_factor.py::test_password_alone_does_not_sign_in",
           f"{_SIGN_IN}/test_second_factor.py::test_a_code_opens_once",
           f"{_SIGN_IN}/test_second_factor.py::test_recovery_codes_cannot_be_read_in_the_database",
           f"{_SIGN_IN}/test_openid.py::test_second_factor_is_required"),
        _p("A passkey signs in by one answer to one challenge, at our own address, of a device that verified its user.",
           f"{_SIGN_IN}/test_passkeys.py::test_wrong_answer_does_not_sign_in",
           f"{_SIGN_IN}/test_passkeys.py::test_an_answer_works_once",
           "browser/test_passkeys.py::test_a_passkey_is_added_and_signs_in"),
        _p("Sessions are listed and can be ended one by one; what opens them cannot be read in the database.",
           f"{_SIGN_IN}/test_sessions.py::test_session_shows_user_browser_and_address",
           f"{_SIGN_IN}/test_sessions.py::test_stored_hash_does_not_open_it",
           f"{_SIGN_IN}/test_sessions.py::test_signing_in_replaces_the_session"),
        _p("An unlocked browser is not enough to take an account over; its owner is told and can undo it for 7 days.",
           "rssmanager/accounts/test_changes.py::test_needs_the_password_after_ten_minutes",
           "rssmanager/accounts/test_changes.py::test_old_address_is_notified_and_can_undo",
           "rssmanager/accounts/test_changes.py::test_a_whole_take_over_is_undone_by_its_first_link",
           "rssmanager/accounts/test_changes.py::test_opening_a_link_changes_nothing",
           "rssmanager/accounts/test_changes.py::test_a_download_needs_the_password_after_ten_minutes",
           "digests/views/test_settings.py::test_the_address_is_changed_in_the_account_settings_alone",
           "rssmanager/accounts/test_admin.py::test_nothing_is_changed_without_recent_confirmation",
           "rssmanager/accounts/test_notices.py::test_the_database_holds_no_token",
           f"{_SIGN_IN}/test_confirmation.py::test_twelve_wrong_guesses_stop_after_five"),
        _p("OpenID Connect takes no wrong issuer, audience, nonce, time or signature, and no account by its address.",
           f"{_SIGN_IN}/test_openid.py::test_a_claim_that_is_wrong_changes_nothing",
           f"{_SIGN_IN}/test_openid.py::test_invalid_signature_changes_nothing",
           f"{_SIGN_IN}/test_openid.py::test_an_address_alone_is_nobodys_account"),
        _p("A header of a proxy signs in only where that is set, and only from a trusted address.",
           f"{_SIGN_IN}/test_remote_user.py::test_off_it_is_a_header_like_any_other",
           f"{_SIGN_IN}/test_remote_user.py::test_is_not_believed",
           f"{_SIGN_IN}/test_remote_user.py::test_the_server_drops_the_header_spelt_with_an_underscore"),
        _p("No page leads to another site, and no mail is made of what a request calls the reader.",
           "reader/test_views_access.py::test_redirects_to_no_other_site",
           f"{_SIGN_IN}/test_views_password.py::test_email_links_ignore_the_requests_host"),
        _p("Of another person's things nobody sees or changes any, at any address; changes need a token.",
           "reader/test_views_access.py::test_other_users_find_and_change_nothing",
           "reader/test_views_access.py::test_table_is_complete",
           "reader/test_views_access.py::test_changes_need_a_csrf_token"),
        _p("Nothing secret is logged: no password, token, key or address with credentials, by no process.",
           "rssmanager/monitoring/test_logs.py::test_no_secret_is_logged_by_pages_and_polls",
           "rssmanager/monitoring/test_logs.py::test_no_token_is_in_what_a_real_server_writes"),
    ),
    "What strangers write does no harm": (
        _p("Of five hundred known ways to bring a script along none survives the sanitizer or runs in a browser.",
           "feeds/normalizing/test_html.py::test_attacks_leave_only_allowed_markup",
           "browser/test_hostile_bodies.py::test_no_body_runs_or_loads_anything"),
        _p("Browsers run nothing but files of this site, by a policy without exceptions and by Trusted Types.",
           "browser/test_safety.py::test_nothing_is_run_that_is_no_file_of_ours",
           "reader/views/test_account.py::test_policy_allows_only_external_images_and_media"),
        _p("Pictures can be loaded through the reader, by signed addresses, so that nobody else learns who reads.",
           "browser/test_images.py::test_pictures_are_shown_and_no_request_leaves",
           "reader/test_images.py::test_does_not_fetch_with_forged_signature",
           "reader/test_images.py::test_does_not_fetch_from_private_network"),
        _p("Every answer carries the headers that keep others out, and `check --deploy` finds nothing.",
           "rssmanager/middleware/test_security_headers.py::test_the_readers_answers_carry_all",
           "rssmanager/middleware/test_security_headers.py::test_django_finds_nothing_to_warn_of_behind_https"),
        _p("A name, title, author or link of a feed is text on every page, in mail, in feeds and in exported lists.",
           "rssmanager/test_hostile_words.py::test_on_every_page_it_is_text",
           "rssmanager/test_hostile_words.py::test_an_exported_list_is_a_list_of_web_addresses",
           "rssmanager/test_hostile_words.py::test_in_mail_and_in_the_digests_feed_it_is_text"),
        _p("No feed, list, archive or text takes more than its share of memory or time, however it is made.",
           "feeds/test_bombs.py::test_limits_the_cost_of_a_feed",
           "feeds/test_bombs.py::test_limits_the_cost_of_a_subscription_list",
           "feeds/test_bombs.py::test_limits_the_size_of_an_unpacked_body",
           "feeds/test_bombs.py::test_no_regular_expression_runs_long",
           "test_patterns.py::test_none_works_with_a_power_of_the_length"),
        _p("Nothing outside a document is read.", "feeds/test_bombs.py::test_reads_nothing_outside_the_document"),
        _p("No address that somebody names leads into a private network, by whatever spelling, name, hop or door.",
           "feeds/fetching/test_ssrf_guard.py::test_other_addresses_do_not",
           "feeds/fetching/test_ssrf_guard.py::test_no_spelling_reaches_localhost",
           "feeds/fetching/test_ssrf_guard.py::test_every_hop_is_checked",
           "feeds/fetching/test_ssrf_guard.py::test_a_name_is_resolved_only_once",
           "rssmanager/test_doors.py::test_no_door_leads_to_this_machine"),
        _p("Whatever is read from outside was fuzzed, and what was found stays mended (`make fuzz`).",
           "fuzzing/test_targets.py::test_what_must_hold_holds_for_any_case",
           "fuzzing/test_targets.py::test_what_was_found_stays_mended"),
    ),
    "Nothing is lost and nothing doubled": (
        _p("A worker that is killed, at any stage, leaves nothing undone and nothing twice.",
           "faults/test_killing.py::test_killed_in_every_stage_nothing_is_lost_and_nothing_is_there_twice",
           "faults/test_killing.py::test_an_idle_worker_that_is_killed_keeps_no_other_from_its_work",
           "rssmanager/test_workers.py::test_a_worker_that_is_killed_loses_nothing",
           "feeds/test_order_of_arrival.py::test_killed_workers_lose_and_repeat_nothing"),
        _p("Two workers with the same articles end with one of each.",
           "rssmanager/test_workers.py::test_two_workers_with_the_same_articles_end_with_one_of_each"),
        _p("A mail is sent once, whatever breaks: before the server has it all it is tried again, afterwards never.",
           "digests/delivery/test_sending.py::test_failure_before_data_is_retried",
           "digests/delivery/test_sending.py::test_without_an_answer_to_the_dot_it_is_not_sent_again",
           "digests/delivery/test_sending.py::test_email_of_a_dead_worker_is_uncertain"),
        _p("A backup is of one moment, made while everything goes on, and comes back wholly or not at all.",
           "rssmanager/test_backup.py::test_it_is_of_one_moment_while_others_write",
           "rssmanager/test_backup.py::test_restores_everything_into_an_empty_folder",
           "rssmanager/test_backup.py::test_killed_restore_leaves_old_or_new_data",
           "rssmanager/test_backup.py::test_killed_right_after_restoring_nothing_is_mailed_twice",
           "rssmanager/test_backup.py::test_a_full_disk_leaves_nothing_behind"),
        _p("What is kept no longer goes in short steps, takes nothing along that somebody holds dear, and stays away.",
           "reader/subscriptions/test_purge.py::test_keeps_articles_valued_by_any_user",
           "reader/test_purging_steps.py::test_killed_within_a_chunk_rolls_it_back",
           "reader/test_purging_steps.py::test_cost_of_a_step_is_independent_of_feed_size",
           "feeds/storage/test_purge.py::test_what_was_purged_does_not_come_back",
           "bench retention"),
    ),
    "What breaks is waited out": (
        _p("The database crashes: pages say so, and all goes on by itself.",
           "faults/test_database_restarted.py::test_pages_say_so_and_all_goes_on_by_itself"),
        _p("Redis is gone: pages are served, and what is asked is done when it is back.",
           "faults/test_redis_gone.py::test_pages_are_served_and_what_is_asked_is_done_when_it_is_back"),
        _p("The mail server is away for hours: mail comes late, once, and tried as often as promised.",
           "faults/test_mail_away.py::test_each_mail_comes_once_when_the_server_is_there_again"),
        _p("The disk is full: pages say so, what is kept is sound and can be read, all goes on once there is room.",
           "faults/test_disk_full.py::test_it_is_said_and_all_goes_on_when_there_is_room",
           "rssmanager/middleware/test_error_pages.py::test_full_disk_is_reported",
           "digests/today/test_refresh.py::test_page_opens_on_a_read_only_database"),
        _p("The clock is set back by an hour, or ahead by a day: nothing is done twice, and nothing stands still.",
           "faults/test_clock.py::test_nothing_is_done_twice_and_nothing_stands_still",
           "rssmanager/server/test_clock_recovery.py::test_a_schedule_is_due_no_later_than_after_its_interval",
           "rssmanager/server/test_clock_recovery.py::test_lease_is_shortened_to_one_taken_now",
           "rssmanager/server/test_cluster.py::test_waiting_for_an_event_asks_no_clock_that_may_be_set_back"),
        _p("One connection in ten is cut: everything comes in the end.",
           "faults/test_broken_servers.py::test_with_one_connection_in_ten_cut_everything_comes_in_the_end"),
        _p("A feed that never ends is cut off, and keeps nobody waiting.",
           "faults/test_broken_servers.py::test_what_never_ends_is_cut_off_and_keeps_nobody_waiting"),
        _p("An article that crashes its reader is set aside, and holds up nobody.",
           "faults/test_poison.py::test_an_article_that_crashes_its_reader_is_set_aside_after_some_tries_and_holds_up_nobody"),
        _p("A feed that crashes its parser waits, and holds up nobody; what a dead poller held is given back at once.",
           "faults/test_poison.py::test_a_feed_that_crashes_its_parser_waits_and_holds_up_nobody",
           "feeds/polling/test_crash_recovery.py::test_releases_all_leases_of_a_dead_process"),
        _p("Two clusters on one database poll, make and send everything once.",
           "faults/test_two_clusters.py::test_no_feed_is_polled_no_digest_made_and_no_mail_sent_by_both"),
    ),
    "An operator sees what goes on": (
        _p("Probes tell alive from ready, and answer while the database does not.",
           "rssmanager/monitoring/test_health_checks.py::test_alive_does_not_query_the_database",
           "rssmanager/monitoring/test_health_checks.py::test_all_answer_while_the_database_does_not"),
        _p("Metrics count by route and never by address, over all processes, and cost the same however much there is.",
           "rssmanager/monitoring/test_metrics.py::test_requests_are_counted_by_route_and_never_by_address",
           "rssmanager/monitoring/test_metrics.py::test_two_web_processes_count_together",
           "rssmanager/monitoring/test_metrics.py::test_a_reading_costs_the_same_however_much_there_is"),
        _p("`doctor` finds the problems that `docs/monitoring.md` lists, each made in a test.",
           "rssmanager/test_diagnosis.py::test_docs_list_every_check",
           "rssmanager/test_diagnosis.py::test_every_subject_is_checked_once"),
        _p("A task that failed is seen with its reason and can be run again.",
           "rssmanager/monitoring/test_operations.py::test_reports_progress",
           "rssmanager/monitoring/test_operations.py::test_a_failed_task_runs_again"),
    ),
    "It can be installed for good": (
        _p("Everything works behind a proxy with TLS, at the root of a host and below a path.",
           "rssmanager/test_behind_proxy.py::test_everything_works_behind_nginx",
           "rssmanager/middleware/test_url_prefix.py::test_no_page_of_the_reader_leads_out"),
        _p("Containers and services run as nobody in particular, may write only their data, and come up again.",
           "rssmanager/test_containers.py::test_image_runs_unprivileged_with_one_data_folder",
           "rssmanager/test_containers.py::test_services_write_only_their_data_and_can_stop_in_time",
           "rssmanager/test_installing.py::test_systemd_verifies_units_as_well_confined"),
        _p("Told to stop, it stops, with all that it started.",
           "rssmanager/server/test_supervisor.py::test_signal_ends_all_processes_and_children"),
        _p("More workers are only faster: no feed is polled twice, no article doubled.", "bench scaling"),
        _p("Left alone for long it takes no more memory and keeps nobody waiting.", "bench soak"),
        _p("Publishers that answer a byte a second hold up neither polls of other feeds nor what users wait for.",
           "feeds/test_slow_publishers.py::test_prompt_feeds_are_polled_despite_slow_ones",
           "feeds/test_slow_publishers.py::test_100_dripping_feeds_delay_no_others",
           "rssmanager/test_queueing.py::test_one_process_fills_both_queues",
           "rssmanager/test_queueing.py::test_minutes_without_a_free_worker_add_no_second_task", "bench slow"),
    ),
    "It is fast, and stays so": (
        _p("A list takes some 30 ms with 100,000 articles, and a million are still read at ease.",
           "bench pages", "bench retention"),
        _p("A search takes under 200 ms among 100,000 articles.", "bench search"),
        _p("An entry costs the same whatever the archive holds.", "bench dedup"),
        _p("Pages are light.", "rssmanager/test_weight.py"),
    ),
}  # fmt: skip


def missing() -> list[str]:
    """What the table names and nobody finds."""
    benchmarks = (HERE / "benchmarks" / "__main__.py").read_text(encoding="utf-8")
    return [
        name
        for promises in PROMISES.values()
        for promise in promises
        for name in promise.shown_by
        if not (f'"{name.removeprefix("bench ")}": _' in benchmarks if name.startswith("bench ") else _is_there(name))
    ]


def page() -> str:
    """The page, in Markdown."""
    return "\n".join((_HEAD, *_lines()))


def _is_there(name: str) -> bool:
    file, _, function = name.partition("::")
    path = HERE / file
    return path.is_file() and (not function or function in _functions(path))


@cache
def _functions(path: Path) -> frozenset[str]:
    found = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return frozenset(node.name for node in found if isinstance(node, ast.FunctionDef))


def _lines() -> Iterator[str]:
    for subject, promises in PROMISES.items():
        yield f"## {subject}\n"
        for promise in promises:
            yield f"- **{promise.says}**"
            yield from (f"  - `{name}`" for name in promise.shown_by)
        yield ""


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    PAGE.write_text(page(), encoding="utf-8")
