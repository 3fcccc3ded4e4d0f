"""A table of cases as one test, which reports every case that fails."""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction

Test = Callable[..., None]
N_LETTERS = 300  # per case and failure in the list; tracebacks follow


def table(
    names: str | Sequence[str], cases: Iterable[Any], *, ids: Callable[[Any], object] | Iterable[str] = repr
) -> Callable[[Test], Test]:
    """Like `pytest.mark.parametrize`, but as one test: fixtures are set up once, and database changes of a case
    are rolled back before the next. Tables can be stacked. Worth it from about 20 cases."""
    parts = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    rows = [_row(case, len(parts)) for case in cases]
    labels = [_label(row, ids) for row in rows] if callable(ids) else list(ids)

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run_all(*args: Any, **fixtures: Any) -> None:
            failures: list[BaseException] = []
            lines: list[str] = []
            for label, row in zip(labels, rows, strict=True):
                try:
                    with _rolled_back():
                        test(*args, **dict(zip(parts, row.values, strict=True)), **fixtures)
                except pytest.skip.Exception:
                    raise AssertionError(f"{label}: leave it out of the table; a case can't be skipped") from None
                except (Exception, pytest.fail.Exception) as failure:  # noqa: BLE001 - raised below, with the others
                    failures.append(failure)
                    lines.append(f"{label}: {_reason(failure)}"[:N_LETTERS])
            if failures:
                summary = f"{len(failures)} of {len(rows)} cases failed"
                raise BaseExceptionGroup("\n".join([summary, *lines]), failures)

        parameters = inspect.signature(test).parameters.values()
        fixtures = [parameter for parameter in parameters if parameter.name not in parts]
        run_all.__signature__ = inspect.Signature(fixtures)  # type: ignore[attr-defined]
        return run_all if rows else pytest.mark.skip("the table is empty")(run_all)

    return decorate


def _row(case: Any, n_values: int) -> Any:
    if isinstance(case, type(pytest.param())):
        return case
    return pytest.param(case) if n_values == 1 else pytest.param(*case)


def _label(row: Any, ids: Callable[[Any], object]) -> str:
    return str(row.id or "-".join(str(ids(value)) for value in row.values))


def _reason(failure: BaseException) -> str:
    if isinstance(failure, BaseExceptionGroup):  # of a nested table
        return "; ".join(failure.message.splitlines())
    return f"{type(failure).__name__}: {str(failure).partition(chr(10))[0]}"


@contextmanager
def _rolled_back() -> Iterator[None]:
    if not connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
