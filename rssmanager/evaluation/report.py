"""Measures as JSON, as a table for a terminal, and as the table of all labelled sets in `docs/evaluation.md`. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from rssmanager.evaluation.dedup import Evaluation, Measures
from rssmanager.evaluation.metrics import Scores
from rssmanager.evaluation.output import aligned, refused_text, rounded

BEGIN_MARK = "<!-- evaluation -->"
END_MARK = "<!-- /evaluation -->"

_COLUMNS = ("pairs P", "R", "F1", "B³ P", "R", "F1", "V", "accuracy", "AP", "seconds", "threshold")

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """A labelled file in the table; only documents in `language`, "" for all."""

    file: str
    name: str
    language: str = ""


SETS = (
    LabelledSet("scoop_ai_news_dedup_516.jsonl", "Scoop: AI news of 7 days, 516 items"),
    LabelledSet("ecbplus_docs.jsonl", "ECB+: 976 documents, two look-alike events per topic"),
    LabelledSet("uci_news_aggregator_first6k.jsonl", "UCI News Aggregator: 6,366 headlines of 3 days"),
    LabelledSet("tgcontest_same_event_pairs_en_ru.jsonl", "Telegram contest: 35 English pairs", "en"),
    LabelledSet("openclaw_newsroom_en_zh_240.jsonl", "Newsroom: 240 links, English and Chinese"),
)


class MarksMissing(ValueError):
    """The document has no marks for the table."""


def as_json(evaluation: Evaluation, policy: str) -> Json:
    """A JSON object with the measures of `policy`, and of all `policies` if several were measured."""
    of_all = {name: rounded(asdict(measures)) for name, measures in evaluation.policies.items()}
    baselines = {name: rounded(asdict(measures)) for name, measures in evaluation.baselines.items()}
    found: Json = {"n": evaluation.n, "malformed": evaluation.n_refused, "policy": policy, **of_all[policy]}
    found["baselines"] = baselines
    return {**found, "policies": of_all} if len(of_all) > 1 else found


def as_text(evaluation: Evaluation) -> str:
    """A title line and an aligned table, one row per policy or baseline, without columns that don't apply."""
    rows = {**evaluation.policies, **evaluation.baselines}
    cells = [("", *_COLUMNS), *((name, *_cells(measures)) for name, measures in rows.items())]
    columns = [column for column in zip(*cells, strict=True) if any(column[1:])]
    kind = "pairs" if evaluation.is_pairs else "documents"
    title = f"{evaluation.n:,} {kind}{refused_text(evaluation.n_refused)}"
    return "\n".join([title, *aligned(zip(*columns, strict=True))])


def as_markdown(found: Sequence[tuple[str, Mapping[str, Measures]]]) -> str:
    """A Markdown table: for each set two rows, pairs and B³, and for each method "F1 (precision / recall)".

    `found` holds the name of each set with the measures of each method, the same methods in the same order. Methods
    with the best threshold show it: "at 0.45".
    """
    methods = list(found[0][1]) if found else []
    lines = [_row("Set", "", *methods), _row("---", "---", *("---:" for _ in methods))]
    for name, measures in found:
        lines.append(_row(name, "pairs", *(_in_short(measures[method].pairs) for method in methods)))
        if any(measures[method].bcubed for method in methods):
            lines.append(_row("", "B³", *(_in_short(measures[method].bcubed) for method in methods)))
    return "\n".join(lines)


def with_table(document: str, table: str) -> str:
    """The document with the table between its marks replaced.

    Raises:
        MarksMissing: the marks are missing.
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
