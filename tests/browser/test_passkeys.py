"""Passkeys in a real browser, with a virtual authenticator."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from rssmanager.authentication.models import BrowserSession, Passkey, RecoveryCode
from tests import make
from tests.browser.conftest import PHONE, Opener, Shelf

SETTINGS = "/settings/account/second-factor/"


@pytest.fixture(autouse=True)
def base_url(settings: Settings, live_server: LiveServer) -> None:
    settings.BASE_URL = live_server.url


def plug_in(page: Page, **options: Any) -> None:
    """Give the page a device with passkeys that has just verified its user."""
    device = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        **options,
    }
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": device})


@pytest.fixture
def page(opened: Opener, shelf: Shelf) -> Page:
    """Signed in, with a device, one passkey on it, and the recovery codes shown."""
    page = opened(shelf.user, SETTINGS, viewport=PHONE)
    plug_in(page)
    page.get_by_label("Name").fill("My phone")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    return page


def sign_out(page: Page) -> None:
    page.context.clear_cookies()
    page.goto("/login/")


def test_a_passkey_is_added_and_signs_in(page: Page) -> None:
    page.get_by_role("link", name="I've saved them").click()
    expect(page.get_by_role("strong").get_by_text("My phone")).to_be_visible()
    expect(page.get_by_text("not used yet")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    sign_out(page)
    page.goto("/starred/")
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page).to_have_url(re.compile(r":\d+/starred/$"))
    page.goto(SETTINGS)
    expect(page.get_by_text("last used")).to_be_visible()


def test_it_stands_in_for_a_code(page: Page) -> None:
    sign_out(page)
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("button", name="Use a passkey").click()
    expect(page).to_have_url(re.compile(r":\d+/$"))
    page.goto("/keys/")
    expect(page.get_by_role("heading", name="Keyboard shortcuts", exact=True).first).to_be_visible()


def test_it_confirms(page: Page) -> None:
    BrowserSession.objects.update(began_at=make.NOW)  # signing in is long ago
    page.goto(SETTINGS)
    page.get_by_role("button", name="Confirm with a passkey").click()
    expect(page.get_by_role("heading", name="Passkeys and second factor")).to_be_visible()


def test_one_device_gets_one_and_it_is_removed(page: Page) -> None:
    page.goto(SETTINGS)
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_text("This device may already have one.")).to_be_visible()
    page.get_by_role("button", name="Remove My phone").click()
    expect(page.get_by_text("Passkey removed.")).to_be_visible()
    assert (Passkey.objects.exists(), RecoveryCode.objects.exists()) == (False, False)


def test_a_device_that_verifies_nobody_is_refused(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, SETTINGS)
    plug_in(page, isUserVerified=False)
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_text("Your browser couldn't create a passkey.")).to_be_visible()
    assert not Passkey.objects.exists()


def test_without_scripts_no_button_is_dead(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, SETTINGS, java_script_enabled=False)
    expect(page.get_by_role("button", name="Add a passkey")).to_be_hidden()
    page = opened(None, "/login/", java_script_enabled=False)
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Sign in with a passkey")).to_be_hidden()
