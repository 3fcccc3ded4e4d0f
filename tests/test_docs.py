"""The documentation has valid links and lists every command."""

import re

from django.core.management import get_commands

from rssmanager.env import PROJECT

PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))]
OURS = ("feeds", "reader", "digests", "rssmanager")


def test_every_link_target_exists() -> None:
    links = [
        (page, link) for page in PAGES for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    ]
    assert len(links) > len(PAGES)
    assert [f"{page.name}: {link}" for page, link in links if not (page.parent / link).exists()] == []


def test_every_page_is_linked_from_the_readme() -> None:
    readme = PAGES[0].read_text(encoding="utf-8")
    assert [page.name for page in PAGES[1:] if f"(docs/{page.name})" not in readme] == []


def test_every_command_is_documented() -> None:
    text = (PROJECT / "docs/commands.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"`([a-z_]+)", text))
    ours = {name for name, app in get_commands().items() if app.startswith(OURS)}
    assert ours - documented - {"qcluster"} == set()


def test_readme_is_short() -> None:
    assert len(PAGES[0].read_text(encoding="utf-8").splitlines()) <= 150
