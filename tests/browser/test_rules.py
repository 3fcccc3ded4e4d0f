"""Building a rule in rows, with a preview."""

import pytest
from playwright.sync_api import expect

from reader.models import Rule
from tests.browser.conftest import Opener, Shelf


@pytest.mark.usefixtures("polled")
def test_builds_previews_and_saves_a_rule(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, "/rules/new/")
    rows = page.locator("[data-rule-row]")
    rows.first.get_by_label("Field").select_option("title")
    rows.first.get_by_label("Value").fill("Title")
    for n in (2, 3):
        page.get_by_role("button", name="Add a condition").click()
        expect(rows).to_have_count(n)
    rows.nth(1).get_by_role("button", name="Remove this condition").click()
    expect(rows).to_have_count(2)
    expect(rows.last.get_by_label("Value")).to_be_focused()
    rows.last.get_by_label("Value").fill("07")
    page.get_by_label("Star", exact=True).check()
    page.get_by_role("button", name="Try", exact=True).click()
    expect(page.get_by_role("heading", name="Matches 1 of your newest 12 articles")).to_be_visible()
    expect(page.locator("#preview [data-row]")).to_contain_text("Title 07")
    expect(rows).to_have_count(2)
    assert not Rule.objects.exists()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", name="Rules")).to_be_visible()
    assert Rule.objects.get(user=shelf.user).stars
