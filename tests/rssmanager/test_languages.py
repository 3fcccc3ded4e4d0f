"""Available languages: English, and those with a compiled catalogue."""

from pathlib import Path

from rssmanager.languages import LOCALE, languages_in


def _catalogue(folder: Path, name: str, kind: str) -> None:
    path = folder / name / "LC_MESSAGES" / f"django.{kind}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


def test_english_needs_no_catalogue(tmp_path: Path) -> None:
    assert languages_in(tmp_path / "none") == {"en": "English"}


def test_language_is_available_once_compiled(tmp_path: Path) -> None:
    _catalogue(tmp_path, "fr", "po")
    for name in ("pt_BR", "de", "tlh"):
        _catalogue(tmp_path, name, "mo")
    assert list(languages_in(tmp_path).items()) == [
        ("en", "English"),
        ("de", "Deutsch"),
        ("pt-br", "Português Brasileiro"),
        ("tlh", "tlh"),
    ]


def test_every_translation_is_compiled() -> None:
    written = LOCALE.glob("*/LC_MESSAGES/*.po")
    assert [path.name for path in written if not path.with_suffix(".mo").is_file()] == [], "run make messages"
