"""gunicorn settings: `python -m gunicorn -c python:rssmanager.server.gunicorn_conf`; command line options win.

The processes share request counts in files that are deleted with the server. gunicorn's access log is off, as paths may
contain tokens; the app logs each request itself.
"""

import os
import shutil
import tempfile
from typing import Any

from rssmanager.env import read_environment
from rssmanager.monitoring.logs import logging_config

_COUNTED_IN = "PROMETHEUS_MULTIPROC_DIR"  # prometheus_client's; read when worker processes import it
_env = read_environment()

wsgi_app = "rssmanager.wsgi:application"
worker_class = "gthread"
workers = 2
threads = 24 if _env.IMAGE_PROXY else 8  # images load alongside pages (`feeds.content.image_proxy.AT_ONCE`)
accesslog = None
logconfig_dict = logging_config(_env.LOG_FORMAT, _env.LOG_LEVEL)


def on_starting(server: Any) -> None:
    """Create the folder for request counts before any worker process, if metrics are on."""
    os.environ.pop(_COUNTED_IN, None)
    if _env.METRICS_TOKEN:
        os.environ[_COUNTED_IN] = tempfile.mkdtemp(prefix="rssmanager-metrics-")


def on_exit(server: Any) -> None:
    """Delete the folder."""
    folder = os.environ.pop(_COUNTED_IN, "")
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
