"""`export_data` and `import_data`."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests import make
from tests.rssmanager.accounts.filled import document, person

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_exports_and_imports(tmp_path: Path) -> None:
    user, other = person(), make.user("bob", email="bob@example.org")
    file = str(tmp_path / "ada.zip")
    assert "bytes." in run("export_data", "ada", file)
    assert run("import_data", "bob", file) == "29 lines processed, 0 refused.\n"
    assert len(document(other)) == len(document(user))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("export_data", "nobody", "x.zip"), "No user is called nobody"),
        (("export_data", "ada", "/nowhere/x.zip"), "can't be written"),
        (("import_data", "ada", "/nowhere/x.zip"), "can't be read"),
        (("import_data", "ada", __file__), "not an export of RSS Manager"),
    ],
    ids=["nobody", "no folder", "no file", "not ours"],
)
def test_reports_errors(arguments: tuple[str, ...], says: str) -> None:
    make.user("ada")
    with pytest.raises(CommandError, match=says):
        run(*arguments)
