"""Finds user-visible text in Python modules and scripts that bypasses gettext."""

import ast
import re
from collections.abc import Iterator

TRANSLATORS = frozenset({"_", "gettext", "ngettext", "pgettext", "npgettext"}) | {
    f"{name}_lazy" for name in ("gettext", "ngettext", "pgettext", "npgettext")
}
LAZY_ONLY = frozenset({"gettext", "ngettext", "pgettext", "npgettext"})  # too early at class level
MESSAGES = frozenset({"success", "info", "warning", "error", "debug", "message_user"})
SHOWN_ARGUMENTS = frozenset(
    {"label", "help_text", "error_messages", "verbose_name", "verbose_name_plural", "description", "search_help_text"}
)
CHOICES = frozenset({"TextChoices", "IntegerChoices"})
RELATIONS = frozenset({"OneToOneField", "ManyToManyField"})  # which begin with a model, not with their name
_WORD = re.compile(r"[^\W\d_]{2,}")
_IN_SCRIPT = re.compile(r"""(["'`])([A-Z][a-z]+(?:'[a-z]+)? [^"'`]*?)\1""")


def words_unwrapped(source: str) -> list[str]:
    """`line: text` for each visible text that isn't translated, or is wrapped in a way that prevents translation."""
    tree = ast.parse(source)
    errors = _errors_for_people(tree)
    findings = {*_shown(tree, errors), *_wrongly_wrapped(tree)}
    return [f"{line}: {text}" for line, text in sorted(findings)]


def words_in_script(source: str) -> list[str]:
    """Sentences in JavaScript; they belong in the template, in `data-` attributes."""
    code = "\n".join(line for line in source.splitlines() if not line.lstrip().startswith(("//", "*", "/*")))
    return [match[2] for match in _IN_SCRIPT.finditer(code)]


def _shown(tree: ast.Module, errors: set[str]) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name, owner = _names(node.func)
            if name in MESSAGES and (owner == "messages" or name == "message_user"):
                yield from _bare(node.args[1:2])
            if name not in ("add_argument", "add_parser"):
                yield from _bare(keyword.value for keyword in node.keywords if keyword.arg in SHOWN_ARGUMENTS)
            if owner == "models" and name.endswith("Field") and name not in RELATIONS:
                yield from _bare(arg for arg in node.args[:1] if isinstance(arg, ast.Constant | ast.JoinedStr))
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and _names(node.exc.func)[0] in errors:
            yield from _bare(node.exc.args[:1])
        elif isinstance(node, ast.Return) and isinstance(node.value, ast.Call):
            if _names(node.value.func)[0] in errors:
                yield from _bare(node.value.args[:1])
        elif isinstance(node, ast.ClassDef):
            yield from _in_class(node)


def _in_class(node: ast.ClassDef) -> Iterator[tuple[int, str]]:
    """Labels of choices, and names of models in `Meta`."""
    bases = {_names(base)[0] for base in node.bases}
    is_choices = bool(bases & CHOICES)
    arguments = (
        SHOWN_ARGUMENTS - {"label"} if "AppConfig" in bases else SHOWN_ARGUMENTS
    )  # an app's label is for code only
    for line in node.body:
        if isinstance(line, ast.Assign) and is_choices and isinstance(line.value, ast.Tuple):
            yield from _bare(line.value.elts[-1:])
        elif isinstance(line, ast.Assign) and is_choices and not isinstance(line.value, ast.Tuple):
            yield line.lineno, "a choice without a label"
        elif isinstance(line, ast.Assign) and any(_names(target)[0] in arguments for target in line.targets):
            yield from _bare([line.value])


def _errors_for_people(tree: ast.Module) -> set[str]:
    """Exceptions with user-visible messages: those imported from our `errors` modules, and Django's."""
    names = {"ValidationError"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").endswith("errors"):
            names |= {alias.name for alias in node.names}
    return names


def _wrongly_wrapped(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Texts assembled before translation, which no catalogue can contain, and texts translated at import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _names(node.func)[0] in TRANSLATORS:
            yield from (
                (node.lineno, ast.unparse(arg)) for arg in node.args if isinstance(arg, ast.JoinedStr | ast.BinOp)
            )
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            strange = [name for name in node.names if name.name in TRANSLATORS and name.asname not in (None, "_")]
            yield from ((node.lineno, f"makemessages does not know the name {alias.asname}") for alias in strange)
        if isinstance(node, ast.Call) and any(_names(arg)[0] in TRANSLATORS - {"_"} for arg in node.args):
            yield node.lineno, f"{ast.unparse(node)[:80]}: makemessages finds a text only where it is wrapped itself"
    aliases = _names_of_eager(tree)
    for scope in (tree, *(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))):
        for line in scope.body:
            if not isinstance(line, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                for node in _outside_functions(line):
                    if isinstance(node, ast.Call) and _names(node.func)[0] in aliases:
                        yield node.lineno, f"{ast.unparse(node)} is translated at import; take the lazy one"


def _names_of_eager(tree: ast.Module) -> set[str]:
    """The module's names for non-lazy translation functions."""
    return {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in LAZY_ONLY
    }


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.Lambda):
            yield from _outside_functions(child)


def _bare(nodes: "Iterator[ast.expr] | list[ast.expr]") -> Iterator[tuple[int, str]]:
    """Texts with words in these expressions that aren't translated."""
    for node in nodes:
        if isinstance(node, ast.Call) and _names(node.func)[0] in TRANSLATORS:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if _WORD.search(node.value):
                yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            text = "".join(str(value.value) for value in node.values if isinstance(value, ast.Constant))
            if _WORD.search(text):
                yield node.lineno, ast.unparse(node)
        elif isinstance(node, ast.Dict):
            yield from _bare(node.values)
        elif isinstance(node, ast.IfExp):
            yield from _bare([node.body, node.orelse])
        elif isinstance(node, ast.Tuple | ast.List):
            yield from _bare(node.elts)
        elif isinstance(node, ast.BoolOp):
            yield from _bare(node.values)
        elif isinstance(node, ast.BinOp):
            yield from _bare([node.left, node.right])


def _names(node: ast.expr) -> tuple[str, str]:
    """The last two names of a call or assignment target, last one first."""
    if isinstance(node, ast.Attribute):
        return node.attr, _names(node.value)[0]
    return (node.id, "") if isinstance(node, ast.Name) else ("", "")
