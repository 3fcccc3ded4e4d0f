"""The languages of the interface: English, and those with a compiled translation."""

from pathlib import Path

from django.conf.locale import LANG_INFO
from django.utils.translation import to_language

LOCALE = Path(__file__).resolve().parent / "locale"
CATALOGUE = Path("LC_MESSAGES") / "django.mo"
WRITTEN_IN = "en"


def languages_in(folder: Path) -> dict[str, str]:
    """Native names by code (`pt-br`), English first; `folder` has one folder per translation."""
    others = sorted(to_language(path.parent.parent.name) for path in folder.glob(f"*/{CATALOGUE}"))
    # A language that Django doesn't know is listed by its code.
    return {code: str(LANG_INFO.get(code, {}).get("name_local", code)) for code in dict.fromkeys((WRITTEN_IN, *others))}
