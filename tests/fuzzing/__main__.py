"""`make fuzz` or `python -m tests.fuzzing [OPTIONS]`; the targets import models, which Django must be ready for."""

import os
import sys
from importlib import import_module

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rssmanager.settings")
os.environ["DATABASE_URL"] = "sqlite://:memory:"  # never the installation's own

if __name__ == "__main__":
    django.setup()
    sys.exit(import_module("tests.fuzzing.command").main())
