"""Articles of our own in seven languages with the summaries that they must give: the files in `summaries/`.

A file has a head (language, title, what no summary may contain, separated by `|`), then parts that begin with
`=== `: the text, a summary for each pair of limits, the line.
"""

from dataclasses import dataclass
from pathlib import Path

from digests.edition.kinds import Words

FOLDER = Path(__file__).parent / "summaries"


@dataclass(frozen=True)
class SummaryFile:
    """One file, read."""

    language: str
    title: str
    text: str
    never: tuple[str, ...]
    summaries: tuple[tuple[Words, str], ...]
    line: str


def read(path: Path) -> SummaryFile:
    """What a file holds."""
    head, *parts = path.read_text(encoding="utf-8").removesuffix("\n").split("\n=== ")
    fields = dict(line.split(": ", 1) if ": " in line else (line.rstrip(":"), "") for line in head.splitlines())
    bodies = {name: body for name, _, body in (part.partition("\n") for part in parts)}
    limits = [name for name in bodies if " to " in name]
    return SummaryFile(
        fields["language"],
        fields["title"],
        bodies["text"],
        tuple(filter(None, fields.get("never", "").split(" | "))),
        tuple((Words(*map(int, name.split(" to "))), bodies[name]) for name in limits),
        bodies["line"],
    )


FILES = {path.stem: read(path) for path in sorted(FOLDER.glob("*.txt"))}
