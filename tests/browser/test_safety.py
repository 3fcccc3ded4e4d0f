"""The Content Security Policy in a browser: only scripts served as files of this site run."""

import pytest
from playwright.sync_api import expect

from tests import make
from tests.browser.conftest import Opener, Watch

TRY = """async (what) => {
  const tried = {
    script: () => document.head.appendChild(Object.assign(document.createElement("script"), {src: "/elsewhere.js"})),
    foreign: () => document.head.appendChild(Object.assign(document.createElement("script"), {src: "https://x.example/"})),
    inline: () => document.head.appendChild(Object.assign(document.createElement("script"), {text: "window.hit = 1"})),
    handler: () => { document.body.insertAdjacentHTML("beforeend", "<img src='data:,' onerror='window.hit = 1'>"); },
    policy: () => trustedTypes.createPolicy("another", {createScript: (text) => text}),
  };
  try { await tried[what](); } catch (error) { return error.name; }
  await new Promise((done) => setTimeout(done, 200));
  return window.hit ? "ran" : "quiet";
}"""
REFUSED = {
    "script": "TypeError", "foreign": "TypeError", "inline": "TypeError", "handler": "quiet", "policy": "TypeError"
}  # fmt: skip


@pytest.mark.parametrize("path", ["/all/", "/admin/"])
def test_nothing_is_run_that_is_no_file_of_ours(opened: Opener, watch: Watch, path: str) -> None:
    page = opened(make.user(is_staff=True, is_superuser=True), path)
    assert {what: page.evaluate(TRY, what) for what in REFUSED} == REFUSED
    watch.complaints.clear()  # the browser said so in its console, which is right here


def test_the_admin_still_works_with_it(opened: Opener) -> None:
    feed = make.feed(title="Harbour Post")
    page = opened(make.user(is_staff=True, is_superuser=True), f"/admin/feeds/feed/{feed.pk}/change/")
    page.get_by_label("Max items").fill("50")
    page.get_by_role("button", name="Save and continue editing").click()
    expect(page.get_by_text("was changed successfully")).to_be_visible()
    feed.refresh_from_db()
    assert feed.max_items == 50
