"""The security page names only tests that exist, and shows what a run of them gave."""

import ast
from collections import Counter
from datetime import date
from pathlib import Path

import pytest
from lxml.etree import fromstring

from rssmanager.env import PROJECT
from tests.security_page import (
    BEGIN,
    END,
    PAGE,
    Result,
    counted,
    named_files,
    named_tests,
    results,
    version_of,
    written,
)

TEXT = PAGE.read_text(encoding="utf-8")
TESTS = named_tests(TEXT)


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


def test_every_result_is_from_a_run_of_the_current_file() -> None:
    shown = results(TEXT)
    assert sorted(shown) == named_files(TEXT)
    stale = [row.file for row in shown.values() if not row.is_current]
    assert stale == [], "run python -m tests.security_page"


def test_every_result_is_good() -> None:
    assert {row.file: row.result for row in results(TEXT).values() if not row.is_good} == {}


@pytest.mark.parametrize(
    ("result", "is_good"),
    [
        ("12 passed", True),
        ("12 passed, 1 skipped", True),
        ("11 passed, 1 failed", False),
        ("1 failed", False),
        ("3 skipped", False),
        ("not run", False),
    ],
)
def test_only_passed_tests_are_a_good_result(result: str, is_good: bool) -> None:
    assert Result("tests/x.py", result, date(2026, 11, 28), "0").is_good is is_good


def test_result_of_another_version_is_stale() -> None:
    file = "tests/test_security_page.py"
    assert Result(file, "1 passed", date(2026, 11, 28), version_of(file)).is_current
    assert not Result(file, "1 passed", date(2026, 11, 28), "00000000").is_current


def test_counts_failures_and_errors_as_failed() -> None:
    report = """<testsuite>
      <testcase file="tests/a.py"/><testcase file="tests/a.py"><failure/></testcase>
      <testcase file="tests/a.py"><error/></testcase><testcase file="tests/b.py"><skipped/></testcase>
    </testsuite>"""
    assert counted(fromstring(report).iter("testcase")) == {
        "tests/a.py": Counter(passed=1, failed=2),
        "tests/b.py": Counter(skipped=1),
    }


def test_written_results_are_read_again() -> None:
    row = Result("tests/a.py", "2 passed", date(2026, 11, 28), "0123abcd")
    page = written(f"# Page\n\n`tests/a.py::test_x`\n\n{BEGIN}old{END}\nThe end\n", [row])
    assert results(page) == {"tests/a.py": row}
    assert named_tests(page) == [("tests/a.py", "test_x")]
    assert page.endswith(f"{END}\nThe end\n")


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
