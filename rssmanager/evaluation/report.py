"""Measures as JSON, as a table for a terminal, and as the README's table over all labelled sets. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from rssmanager.evaluation.grouping import Evaluation, Measures
from rssmanager.evaluation.metrics import Scores

BEGIN_MARK = "<!-- evaluation -->"
END_MARK = "<!-- /evaluation -->"
DIGITS = 4  # of figures in JSON

_COLUMNS = ("pairs P", "R", "F1", "B³ P", "R", "F1", "V", "accuracy", "AP", "seconds", "threshold")

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """A labelled file that the README reports on; `language` restricts it, "" does not."""

    file: str
    name: str
    language: str = ""


SETS = (
    LabelledSet("scoop_ai_news_dedup_516.jsonl", "Scoop: AI news of 7 days, 516 items"),
    LabelledSet("ecbplus_docs.jsonl", "ECB+: 976 documents, two look-alike events a topic"),
    LabelledSet("uci_news_aggregator_first6k.jsonl", "UCI News Aggregator: 6,366 headlines of 3 days"),
    LabelledSet("tgcontest_same_event_pairs_en_ru.jsonl", "Telegram contest: 35 English pairs", "en"),
    LabelledSet("openclaw_newsroom_en_zh_240.jsonl", "Newsroom: 240 links, English and Chinese"),
)


class MarksMissing(ValueError):
    """The document does not say where the table belongs."""


def as_json(evaluation: Evaluation, policy: str) -> Json:
    """One object with the measures of `policy` at its top; of all under `policies` where more than one was measured."""
    of_all = {name: _without_blanks(asdict(measures)) for name, measures in evaluation.policies.items()}
    baselines = {name: _without_blanks(asdict(measures)) for name, measures in evaluation.baselines.items()}
    found: Json = {"n": evaluation.n, "malformed": evaluation.n_refused, "policy": policy, **of_all[policy]}
    found["baselines"] = baselines
    return {**found, "policies": of_all} if len(of_all) > 1 else found


def as_text(evaluation: Evaluation) -> str:
    """A title line and an aligned table, one row a policy or baseline, without columns that do not apply."""
    rows = {**evaluation.policies, **evaluation.baselines}
    cells = [("", *_COLUMNS), *((name, *_cells(measures)) for name, measures in rows.items())]
    columns = [column for column in zip(*cells, strict=True) if any(column[1:])]
    widths = [max(map(len, column)) for column in columns]
    lines = (
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip()
        for line in zip(*columns, strict=True)
    )
    kind = "pairs" if evaluation.is_pairs else "documents"
    refused = f", {evaluation.n_refused:,} lines refused" if evaluation.n_refused else ""
    return "\n".join([f"{evaluation.n:,} {kind}{refused}", *lines])


def as_markdown(found: Sequence[tuple[str, Mapping[str, Measures]]]) -> str:
    """A Markdown table: for each set two rows, pairs and B³, and for each method "F1 (precision / recall)".

    `found` holds the name of each set with the measures of each method, the same methods in the same order. What was
    given the best threshold for the set says so: "at 0.45".
    """
    methods = list(found[0][1]) if found else []
    lines = [_row("Set", "", *methods), _row("---", "---", *("---:" for _ in methods))]
    for name, measures in found:
        lines.append(_row(name, "pairs", *(_in_short(measures[method].pairs) for method in methods)))
        if any(measures[method].bcubed for method in methods):
            lines.append(_row("", "B³", *(_in_short(measures[method].bcubed) for method in methods)))
    return "\n".join(lines)


def with_table(document: str, table: str) -> str:
    """The document with the table between its marks, in place of what stood there.

    Raises:
        MarksMissing: there is no pair of marks.
    """
    before, begin, rest = document.partition(BEGIN_MARK)
    _, end, after = rest.partition(END_MARK)
    if not begin or not end:
        raise MarksMissing(f"no {BEGIN_MARK} followed by {END_MARK}")
    return f"{before}{begin}\n{table}\n{end}{after}"


def _cells(measures: Measures) -> tuple[str, ...]:
    thresholds = {f"{kind} {scores.threshold:g}" for kind, scores in _kinds(measures) if scores.threshold is not None}
    return (
        *_three(measures.pairs),
        *_three(measures.bcubed),
        _figure(measures.v_measure),
        _figure(measures.accuracy),
        _figure(measures.average_precision),
        "" if measures.seconds is None else f"{measures.seconds:.2f}",
        ", ".join(sorted(thresholds, reverse=True)),
    )


def _kinds(measures: Measures) -> list[tuple[str, Scores]]:
    return [(kind, scores) for kind, scores in (("pairs", measures.pairs), ("B³", measures.bcubed)) if scores]


def _three(scores: Scores | None) -> tuple[str, str, str]:
    return (_figure(scores.precision), _figure(scores.recall), _figure(scores.f1)) if scores else ("", "", "")


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _in_short(scores: Scores | None) -> str:
    if scores is None:
        return ""
    at = "" if scores.threshold is None else f" at {scores.threshold:g}"
    return f"{scores.f1:.2f} ({scores.precision:.2f} / {scores.recall:.2f}){at}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _without_blanks(found: Mapping[str, object]) -> Json:
    """The same without what is None, and figures rounded."""
    return {key: _plain(value) for key, value in found.items() if value is not None}


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return _without_blanks(value)
    return round(value, DIGITS) if isinstance(value, float) else value
