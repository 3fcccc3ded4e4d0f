"""The WSGI application that the web server serves."""

import os
from typing import cast
from wsgiref.types import WSGIApplication

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from rssmanager.middleware.url_prefix import below

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rssmanager.settings")
application = cast(WSGIApplication, get_wsgi_application())
if settings.FORCE_SCRIPT_NAME:
    application = below(settings.FORCE_SCRIPT_NAME, application)
