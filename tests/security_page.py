"""Runs the tests that `docs/security.md` names, and writes their results into it.

`python -m tests.security_page` runs the files that changed since their last result; `--all` runs every file. A result
counts only for the file that was run: `test_security_page.py` compares the first digits of its SHA-256.
"""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

from rssmanager.env import PROJECT

PAGE = PROJECT / "docs" / "security.md"
BEGIN, END = "<!-- results: written by python -m tests.security_page -->\n", "<!-- end of results -->\n"
_HEAD = "| File | Result | Run on | Version |\n|---|---|---|---|\n"
_ROW = re.compile(r"\| `(?P<file>[\w/.]+)` \| (?P<result>[^|]+) \| (?P<day>[\d-]+) \| `(?P<version>\w+)` \|")
_NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


@dataclass(frozen=True, slots=True)
class Result:
    """What a run of one file gave, such as "12 passed", and which version of it ran."""

    file: str
    result: str
    day: date
    version: str

    @property
    def is_current(self) -> bool:
        return self.version == version_of(self.file)

    @property
    def is_good(self) -> bool:
        return re.fullmatch(r"[1-9]\d* passed(, \d+ skipped)?", self.result) is not None


def version_of(file: str) -> str:
    return sha256((PROJECT / file).read_bytes()).hexdigest()[:8]


def named_tests(page: str) -> list[tuple[str, str]]:
    """File and function of each test that the page names; "" stands for the whole file."""
    prose = page.partition(BEGIN)[0] + page.partition(END)[2]
    return sorted(set(_NAMED.findall(prose)))


def named_files(page: str) -> list[str]:
    return sorted({file for file, _ in named_tests(page)})


def results(page: str) -> dict[str, Result]:
    """The results on the page, by file."""
    rows = _ROW.finditer(page.partition(BEGIN)[2].partition(END)[0])
    return {
        row["file"]: Result(row["file"], row["result"], date.fromisoformat(row["day"]), row["version"]) for row in rows
    }


def run(files: Sequence[str], *, day: date) -> list[Result]:
    """Run these files, whatever tier their tests are in."""
    versions = {file: version_of(file) for file in files}
    with TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        tier = ["-m", "slow or not slow", "-n", "2", "--dist", "loadfile"]
        made = ["-o", "junit_family=xunit1", f"--junitxml={report}"]
        subprocess.run([sys.executable, "-m", "pytest", *tier, *made, *files], cwd=PROJECT, check=False)
        counts = counted(ElementTree.parse(report).iter("testcase"))  # noqa: S314 - pytest's own
    return [Result(file, _in_words(counts.get(file, Counter())), day, versions[file]) for file in files]


def counted(cases: Iterable[ElementTree.Element]) -> dict[str, Counter[str]]:
    """How many tests of each file passed, failed and were skipped."""
    counts: dict[str, Counter[str]] = {}
    for case in cases:
        bad = case.find("failure") is not None or case.find("error") is not None
        outcome = "failed" if bad else "skipped" if case.find("skipped") is not None else "passed"
        counts.setdefault(case.attrib["file"], Counter())[outcome] += 1
    return counts


def _in_words(counts: Counter[str]) -> str:
    return ", ".join(f"{counts[name]} {name}" for name in ("passed", "failed", "skipped") if counts[name]) or "not run"


def written(page: str, found: Iterable[Result]) -> str:
    """The page with these results in place of its earlier ones."""
    before, _, rest = page.partition(BEGIN)
    rows = "".join(f"| `{row.file}` | {row.result} | {row.day} | `{row.version}` |\n" for row in found)
    return f"{before}{BEGIN}\n{_HEAD}{rows}\n{END}{rest.partition(END)[2]}"


def main(arguments: Sequence[str], *, now: datetime) -> str:
    """Renew the page; return what failed."""
    page = PAGE.read_text(encoding="utf-8")
    known = (
        {} if "--all" in arguments else {f: row for f, row in results(page).items() if row.is_current and row.is_good}
    )
    files = named_files(page)
    if stale := [file for file in files if file not in known]:
        known |= {row.file: row for row in run(stale, day=now.date())}
    PAGE.write_text(written(page, [known[file] for file in files]), encoding="utf-8")
    return ", ".join(f"{row.file}: {row.result}" for row in known.values() if not row.is_good)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], now=datetime.now(UTC)) or 0)
