"""Where atheris runs one target: `python -m tests.fuzzing.guided_process TARGET [libFuzzer's options]`."""

import os
import sys
from importlib import import_module

import atheris
import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rssmanager.settings")
os.environ["DATABASE_URL"] = "sqlite://:memory:"


def main() -> None:
    with atheris.instrument_imports(include=["feeds", "reader", "digests", "rssmanager"]):
        django.setup()
        targets = import_module("tests.fuzzing.targets").TARGETS
        prepared = import_module("tests.fuzzing.running").prepared
    target = next(each for each in targets if each.name == sys.argv[1])

    def one(data: bytes) -> None:
        target.check(data)

    with prepared(target):
        atheris.Setup([sys.argv[0], *sys.argv[2:]], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
