"""The signing key that an installation makes for itself when none is given."""

import os
from pathlib import Path

from django.core.management.utils import get_random_secret_key


def read_or_make_key(folder: Path) -> str:
    """The key kept in `folder`/secret_key, made on first use with mode 0600; safe when two processes start at once."""
    path = folder / "secret_key"
    folder.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        draft = folder / f"secret_key.{os.getpid()}"
        draft.touch(mode=0o600)
        draft.write_text(get_random_secret_key(), encoding="utf-8")
        try:
            os.link(draft, path)  # atomic: whoever links first wins, the other reads the winner's key
        except FileExistsError:
            return path.read_text(encoding="utf-8").strip()
        finally:
            draft.unlink()
    return path.read_text(encoding="utf-8").strip()
