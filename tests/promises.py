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
           f"{_SIGN_IN}/test_throttling.py::test_five_wrong_passwords_block_even_the_right_one",
           f"{_SIGN_IN}/test_throttling.py::test_stranger_does_not_lock_the_owner_out",
           f"{_SIGN_IN}/test_throttling.py::test_limits_names_per_address"),
        _p("Workers run this app's tasks only, whatever is in the queue, in Redis or in the schedule table.",
           "rssmanager/test_foreign_tasks.py::test_cluster_runs_only_our_tasks",
           "rssmanager/queueing/test_task_guard.py::test_foreign_task_is_refused_logged_and_shown",
           "rssmanager/queueing/test_task_guard.py::test_foreign_rows_are_removed_and_ours_queued",
           "rssmanager/queueing/test_task_packages.py::test_signed_pickle_is_not_unpickled",
           "rssmanager/test_admin_site.py::test_every_page_opens_and_queues_only_our_tasks",
           "rssmanager/queueing/test_allowed_tasks.py::test_exactly_the_tasks_in_the_code_are_allowed"),
        _p("A second factor is asked for by every way in, each code opens once, recovery codes are kept as digests.",
           f"{_SIGN_IN}/test_second_factor.py::test_password_alone_does_not_sign_in",
           f"{_SIGN_IN}/test_second_factor.py::test_code_works_once",
           f"{_SIGN_IN}/test_second_factor.py::test_recovery_codes_are_stored_hashed",
           f"{_SIGN_IN}/test_openid.py::test_second_factor_is_required"),
        _p("A passkey signs in by one answer to one challenge, at our own address, of a device that verified its user.",
           f"{_SIGN_IN}/test_passkeys.py::test_wrong_response_does_not_sign_in",
           f"{_SIGN_IN}/test_passkeys.py::test_response_works_once",
           "browser/test_passkeys.py::test_a_passkey_is_added_and_signs_in"),
        _p("Sessions are listed and can be ended one by one; what opens them cannot be read in the database.",
           f"{_SIGN_IN}/test_sessions.py::test_session_shows_user_browser_and_address",
           f"{_SIGN_IN}/test_sessions.py::test_stored_hash_does_not_open_it",
           f"{_SIGN_IN}/test_sessions.py::test_signing_in_replaces_the_session"),
        _p("An unlocked browser is not enough to take an account over; its owner is told and can undo it for 7 days.",
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
        _p("OpenID Connect takes no wrong issuer, audience, nonce, time or signature, and no account by its address.",
           f"{_SIGN_IN}/test_openid.py::test_wrong_claim_changes_nothing",
           f"{_SIGN_IN}/test_openid.py::test_invalid_signature_changes_nothing",
           f"{_SIGN_IN}/test_openid.py::test_email_alone_matches_no_account"),
        _p("A header of a proxy signs in only where that is set, and only from a trusted address.",
           f"{_SIGN_IN}/test_remote_user.py::test_header_is_ignored_when_disabled",
           f"{_SIGN_IN}/test_remote_user.py::test_is_not_trusted",
           f"{_SIGN_IN}/test_remote_user.py::test_server_drops_header_with_underscore"),
        _p("No page leads to another site, and no mail is made of what a request calls the reader.",
           "reader/test_views_access.py::test_redirects_to_no_other_site",
           f"{_SIGN_IN}/test_views_password.py::test_email_links_ignore_the_requests_host"),
        _p("Of another person's things nobody sees or changes any, at any address; changes need a token.",
           "reader/test_views_access.py::test_other_users_find_and_change_nothing",
           "reader/test_views_access.py::test_table_is_complete",
           "reader/test_views_access.py::test_changes_need_a_csrf_token"),
        _p("Nothing secret is logged: no password, token, key or address with credentials, by no process.",
           "rssmanager/monitoring/test_logs.py::test_pages_and_polls_log_no_secret",
           "rssmanager/monitoring/test_logs.py::test_real_server_logs_no_token"),
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
           "rssmanager/middleware/test_security_headers.py::test_reader_responses_have_all_headers",
           "rssmanager/middleware/test_security_headers.py::test_deployment_check_passes_with_https"),
        _p("A name, title, author or link of a feed is text on every page, in mail, in feeds and in exported lists.",
           "rssmanager/test_hostile_words.py::test_is_escaped_on_every_page",
           "rssmanager/test_hostile_words.py::test_exported_list_contains_only_web_urls",
           "rssmanager/test_hostile_words.py::test_is_escaped_in_mail_and_digest_feed"),
        _p("No feed, list, archive or text takes more than its share of memory or time, however it is made.",
           "feeds/test_bombs.py::test_limits_the_cost_of_a_feed",
           "feeds/test_bombs.py::test_limits_the_cost_of_a_subscription_list",
           "feeds/test_bombs.py::test_limits_the_size_of_an_unpacked_body",
           "feeds/test_bombs.py::test_no_regular_expression_runs_long",
           "test_patterns.py::test_no_pattern_takes_polynomial_time"),
        _p("Nothing outside a document is read.", "feeds/test_bombs.py::test_reads_nothing_outside_the_document"),
        _p("No address that somebody names leads into a private network, by whatever spelling, name, hop or door.",
           "feeds/fetching/test_ssrf_guard.py::test_other_addresses_do_not",
           "feeds/fetching/test_ssrf_guard.py::test_no_spelling_reaches_localhost",
           "feeds/fetching/test_ssrf_guard.py::test_every_hop_is_checked",
           "feeds/fetching/test_ssrf_guard.py::test_a_name_is_resolved_only_once",
           "rssmanager/test_doors.py::test_no_connection_reaches_this_machine"),
        _p("Whatever is read from outside was fuzzed, and what was found stays mended (`make fuzz`).",
           "fuzzing/test_targets.py::test_what_must_hold_holds_for_any_case",
           "fuzzing/test_targets.py::test_what_was_found_stays_mended"),
    ),
    "Nothing is lost and nothing doubled": (
        _p("A worker that is killed, at any stage, leaves nothing undone and nothing twice.",
           "faults/test_killing.py::test_kills_in_every_stage_lose_and_duplicate_nothing",
           "faults/test_killing.py::test_killed_idle_worker_does_not_block_others",
           "rssmanager/test_workers.py::test_killed_worker_loses_nothing",
           "feeds/test_order_of_arrival.py::test_killed_workers_lose_and_repeat_nothing"),
        _p("Two workers with the same articles end with one of each.",
           "rssmanager/test_workers.py::test_two_workers_store_each_article_once"),
        _p("A mail is sent once, whatever breaks: before the server has it all it is tried again, afterwards never.",
           "digests/delivery/test_sending.py::test_failure_before_data_is_retried",
           "digests/delivery/test_sending.py::test_without_an_answer_to_the_dot_it_is_not_sent_again",
           "digests/delivery/test_sending.py::test_email_of_a_dead_worker_is_uncertain"),
        _p("An article that a rule sends to a URL is signed, keeps its id for every try, and survives a killed worker.",
           "reader/send_to/test_webhooks.py::test_sends_a_signed_request",
           "reader/send_to/test_webhooks.py::test_an_article_is_sent_once",
           "reader/send_to/test_webhooks.py::test_is_retried_with_the_same_id_and_a_new_time",
           "reader/send_to/test_webhooks.py::test_is_sent_again_after_a_worker_died",
           "reader/send_to/test_webhooks.py::test_a_transaction_that_fails_sends_nothing"),
        _p("A backup is of one moment, made while everything goes on, and comes back wholly or not at all.",
           "rssmanager/test_backup.py::test_is_consistent_during_writes",
           "rssmanager/test_backup.py::test_restores_everything_into_an_empty_folder",
           "rssmanager/test_backup.py::test_killed_restore_leaves_old_or_new_data",
           "rssmanager/test_backup.py::test_killed_right_after_restoring_sends_no_email_twice",
           "rssmanager/test_backup.py::test_full_disk_leaves_nothing_behind"),
        _p("What is kept no longer goes in short steps, takes nothing along that somebody holds dear, and stays away.",
           "reader/subscriptions/test_purge.py::test_keeps_articles_valued_by_any_user",
           "reader/test_purging_steps.py::test_killed_within_a_chunk_rolls_it_back",
           "reader/test_purging_steps.py::test_cost_of_a_step_is_independent_of_feed_size",
           "feeds/storage/test_purge.py::test_what_was_purged_does_not_come_back",
           "bench retention"),
        _p("A hub can make us poll and nothing else, and its announcements survive a killed worker.",
           "feeds/push/test_callback.py::test_wrong_signature_is_ignored",
           "feeds/push/test_callback.py::test_flood_costs_a_query_each",
           "feeds/push/test_answers.py::test_ping_during_the_fetch_needs_another_poll",
           "feeds/push/test_answers.py::test_entry_that_the_hub_missed_returns_to_polling",
           "rssmanager/test_push.py::test_articles_arrive_within_seconds"),
    ),
    "What breaks is waited out": (
        _p("The database crashes or its connections vanish: pages say so, and all goes on by itself.",
           "faults/test_database_restarted.py::test_feeds_are_polled_again_by_schedule_alone",
           "faults/test_database_restarted.py::test_pages_report_it_and_work_resumes_by_itself"),
        _p("Redis is gone: pages are served, and what is asked is done when it is back.",
           "faults/test_redis_gone.py::test_pages_work_and_requested_tasks_run_after_its_return"),
        _p("The mail server is away for hours: mail comes late, once, and tried as often as promised.",
           "faults/test_mail_away.py::test_each_email_arrives_once_after_the_server_returns"),
        _p("The disk is full: pages say so, what is kept is sound and can be read, all goes on once there is room.",
           "faults/test_disk_full.py::test_full_disk_is_reported_and_work_resumes_with_free_space",
           "rssmanager/middleware/test_error_pages.py::test_full_disk_is_reported",
           "digests/today/test_refresh.py::test_page_opens_on_a_read_only_database"),
        _p("The clock is set back by an hour, or ahead by a day: nothing is done twice, and nothing stands still.",
           "faults/test_clock.py::test_clock_changes_repeat_and_stop_nothing",
           "rssmanager/server/test_clock_recovery.py::test_schedule_is_due_within_its_interval",
           "rssmanager/server/test_clock_recovery.py::test_lease_is_shortened_as_if_taken_now",
           "rssmanager/server/test_cluster.py::test_waiting_for_an_event_is_independent_of_the_clock"),
        _p("One connection in ten is cut: everything comes in the end.",
           "faults/test_broken_servers.py::test_everything_arrives_despite_cut_connections"),
        _p("A feed that never ends is cut off, and keeps nobody waiting.",
           "faults/test_broken_servers.py::test_endless_responses_are_cut_off_and_delay_no_others"),
        _p("An article that crashes its reader is set aside, and holds up nobody.",
           "faults/test_poison.py::test_crashing_article_is_given_up_and_blocks_no_others"),
        _p("An article that hangs its reader is set aside in minutes, and holds up nobody, with one worker either.",
           "faults/test_poison.py::test_hanging_articles_are_set_aside_and_block_no_others",
           "feeds/storage/test_work_queue.py::test_hanging_articles_are_set_aside_after_all_others"),
        _p("A feed that crashes its parser waits, and holds up nobody; what a dead poller held is given back at once.",
           "faults/test_poison.py::test_feed_crashing_its_parser_blocks_no_others",
           "feeds/polling/test_crash_recovery.py::test_releases_all_leases_of_a_dead_process"),
        _p("Two clusters on one database poll, make and send everything once.",
           "faults/test_two_clusters.py::test_no_feed_digest_or_email_is_handled_by_both"),
    ),
    "An operator sees what goes on": (
        _p("Probes tell alive from ready, and answer while the database does not.",
           "rssmanager/monitoring/test_health_checks.py::test_alive_does_not_query_the_database",
           "rssmanager/monitoring/test_health_checks.py::test_checks_respond_without_database"),
        _p("Metrics count by route and never by address, over all processes, and cost the same however much there is.",
           "rssmanager/monitoring/test_metrics.py::test_counts_requests_by_route_not_by_url",
           "rssmanager/monitoring/test_metrics.py::test_counts_across_two_web_processes",
           "rssmanager/monitoring/test_metrics.py::test_scrape_takes_constant_queries"),
        _p("`doctor` finds the problems that `docs/monitoring.md` lists, each made in a test.",
           "rssmanager/test_diagnosis.py::test_docs_list_every_check",
           "rssmanager/test_diagnosis.py::test_every_subject_has_one_check"),
        _p("The operations page begins with what doesn't work and what to do about it.",
           "rssmanager/monitoring/test_operations.py::test_without_worker_only_that_is_reported_of_what_is_late"),
        _p("A task that failed is seen with its reason and can be run again.",
           "rssmanager/monitoring/test_operations.py::test_reports_progress",
           "rssmanager/monitoring/test_operations.py::test_retries_failed_task"),
    ),
    "It can be installed for good": (
        _p("Everything works behind a proxy with TLS, at the root of a host and below a path.",
           "rssmanager/test_behind_proxy.py::test_everything_works_behind_nginx",
           "rssmanager/middleware/test_url_prefix.py::test_reader_pages_stay_within"),
        _p("Containers and services run as nobody in particular, may write only their data, and come up again.",
           "rssmanager/test_containers.py::test_image_runs_unprivileged_with_one_data_folder",
           "rssmanager/test_containers.py::test_services_are_read_only_and_stop_in_time",
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
