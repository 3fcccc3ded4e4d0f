"""URLs of the APIs. Apps repeat or leave out the prefix, depending on which address they were given."""

from django.urls import path, re_path

from rssmanager.api.fever import fever
from rssmanager.api.google_reader import google_reader

urlpatterns = [
    re_path(r"^api/fever(?:\.php)?/?$", fever, name="fever_call"),
    path("api/fever.php", fever, name="fever"),
    path("api/greader.php", google_reader, name="google_reader"),
    re_path(r"^(?:api/greader(?:\.php)?/?)+$", google_reader, name="google_reader_root"),
    re_path(
        r"^(?:api/greader(?:\.php)?/)*(?P<call>accounts/ClientLogin|reader/api/0/.+?)/?$",
        google_reader,
        name="google_reader_call",
    ),
]
