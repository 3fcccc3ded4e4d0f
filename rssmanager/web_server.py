"""How gunicorn serves: `python -m gunicorn -c python:rssmanager.web_server`; options of the command line win.

Several processes count their requests together, in files that only live as long as the server does. gunicorn logs no
addresses, which may hold tokens; the program's own line for each request stands in.
"""

import os
import shutil
import tempfile
from typing import Any

from rssmanager.env import read_environment
from rssmanager.logs import configuration

_COUNTED_IN = "PROMETHEUS_MULTIPROC_DIR"  # prometheus_client's name; looked at when the worker processes import it
_env = read_environment()

wsgi_app = "rssmanager.wsgi:application"
worker_class = "gthread"
workers = 2
threads = 24 if _env.IMAGE_PROXY else 8  # pictures are waited for beside pages (`feeds.images.AT_ONCE`)
accesslog = None
logconfig_dict = configuration(_env.LOG_FORMAT, _env.LOG_LEVEL)


def on_starting(server: Any) -> None:
    """Before any worker process: a folder for what they count, if anybody may ask for it."""
    os.environ.pop(_COUNTED_IN, None)
    if _env.METRICS_TOKEN:
        os.environ[_COUNTED_IN] = tempfile.mkdtemp(prefix="rssmanager-metrics-")


def on_exit(server: Any) -> None:
    """The server ends."""
    folder = os.environ.pop(_COUNTED_IN, "")
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
