"""The security page names only tests that exist, and the README links to it."""

import ast
import re
from pathlib import Path

import pytest

from rssmanager.env import PROJECT

PAGE = (PROJECT / "docs/security.md").read_text(encoding="utf-8")
TESTS = sorted(set(re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", PAGE)))


def functions(path: Path) -> set[str]:
    found = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {node.name for node in found if isinstance(node, ast.FunctionDef)}


def missing(named: list[tuple[str, str]]) -> list[str]:
    """The named tests that don't exist."""
    return [
        f"{file}::{name}"
        for file, name in named
        if not (PROJECT / file).is_file() or (name and name not in functions(PROJECT / file))
    ]


def test_every_named_test_exists() -> None:
    assert len(TESTS) > 40
    assert missing(TESTS) == []


@pytest.mark.parametrize("named", [("tests/none.py", ""), ("tests/test_security_page.py", "test_of_nothing")])
def test_finds_missing_test(named: tuple[str, str]) -> None:
    assert missing([named]) == ["::".join(named)]


def test_every_attack_is_on_the_page() -> None:
    attacks = {
        (f"tests/attacks/{path.name}", name)
        for path in (PROJECT / "tests/attacks").glob("test_*.py")
        for name in functions(path)
        if name.startswith("test_")
    }
    assert sorted(attacks - set(TESTS)) == []


def test_readme_links_to_it() -> None:
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    assert "(docs/security.md)" in readme
    assert "(SECURITY.md)" in readme
