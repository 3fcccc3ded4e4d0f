"""The table of allowed tasks matches exactly what the code queues, and each is a function."""

import ast
import inspect
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest

from feeds.tasks.enqueue import URGENT
from rssmanager.env import PROJECT
from rssmanager.queueing.allowed_tasks import ALLOWED_TASKS, ON_REQUEST, find_function
from rssmanager.schedules import RECURRING

CALLERS = {"call_worker", "async_task"}
PASSED_ON = {"feeds/tasks/enqueue.py", "rssmanager/operations/views.py"}  # a name that was checked, or is checked here


def module_paths() -> list[Path]:
    return [path for app in ("feeds", "reader", "digests", "rssmanager") for path in (PROJECT / app).rglob("*.py")]


def first_arguments(tree: ast.AST) -> Iterator[ast.expr]:
    """The first arguments of `call_worker(NAME, …)`, `async_task(NAME, …)` and `partial(async_task, NAME, …)`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = [node.func, *node.args]
            for function, argument in pairwise(called):
                if isinstance(function, ast.Name) and function.id in CALLERS:
                    yield argument


def names_in(path: Path) -> set[str]:
    place = path.relative_to(PROJECT)
    names = set()
    for argument in first_arguments(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(argument, ast.Constant):
            names.add(argument.value)
        elif isinstance(argument, ast.Name) and argument.id.isupper():
            names.add(getattr(import_module(".".join(place.with_suffix("").parts)), argument.id))
        else:
            assert str(place) in PASSED_ON, f"{place} queues a task whose name can't be read in the code"
    return names


def test_exactly_the_tasks_in_the_code_are_allowed() -> None:
    asked_for = set().union(*map(names_in, module_paths()))
    assert asked_for - {schedule.task for schedule in RECURRING} == ON_REQUEST


def test_urgent_tasks_are_allowed() -> None:
    assert URGENT <= ALLOWED_TASKS


def test_every_allowed_name_is_a_function() -> None:
    assert [name for name in sorted(ALLOWED_TASKS) if not inspect.isfunction(find_function(name))] == []


@pytest.mark.parametrize(
    "name", ["subprocess.check_output", "feeds.tasks.polling", "", None, ["feeds.tasks.polling.poll"], print]
)
def test_rejects_other_names(name: object) -> None:
    assert find_function(name) is None
