"""The languages of the interface: English, which it is written in, and each that has a compiled catalogue here."""

from pathlib import Path

from django.conf.locale import LANG_INFO
from django.utils.translation import to_language

LOCALE = Path(__file__).resolve().parent / "locale"
CATALOGUE = Path("LC_MESSAGES") / "django.mo"
WRITTEN_IN = "en"


def languages_in(folder: Path) -> dict[str, str]:
    """Their names in themselves by code (`pt-br`), English first; `folder` holds one folder for each of the others."""
    others = sorted(to_language(path.parent.parent.name) for path in folder.glob(f"*/{CATALOGUE}"))
    return {code: _name(code) for code in dict.fromkeys((WRITTEN_IN, *others))}


def _name(code: str) -> str:
    """What the language calls itself; its code where Django does not know it."""
    return str(LANG_INFO.get(code, {}).get("name_local", code))
