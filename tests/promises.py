"""What users and administrators are promised, and which tests or benchmarks show it: the source of `promises.md`.

`python -m tests.promises --write` writes that page; a test compares it, and checks that every named test exists. A test
is named by its file in `tests` and its function; a benchmark as `bench NAME`, as `make bench` calls it.
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

Written by `python -m tests.promises --write` from the table in `promises.py`. A test fails if a named test doesn't
exist; whether a test proves its sentence is for a reviewer to judge. `.ci/run` runs all of these tests; run benchmarks
with `python -m tests.benchmarks NAME`, their last figures are in [docs/benchmarks.md](../docs/benchmarks.md).
"""


@dataclass(frozen=True, slots=True)
class Promise:
    """A sentence, and what shows that it is kept."""

    says: str
    shown_by: tuple[str, ...]


def _p(says: str, *shown_by: str) -> Promise:
    return Promise(says, shown_by)


_SIGN_IN = "rssmanager/authentication"
PROMISES: dict[str, tuple[Promise, ...]] = {
    "Only authorized people get in": (
        _p("Password guesses are throttled by name and address, and guesses from elsewhere lock no user out.",
           f"{_SIGN_IN}/test_throttling.py::test_five_wrong_passwords_block_even_the_right_one",
           f"{_SIGN_IN}/test_throttling.py::test_stranger_does_not_lock_the_owner_out",
           f"{_SIGN_IN}/test_throttling.py::test_limits_names_per_address"),
        _p("Workers run only this app's tasks, whatever is in the queue, in Redis or in the schedule table.",
           "rssmanager/test_foreign_tasks.py::test_cluster_runs_only_our_tasks",
           "rssmanager/queueing/test_task_guard.py::test_foreign_task_is_refused_logged_and_shown",
           "rssmanager/queueing/test_task_guard.py::test_foreign_rows_are_removed_and_ours_queued",
           "rssmanager/queueing/test_task_packages.py::test_signed_pickle_is_not_unpickled",
           "rssmanager/test_admin_site.py::test_every_page_opens_and_queues_only_our_tasks",
           "rssmanager/queueing/test_allowed_tasks.py::test_exactly_the_tasks_in_the_code_are_allowed"),
        _p("With a second factor, neither password nor OpenID is enough; a code works once, recovery codes are hashed.",
           f"{_SIGN_IN}/test_second_factor.py::test_password_alone_does_not_sign_in",
           f"{_SIGN_IN}/test_second_factor.py::test_code_works_once",
           f"{_SIGN_IN}/test_second_factor.py::test_recovery_codes_are_stored_hashed",
           f"{_SIGN_IN}/test_openid.py::test_second_factor_is_required"),
        _p("A passkey signs in once per challenge, only at this site, and only if its device verified the user.",
           f"{_SIGN_IN}/test_passkeys.py::test_wrong_response_does_not_sign_in",
           f"{_SIGN_IN}/test_passkeys.py::test_response_works_once",
           "browser/test_passkeys.py::test_a_passkey_is_added_and_signs_in"),
        _p("Users see their sessions and can end each one; a session can't be opened with what the database contains.",
           f"{_SIGN_IN}/test_sessions.py::test_session_shows_user_browser_and_address",
           "rssmanager/accounts/test_views_sessions.py::test_sessions_are_listed_and_others_can_be_ended",
           f"{_SIGN_IN}/test_sessions.py::test_stored_hash_does_not_open_it",
           f"{_SIGN_IN}/test_sessions.py::test_signing_in_replaces_the_session"),
        _p("Changes to an account need a recent password; its owner is notified and can undo them for 7 days.",
           "rssmanager/accounts/test_changes.py::test_needs_the_password_after_ten_minutes",
           "rssmanager/accounts/test_changes.py::test_old_address_is_notified_and_can_undo",
           "rssmanager/accounts/test_changes.py::test_takeover_is_undone_by_its_first_link",
           "rssmanager/accounts/test_changes.py::test_opening_a_link_changes_nothing",
           "rssmanager/accounts/test_changes.py::test_download_needs_the_password_after_ten_minutes",
           "digests/views/test_settings.py::test_the_address_is_changed_in_the_account_settings_alone",
           "rssmanager/accounts/test_admin.py::test_changes_need_recent_confirmation",
           "rssmanager/accounts/test_views_users.py::test_changes_need_recent_confirmation",
           "rssmanager/accounts/test_emails.py::test_database_contains_no_token",
           f"{_SIGN_IN}/test_confirmation.py::test_twelve_wrong_guesses_stop_after_five"),
        _p("OpenID Connect rejects a wrong issuer, audience, nonce, time or signature, and finds no account by email.",
           f"{_SIGN_IN}/test_openid.py::test_wrong_claim_changes_nothing",
           f"{_SIGN_IN}/test_openid.py::test_invalid_signature_changes_nothing",
           f"{_SIGN_IN}/test_openid.py::test_email_alone_matches_no_account"),
        _p("A proxy's header signs in only if that is configured, and only from a trusted address.",
           f"{_SIGN_IN}/test_remote_user.py::test_header_is_ignored_when_disabled",
           f"{_SIGN_IN}/test_remote_user.py::test_is_not_trusted",
           f"{_SIGN_IN}/test_remote_user.py::test_server_drops_header_with_underscore"),
        _p("No page redirects to another site, and links in emails ignore the host that a request names.",
           "reader/test_views_access.py::test_redirects_to_no_other_site",
           f"{_SIGN_IN}/test_views_password.py::test_email_links_ignore_the_requests_host"),
        _p("No user sees or changes another user's data at any URL, and changes need a CSRF token.",
           "reader/test_views_access.py::test_other_users_find_and_change_nothing",
           "reader/test_views_access.py::test_table_is_complete",
           "reader/test_views_access.py::test_changes_need_a_csrf_token"),
        _p("A private feed reaches no user who doesn't follow it.",
           "rssmanager/test_private_feeds.py::test_nothing_reaches_other_users",
           "attacks/test_private_feeds.py::test_private_feed_reaches_no_other_user"),
        _p("Pages, polls and the web server log no password, token, key or URL with credentials.",
           "rssmanager/operations/test_logs.py::test_pages_and_polls_log_no_secret",
           "rssmanager/operations/test_logs.py::test_real_server_logs_no_token"),
    ),
    "Untrusted content is harmless": (
        _p("None of 500 known ways to inject a script survives the sanitizer or runs in a browser.",
           "feeds/test_hostile_markup.py::test_vectors_are_unique",
           "feeds/test_hostile_markup.py::test_two_parsers_find_only_what_is_listed",
           "feeds/test_hostile_markup.py::test_two_parsers_read_the_same_and_write_what_they_read",
           "browser/test_hostile_bodies.py::test_no_body_runs_or_loads_anything"),
        _p("Browsers run only script files of this site; only images and media may come from elsewhere.",
           "browser/test_safety.py::test_nothing_is_run_that_is_no_file_of_ours",
           "reader/views/test_account.py::test_policy_allows_only_external_images_and_media"),
        _p("With the image proxy, browsers load images from no other site; it fetches only signed, public URLs.",
           "browser/test_images.py::test_pictures_are_shown_and_no_request_leaves",
           "reader/test_images.py::test_does_not_fetch_with_forged_signature",
           "reader/test_images.py::test_does_not_fetch_from_private_network"),
        _p("Every page has the security headers, and `check --deploy` passes with HTTPS.",
           "attacks/test_sessions.py::test_all_carry_what_keeps_others_out",
           "rssmanager/middleware/test_security_headers.py::test_reader_responses_have_all_headers",
           "rssmanager/middleware/test_security_headers.py::test_deployment_check_passes_with_https"),
        _p("A feed's names, titles, authors and links are escaped on every page, in emails, feeds and exported lists.",
           "rssmanager/test_hostile_words.py::test_is_escaped_on_every_page",
           "rssmanager/test_hostile_words.py::test_exported_list_contains_only_web_urls",
           "rssmanager/test_hostile_words.py::test_is_escaped_in_mail_and_digest_feed"),
        _p("No feed, list, archive or text exceeds its limits on memory and time.",
           "feeds/test_bombs.py::test_limits_the_cost_of_a_feed",
           "feeds/test_bombs.py::test_limits_the_cost_of_a_subscription_list",
           "feeds/test_bombs.py::test_limits_the_size_of_an_unpacked_body",
           "feeds/test_bombs.py::test_no_regular_expression_runs_long",
           "test_patterns.py::test_no_pattern_has_three_overlapping_repetitions",
           "test_patterns.py::test_nested_repetitions_take_linear_time"),
        _p("Parsing a document reads no file or URL that it names.",
           "feeds/test_bombs.py::test_reads_nothing_outside_the_document"),
        _p("No URL leads into a private network, whatever its spelling, name, redirects or place of entry.",
           "feeds/fetching/test_ssrf_guard.py::test_other_addresses_do_not",
           "feeds/fetching/test_ssrf_guard.py::test_no_spelling_reaches_localhost",
           "feeds/fetching/test_ssrf_guard.py::test_every_hop_is_checked",
           "feeds/fetching/test_ssrf_guard.py::test_a_name_is_resolved_only_once",
           "rssmanager/test_doors.py::test_no_connection_reaches_this_machine"),
        _p("Parsers of untrusted input are fuzzed, and every input that once failed is tried again (`make fuzz`).",
           "fuzzing/test_targets.py::test_what_must_hold_holds_for_any_case",
           "fuzzing/test_targets.py::test_what_was_found_stays_mended"),
    ),
    "Nothing is lost or duplicated": (
        _p("A worker killed while it polls, matches, enriches, indexes, delivers, rates, or makes or sends digests,"
           " loses nothing and does nothing twice.",
           "faults/test_killing.py::test_kills_in_every_stage_lose_and_duplicate_nothing",
           "faults/test_killing.py::test_killed_idle_worker_does_not_block_others",
           "rssmanager/test_workers.py::test_killed_worker_loses_nothing",
           "feeds/test_order_of_arrival.py::test_killed_workers_lose_and_repeat_nothing"),
        _p("Two workers that receive the same articles store each once.",
           "rssmanager/test_workers.py::test_two_workers_store_each_article_once"),
        _p("An email is sent at most once: it is retried until the server has all of it, and never afterwards.",
           "digests/delivery/test_sending.py::test_failure_before_data_is_retried",
           "digests/delivery/test_sending.py::test_without_an_answer_to_the_dot_it_is_not_sent_again",
           "digests/delivery/test_sending.py::test_email_of_a_dead_worker_is_uncertain"),
        _p("A webhook is signed, keeps its id for every try, and is sent again if its worker dies.",
           "reader/send_to/test_webhooks.py::test_sends_a_signed_request",
           "reader/send_to/test_webhooks.py::test_an_article_is_sent_once",
           "reader/send_to/test_webhooks.py::test_is_retried_with_the_same_id_and_a_new_time",
           "reader/send_to/test_webhooks.py::test_is_sent_again_after_a_worker_died",
           "reader/send_to/test_webhooks.py::test_a_transaction_that_fails_sends_nothing"),
        _p("A backup made during writes is consistent, and is restored completely or not at all.",
           "rssmanager/test_backup.py::test_is_consistent_during_writes",
           "rssmanager/test_backup.py::test_restores_everything_into_an_empty_folder",
           "rssmanager/test_backup.py::test_killed_restore_leaves_old_or_new_data",
           "rssmanager/test_backup.py::test_killed_right_after_restoring_sends_no_email_twice",
           "rssmanager/test_backup.py::test_full_disk_leaves_nothing_behind"),
        _p("Old articles are deleted in short steps, except those that a user valued, and don't come back.",
           "reader/subscriptions/test_purge.py::test_keeps_articles_valued_by_any_user",
           "reader/test_purging_steps.py::test_killed_within_a_chunk_rolls_it_back",
           "reader/test_purging_steps.py::test_cost_of_a_step_is_independent_of_feed_size",
           "feeds/storage/test_purge.py::test_what_was_purged_does_not_come_back",
           "bench retention"),
        _p("A hub can only make us poll, and its announcements survive a killed worker.",
           "feeds/push/test_callback.py::test_wrong_signature_is_ignored",
           "feeds/push/test_callback.py::test_flood_costs_a_query_each",
           "feeds/push/test_answers.py::test_ping_during_the_fetch_needs_another_poll",
           "feeds/push/test_answers.py::test_entry_that_the_hub_missed_returns_to_polling",
           "rssmanager/test_push.py::test_articles_arrive_within_seconds"),
    ),
    "Outages end without repairs": (
        _p("The database crashes or its connections vanish: pages report it, and work resumes by itself.",
           "faults/test_database_restarted.py::test_feeds_are_polled_again_by_schedule_alone",
           "faults/test_database_restarted.py::test_pages_report_it_and_work_resumes_by_itself"),
        _p("Redis is down: pages work, and requested tasks run after its return.",
           "faults/test_redis_gone.py::test_pages_work_and_requested_tasks_run_after_its_return"),
        _p("The mail server is down for hours: each email arrives once after its return.",
           "faults/test_mail_away.py::test_each_email_arrives_once_after_the_server_returns"),
        _p("The disk is full: pages report it and can be read, and work resumes once there is space.",
           "faults/test_disk_full.py::test_full_disk_is_reported_and_work_resumes_with_free_space",
           "rssmanager/middleware/test_error_pages.py::test_full_disk_is_reported",
           "digests/today/test_refresh.py::test_page_opens_on_a_read_only_database"),
        _p("The clock is set back by an hour, or ahead by a day: nothing is repeated, and nothing stops.",
           "faults/test_clock.py::test_clock_changes_repeat_and_stop_nothing",
           "rssmanager/server/test_clock_recovery.py::test_schedule_is_due_within_its_interval",
           "rssmanager/server/test_clock_recovery.py::test_lease_is_shortened_as_if_taken_now",
           "rssmanager/server/test_cluster.py::test_waiting_for_an_event_is_independent_of_the_clock"),
        _p("One connection in ten is cut: everything arrives in the end.",
           "faults/test_broken_servers.py::test_everything_arrives_despite_cut_connections"),
        _p("A response that never ends is cut off, and delays no other feed.",
           "faults/test_broken_servers.py::test_endless_responses_are_cut_off_and_delay_no_others"),
        _p("An article that crashes a worker is set aside, and blocks no other.",
           "faults/test_poison.py::test_crashing_article_is_given_up_and_blocks_no_others"),
        _p("An article that hangs a worker is set aside within minutes, and blocks no other, even with one worker.",
           "faults/test_poison.py::test_hanging_articles_are_set_aside_and_block_no_others",
           "feeds/storage/test_work_queue.py::test_hanging_articles_are_set_aside_after_all_others"),
        _p("A feed that crashes its parser blocks no other; a dead poller's leases are released by the next poll.",
           "faults/test_poison.py::test_feed_crashing_its_parser_blocks_no_others",
           "feeds/polling/test_crash_recovery.py::test_releases_all_leases_of_a_dead_process"),
        _p("Clients that don't finish their requests, or don't read the answers, delay nobody.",
           "attacks/test_connections.py::test_half_open_requests_keep_nobody_waiting",
           "attacks/test_connections.py::test_slow_readers_keep_nobody_waiting"),
        _p("Two clusters on one database handle no feed, digest or email twice.",
           "faults/test_two_clusters.py::test_no_feed_digest_or_email_is_handled_by_both"),
    ),
    "Administrators see what is going on": (
        _p("Health checks tell alive from ready, and respond without a database.",
           "rssmanager/operations/test_health_checks.py::test_alive_does_not_query_the_database",
           "rssmanager/operations/test_health_checks.py::test_checks_respond_without_database"),
        _p("Metrics count by route, never by URL, and take a constant number of queries.",
           "rssmanager/operations/test_metrics.py::test_counts_requests_by_route_not_by_url",
           "rssmanager/operations/test_metrics.py::test_each_web_process_counts_its_own_requests",
           "rssmanager/operations/test_metrics.py::test_scrape_takes_constant_queries"),
        _p("`doctor` checks everything that `docs/monitoring.md` lists.",
           "rssmanager/test_diagnosis.py::test_docs_list_every_check",
           "rssmanager/test_diagnosis.py::test_every_subject_has_one_check"),
        _p("Without a worker, the operations page reports that instead of everything that is late because of it.",
           "rssmanager/operations/test_operations.py::test_without_worker_only_that_is_reported_of_what_is_late"),
        _p("A failed task is shown with its reason and can be run again.",
           "rssmanager/operations/test_operations.py::test_reports_progress",
           "rssmanager/operations/test_operations.py::test_retries_failed_task"),
    ),
    "It runs in production": (
        _p("Everything works behind a proxy with TLS, at the root of a host and below a path.",
           "rssmanager/test_behind_proxy.py::test_everything_works_behind_nginx",
           "rssmanager/middleware/test_url_prefix.py::test_reader_pages_stay_within"),
        _p("Containers and services run unprivileged, can write only their data, and restart after a crash.",
           "rssmanager/test_containers.py::test_image_runs_unprivileged_with_one_data_folder",
           "rssmanager/test_containers.py::test_services_are_read_only_and_stop_in_time",
           "rssmanager/test_containers.py::test_services_restart_and_wait_for_dependencies",
           "rssmanager/test_installing.py::test_service_restarts_and_has_time_to_stop",
           "rssmanager/test_installing.py::test_systemd_verifies_units_as_well_confined"),
        _p("A stop signal ends all processes and their children.",
           "rssmanager/server/test_supervisor.py::test_signal_ends_all_processes_and_children"),
        _p("More workers poll no feed twice and duplicate no article.", "bench scaling"),
        _p("Over a long run, memory and response times don't grow.", "bench soak"),
        _p("Publishers that send a byte per second delay neither other polls nor what users wait for.",
           "feeds/test_slow_publishers.py::test_prompt_feeds_are_polled_despite_slow_ones",
           "feeds/test_slow_publishers.py::test_100_dripping_feeds_delay_no_others",
           "rssmanager/test_queueing.py::test_one_process_fills_both_queues",
           "rssmanager/test_queueing.py::test_minutes_without_a_free_worker_add_no_second_task", "bench slow"),
    ),
    "It is fast, and stays fast": (
        _p("A list takes about 30 ms with 100,000 articles, and stays usable with a million.",
           "bench pages", "bench retention"),
        _p("A search takes under 200 ms among 100,000 articles.", "bench search"),
        _p("The cost of an entry doesn't depend on the size of the archive.", "bench dedup"),
        _p("Pages stay within their size limits.", "rssmanager/test_weight.py"),
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
