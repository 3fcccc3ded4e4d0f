"""Every address with every method: by nobody, another user, its owner without a token; and what reading changes."""

from collections import defaultdict
from hashlib import sha256

import pytest
import requests

from tests.attacks.addresses import BY_TOKEN, PUBLIC, Address, addresses
from tests.attacks.filling import SECRET
from tests.attacks.site import Browser, Site
from tests.attacks.state import Changes, changed, state_of

SAFE, UNSAFE = ("GET", "HEAD", "OPTIONS"), ("POST", "PUT", "DELETE", "PATCH")
OPEN = PUBLIC | BY_TOKEN
# What reading changes for the one who reads, each as SPEC has it. Scanners of mail have no session and never get there.
WRITTEN_BY_READING = {
    # §9: opening an article marks it read and teaches the user's own profile.
    "article": {
        "feeds_article",
        "reader_articlestate",
        "reader_delivery",
        "reader_engagement",
        "reader_interestprofile",
        "reader_interestterm",
        "reader_subscription",  # its count of unread articles
    },
    # §13: the front page is made again by a worker for those who look at it.
    "today": {"digests_digest", "django_q_ormq"},
    "private_feed": {"digests_privatefeed"},  # when the address was last used, shown in the settings
}
# Of these, what HEAD may write too: caches, and notes that something was looked at.
WRITTEN_BY_HEAD = {
    "feeds_article",  # the sanitized body is kept when an article is first shown
    "digests_digest",
    "digests_privatefeed",
    "django_q_ormq",
}


@pytest.fixture(scope="module")
def every(site: Site) -> list[Address]:
    site.rows["session"] = sha256(site.victim.session_key.encode()).hexdigest()
    return addresses(site.rows)


def _refusals(answer: requests.Response, address: Address) -> str:
    """Why the answer is not a refusal; "" where it is one: sign-in page, forbidden, not found, wrong method."""
    if SECRET in answer.text:
        return "shows what belongs to the victim"
    if answer.status_code == 302:
        target = answer.headers["Location"]
        return "" if target.startswith(("/login/", "/admin/login/")) else f"leads to {target}"
    return "" if answer.status_code in (403, 404, 405) else f"answers {answer.status_code}"


def test_the_table_reaches_every_address(every: list[Address]) -> None:
    assert len(every) > 270
    assert {address.name for address in every} >= OPEN
    assert sum(address.is_of_victim for address in every) > 40


def test_the_victim_sees_what_others_must_not(site: Site, every: list[Address]) -> None:
    """Or looking for the word would prove nothing."""
    theirs = [each for each in every if each.is_of_victim and not each.is_admin]
    assert sum(SECRET in site.victim.get(each.path).text for each in theirs) > 15


def test_nobody_gets_in_by_any_method(site: Site, every: list[Address]) -> None:
    browser, wrong = site.browser(), []
    token = browser.token("/login/")
    before = state_of(site.reader)
    for address in every:
        if address.name in OPEN:
            continue
        for method in SAFE + UNSAFE:
            for given in ({}, {"X-CSRFToken": token}) if method in UNSAFE else ({},):
                why = _refusals(browser.ask(method, address.path, headers=given), address)
                if why:
                    wrong.append((method, address.path, why))
    assert wrong == []
    assert changed(before, state_of(site.reader)) == []


def test_public_pages_show_nothing_of_anybody(site: Site, every: list[Address]) -> None:
    browser = site.browser()
    shown = [address.path for address in every if address.name in PUBLIC and SECRET in browser.get(address.path).text]
    assert shown == []


def test_another_user_finds_nothing(site: Site, every: list[Address]) -> None:
    browser, wrong = site.mallory, []
    token = browser.token("/settings/account/")
    before = state_of(site.reader)
    for address in every:
        if not address.is_of_victim and not address.is_admin:
            continue
        for method in SAFE + UNSAFE:
            given = {"X-CSRFToken": token} if method in UNSAFE else {}
            why = _refusals(browser.ask(method, address.path, headers=given), address)
            if why:
                wrong.append((method, address.path, why))
    assert wrong == []
    assert changed(before, state_of(site.reader)) == []


def test_another_users_own_pages_show_nothing_of_the_victim(site: Site, every: list[Address]) -> None:
    ours = [each for each in every if not each.is_of_victim and not each.is_admin and each.name not in BY_TOKEN]
    wrong = [each.path for each in ours if SECRET in site.mallory.get(each.path).text]
    searched = site.mallory.get(f"/search/?q={SECRET}").text
    assert wrong == []
    assert "zqsecret" in searched  # what was typed
    assert "/articles/" not in searched


def test_other_peoples_numbers_in_a_form_are_refused(site: Site) -> None:
    """CommaFeed's GHSA-prfv-88mm-5gpg: starring somebody else's entry made it readable."""
    browser, number = site.mallory, site.rows["numbers"]["articles"]
    token = browser.token("/settings/account/")
    before = state_of(site.reader)
    forms = {
        "/feeds/acts/": {"feed": str(site.rows["numbers"]["feeds"]), "act": "unfollow"},
        "/seen/": {"article": str(number), "articles": str(number), "pk": str(number)},
        "/tags/": {"article": str(number)},
    }
    for path, form in forms.items():
        browser.ask("POST", path, data={"csrfmiddlewaretoken": token, **form})
    assert changed(before, state_of(site.reader)) == []
    assert browser.get(f"/articles/{number}/").status_code == 404


@pytest.mark.parametrize("name", ["victim", "admin"])
def test_without_a_token_nothing_is_changed(site: Site, every: list[Address], name: str) -> None:
    browser: Browser = getattr(site, name)
    tokens = {None: {}, "wrong": {"X-CSRFToken": "a" * 64}, "foreign origin": {"Origin": "http://evil.example"}}
    wrong, before = [], state_of(site.reader)
    for address in every:
        if address.name in BY_TOKEN:
            continue
        for method in UNSAFE:
            for why, headers in tokens.items() if method == "POST" else [(None, {})]:
                status = browser.ask(method, address.path, headers=headers).status_code
                if status not in (403, 404, 405):
                    wrong.append((method, address.path, why, status))
    assert wrong == []
    assert changed(before, state_of(site.reader)) == []


@pytest.mark.parametrize("name", ["victim", "admin"])
def test_reading_changes_nothing_but_what_is_listed(site: Site, every: list[Address], name: str) -> None:
    browser: Browser = getattr(site, name)
    found: defaultdict[str, set[str]] = defaultdict(set)
    with Changes(site.reader) as changes:
        for address in every:
            if address.is_admin and name == "victim":
                continue
            for method in ("HEAD", "OPTIONS", "GET"):
                status = browser.ask(method, address.path).status_code
                assert status < 500, (method, address.path)
                allowed = WRITTEN_BY_READING.get(address.name, set())
                allowed = {"GET": allowed, "HEAD": allowed & WRITTEN_BY_HEAD}.get(method, set())
                if tables := changes.since() - allowed:
                    found[f"{method} {address.path}"] = tables
    assert found == {}
