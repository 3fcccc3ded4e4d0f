"""The secret key that is generated if none is set."""

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key


def read_or_make_key(folder: Path) -> str:
    """The key in `folder`/secret_key, created on first use with mode 0600; safe if two processes start at once.

    Raises ImproperlyConfigured if it can't be read.
    """
    try:
        return _read_or_make_key(folder / "secret_key")
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"The secret key in DATA_DIR can't be read or created: {error}.") from error


def _read_or_make_key(path: Path) -> str:
    if not path.exists():
        draft = path.parent / f"secret_key.{os.getpid()}"
        draft.touch(mode=0o600)
        draft.write_text(get_random_secret_key(), encoding="utf-8")
        try:
            os.link(draft, path)  # atomic: the first process wins, and the other reads its key
        except FileExistsError:
            return path.read_text(encoding="utf-8").strip()
        finally:
            draft.unlink()
    return path.read_text(encoding="utf-8").strip()
